/*
 * match.c
 *	  $match: the conditions of a query as those of a SELECT.
 *
 * See src/mongo/db/pipeline/document_source_match.cpp of MongoDB.  A query becomes one condition with
 * the operator @~, which a GIN index may serve, and conditions on fields that have a btree index.  A query has no variables, so the fields that use variables
 * of the pipeline become conditions of their own.
 */
#include "pipeline/stage.h"

#include "core/number/number.h"
#include "mongo/query/match.h"
#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

static bool query_varies(const PgBsonSelect *select, const PgBsonValue *query);

static bool
is_logical(const PgBsonIter *field)
{
	return (PgBsonIterIs(field, "$and") || PgBsonIterIs(field, "$or") || PgBsonIterIs(field, "$nor")) &&
		field->value.type == PGBSON_ARRAY;
}

/* Does this field of a query have an expression that uses variables? */
static bool
field_varies(const PgBsonSelect *select, const PgBsonIter *field)
{
	if (PgBsonIterIs(field, "$expr"))
		return PgBsonOperandVaries(select->scope, PgBsonExpressionParse(&field->value, NULL));
	if (!is_logical(field))
		return false;
	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		if (query_varies(select, &iter.value))
			return true;
	}
	return false;
}

static bool
query_varies(const PgBsonSelect *select, const PgBsonValue *query)
{
	check_stack_depth();
	if (query->type != PGBSON_DOCUMENT)
		return false;
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		if (field_varies(select, &iter))
			return true;
	}
	return false;
}

static List *conditions_of(PgBsonSelect *select, const PgBsonValue *query);

/* Join several conditions by " AND " or " OR " */
static char *
combine(List *conditions, const char *word)
{
	return conditions == NIL ? "true" : psprintf("(%s)", PgBsonSqlJoin(conditions, word));
}

/* The name in "$field"; NULL for anything else */
static const char *
field_of(const PgBsonValue *operand, uint32 *len)
{
	const char *s;

	if (operand->type != PGBSON_STRING)
		return NULL;
	s = PgBsonValueString(operand, len);
	if (*len < 2 || s[0] != '$' || s[1] == '$' || memchr(s, '.', *len) != NULL)
		return NULL;
	*len -= 1;
	return s + 1;
}

/*
 * For {"$eq": ["$field", "$$variable"]} a condition that an index can serve.  It is necessary for the
 * expression to be true; the expression itself is tested as well.
 */
static List *
equality_conditions(PgBsonSelect *select, const PgBsonValue *expression)
{
	const PgBsonTranslation *all = select->all;
	List	   *conditions = NIL;
	PgBsonIter	iter;
	PgBsonValue *operands;
	const PgBsonValue *other;
	int			count;
	const char *field;
	const char *value;
	uint32		len;

	check_stack_depth();
	if (expression->type != PGBSON_DOCUMENT || !PgBsonFirst(expression, &iter) || iter.value.type != PGBSON_ARRAY)
		return NIL;
	operands = PgBsonValuesOf(&iter.value, &count);
	for (int i = 0; PgBsonIterIs(&iter, "$and") && i < count; i++)
		conditions = list_concat(conditions, equality_conditions(select, &operands[i]));
	if (!PgBsonIterIs(&iter, "$eq") || count != 2)
		return conditions;
	other = &operands[1];
	field = field_of(&operands[0], &len);
	if (field == NULL)
	{
		other = &operands[0];
		field = field_of(&operands[1], &len);
	}
	/* "$$variable" or "$$variable.path", with a variable that has the same value for all documents? */
	if (field == NULL || other->type != PGBSON_STRING || PgBsonExpressionParse(other, NULL)->nvariables == 0)
		return NIL;
	value = PgBsonSql(all, "#bson_eval('{}', %s%s)", PgBsonSqlArgument(all->schema, other), PgBsonOperandVariables(select));
	/* an _id is never missing */
	if (PgBsonKeyIs(field, len, "_id"))
		return list_make1(PgBsonSql(all, "(%s OPERATOR(#->) '_id') OPERATOR(#=) %s", PgBsonSelectDocument(select), value));
	return list_make1(PgBsonSql(all, "%s OPERATOR(#@~) #bson_equality_query(%s, %s)", PgBsonSelectDocument(select), value,
								PgBsonSqlText(field, len)));
}

