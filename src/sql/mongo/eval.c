/*
 * eval.c
 *	  MongoDB's aggregation expressions (bson_eval), and stages that make of a document another one.
 *
 * The statements that pipelines are translated to (bson_pipeline_sql) call the functions for stages.
 */
#include "door.h"

#include "core/order/compare.h"
#include "mongo/query/match.h"
#include "mongo/stage/nested.h"
#include "mongo/update/update.h"
#include "sql/make/aggregate.h"
#include "sql/site/kept.h"

/* The argument with the variables, in *room, or NULL if it is NULL; error 22023 if it is not a document */
static const PgBsonValue *
variables_argument(FunctionCallInfo fcinfo, int argno, PgBsonValue *room)
{
	if (PG_ARGISNULL(argno))
		return NULL;
	*room = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	if (room->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("variables of a bson expression must be a document"),
							errdetail("They are of type %s.", PgBsonTypeName(room->type)));
	return room;
}

typedef PgBsonValue (*StageFunction) (const void *made, const PgBsonValue *doc, const PgBsonValue *variables);

/* What the call site of bson_eval keeps */
typedef struct EvalSite
{
	PgBsonKept	kept;			/* the expression; the first member */
	int			patience;
	struct KeptResult *results;	/* by a hash, until the call site ends */
} EvalSite;

static PgBson *result_datum(FunctionCallInfo fcinfo, EvalSite *site, const PgBsonValue *value);

/*
 * The worker of functions with three arguments: a document (with "eval", of bson_eval, any value); an expression or
 * stages, which the call site keeps in parsed form; and variables, or NULL.  The result is NULL for a missing value.
 */
