/*
 * compare_collated.c
 *	  Strings compared and hashed by a collation of the server, where a call has one.
 */
#include "core/order/compare.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

Oid			PgBsonCollation = InvalidOid;

int
PgBsonCompareCollated(const char *a, uint32 a_len, const char *b, uint32 b_len)
{
	int			cmp = varstr_cmp(a, a_len, b, b_len, PgBsonCollation);

	if (cmp != 0 || (a_len == b_len && memcmp(a, b, a_len) == 0) || !get_collation_isdeterministic(PgBsonCollation))
		return cmp;
	/* to a deterministic collation no strings are equal but those of the same bytes; the server's end at U+0000 */
	cmp = memcmp(a, b, Min(a_len, b_len));
	return cmp != 0 ? cmp : a_len < b_len ? -1 : 1;
}

uint64
PgBsonHashCollated(const char *string, uint32 len, uint64 seed)
{
	text	   *copy = cstring_to_text_with_len(string, len);
	Datum		hash = DirectFunctionCall2Coll(hashtextextended, PgBsonCollation, PointerGetDatum(copy),
											   UInt64GetDatum(seed));

	pfree(copy);
	return DatumGetUInt64(hash);
}
