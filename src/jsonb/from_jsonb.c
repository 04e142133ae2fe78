/*
 * from_jsonb.c
 *	  jsonb to bson, value by value.
 *
 * Numbers follow the rules of JSON text; json/extjson.c says what a wrapper
 * means.
 *
 * The children of a container are read in place, by the format that
 * utils/jsonb.h describes, and written straight into the datum: the server's
 * iterator and libbson's writer would take four times as long.
 */
#include "jsonb/to_jsonb.h"

#include "core/bytes/recode.h"
#include "core/number/number_text.h"
#include "json/extjson.h"
#include "json/json_number.h"

/* A bson datum being made */
typedef struct Maker
{
	PgBsonWriter w;
	bool		recodes;		/* the server's text has to be converted to UTF-8 */
} Maker;

/* An iterator over the children of a container, or over an object's values */
typedef struct Children
{
	const JEntry *next;
	const char *base;			/* the place that offsets count from */
	uint32		offset;			/* of the next child */
} Children;

static inline Children
children_from(const JsonbContainer *container, uint32 total, uint32 first, uint32 offset)
{
	Children	c = {container->children + first, (const char *) (container->children + total), offset};

	return c;
}

static inline JEntry
next_child(Children *c, uint32 *offset, uint32 *len)
{
	JEntry		entry = *c->next++;

	*offset = c->offset;
	JBE_ADVANCE_OFFSET(c->offset, entry);
	*len = c->offset - *offset;
	return entry;
}

/* A number by the rule of JSON text */
static PgBsonType
put_json_number(PgBsonWriter *w, Numeric num)
{
	char	   *text = PgBsonNumericText(num);
	uint32		len = strlen(text);
	uint8		bytes[PGBSON_NUMBER_BYTES];
	uint32		size;
	PgBsonType	type = PgBsonJsonNumber(text, len, PGBSON_NUMBERS_EXACT, bytes, &size);

	if (type == PGBSON_EOD)
		ereport(ERROR, (PgBsonJsonNumberError(text, len, PGBSON_NUMBERS_EXACT)));
	PgBsonWriterBytes(w, bytes, size);
	pfree(text);
	return type;
}

/* A string of jsonb as UTF-8 */
static inline const char *
utf8_of(const Maker *m, const char *s, uint32 *len)
{
	return m->recodes ? PgBsonFromServerText(s, len) : s;
}

static PgBsonNode
object_node(JsonbContainer *object)
{
	PgBsonNode	node = {PGBSON_NODE_OBJECT};

	node.ref = object;
	return node;
}

/* PgBsonTree, for the wrappers */
static PgBsonNode
node_of_jsonb(JsonbValue *v)
{
	PgBsonNode	node = {PGBSON_NODE_NULL};
	char	   *text;

	switch (v->type)
	{
		case jbvNull:
			break;
		case jbvBool:
			node.kind = PGBSON_NODE_BOOL;
			node.boolean = v->val.boolean;
			break;
		case jbvNumeric:
			text = PgBsonNumericText(v->val.numeric);
			node.kind = PgBsonTextIsInt64(text, strlen(text), &node.integer) ?
				PGBSON_NODE_INTEGER : PGBSON_NODE_NUMBER;
			pfree(text);
			break;
		case jbvString:
			node.kind = PGBSON_NODE_STRING;
			node.len = v->val.string.len;
			node.str = PgBsonFromServerText(v->val.string.val, &node.len);
			break;
		case jbvBinary:
			if (JsonContainerIsObject(v->val.binary.data))
				return object_node(v->val.binary.data);
			node.kind = PGBSON_NODE_ARRAY;
			break;
		default:
			elog(ERROR, "unexpected jsonb value type %d", (int) v->type);
	}
	return node;
}

static JsonbContainer *
container_of(const PgBsonNode *object)
{
	return (JsonbContainer *) unconstify(void *, object->ref);
}

/* PgBsonTree */
static uint32
jsonb_count(void *state, const PgBsonNode *object)
{
	return JsonContainerSize(container_of(object));
}