static pg_attribute_always_inline Datum
apply(FunctionCallInfo fcinfo, bool eval, PgBsonKeeper keep, StageFunction function)
{
	PgBsonKept *kept;
	PgBsonReader reader;
	PgBsonValue room;
	PgBsonValue result;
	PgBson	   *made = NULL;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	kept = PgBsonKeptSite(fcinfo, eval ? sizeof(EvalSite) : sizeof(PgBsonKept), 1, 1, keep);
	if (eval)
		(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	else
		PgBsonOpenDocument(&reader, PG_GETARG_DATUM(0));
	result = function(kept->thing, &reader.root, variables_argument(fcinfo, 2, &room));
	if (result.type != PGBSON_MISSING)
		made = eval ? result_datum(fcinfo, (EvalSite *) kept, &result) : PgBsonFromValue(&result);
	PgBsonClose(&reader);
	if (made == NULL)
		PG_RETURN_NULL();
	PgBsonCheckCall(fcinfo, result.len, "");
	PG_RETURN_PGBSON_P(made);
}

#define STAGE_FUNCTION(name, call) \
static PgBsonValue \
name(const void *made, const PgBsonValue *doc, const PgBsonValue *variables) \
{ \
	return call; \
}

PGBSON_KEEPER(keep_expression, PgBsonExpressionParse(&value, NULL))

static PgBsonValue
evaluate_made(const void *made, const PgBsonValue *doc, const PgBsonValue *variables)
{
	PgBsonValue result = PgBsonExpressionEvaluate(made, doc, variables, NULL);

	if (result.type != PGBSON_MISSING)
		PgBsonCheckDepth(&result, 1);
	return result;
}

/* How many results a call site of bson_eval keeps, the most bytes of each, and how many more misses than hits end it */
#define KEPT_RESULTS	64
#define KEPT_BYTES		32
#define KEPT_PATIENCE	256

/* A result that is returned again, with no memory for each row: many expressions have few, as those to group by */
typedef struct KeptResult
{
	PgBson	   *datum;
	PgBsonValue value;			/* in the datum */
} KeptResult;

/* The place of a value of at most KEPT_BYTES among the results */
static inline KeptResult *
place_of_result(EvalSite *site, const PgBsonValue *value)
{
	uint64		hash = value->len;

	if (value->len >= 8)
		hash += PgBsonReadU64(value->data) ^ PgBsonReadU64(value->data + value->len - 8);
	else if (value->len >= 4)
		hash += PgBsonReadU32(value->data);
	return &site->results[(hash * UINT64CONST(0x9E3779B97F4A7C15)) >> 58];
}

/* A datum of the value: one that was made before, or a new one */
static PgBson *
result_datum(FunctionCallInfo fcinfo, EvalSite *site, const PgBsonValue *value)
{
	MemoryContext old;
	KeptResult *place;

	if (value->len > KEPT_BYTES || fcinfo->flinfo == NULL || site->patience < -KEPT_PATIENCE)
		return PgBsonFromValue(value);
	old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	if (site->results == NULL)
		site->results = palloc0_array(KeptResult, KEPT_RESULTS);
	place = place_of_result(site, value);
	if (place->datum == NULL)
	{
		place->datum = PgBsonFromValue(value);
		place->value = PgBsonRoot(place->datum);
	}
	MemoryContextSwitchTo(old);
	if (!PgBsonSameBytes(&place->value, value))
	{
		site->patience--;
		return PgBsonFromValue(value);
	}
	site->patience = Min(site->patience + 1, KEPT_PATIENCE);
	return place->datum;
}

/* SQL: bson_eval(doc bson, expression bson, variables bson DEFAULT NULL) returns bson; NULL where there is no value */
PGBSON_DOOR(pgbson_eval, apply(fcinfo, true, keep_expression, evaluate_made));

static void
keep_summand(FunctionCallInfo fcinfo, void *site)
{
	PgBsonValue value = PgBsonKeptValue(fcinfo, site, 2);

	((PgBsonKept *) site)->thing = PgBsonExpressionParse(&value, NULL);
}

/* SQL: bson_sum_transfn(internal, doc bson, expression bson) returns internal */
PGBSON_FUNCTION(pgbson_sum_eval_transfn)
{
	PgBsonReader reader = {.source = NULL};
	PgBsonValue value = PgBsonNull;
	Datum		state;

	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
	{
		const PgBsonKept *kept = PgBsonKeptSite(fcinfo, sizeof(PgBsonKept), 2, 1, keep_summand);

		(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(1));
		value = PgBsonExpressionEvaluate(kept->thing, &reader.root, NULL, NULL);
	}
	state = PgBsonSumTransition(fcinfo, &value);
	PgBsonClose(&reader);
	return state;
}

/* What the call site of bson_eval_match keeps */
typedef struct TestSite
{
	PgBsonKept	kept;			/* the expression; the first member */
	PgBsonQuery *query;
	PgBsonQueryFields *fields;	/* the prepared query, if the expression is a document of a few fields; or NULL */
	int			which[PGBSON_MAX_FIELDS];	/* of each field that the query tests, its place in the document, or -1 */
} TestSite;

static void
keep_test(FunctionCallInfo fcinfo, void *test_site)
{
	TestSite   *site = test_site;
	PgBsonValue value = PgBsonKeptValue(fcinfo, site, 1);
	PgBsonExpression *expression = PgBsonExpressionParse(&value, NULL);
	const PgBsonExpr *root = expression->root;

	value = PgBsonKeptValue(fcinfo, site, 2);
	site->kept.thing = expression;
	site->query = PgBsonQueryParse(&value);
	site->fields = NULL;
	if (root->eval == PgBsonExprEvalContainer && root->names != NULL && root->nargs <= PGBSON_MAX_FIELDS)
		site->fields = PgBsonQueryFieldsMake(site->query);
	for (int i = 0; i < PGBSON_MAX_FIELDS; i++)
		site->which[i] = -1;
	for (int i = 0; site->fields != NULL && i < root->nargs; i++)
	{
		int			which = PgBsonQueryFieldsFind(site->fields, &root->names[i]);

		if (which >= 0)
			site->which[which] = i;
	}
}

/* Does the document that the expression makes satisfy the query?  It is not made if the query only tests its fields. */
static bool
eval_match(const TestSite *site, const PgBsonValue *doc, const PgBsonValue *variables)
{
	PgBsonValue values[PGBSON_MAX_FIELDS];

	if (site->fields == NULL)
	{
		values[0] = evaluate_made(site->kept.thing, doc, variables);
		return values[0].type != PGBSON_MISSING && PgBsonQueryMatches(site->query, &values[0]);
	}
	PgBsonExpressionEvaluateFields(site->kept.thing, doc, variables, values);
	return PgBsonFieldsMatchValues(site->fields, values, site->which);
}

/* SQL: bson_eval_match(doc bson, expression bson, query bson, variables bson DEFAULT NULL) returns boolean */
PGBSON_FUNCTION(pgbson_eval_match)
{
	const TestSite *site;
	PgBsonReader reader;
	PgBsonValue room;
	bool		holds;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	site = PgBsonKeptSite(fcinfo, sizeof(TestSite), 1, 2, keep_test);
	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	holds = eval_match(site, &reader.root, variables_argument(fcinfo, 3, &room));
	PgBsonClose(&reader);
	PG_RETURN_BOOL(holds);
}

PGBSON_KEEPER(keep_stages, PgBsonPipelineParse(&value, true))
STAGE_FUNCTION(transform, PgBsonPipelineApply(made, doc, variables))

/* SQL: bson_transform(doc bson, stages bson, variables bson DEFAULT NULL) returns bson */
PGBSON_DOOR(pgbson_transform, apply(fcinfo, false, keep_stages, transform));

PGBSON_KEEPER(keep_let, PgBsonLetParse(&value))
STAGE_FUNCTION(let_variables, PgBsonLetEvaluate(made, doc, variables))

/* SQL: bson_let(doc bson, variables bson, known bson DEFAULT NULL) returns bson */
PGBSON_DOOR(pgbson_let, apply(fcinfo, false, keep_let, let_variables));

PGBSON_KEEPER(keep_redact, PgBsonRedactParse(&value))
STAGE_FUNCTION(redact, PgBsonRedact(made, doc, variables))

/* SQL: bson_redact(doc bson, expression bson, variables bson DEFAULT NULL) returns bson; NULL where nothing is left */
PGBSON_DOOR(pgbson_redact, apply(fcinfo, false, keep_redact, redact));
