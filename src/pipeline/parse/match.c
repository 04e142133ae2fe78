/*
 * match.c
 *	  $match: the conditions of a query.
 *
 * See src/mongo/db/pipeline/document_source_match.cpp of MongoDB.  A query becomes one condition for the operator @~.
 * It has no variables, so the fields that use variables of the pipeline become conditions of their own.
 */
#include "pipeline/parse/stage.h"

#include "mongo/query/match.h"

static bool query_stands_apart(const List *names, const PgBsonValue *query);

/* Has this field of a query variables, or what only a statement can do?  It is no part of a constant query then. */
static bool
field_stands_apart(const List *names, const PgBsonIter *field)
{
	if (PgBsonIterIs(field, "$expr"))
		return PgBsonOperandVaries(names, PgBsonExpressionParse(&field->value, NULL));
	if (!PgBsonQueryIsLogical(field))
		return PgBsonQueryFieldIsBeyond(field);
	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		if (query_stands_apart(names, &iter.value))
			return true;
	}
	return false;
}

static bool
query_stands_apart(const List *names, const PgBsonValue *query)
{
	check_stack_depth();
	if (query->type != PGBSON_DOCUMENT)
		return false;
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		if (field_stands_apart(names, &iter))
			return true;
	}
	return false;
}

/* Is it "$field"?  Set *name to the field's. */
static bool
is_field(const PgBsonValue *operand, PgBsonKeyRef *name)
{
	return PgBsonOperandIsPath(operand, name) && PgBsonFirstNameLength(name->key, name->len) == name->len;
}

/*
 * For {"$eq": ["$field", "$$variable"]} a condition that an index can serve.  It is necessary for the
 * expression to be true; the expression itself is tested as well.
 */
static List *
equality_conditions(const PgBsonValue *expression)
{
	List	   *conditions = NIL;
	PgBsonCondition *condition;
	PgBsonIter	iter;
	PgBsonValue *operands;
	const PgBsonValue *other;
	int			count;
	PgBsonKeyRef field;

	check_stack_depth();
	if (expression->type != PGBSON_DOCUMENT || !PgBsonFirst(expression, &iter) || iter.value.type != PGBSON_ARRAY)
		return NIL;
	operands = PgBsonValuesOf(&iter.value, &count);
	for (int i = 0; PgBsonIterIs(&iter, "$and") && i < count; i++)
		conditions = list_concat(conditions, equality_conditions(&operands[i]));
	if (!PgBsonIterIs(&iter, "$eq") || count != 2)
		return conditions;
	other = is_field(&operands[0], &field) ? &operands[1] : &operands[0];
	/* "$$variable" or "$$variable.path", with a variable that has the same value for all documents? */
	if ((other == &operands[0] && !is_field(&operands[1], &field)) || other->type != PGBSON_STRING ||
		PgBsonExpressionParse(other, NULL)->nvariables == 0)
		return NIL;
	condition = PgBsonConditionNew(PGBSON_CONDITION_EQUALS, other, NIL);
	condition->name = field;
	return list_make1(condition);
}

/* The condition of a field that is no part of a constant query */
static PgBsonCondition *
condition_apart(const PgBsonParse *parse, const PgBsonSource *source, const PgBsonIter *field)
{
	List	   *queries = NIL;

	if (PgBsonIterIs(field, "$text"))
	{
		PgBsonValue text = PgBsonParseText(parse, source, &field->value);

		return PgBsonConditionNew(PGBSON_CONDITION_TEXT, &text, NIL);
	}
	if (PgBsonIterIs(field, "$expr"))
	{
		PgBsonValue condition = PgBsonMakeArray(&field->value, 1);

		/* $and makes true or false of a value of any type */
		condition = PgBsonMakeDocument("$and", &condition, NULL);
		return PgBsonConditionNew(PGBSON_CONDITION_EXPRESSION, &condition, NIL);
	}
	PgBsonForEach(iter, PgBsonValueView(&field->value))
		queries = lappend(queries, PgBsonConditionNew(PGBSON_CONDITION_AND, NULL,
												  PgBsonParseConditions(parse, source, &iter.value)));
	return PgBsonConditionNew(PgBsonIterIs(field, "$and") ? PGBSON_CONDITION_AND :
						  PgBsonIterIs(field, "$or") ? PGBSON_CONDITION_OR : PGBSON_CONDITION_NOR, NULL, queries);
}