/* The condition of a field that has an expression with variables: these cannot be part of a constant query */
static char *
varying_condition(PgBsonSelect *select, const PgBsonIter *field)
{
	List	   *queries = NIL;

	if (PgBsonIterIs(field, "$expr"))
	{
		PgBsonValue condition = PgBsonMakeArray(&field->value, 1);

		/* $and makes true or false of a value of any type */
		condition = PgBsonMakeDocument("$and", &condition, NULL);
		return PgBsonSql(select->all, "#bson_eval(%s, %s%s) OPERATOR(#=) #bson 'true'", PgBsonSelectDocument(select),
						 PgBsonSqlArgument(select->all->schema, &condition), PgBsonOperandVariables(select));
	}
	PgBsonForEach(iter, PgBsonValueView(&field->value))
		queries = lappend(queries, combine(conditions_of(select, &iter.value), " AND "));
	return psprintf("%s%s", PgBsonIterIs(field, "$nor") ? "NOT " : "",
					combine(queries, PgBsonIterIs(field, "$and") ? " AND " : " OR "));
}

/* The conditions of a query: first one for all that an index may serve, then those that use variables */
static List *
conditions_of(PgBsonSelect *select, const PgBsonValue *query)
{
	List	   *conditions = NIL;
	List	   *served = NIL;
	PgBsonWriter maker;
	PgBsonValue closed = *query;
	bool		varies = query_varies(select, query);

	check_stack_depth();
	if (varies)
	{
		PgBsonWriterBegin(&maker, query->len);
		PgBsonForEach(iter, PgBsonValueView(query))
		{
			if (field_varies(select, &iter))
			{
				if (PgBsonIterIs(&iter, "$expr"))
					conditions = list_concat(conditions, equality_conditions(select, &iter.value));
				conditions = lappend(conditions, varying_condition(select, &iter));
			}
			else
				PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
		}
		closed = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	}
	(void) PgBsonQueryParse(&closed);
	closed = PgBsonServedConditions(select, &closed, &served);
	if (PgBsonViewCount(PgBsonValueView(&closed)) > 0)
		conditions = lcons(PgBsonSql(select->all, "%s OPERATOR(#@~) %s", PgBsonSelectDocument(select),
									 PgBsonSqlArgument(select->all->schema, &closed)), conditions);
	return list_concat(served, conditions);
}

/*
 * Compare the number that $rank or $documentNumber gave each document, as an SQL integer: so the server stops
 * to count at an upper bound.  NULL for other queries.
 */
static char *
number_condition(const PgBsonSelect *select, const PgBsonValue *query)
{
	static const char *const signs[] = {"$eq", "=", "$gt", ">", "$gte", ">=", "$lt", "<", "$lte", "<="};
	List	   *conditions = NIL;
	PgBsonIter	field;
	PgBsonValue operators;

	if (select->number == NULL || PgBsonViewCount(PgBsonValueView(query)) != 1 || !PgBsonFirst(query, &field) ||
		field.key_len != select->part_name.len || memcmp(field.key, select->part_name.key, field.key_len) != 0)
		return NULL;
	operators = PgBsonIsInteger(field.value.type) ? PgBsonMakeDocument("$eq", &field.value, NULL) : field.value;
	if (operators.type != PGBSON_DOCUMENT)
		return NULL;
	PgBsonForEach(iter, PgBsonValueView(&operators))
	{
		int			i = 0;

		while (i < lengthof(signs) && !PgBsonIterIs(&iter, signs[i]))
			i += 2;
		if (i == lengthof(signs) || !PgBsonIsInteger(iter.value.type))
			return NULL;
		conditions = lappend(conditions, psprintf("%s OPERATOR(pg_catalog.%s) " INT64_FORMAT, select->number, signs[i + 1],
												  PgBsonIntegerOf(&iter.value)));
	}
	return conditions == NIL ? NULL : PgBsonSqlJoin(conditions, "\n  AND ");
}

void
PgBsonMatchAdd(PgBsonSelect *select, const PgBsonValue *query)
{
	const char *document = PgBsonOperandQueried(select, query);
	const char *whole = select->base;
	char	   *number = number_condition(select, query);

	if (document != NULL && select->stages.count == 0 && !select->unwinds && !select->grouped && select->skip == 0 && select->limit < 0)
	{
		select->base = document;
		select->where = list_concat(select->where, number != NULL ? list_make1(number) : conditions_of(select, query));
		select->base = whole;
		return;
	}
	PgBsonSelectPlain(select);
	select->where = list_concat(select->where, conditions_of(select, query));
}
