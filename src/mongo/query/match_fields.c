/*
 * match_fields.c
 *	  A query that asks something of several fields, in one walk over a document.
 */
#include "mongo/query/match_fields.h"

#include "core/find/fields.h"

/* So many documents after nothing was stepped over, it is tried again, as they may have changed */
#define TRY_AGAIN	16

/* The path of a test, through documents only */
typedef struct SparsePath
{
	int			nkeys;			/* how many of its names are followed so */
	PgBsonFetchHint hint;		/* where that led to */
	PgBsonStep	keys[FLEXIBLE_ARRAY_MEMBER];
} SparsePath;

/* A test, or its negation; those of one field are chained */
typedef struct FieldTest
{
	const PgBsonQuery *test;
	bool		negated;
	SparsePath *path;			/* NULL: no document was read sparsely yet */
	struct FieldTest *next;
} FieldTest;

struct PgBsonQueryFields
{
	const PgBsonQuery *query;	/* all of it, for a root that is no document */
	int			nfields;
	PgBsonFieldTarget targets[PGBSON_MAX_FIELDS];
	FieldTest  *tests[PGBSON_MAX_FIELDS];
	PgBsonFieldShape shape;
	uint32		sparse;			/* documents that might have been read sparsely */
};

static bool
is_test(const PgBsonQuery *query)
{
	return query->kind >= PGBSON_QUERY_EQ && query->npath > 0;
}

/* Add a test or its negation to the field that its path begins with; false if it is neither, or there are too many fields */
static bool
add_test(PgBsonQueryFields *fields, const PgBsonQuery *query)
{
	FieldTest  *test = palloc0_object(FieldTest);
	const PgBsonStep *name;
	int			i = 0;

	test->negated = query->kind == PGBSON_QUERY_NOT && query->nchildren == 1;
	test->test = test->negated ? query->children[0] : query;
	if (!is_test(test->test))
		return false;
	name = &test->test->path[0];
	while (i < fields->nfields && (fields->targets[i].key_len != name->key_len ||
								   memcmp(fields->targets[i].key, name->key, name->key_len) != 0))
		i++;
	if (i == PGBSON_MAX_FIELDS)
		return false;
	if (i == fields->nfields)
		fields->targets[fields->nfields++] = PgBsonFieldTargetKey(name->key, name->key_len);
	test->next = fields->tests[i];
	fields->tests[i] = test;
	return true;
}

PgBsonQueryFields *
PgBsonQueryFieldsMake(const PgBsonQuery *query)
{
	PgBsonQueryFields *fields = palloc0_object(PgBsonQueryFields);

	fields->query = query;
	fields->shape.context = CurrentMemoryContext;
	if (query->kind != PGBSON_QUERY_AND)
		return add_test(fields, query) ? fields : NULL;
	for (int i = 0; i < query->nchildren; i++)
	{
		if (!add_test(fields, query->children[i]))
			return NULL;
	}
	return fields;
}

/* Do the tests of a field hold?  NULL: it is missing. */
static bool
field_holds(const FieldTest *test, const PgBsonValue *value)
{
	for (; test != NULL; test = test->next)
	{
		if (PgBsonQueryTestFrom(test->test, 1, value) == test->negated)
			return false;
	}
	return true;
}

PgBsonFound
PgBsonFieldsSearch(PgBsonValue root, const uint8 *avail, void *arg, const uint8 **upto)
{
	PgBsonFieldsMatch *match = arg;
	PgBsonQueryFields *fields = match->fields;
	uint32		all = ((uint32) 1 << fields->nfields) - 1;
	PgBsonFieldWalk walk;
	PgBsonFound found;
	PgBsonValue value;
	int			which;

	*upto = avail;
	if (root.type != PGBSON_DOCUMENT)
	{
		/* all of it is looked at */
		*upto = root.data + root.len;
		if (*upto > avail)
			return PGBSON_MORE;
		match->matches = PgBsonQueryMatches(fields->query, &root);
		return PGBSON_FOUND;
	}

	/* a call with more bytes begins at the front again, but tests nothing twice */
	PgBsonFieldWalkBegin(&walk, fields->targets, all & ~match->done, PgBsonValueView(&root), avail);
	PgBsonFieldWalkRecall(&walk, &fields->shape);
	match->matches = true;
	while (match->matches && walk.left != 0 &&
		   (found = PgBsonNextField(&walk, &which, &value, upto)) != PGBSON_ABSENT)
	{
		if (found == PGBSON_MORE)
			return PGBSON_MORE;
		*upto = value.data + value.len;
		match->matches = field_holds(fields->tests[which], &value);
		match->done |= (uint32) 1 << which;
	}
	PgBsonFieldWalkEnd(&walk, &fields->shape, fields->nfields);
	for (uint32 left = match->matches ? walk.left : 0; left != 0 && match->matches; left &= left - 1)
		match->matches = field_holds(fields->tests[pg_rightmost_one_pos32(left)], NULL);
	return PGBSON_FOUND;
}

static SparsePath *
make_path(const PgBsonQuery *query, MemoryContext context)
{
	SparsePath *path = MemoryContextAllocZero(context, offsetof(SparsePath, keys) + query->npath * sizeof(PgBsonStep));

	path->nkeys = query->npath;
	path->hint.shapes.context = context;
	for (int i = 0; i < query->npath; i++)
	{
		path->keys[i] = query->path[i];
		path->keys[i].kind = PGBSON_STEP_KEY;
	}
	return path;
}

/* From now on read the field that the path begins with, whole */
static void
read_field(SparsePath *path)
{
	PgBsonFetchHint hint = {.shapes.context = path->hint.shapes.context};

	path->nkeys = 1;
	path->hint = hint;
}

/* Does a test hold of a document of which only what is on the way is read?  Else *all: all of it is to be read. */
static bool
holds_sparsely(const FieldTest *test, Datum doc, bool *all)
{
	SparsePath *path = test->path;
	PgBsonValue value;
	bool		found = PgBsonFetchPath(doc, path->keys, path->nkeys, &path->hint, &value);

	*all = path->hint.root != PGBSON_DOCUMENT;
	if (*all)
		return false;
	/* an array is on the way, perhaps */
	if (!found && value.type != PGBSON_DOCUMENT)
	{
		read_field(path);
		found = PgBsonFetchPath(doc, path->keys, path->nkeys, &path->hint, &value);
	}
	return PgBsonQueryTestFrom(test->test, path->nkeys, found ? &value : NULL) != test->negated;
}

bool
PgBsonFieldsMatchSparsely(PgBsonQueryFields *fields, Datum doc, bool *matches)
{
	bool		again = ++fields->sparse % TRY_AGAIN == 0;
	bool		all;

	*matches = true;
	for (int i = 0; i < fields->nfields && *matches; i++)
	{
		for (FieldTest *test = fields->tests[i]; test != NULL && *matches; test = test->next)
		{
			if (test->path == NULL)
				test->path = make_path(test->test, fields->shape.context);
			/* where nothing is stepped over, one walk for all fields is faster */
			if (PgBsonReadsOn(&test->path->hint) && !again)
				return false;
			*matches = holds_sparsely(test, doc, &all);
			if (all)
				return false;
		}
	}
	return true;
}