/* PgBsonTree */
static void
jsonb_members(void *state, const PgBsonNode *object, PgBsonMember *members)
{
	JsonbIterator *it = JsonbIteratorInit(container_of(object));
	JsonbIteratorToken tok;
	JsonbValue	v;

	while ((tok = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (tok == WJB_KEY)
		{
			members->key_len = v.val.string.len;
			members->key = PgBsonFromServerText(v.val.string.val, &members->key_len);
		}
		else if (tok == WJB_VALUE)
		{
			members->value = node_of_jsonb(&v);
			members++;
		}
	}
}

static bool put_wrapper(Maker *m, JsonbContainer *object, int levels, PgBsonType *type);
static void put_document(Maker *m, JsonbContainer *object, int levels);

static void
begin_maker(Maker *m, Size expected)
{
	PgBsonWriterInit(&m->w, expected);
	m->recodes = GetDatabaseEncoding() != PG_UTF8;
}

/* PgBsonTree: a scope, as a document of its own */
static PgBson *
jsonb_document(void *state, const PgBsonNode *object)
{
	Maker		m;
	PgBsonType	type;

	begin_maker(&m, 0);
	if (put_wrapper(&m, container_of(object), 1, &type))
		return NULL;
	put_document(&m, container_of(object), 1);
	return PgBsonWriterFinish(&m.w);
}

/*
 * Does the object have a key that wrappers have?  Its keys are adjacent in
 * memory, so one scan settles it for most objects.
 */
static bool
has_jsonb_wrapper_key(JsonbContainer *object)
{
	uint32		n = JsonContainerSize(object);
	Children	keys = children_from(object, n * 2, 0, 0);
	uint32		offset;
	uint32		len;

	if (memchr(keys.base, '$', getJsonbOffset(object, n)) == NULL)
		return false;

	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) next_child(&keys, &offset, &len);
		if (PgBsonExtJsonIsKey(keys.base + offset, len))
			return true;
	}
	return false;
}

/* {"key": "string"} that stands for a value of fixed size, as most wrappers do */
static bool
put_fixed_wrapper(Maker *m, const JsonbContainer *object, PgBsonType *type)
{
	Children	c = children_from(object, 2, 0, 0);
	uint8		bytes[PGBSON_EXTJSON_FIXED];
	uint32		key_offset;
	uint32		key_len;
	uint32		offset;
	uint32		len;
	const char *s;

	if (JsonContainerSize(object) != 1)
		return false;
	(void) next_child(&c, &key_offset, &key_len);
	if (!JBE_ISSTRING(next_child(&c, &offset, &len)))
		return false;
	s = utf8_of(m, c.base + offset, &len);
	len = PgBsonExtJsonFixed(c.base + key_offset, key_len, s, len, type, bytes);
	PgBsonWriterBytes(&m->w, bytes, len);
	return len > 0;
}

/* If the object is a wrapper, append the value that it stands for; it is nested "levels" deep */
static bool
put_wrapper(Maker *m, JsonbContainer *object, int levels, PgBsonType *type)
{
	PgBsonTree	tree = {NULL, jsonb_count, jsonb_members, jsonb_document};
	PgBsonNode	node = object_node(object);
	Size		start = m->w.len;
	PgBsonValue value;

	if (!has_jsonb_wrapper_key(object))
		return false;
	if (put_fixed_wrapper(m, object, type))
		return true;
	if (PgBsonExtJsonConvert(&tree, &node, &m->w, type, NULL) != PGBSON_WRAPPER)
		return false;
	value = (PgBsonValue) {*type, m->w.len - start, m->w.data + start};
	PgBsonCheckDepth(&value, levels);
	return true;
}

static void put_array(Maker *m, JsonbContainer *array, int levels);