/* The conditions of a path whose operators @~ does not know */
static List *
beyond_conditions(const PgBsonParse *parse, const PgBsonSource *source, const PgBsonIter *field)
{
	List	   *conditions = NIL;

	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		if (!PgBsonQueryOperatorIsBeyond(&iter))
			continue;
		if (PgBsonIterIs(&iter, "$not"))
		{
			PgBsonValue inner = PgBsonMakePair(field->key, field->key_len, &iter.value);
			List	   *parts = PgBsonParseConditions(parse, source, &inner);

			parts = list_make1(PgBsonConditionNew(PGBSON_CONDITION_AND, NULL, parts));
			conditions = lappend(conditions, PgBsonConditionNew(PGBSON_CONDITION_NOR, NULL, parts));
		}
		else
		{
			const PgBsonGeo *geo = PgBsonParseGeoOperator(field, &iter);

			if (geo != NULL)
				conditions = lappend(conditions, PgBsonParseGeoCondition(geo));
		}
	}
	return conditions;
}

/* First a condition for all that an index may serve, then those that stand apart */
List *
PgBsonParseConditions(const PgBsonParse *parse, const PgBsonSource *source, const PgBsonValue *query)
{
	const List *names = parse->names;
	List	   *conditions = NIL;
	PgBsonWriter maker;
	PgBsonValue closed = *query;

	check_stack_depth();
	if (query_stands_apart(names, query))
	{
		PgBsonWriterBegin(&maker, query->len);
		PgBsonForEach(iter, PgBsonValueView(query))
		{
			if (iter.key[0] != '$' && PgBsonQueryFieldIsBeyond(&iter))
			{
				conditions = list_concat(conditions, beyond_conditions(parse, source, &iter));
				PgBsonQueryAddKnown(&maker, &iter);
			}
			else if (field_stands_apart(names, &iter))
			{
				if (PgBsonIterIs(&iter, "$expr"))
					conditions = list_concat(conditions, equality_conditions(&iter.value));
				conditions = lappend(conditions, condition_apart(parse, source, &iter));
			}
			else
				PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
		}
		closed = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	}
	(void) PgBsonQueryParse(&closed);
	if (!PgBsonIsEmpty(&closed))
		conditions = lcons(PgBsonConditionNew(PGBSON_CONDITION_QUERY, &closed, NIL), conditions);
	return conditions;
}

void
PgBsonParseFilter(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *query)
{
	List	   *conditions = PgBsonParseConditions(parse, chain->steps == NIL ? chain->source : NULL, query);
	PgBsonFilter *filter = PgBsonParseStep(parse, chain, PGBSON_NODE_FILTER, sizeof(PgBsonFilter), "$match", query);
	const PgBsonGeo *near;

	filter->conditions = conditions;
	near = PgBsonParseNearest(conditions, true);
	if (near != NULL)
		((PgBsonNearStep *) PgBsonParseStep(parse, chain, PGBSON_NODE_NEAR, sizeof(PgBsonNearStep), "$near",
											&PgBsonMissing))->geo = near;
}

void
PgBsonParseMatch(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	PgBsonParseFilter(parse, chain, operand);
	if (((const PgBsonStage *) llast(chain->steps))->kind == PGBSON_NODE_NEAR)
		PgBsonReportInvalid(errmsg("$geoNear, $near, and $nearSphere are not allowed in this context"),
							errdetail("These operators sort documents, which $match does not."),
							errhint("Use the stage $geoNear, or $geoWithin with $center or $centerSphere."));
}
