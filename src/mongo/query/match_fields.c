/*
 * match_fields.c
 *	  A query with tests of several fields, in one pass over a document.
 *
 * MongoDB has nothing like it; match.c names the authority for the tests.
 */
#include "mongo/query/match.h"

/* A test, or the negation of one; the tests of one field are a list */
typedef struct FieldTest
{
	const PgBsonQuery *test;
	bool		negated;
	PgBsonStep *keys;			/* the names of the path, each as a key to look for */
	PgBsonFindHint hint;		/* of the documents that the names after the first lead through */
	struct FieldTest *next;
} FieldTest;

struct PgBsonQueryFields
{
	const PgBsonQuery *query;	/* the query, for a root that is not a document */
	PgBsonFields wanted;		/* the first names of the paths */
	FieldTest  *tests[PGBSON_MAX_FIELDS];	/* of each of these */
};

int
PgBsonQueryFieldsFind(const PgBsonQueryFields *fields, const PgBsonStep *name)
{
	return PgBsonFieldsFind(&fields->wanted, name->key, name->key_len);
}

/* Add a test, or the negation of one, to its path's first name; false for others, or too many names */
static bool
add_test(PgBsonQueryFields *fields, const PgBsonQuery *query)
{
	FieldTest  *test = palloc0_object(FieldTest);
	const PgBsonStep *name;
	int			i;

	test->negated = query->kind == PGBSON_QUERY_NOT && query->nchildren == 1;
	test->test = test->negated ? query->children[0] : query;
	if (test->test->kind < PGBSON_QUERY_EQ || test->test->npath == 0)
		return false;
	name = &test->test->path[0];
	i = PgBsonFieldsEnter(&fields->wanted, name->key, name->key_len);
	if (i < 0)
		return false;
	test->keys = palloc_array(PgBsonStep, test->test->npath);
	for (int n = 0; n < test->test->npath; n++)
	{
		test->keys[n] = test->test->path[n];
		test->keys[n].kind = PGBSON_STEP_KEY;
	}
	test->next = fields->tests[i];
	fields->tests[i] = test;
	return true;
}

PgBsonQueryFields *
PgBsonQueryFieldsMake(const PgBsonQuery *query)
{
	PgBsonQueryFields *fields = palloc0_object(PgBsonQueryFields);

	fields->query = query;
	if (query->kind != PGBSON_QUERY_AND)
		return add_test(fields, query) ? fields : NULL;
	for (int i = 0; i < query->nchildren; i++)
	{
		if (!add_test(fields, query->children[i]))
			return NULL;
	}
	return fields;
}

/*
 * Does the test hold for the document in the field?  Only what the path leads through is read;
 * *told is set to false if an array is on the way, because then everything must be read.
 */
static bool
holds_within(FieldTest *test, PgBsonReader *reader, const PgBsonValue *value, bool *told)
{
	int			npath = test->test->npath;
	PgBsonValue at = *value;
	bool		found = PgBsonFindIn(reader, &at, &test->hint, test->keys + 1, npath - 1);

	*told = found || at.type == PGBSON_DOCUMENT;
	return *told && PgBsonQueryTestFrom(test->test, npath, found ? &at : NULL) != test->negated;
}

/* Do all tests of a field that the document has hold? */
static bool
field_holds(FieldTest *test, PgBsonFieldWalk *walk, const PgBsonValue *value)
{
	for (; test != NULL; test = test->next)
	{
		if (test->test->npath > 1 && value->type == PGBSON_DOCUMENT && walk->reader->source != NULL)
		{
			bool		told;
			bool		holds = holds_within(test, walk->reader, value, &told);

			if (told && holds)
				continue;
			if (told)
				return false;
		}
		PgBsonFieldRead(walk, value);
		if (PgBsonQueryTestFrom(test->test, 1, value) == test->negated)
			return false;
	}
	return true;
}

/* Do all tests of a field that the document does not have hold? */
static bool
missing_holds(const FieldTest *test)
{
	while (test != NULL && PgBsonQueryTestFrom(test->test, 1, NULL) != test->negated)
		test = test->next;
	return test == NULL;
}

bool
PgBsonFieldsMatchValues(const PgBsonQueryFields *fields, const PgBsonValue *values, const int *which)
{
	for (uint32 i = 0; i < fields->wanted.count; i++)
	{
		const PgBsonValue *value = which[i] < 0 || values[which[i]].type == PGBSON_EOD ? NULL : &values[which[i]];

		for (const FieldTest *test = fields->tests[i]; test != NULL; test = test->next)
		{
			if (PgBsonQueryTestFrom(test->test, 1, value) == test->negated)
				return false;
		}
	}
	return true;
}

bool
PgBsonFieldsMatch(PgBsonQueryFields *fields, PgBsonReader *reader)
{
	PgBsonFieldWalk walk;
	PgBsonValue value;
	bool		matches = true;
	int			which;

	if (reader->root.type != PGBSON_DOCUMENT)
	{
		PgBsonReachValue(reader, &reader->root);
		return PgBsonQueryMatches(fields->query, &reader->root);
	}
	PgBsonFieldWalkBegin(&walk, &fields->wanted, reader);
	while (matches && walk.left != 0 && PgBsonNextField(&walk, &which, &value))
		matches = field_holds(fields->tests[which], &walk, &value);
	for (uint32 left = walk.left; left != 0 && matches; left &= left - 1)
		matches = missing_holds(fields->tests[pg_rightmost_one_pos32(left)]);
	return matches;
}
