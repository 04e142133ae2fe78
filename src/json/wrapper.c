/*
 * wrapper.c
 *	  Extended JSON wrappers in JSON text, read in place.
 *
 * A wrapper is small: its objects have at most two members, and at most three
 * of them are nested.  So its nodes fit on the stack, while the strings stay
 * in the text, and json/extjson.c says what they mean.  Most wrappers hold one
 * string that stands for a value of fixed size; these need no other memory.
 */

#include "core/bytes/scan.h"
#include "json/extjson.h"

/* {"$dbPointer": {"$ref": "c", "$id": {"$oid": "..."}}} */
#define MAX_OBJECTS		3
#define MAX_MEMBERS		2

/* This many digits never overflow an int64; longer integers are left to json-c */
#define MAX_DIGITS		18

typedef struct Object
{
	uint32		count;
	PgBsonMember members[MAX_MEMBERS];
} Object;

/* A wrapper's objects; the first is the wrapper */
typedef struct Objects
{
	const uint8 *end;			/* of the text */
	int			count;
	Object		objects[MAX_OBJECTS];
} Objects;

static const uint8 *read_object(Objects *all, const uint8 *s, PgBsonNode *node);

/* A string without escapes, from its quote to after the closing one; NULL to decline */
static const uint8 *
read_string(const uint8 *s, const uint8 *end, const char **str, uint32 *len)
{
	const uint8 *begin = ++s;

	s += PgBsonPlainRun(s, end - s);
	if (s == end || *s != '"')
		return NULL;
	*str = (const char *) begin;
	*len = s - begin;
	return s + 1;
}

static const uint8 *
read_integer(const uint8 *s, const uint8 *end, PgBsonNode *node)
{
	bool		negative = *s == '-';
	const uint8 *digits = s + negative;
	int64		v = 0;

	for (s = digits; s < end && *s >= '0' && *s <= '9'; s++)
	{
		if (s - digits == MAX_DIGITS)
			return NULL;
		v = v * 10 + (*s - '0');
	}
	/* a leading zero is not JSON, and -0 is not an integer; the caller checks what follows */
	if (s == digits || (*digits == '0' && (negative || s - digits > 1)))
		return NULL;
	node->kind = PGBSON_NODE_INTEGER;
	node->integer = negative ? -v : v;
	return s;
}

static const uint8 *
read_value(Objects *all, const uint8 *s, PgBsonNode *node)
{
	switch (*s)
	{
		case '"':
			node->kind = PGBSON_NODE_STRING;
			return read_string(s, all->end, &node->str, &node->len);
		case '{':
			return read_object(all, s, node);
		case 't':
			if (all->end - s < 4 || memcmp(s, "true", 4) != 0)
				return NULL;
			node->kind = PGBSON_NODE_BOOL;
			node->boolean = true;
			return s + 4;
		default:
			return read_integer(s, all->end, node);
	}
}

/* From the opening brace to after the closing one; NULL to decline */
static const uint8 *
read_object(Objects *all, const uint8 *s, PgBsonNode *node)
{
	const uint8 *end = all->end;
	Object	   *object;

	if (all->count == MAX_OBJECTS)
		return NULL;
	object = &all->objects[all->count++];
	object->count = 0;
	node->kind = PGBSON_NODE_OBJECT;
	node->ref = object;

	do
	{
		PgBsonMember *member = &object->members[object->count];

		if (object->count == MAX_MEMBERS)
			return NULL;
		s = PgBsonSkipSpace(s + 1, end);
		if (s == end || *s != '"' || (s = read_string(s, end, &member->key, &member->key_len)) == NULL)
			return NULL;
		s = PgBsonSkipSpace(s, end);
		if (s == end || *s != ':')
			return NULL;
		s = PgBsonSkipSpace(s + 1, end);
		if (s == end || (s = read_value(all, s, &member->value)) == NULL)
			return NULL;
		object->count++;
		s = PgBsonSkipSpace(s, end);
	} while (s < end && *s == ',');

	/* of equal keys the last one counts, as with json-c */
	if (s == end || *s != '}' ||
		(object->count == 2 && object->members[0].key_len == object->members[1].key_len &&
		 memcmp(object->members[0].key, object->members[1].key, object->members[0].key_len) == 0))
		return NULL;
	return s + 1;
}

/* PgBsonTree, for json/extjson.c */

static uint32
scanned_count(void *state, const PgBsonNode *object)
{
	return ((const Object *) object->ref)->count;
}

static void
scanned_members(void *state, const PgBsonNode *object, PgBsonMember *members)
{
	const Object *o = (const Object *) object->ref;

	memcpy(members, o->members, o->count * sizeof(PgBsonMember));
}

/* A scope may be of any size */
static PgBson *
scanned_document(void *state, const PgBsonNode *object)
{
	return NULL;
}

/*
 * A wrapper that holds one string for a value of fixed size, or a date as a
 * $numberLong: its type and size; 0 for other wrappers
 */
static uint32
read_fixed(const Object *object, PgBsonType *type, uint8 *out)
{
	const PgBsonMember *member = &object->members[0];

	if (object->count != 1)
		return 0;
	if (member->value.kind == PGBSON_NODE_STRING)
		return PgBsonExtJsonFixed(member->key, member->key_len, member->value.str, member->value.len,
								  type, out);
	if (member->value.kind == PGBSON_NODE_OBJECT && PgBsonKeyIs(member->key, member->key_len, PGBSON_DOLLAR_DATE))
	{
		uint32		len = read_fixed(member->value.ref, type, out);

		if (len == 0 || *type != PGBSON_INT64)
			return 0;
		*type = PGBSON_DATE;
		return len;
	}
	return 0;
}

/* Read any other wrapper, whose bytes are no more than "most"; returns how many they are, or -1 to decline */
static int64
read_any(const PgBsonNode *node, Size most, PgBsonType *type, uint8 *out)
{
	PgBsonTree	tree = {NULL, scanned_count, scanned_members, scanned_document, true};
	PgBsonWriter w;
	int64		len = -1;

	PgBsonWriterInit(&w, most);
	if (PgBsonExtJsonConvert(&tree, node, &w, type, NULL) == PGBSON_WRAPPER)
	{
		len = w.len;
		memcpy(out, w.data, len);
	}
	pfree(w.data - VARHDRSZ);
	return len;
}

const uint8 *
PgBsonReadWrapper(const uint8 *s, const uint8 *end, PgBsonType *type, uint8 **out)
{
	Objects		all = {end, 0};
	PgBsonNode	node = {PGBSON_NODE_NULL};
	const uint8 *behind = read_object(&all, s, &node);
	int64		len;

	if (behind == NULL)
		return NULL;
	len = read_fixed(&all.objects[0], type, *out);
	if (len == 0)
		len = read_any(&node, behind - s, type, *out);
	if (len < 0)
		return NULL;
	Assert(len < behind - s);
	*out += len;
	return behind;
}
