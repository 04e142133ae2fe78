/*
 * tree.c
 *	  json-c's tree to bson.
 */
#include "json/parse.h"

#include "core/write/build.h"
#include "core/write/from_value.h"
#include "json/extjson.h"
#include "libraries/json_c.h"

/* The context of an error names this many levels of keys */
#define SHOWN_PLACES		8

/* The place in the tree, for the error context; the innermost level first */
typedef struct TreePlace
{
	struct TreePlace *up;
	const char *key;			/* of a field, or NULL */
	Size		index;			/* of an array element */
} TreePlace;

/* The state of the pass over the tree */
typedef struct TreePass
{
	Node	   *escontext;
	TreePlace  *place;			/* NULL at the root */
	int			depth;			/* BSON levels around the current value, an envelope (pgbson.h) among them */
} TreePass;

static bool append_value(TreePass *w, bson_t *doc, const char *key, int key_len, struct json_object *v);

/* Error context callback: the place in the document of a wrapper that was refused */
static void
place_context(void *arg)
{
	TreePass   *w = (TreePass *) arg;
	TreePlace  *places[SHOWN_PLACES];
	int			n = 0;
	StringInfoData path;

	if (w->place == NULL)
		return;
	for (TreePlace *place = w->place; place != NULL && n < SHOWN_PLACES; place = place->up)
		places[n++] = place;

	initStringInfo(&path);
	if (places[n - 1]->up != NULL)
		appendStringInfoString(&path, "...");
	while (n-- > 0)
	{
		if (places[n]->key != NULL)
			appendStringInfoString(&path, PgBsonExcerpt(places[n]->key, strlen(places[n]->key)));
		else
			appendStringInfo(&path, "%zu", places[n]->index);
		if (n > 0)
			appendStringInfoChar(&path, '.');
	}
	errcontext("JSON data, field %s", path.data);
}

/* PgBsonTree, for the wrappers */

static PgBsonNode
node_of(struct json_object *v)
{
	PgBsonNode	node = {PGBSON_NODE_NULL};

	node.ref = v;
	switch (JSON_C->json_object_get_type(v))
	{
		case json_type_null:
			break;
		case json_type_boolean:
			node.kind = PGBSON_NODE_BOOL;
			node.boolean = JSON_C->json_object_get_boolean(v);
			break;
		case json_type_int:
			node.kind = PGBSON_NODE_INTEGER;
			node.integer = JSON_C->json_object_get_int64(v);
			break;
		case json_type_double:
			node.kind = PGBSON_NODE_NUMBER;
			break;
		case json_type_string:
			node.kind = PGBSON_NODE_STRING;
			node.str = JSON_C->json_object_get_string(v);
			node.len = JSON_C->json_object_get_string_len(v);
			break;
		case json_type_array:
			node.kind = PGBSON_NODE_ARRAY;
			break;
		case json_type_object:
			node.kind = PGBSON_NODE_OBJECT;
			break;
	}
	return node;
}

static uint32
json_c_count(void *state, const PgBsonNode *object)
{
	return JSON_C->json_object_object_length(object->ref);
}

static void
json_c_members(void *state, const PgBsonNode *object, PgBsonMember *members)
{
	struct json_object_iter it;

	JSON_C_FOREACH(unconstify(void *, object->ref), it)
	{
		members->key = it.key;
		members->key_len = strlen(it.key);
		members->value = node_of(it.val);
		members++;
	}
}

/* Step into a container: one more level of BSON */
static bool
enter_tree(TreePass *w)
{
	if (w->depth >= PGBSON_MAX_DEPTH)
		return PgBsonRefuseTooDeep(w->escontext);
	w->depth++;
	return true;
}

/* What libbson's functions return is false if the document has become too large */
static inline void
check_appended(bool appended)
{
	if (!appended)
		PgBsonReportTooLarge();
}

static bool
has_wrapper_key(struct json_object *object)
{
	struct json_object_iter it;

	JSON_C_FOREACH(object, it)
	{
		if (it.key[0] == '$' && PgBsonExtJsonIsKey(it.key, strlen(it.key)))
			return true;
	}
	return false;
}

/* Append the fields of an object that is not a wrapper to a document that was begun for it */
static bool
append_members(TreePass *w, bson_t *doc, struct json_object *object)
{
	struct json_object_iter it;
	TreePlace	place = {w->place};

	if (!enter_tree(w))
		return false;
	w->place = &place;
	JSON_C_FOREACH(object, it)
	{
		place.key = it.key;
		if (!append_value(w, doc, it.key, strlen(it.key), it.val))
			return false;
	}
	w->place = place.up;
	w->depth--;
	return true;
}

static PgBson *json_c_document(void *state, const PgBsonNode *object);

/* If an object is a wrapper, set *value to its value, palloc'd */
static PgBsonConverted
try_wrapper(TreePass *w, const PgBsonNode *object, PgBsonValue *value)
{
	PgBsonTree	tree = {w, json_c_count, json_c_members, json_c_document};
	PgBsonWriter bytes;
	PgBsonType	type;
	PgBsonConverted result;

	if (!has_wrapper_key(unconstify(void *, object->ref)))
		return PGBSON_NO_WRAPPER;
	PgBsonWriterInit(&bytes, 0);
	result = PgBsonExtJsonConvert(&tree, object, &bytes, &type, w->escontext);
	if (result == PGBSON_WRAPPER)
		*value = PgBsonWriterResult(&bytes, type);
	else
		pfree(bytes.data - VARHDRSZ);
	return result;
}

/*
 * Append the value of a wrapper.  bson_concat copies it byte by byte, from a document that has only this: of libbson's
 * other functions some change what they are given, as they sort a regular expression's options, or leave out an empty
 * scope.
 */
