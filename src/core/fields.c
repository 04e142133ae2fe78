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

static void
make_filter(PgBsonFieldWalk *walk)
{
	for (uint32 i = walk->left; i != 0; i &= i - 1)
	{
		const PgBsonTarget *target = &walk->targets[pg_rightmost_one_pos32(i)];

		walk->filter |= PgBsonFieldFilter(target->key, target->key_len);
	}
}

/* PgBsonNextField as far as the shape tells; PGBSON_SHAPE_DIFFERS if the rest must be searched */
static PgBsonShapeAnswer
next_of_shape(PgBsonFieldWalk *walk, int *which, PgBsonValue *value)
{
	PgBsonShapeAnswer answer = PgBsonShapeNext(walk->shape, walk->doc, walk->avail, walk->left,
											   &walk->at, &walk->p, which, value);

	if (answer == PGBSON_SHAPE_DIFFERS)
		walk->shape = NULL;
	return answer;
}

/* The walk found this field, if all of it may be read */
static PgBsonFound
found_field(PgBsonFieldWalk *walk, int which, const PgBsonValue *value, const uint8 **need)
{
	if (value->data + value->len > walk->avail)
	{
		*need = value->data + value->len;
		return PGBSON_MORE;
	}
	/* the length word was taken at its word; now look at the value */
	if (PgBsonValueSize(value->type, value->data, value->len) != value->len)
		PgBsonReportDamaged(value->data - walk->doc.data);
	walk->left &= ~((uint32) 1 << which);
	walk->p = value->data + value->len;
	return PGBSON_FOUND;
}

PgBsonFound
PgBsonNextField(PgBsonFieldWalk *walk, int *which, PgBsonValue *value, const uint8 **need)
{
	const uint8 *start = walk->doc.data;
	const uint8 *end = start + walk->doc.len - 1;
	const uint8 *limit = Min(end, walk->avail);
	const uint8 *p;
	const uint8 *data;
	const PgBsonTarget *only = &walk->targets[pg_rightmost_one_pos32(walk->left)];
	bool		several = (walk->left & (walk->left - 1)) != 0;

	if (walk->shape != NULL)
	{
		PgBsonShapeAnswer answer = next_of_shape(walk, which, value);

		if (answer == PGBSON_SHAPE_ABSENT)
		{
			*need = walk->p;
			return PGBSON_ABSENT;
		}
		if (answer == PGBSON_SHAPE_HIT)
			return found_field(walk, *which, value, need);
	}
	if (several && walk->filter == 0)
		make_filter(walk);

	p = data = walk->p;
	while (p < limit)
	{
		const uint8 *key = p + 1;
		int			hit = -1;
		uint32		key_len = PgBsonKeyLength(key, limit);
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
			*which = hit;
			value->type = *p;
			value->data = data;
			value->len = size;
			return found_field(walk, hit, value, need);
		}
		p = data + size;
	}

	/* the last element may reach beyond what may be read */
	if (p == end)
	{
		*need = data + 4;
		return PGBSON_ABSENT;
	}
	/* what does not end before the document's own end is damaged, else cut off */
	if (limit == end)
		PgBsonReportDamaged(p - start);
	*need = Max(p, walk->avail) + 1;
	return PGBSON_MORE;
}

typedef struct Targets
{
	const PgBsonTarget *targets;
	int			count;
} Targets;

static int
target_of(const char *key, uint32 key_len, void *arg)
{
	const Targets *targets = arg;

	for (int i = 0; i < targets->count; i++)
	{
		const PgBsonTarget *target = &targets->targets[i];

		if (target->key_len == key_len && memcmp(target->key, key, key_len) == 0)
			return i;
	}
	return -1;
}

void
PgBsonFieldWalkEnd(const PgBsonFieldWalk *walk, PgBsonFieldShape *shape, int ntargets)
{
	Targets		targets = {walk->targets, ntargets};

	if (walk->shape != NULL)
		PgBsonShapeServes(&shape->shape);
	else if (shape->called &&
			 PgBsonShapeDiffers(&shape->shape, shape->context, walk->doc, walk->avail, NULL))
		PgBsonShapeNote(&shape->shape, walk->doc, target_of, &targets);
	shape->called = true;
}
