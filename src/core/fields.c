/*
 * fields.c
 *	  Finding several fields of a document in one walk.
 *
 * As in path.c, two ends bound every read: that of the document, past which
 * lies damage, and that of the bytes fetched so far.
 */
#include "core/fields.h"

/* Which of the keys is at "p"?  -1 if none. */
static inline int
find_target(const PgBsonFieldWalk *walk, const uint8 *p, const uint8 *limit)
{
	for (uint32 left = walk->left; left != 0; left &= left - 1)
	{
		int			i = pg_rightmost_one_pos32(left);

		if (PgBsonTargetMatches(p, limit, &walk->targets[i]))
			return i;
	}
	return -1;
}

PgBsonFound
PgBsonNextField(PgBsonFieldWalk *walk, int *which, PgBsonValue *value, const uint8 **need)
{
	const uint8 *start = walk->doc.data;
	const uint8 *end = start + walk->doc.len - 1;
	const uint8 *limit = Min(end, walk->avail);
	const uint8 *p = walk->p;
	const PgBsonTarget *only = &walk->targets[pg_rightmost_one_pos32(walk->left)];
	bool		several = (walk->left & (walk->left - 1)) != 0;

	while (p < limit)
	{
		const uint8 *key = p + 1;
		int			hit = -1;
		uint32		key_len = PgBsonKeyLength(key, limit);
		const uint8 *data;
		uint8		class = PgBsonSizeClass[*p];
		uint64		size;

		if (key_len == PGBSON_BAD_SIZE)
			break;
		if (!several)
			hit = PgBsonTargetMatches(key, limit, only) ? only - walk->targets : -1;
		else if ((walk->filter & PgBsonFieldFilter((const char *) key, key_len)) != 0)
			hit = find_target(walk, key, limit);
		data = key + key_len + 1;
		if (class < PGBSON_SIZED)
			size = class;
		else if (class < PGBSON_SIZE_REGEX)
		{
			if (limit - data < 4)
			{
				p = data + 4;
				break;
			}
			size = (uint64) PgBsonReadU32(data) + (class & ~PGBSON_SIZED);
		}
		else if (class == PGBSON_SIZE_REGEX)
		{
			size = PgBsonValueSize(*p, data, limit - data);
			if (size == PGBSON_BAD_SIZE)
				break;
		}
		else
			PgBsonReportDamaged(p - start);
		if (size > (uint64) (end - data))
			PgBsonReportDamaged(p - start);

		if (hit >= 0)
		{
			if (data + size > walk->avail)
			{
				*need = data + size;
				return PGBSON_MORE;
			}
			/* the length word was taken at its word; now look at the value */
			if (PgBsonValueSize(*p, data, size) != size)
				PgBsonReportDamaged(p - start);
			*which = hit;
			value->type = *p;
			value->data = data;
			value->len = size;
			walk->left &= ~((uint32) 1 << hit);
			walk->p = data + size;
			return PGBSON_FOUND;
		}
		p = data + size;
	}

	/* what does not end before the document's own end is damaged, else cut off */
	if (limit == end)
	{
		if (p != end)
			PgBsonReportDamaged(p - start);
		return PGBSON_ABSENT;
	}
	*need = Max(p, walk->avail) + 1;
	return PGBSON_MORE;
}
