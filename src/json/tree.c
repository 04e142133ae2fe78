/*
 * tree.c
 *	  json-c's tree to bson.
 */
#include "json/parse.h"

#include "core/write/build.h"
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
	PgBsonBuilder *builder;
	Node	   *escontext;
	TreePlace  *place;			/* NULL at the root */
	int			depth;			/* BSON levels around the current value */
} TreePass;

static bool append_value(TreePass *w, struct json_object *v);

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

/*
 * Step into a container: one more level of BSON.  A root that is not a document
 * gets one more, its envelope (pgbson.h).
 */
static bool
enter_tree(TreePass *w, bool is_array)
{
	if (w->depth == 0 && is_array)
		w->depth = 1;
	if (w->depth >= PGBSON_MAX_DEPTH)
		return PgBsonRefuseTooDeep(w->escontext);
	w->depth++;
	return true;
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

/* An object that is not a wrapper */
static bool
append_document(TreePass *w, struct json_object *object)
{
	struct json_object_iter it;
	TreePlace	place = {w->place};

	if (!enter_tree(w, false))
		return false;
	PgBsonBuilderOpenDocument(w->builder);
	w->place = &place;
	JSON_C_FOREACH(object, it)
	{
		place.key = it.key;
		PgBsonBuilderKey(w->builder, it.key, strlen(it.key));
		if (!append_value(w, it.val))
			return false;
	}
	w->place = place.up;
	PgBsonBuilderClose(w->builder);
	w->depth--;
	return true;
}

static PgBson *json_c_document(void *state, const PgBsonNode *object);

/* If an object is a wrapper, append its value to the builder, unless that is NULL */
static PgBsonConverted
try_wrapper(TreePass *w, const PgBsonNode *object, PgBsonBuilder *b)
{
	PgBsonTree	tree = {w, json_c_count, json_c_members, json_c_document};
	PgBsonWriter bytes;
	PgBsonType	type;
	PgBsonConverted result;

	if (!has_wrapper_key(unconstify(void *, object->ref)))
		return PGBSON_NO_WRAPPER;
	PgBsonWriterInit(&bytes, 0);
	result = PgBsonExtJsonConvert(&tree, object, &bytes, &type, w->escontext);
	if (result == PGBSON_WRAPPER && b != NULL)
		PgBsonBuilderValue(b, &(PgBsonValue) {type, bytes.len, bytes.data});
	pfree(bytes.data - VARHDRSZ);
	return result;
}

/* PgBsonTree: a scope, as a document of its own */
static PgBson *
json_c_document(void *state, const PgBsonNode *object)
{
	TreePass   *w = (TreePass *) state;
	PgBsonBuilder *outer = w->builder;
	PgBson	   *result = NULL;

	if (w->depth == 0)
		w->depth = 1;			/* code with a scope is in an envelope if it is the root, see enter_tree() */
	if (try_wrapper(w, object, NULL) != PGBSON_NO_WRAPPER)
		return NULL;
	w->builder = PgBsonBuilderBegin();
	if (append_document(w, unconstify(void *, object->ref)))
		result = PgBsonBuilderFinish(w->builder);
	w->builder = outer;
	return result;
}

static bool
append_object(TreePass *w, struct json_object *object)
{
	PgBsonNode	node = node_of(object);
	PgBsonConverted converted = try_wrapper(w, &node, w->builder);

	return converted == PGBSON_NO_WRAPPER ? append_document(w, object) : converted == PGBSON_WRAPPER;
}

static bool
append_array(TreePass *w, struct json_object *array)
{
	Size		n = JSON_C->json_object_array_length(array);
	TreePlace	place = {w->place};

	if (!enter_tree(w, true))
		return false;
	PgBsonBuilderOpenArray(w->builder);
	w->place = &place;
	for (place.index = 0; place.index < n; place.index++)
	{
		if (!append_value(w, JSON_C->json_object_array_get_idx(array, place.index)))
			return false;
	}
	w->place = place.up;
	PgBsonBuilderClose(w->builder);
	w->depth--;
	return true;
}

static void
append_integer(PgBsonBuilder *b, int64 v)
{
	if (v >= PG_INT32_MIN && v <= PG_INT32_MAX)
		PgBsonBuilderInt32(b, (int32) v);
	else
		PgBsonBuilderInt64(b, v);
}

/* A value, with all below it; false after a soft error */
static bool
append_value(TreePass *w, struct json_object *v)
{
	PgBsonBuilder *b = w->builder;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (JSON_C->json_object_get_type(v))
	{
		case json_type_null:
			PgBsonBuilderNull(b);
			return true;
		case json_type_boolean:
			PgBsonBuilderBool(b, JSON_C->json_object_get_boolean(v));
			return true;
		case json_type_int:
			append_integer(b, JSON_C->json_object_get_int64(v));
			return true;
		case json_type_double:
			PgBsonBuilderDouble(b, JSON_C->json_object_get_double(v));
			return true;
		case json_type_string:
			PgBsonBuilderString(b, JSON_C->json_object_get_string(v), JSON_C->json_object_get_string_len(v));
			return true;
		case json_type_array:
			return append_array(w, v);
		case json_type_object:
			return append_object(w, v);
	}
	elog(ERROR, "unknown json-c type %d", (int) JSON_C->json_object_get_type(v));
}

PgBson *
PgBsonFromTree(struct json_object *tree, Node *escontext)
{
	ErrorContextCallback callback;
	PgBson	   *result = NULL;
	TreePass	w = {PgBsonBuilderBegin(), escontext};

	callback.callback = place_context;
	callback.arg = &w;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	if (append_value(&w, tree))
		result = PgBsonBuilderFinish(w.builder);

	error_context_stack = callback.previous;
	return result;
}
