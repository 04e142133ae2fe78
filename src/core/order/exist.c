/*
 * exist.c
 *	  Existence of keys, as jsonb has it.
 */
#include "core/order/contain.h"

/* Is this string an element of the array, or the scalar itself? */
static bool
is_in(const PgBsonValue *value, const char *key, uint32 key_len)
{
	const char *s;
	uint32		len;

	if (value->type == PGBSON_ARRAY)
		return PgBsonArrayHasText(PgBsonValueView(value), key, key_len);
	return PgBsonValueIsString(value, &s, &len) && PgBsonSameKey(s, len, key, key_len);
}

bool
PgBsonHasKey(PgBsonReader *reader, const PgBsonStep *key, PgBsonFindHint *hint)
{
	PgBsonValue *root = &reader->root;

	/*
	 * search in reader->root itself: the processor would have to wait before it can copy a structure
	 * whose members were just written
	 */
	if (root->type == PGBSON_DOCUMENT)
		return PgBsonFindIn(reader, root, hint, key, 1);
	PgBsonReachValue(reader, root);
	return is_in(root, key->key, key->key_len);
}

static inline void
mark_key(PgBsonKeySet *keys, const char *key, uint32 key_len)
{
	PgBsonKeyEntry *entry = PgBsonKeySetFind(keys, key, key_len);

	if (entry != NULL)
		PgBsonKeySetMark(keys, entry);
}

bool
PgBsonHasKeys(const PgBsonValue *value, PgBsonKeySet *keys, bool all)
{
	int			enough = all ? 0 : keys->count - 1;	/* how many keys may stay unseen */
	PgBsonIter	iter;
	const char *s;
	uint32		len;

	if (keys->count == 0)
		return all;

	if (value->type == PGBSON_ARRAY && keys->count == 1)
	{
		if (is_in(value, keys->entries[0].key, keys->entries[0].key_len))
			PgBsonKeySetMark(keys, &keys->entries[0]);
	}
	else if (PgBsonIsContainer(value->type))
	{
		PgBsonIterInit(&iter, PgBsonValueView(value));
		while (keys->unseen > enough && PgBsonIterNext(&iter))
		{
			if (value->type == PGBSON_DOCUMENT)
				mark_key(keys, iter.key, iter.key_len);
			else if (PgBsonValueIsString(&iter.value, &s, &len))
				mark_key(keys, s, len);
		}
	}
	else if (PgBsonValueIsString(value, &s, &len))
		mark_key(keys, s, len);

	return keys->unseen <= enough;
}

void
PgBsonWantedKeysInit(PgBsonWantedKeys *wanted)
{
	memset(&wanted->fields, 0, sizeof(wanted->fields));
	for (int i = 0; i < Min(wanted->keys.count, PGBSON_MAX_FIELDS); i++)
		PgBsonFieldsAdd(&wanted->fields, wanted->keys.entries[i].key, wanted->keys.entries[i].key_len);
}

bool
PgBsonReaderHasKeys(PgBsonReader *reader, PgBsonWantedKeys *wanted, bool all)
{
	uint32		every;
	PgBsonFieldWalk walk;
	PgBsonValue value;
	int			which;

	if (wanted->keys.count > PGBSON_MAX_FIELDS || reader->root.type != PGBSON_DOCUMENT)
	{
		PgBsonReachValue(reader, &reader->root);
		PgBsonKeySetUnmark(&wanted->keys);
		return PgBsonHasKeys(&reader->root, &wanted->keys, all);
	}
	PgBsonFieldWalkBegin(&walk, &wanted->fields, reader);
	every = walk.left;
	while (walk.left != 0 && PgBsonNextField(&walk, &which, &value) && all)
		;
	return all ? walk.left == 0 : walk.left != every;
}
