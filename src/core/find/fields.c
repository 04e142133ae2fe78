/*
 * fields.c
 *	  Finding several fields of a document in one walk.
 */
#include "core/find/fields.h"

/* The number of the filter's bit for a key.  The bit of an empty key depends on the type byte before the key. */
static inline uint32
filter_bit(const uint8 *key, uint32 key_len)
{
	return (key[0] * 5 + key[(int32) key_len - 1]) & 63;
}

void
PgBsonFieldsAdd(PgBsonFields *fields, const char *key, uint32 key_len)
{
	fields->targets[fields->count++] = PgBsonFieldTargetKey(key, key_len);
	fields->filter |= key_len == 0 ? PG_UINT64_MAX : UINT64CONST(1) << filter_bit((const uint8 *) key, key_len);
}

int
PgBsonFieldsFind(const PgBsonFields *fields, const char *key, uint32 key_len)
{
	for (uint32 i = 0; i < fields->count; i++)
	{
		if (PgBsonSameKey(fields->targets[i].key, fields->targets[i].key_len, key, key_len))
			return i;
	}
	return -1;
}

int
PgBsonFieldsEnter(PgBsonFields *fields, const char *key, uint32 key_len)
{
	int			i = PgBsonFieldsFind(fields, key, key_len);

	if (i >= 0 || fields->count == PGBSON_MAX_FIELDS)
		return i;
	PgBsonFieldsAdd(fields, key, key_len);
	return fields->count - 1;
}

/* PgBsonMayStop and PgBsonStop for several fields.  The second sets walk->hit to the field that has this key. */
static inline bool
may_be_wanted(const uint8 *key, uint32 key_len, void *arg)
{
	const PgBsonFieldWalk *walk = arg;

	return (walk->fields->filter >> filter_bit(key, key_len) & 1) != 0;
}

static inline bool
is_wanted(const uint8 *key, uint32 key_len, const uint8 *limit, void *arg)
{
	PgBsonFieldWalk *walk = arg;

	for (uint32 left = walk->left; left != 0; left &= left - 1)
	{
		walk->hit = pg_rightmost_one_pos32(left);
		if (PgBsonFieldTargetMatches(key, key_len, limit, &walk->fields->targets[walk->hit]))
			return true;
	}
	return false;
}

/* The walk to the next of the fields that are left */
static PgBsonFound
walk_on(PgBsonFieldWalk *walk, PgBsonValue *value)
{
	PgBsonWalkState *state = &walk->state;

	return state->guess->by_document
		? PgBsonWalk(state, true, may_be_wanted, is_wanted, value)
		: PgBsonWalk(state, false, may_be_wanted, is_wanted, value);
}

bool
PgBsonNextField(PgBsonFieldWalk *walk, int *which, PgBsonValue *value)
{
	PgBsonWalkState *state = &walk->state;
	PgBsonFound found;

	while ((found = walk_on(walk, value)) == PGBSON_MORE)
		state->avail = PgBsonReach(walk->reader, state->from, state->need);
	if (found == PGBSON_ABSENT)
	{
		PgBsonUsed(walk->reader, state->need);
		return false;
	}
	*which = walk->hit;
	PgBsonUsed(walk->reader, value->data);
	walk->left &= ~((uint32) 1 << *which);
	state->from = value->data + value->len;
	return true;
}

void
PgBsonFieldRead(PgBsonFieldWalk *walk, const PgBsonValue *value)
{
	if (value->data + value->len > walk->state.avail)
		walk->state.avail = PgBsonReach(walk->reader, value->data, value->data + value->len);
	PgBsonUsed(walk->reader, value->data + value->len);
	/* the walk trusted the length word to step over the value; now check that the type allows it */
	if (PgBsonValueSize(value->type, value->data, value->len) != value->len)
		PgBsonReportDamaged(value->data - walk->state.view.data);
}
