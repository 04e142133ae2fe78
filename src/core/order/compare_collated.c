/*
 * compare_collated.c
 *	  Strings compared and hashed by a collation of the server, where a call has one.
 */
#include "core/order/compare.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/varlena.h"

Oid			PgBsonCollation = InvalidOid;

int
PgBsonCompareCollated(const char *a, uint32 a_len, const char *b, uint32 b_len)
{
	return varstr_cmp(a, a_len, b, b_len, PgBsonCollation);
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