static void
append_wrapped(bson_t *doc, const char *key, int key_len, const PgBsonValue *value)
{
	PgBsonValue pair = PgBsonMakePair(key, key_len, value);
	bson_t		one;

	check_appended(LIBBSON->bson_init_static(&one, pair.data, pair.len) && LIBBSON->bson_concat(doc, &one));
	pfree(unconstify(uint8 *, pair.data));
	pfree(unconstify(uint8 *, value->data) - VARHDRSZ);
}

/* PgBsonTree: a scope, as a document of its own */
static PgBson *
json_c_document(void *state, const PgBsonNode *object)
{
	TreePass   *w = (TreePass *) state;
	PgBsonBuilder *scope;
	PgBsonValue value;

	if (try_wrapper(w, object, &value) != PGBSON_NO_WRAPPER)
		return NULL;
	scope = PgBsonBuilderBegin();
	return append_members(w, scope->doc, unconstify(void *, object->ref)) ? PgBsonBuilderFinish(scope, false) : NULL;
}

static bool
append_object(TreePass *w, bson_t *doc, const char *key, int key_len, struct json_object *object)
{
	PgBsonNode	node = node_of(object);
	PgBsonValue value;
	PgBsonConverted converted = try_wrapper(w, &node, &value);
	bson_t		inner;

	if (converted == PGBSON_WRAPPER)
		append_wrapped(doc, key, key_len, &value);
	if (converted != PGBSON_NO_WRAPPER)
		return converted == PGBSON_WRAPPER;
	check_appended(LIBBSON->bson_append_document_begin(doc, key, key_len, &inner));
	if (!append_members(w, &inner, object))
		return false;
	check_appended(LIBBSON->bson_append_document_end(doc, &inner));
	return true;
}

static bool
append_array(TreePass *w, bson_t *doc, const char *key, int key_len, struct json_object *array)
{
	Size		n = JSON_C->json_object_array_length(array);
	TreePlace	place = {w->place};
	char		number[PGBSON_INDEX_SIZE];
	bson_t		inner;

	if (!enter_tree(w))
		return false;
	check_appended(LIBBSON->bson_append_array_unsafe_begin(doc, key, key_len, &inner));
	w->place = &place;
	for (place.index = 0; place.index < n; place.index++)
	{
		int			len = PgBsonBuilderIndex(place.index, number);

		if (!append_value(w, &inner, number, len, JSON_C->json_object_array_get_idx(array, place.index)))
			return false;
	}
	w->place = place.up;
	check_appended(LIBBSON->bson_append_array_end(doc, &inner));
	w->depth--;
	return true;
}

static bool
append_integer(bson_t *doc, const char *key, int key_len, int64 v)
{
	return v >= PG_INT32_MIN && v <= PG_INT32_MAX ? LIBBSON->bson_append_int32(doc, key, key_len, (int32) v)
		: LIBBSON->bson_append_int64(doc, key, key_len, v);
}

/* A value, with all below it; false after a soft error */
static bool
append_value(TreePass *w, bson_t *doc, const char *key, int key_len, struct json_object *v)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (JSON_C->json_object_get_type(v))
	{
		case json_type_null:
			check_appended(LIBBSON->bson_append_null(doc, key, key_len));
			return true;
		case json_type_boolean:
			check_appended(LIBBSON->bson_append_bool(doc, key, key_len, JSON_C->json_object_get_boolean(v)));
			return true;
		case json_type_int:
			check_appended(append_integer(doc, key, key_len, JSON_C->json_object_get_int64(v)));
			return true;
		case json_type_double:
			check_appended(LIBBSON->bson_append_double(doc, key, key_len, JSON_C->json_object_get_double(v)));
			return true;
		case json_type_string:
			check_appended(LIBBSON->bson_append_utf8(doc, key, key_len, JSON_C->json_object_get_string(v),
													 JSON_C->json_object_get_string_len(v)));
			return true;
		case json_type_array:
			return append_array(w, doc, key, key_len, v);
		case json_type_object:
			return append_object(w, doc, key, key_len, v);
	}
	elog(ERROR, "unknown json-c type %d", (int) JSON_C->json_object_get_type(v));
}

/* The root: the fields of a document, or any other value in an envelope */
static bool
append_root(TreePass *w, bson_t *doc, struct json_object *v, bool *enveloped)
{
	PgBsonNode	node = node_of(v);
	PgBsonValue value;
	PgBsonConverted converted = node.kind == PGBSON_NODE_OBJECT ? try_wrapper(w, &node, &value) : PGBSON_NO_WRAPPER;

	*enveloped = node.kind != PGBSON_NODE_OBJECT || converted != PGBSON_NO_WRAPPER;
	if (!*enveloped)
	{
		w->depth = 0;
		return append_members(w, doc, v);
	}
	check_appended(LIBBSON->bson_append_minkey(doc, "", 0));
	if (converted == PGBSON_WRAPPER)
		append_wrapped(doc, "", 0, &value);
	return converted == PGBSON_WRAPPER || (converted == PGBSON_NO_WRAPPER && append_value(w, doc, "", 0, v));
}

PgBson *
PgBsonFromTree(struct json_object *tree, Node *escontext)
{
	ErrorContextCallback callback;
	PgBsonBuilder *b = PgBsonBuilderBegin();
	PgBson	   *result = NULL;
	TreePass	w = {escontext, NULL, 1};
	bool		enveloped;

	callback.callback = place_context;
	callback.arg = &w;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	if (append_root(&w, b->doc, tree, &enveloped))
		result = PgBsonBuilderFinish(b, enveloped);

	error_context_stack = callback.previous;
	return result;
}