static PgBsonType
put_container(Maker *m, JsonbContainer *container, int levels)
{
	PgBsonType	type;

	if (JsonContainerIsObject(container) && put_wrapper(m, container, levels, &type))
		return type;
	if (levels >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
	check_stack_depth();
	if (JsonContainerIsObject(container))
	{
		put_document(m, container, levels + 1);
		return PGBSON_DOCUMENT;
	}
	put_array(m, container, levels + 1);
	return PGBSON_ARRAY;
}

/* Append the next child's value; the caller writes its type before the key */
static PgBsonType
put_child(Maker *m, Children *c, int levels)
{
	uint32		offset;
	uint32		len;
	JEntry		entry = next_child(c, &offset, &len);
	const char *aligned = c->base + INTALIGN(offset);
	const char *string;

	switch (entry & JENTRY_TYPEMASK)
	{
		case JENTRY_ISSTRING:
			string = utf8_of(m, c->base + offset, &len);
			PgBsonWriterString(&m->w, string, len);
			return PGBSON_STRING;
		case JENTRY_ISNUMERIC:
			return put_json_number(&m->w, (Numeric) unconstify(char *, aligned));
		case JENTRY_ISBOOL_FALSE:
		case JENTRY_ISBOOL_TRUE:
			*PgBsonWriterRoom(&m->w, 1) = JBE_ISBOOL_TRUE(entry);
			return PGBSON_BOOL;
		case JENTRY_ISNULL:
			return PGBSON_NULL;
		case JENTRY_ISCONTAINER:
			return put_container(m, (JsonbContainer *) unconstify(char *, aligned), levels);
		default:
			elog(ERROR, "unexpected jsonb entry %x", entry);
	}
}

/* Append an object's members, without a check for wrappers; the new document is the last of "levels" */
static void
put_document(Maker *m, JsonbContainer *object, int levels)
{
	uint32		n = JsonContainerSize(object);
	Children	keys = children_from(object, n * 2, 0, 0);
	Children	values = children_from(object, n * 2, n, getJsonbOffset(object, n));
	Size		start = PgBsonWriterOpen(&m->w);

	for (uint32 i = 0; i < n; i++)
	{
		Size		element = m->w.len;
		uint32		offset;
		uint32		len;
		const char *key;
		PgBsonType	type;

		CHECK_FOR_INTERRUPTS();
		(void) next_child(&keys, &offset, &len);
		key = utf8_of(m, keys.base + offset, &len);
		PgBsonWriterKey(&m->w, PGBSON_EOD, key, len);
		type = put_child(m, &values, levels);
		m->w.data[element] = type;
	}
	PgBsonWriterClose(&m->w, start);
}

static void
put_array(Maker *m, JsonbContainer *array, int levels)
{
	uint32		n = JsonContainerSize(array);
	Children	elements = children_from(array, n, 0, 0);
	Size		start = PgBsonWriterOpen(&m->w);

	for (uint32 i = 0; i < n; i++)
	{
		Size		element = m->w.len;
		PgBsonType	type;

		CHECK_FOR_INTERRUPTS();
		PgBsonWriterIndex(&m->w, PGBSON_EOD, i);
		type = put_child(m, &elements, levels);
		m->w.data[element] = type;
	}
	PgBsonWriterClose(&m->w, start);
}

/*
 * The value at the root.  A value that is not a document goes into an
 * envelope, see pgbson.h.  Whether an object is a document or a wrapper is
 * known only after its keys have been checked.
 */
static void
put_root(Maker *m, JsonbContainer *root)
{
	Children	scalar = children_from(root, 1, 0, 0);
	Size		start = PgBsonWriterOpenEnvelope(&m->w, PGBSON_EOD);
	Size		element = m->w.len - 2; /* its type */
	PgBsonType	type;

	if (JsonContainerIsScalar(root))
		type = put_child(m, &scalar, 1);
	else if (!JsonContainerIsObject(root))
		type = put_container(m, root, 1);
	else if (!put_wrapper(m, root, 1, &type))
	{
		m->w.len = start;
		put_document(m, root, 1);
		return;
	}
	m->w.data[element] = type;
	PgBsonWriterClose(&m->w, start);
}

PgBson *
PgBsonFromJsonb(Jsonb *jb)
{
	Maker		m;

	begin_maker(&m, VARSIZE(jb));
	put_root(&m, &jb->root);
	return PgBsonWriterFinish(&m.w);
}
