/*
 * where.c
 *	  Conditions of a filter as SQL.
 */
#include "pipeline/deparse/step.h"

#include "core/number/number.h"
#include "text/search.h"

static char *condition_sql(const PgBsonSelect *select, const PgBsonCondition *condition, const char *document);

/* Conditions with a word between them */
static char *
join_conditions(const PgBsonSelect *select, const List *conditions, const char *document, const char *word)
{
	List	   *texts = NIL;

	foreach_ptr(const PgBsonCondition, condition, conditions)
		texts = lappend(texts, condition_sql(select, condition, document));
	return PgBsonSqlJoin(texts, word);
}

static char *
combine(const PgBsonSelect *select, const PgBsonCondition *condition, const char *document, const char *word)
{
	return condition->parts == NIL ? "true" : psprintf("(%s)", join_conditions(select, condition->parts, document, word));
}

/* A value that documents' values are compared with */
static const char *
argument(const PgBsonSelect *select, const PgBsonValue *value)
{
	int			n = PgBsonShapeParameter(select->all->shape, value);

	return n > 0 ? psprintf("$%d", n) : PgBsonSqlArgument(select->all, value);
}

/* A query for documents */
static const char *
query_argument(const PgBsonSelect *select, const PgBsonValue *query)
{
	int			n = PgBsonShapeFilter(select->all->shape);

	return n > 0 ? psprintf("$%d", n) : PgBsonSqlArgument(select->all, query);
}

const char *
PgBsonTextArguments(const PgBsonTranslation *all, const PgBsonValue *text)
{
	List	   *arguments = NIL;

	PgBsonForEach(iter, PgBsonValueView(text))
		arguments = lappend(arguments, PgBsonSqlArgument(all, &iter.value));
	return PgBsonSqlJoin(arguments, ", ");
}

/* The value of an expression, a document, meets a query */
static char *
computed_sql(const PgBsonSelect *select, const PgBsonCondition *condition, const char *document)
{
	const PgBsonTranslation *all = select->all;
	const char *variables = PgBsonExpressionParse(&condition->computed, NULL)->nvariables > 0 ?
		PgBsonSelectVariables(select) : "";
	const char *computed = argument(select, &condition->computed);
	const char *query = argument(select, &condition->value);

	if (all->collation != NULL || all->is_old)
		return PgBsonMatchSql(all, PgBsonSql(all, "#bson_eval(%s, %s%s)", document, computed, variables), query);
	return PgBsonSql(all, "#bson_eval_match(%s, %s, %s%s)", document, computed, query, variables);
}

/*
 * The value of a variable, and the field of the document, for which an index may serve.  An _id is never missing, nor
 * an array.
 */
static char *
equals_sql(const PgBsonSelect *select, const PgBsonCondition *condition, const char *document)
{
	const PgBsonTranslation *all = select->all;
	const PgBsonKeyRef *name = &condition->name;
	const char *value = PgBsonSql(all, "#bson_eval(#bson '{}', %s%s)", argument(select, &condition->value),
								  PgBsonSelectVariables(select));

	if (PgBsonKeyIs(name->key, name->len, "_id") && all->collation == NULL)
		return PgBsonSql(all, "(%s OPERATOR(#->) $'_id') OPERATOR(#=) %s", document, value);
	return PgBsonMatchSql(all, document, PgBsonSql(all, "#bson_equality_query(%s, %s)", value,
												   PgBsonSqlText(name->key, name->len)));
}

/* The condition for the documents for which the index does not decide; "alone": those that the index does not find, either */
static char *
unsure_sql(const PgBsonSelect *select, const PgBsonCondition *condition, bool alone)
{
	const PgBsonTranslation *all = select->all;
	const char *column = select->clauses.column;
	const char *value = PgBsonIndexedSql(all, column, condition->field);
	const char *unsure = PgBsonIndexedIsArray(all, value);

	if (!condition->only_arrays)
		unsure = psprintf("(%s IS NULL%s OR %s)", PgBsonIndexedSql(all, column, condition->array),
						  alone && condition->array != condition->field ? psprintf(" AND %s IS NULL", value) : "", unsure);
	return psprintf("%s AND %s", unsure, PgBsonMatchSql(all, column, query_argument(select, &condition->value)));
}

/*
 * A condition of MongoDB on a field holds for the field's value or for an element of it, if it is an array.  So it
 * becomes two: one on (data -> 'field') that the index serves, and one with @~ for the documents that have an array
 * there.  Arrays are a range of their own in the order of bson values, which the same index finds.  Where -> finds
 * nothing @~ decides, too, as there can be an array of documents on the way: before the last name of a path, or as the
 * document itself.
 */
static char *
indexed_sql(const PgBsonSelect *select, const PgBsonCondition *condition)
{
	/* the first, as parameters are numbered in the order in which they are written here */
	char	   *unsure = condition->array == NULL ? NULL : unsure_sql(select, condition, false);
	char	   *scalar = join_conditions(select, condition->parts, select->clauses.column, " AND ");

	return unsure == NULL ? scalar : psprintf("(%s OR %s)", scalar, unsure);
}

/*
 * Conditions on several columns of an index, as conditions of which each document that meets all meets just one: the
 * index decides all of them; or all but the last; and so on.  Each gives the index the values of its first columns.
 */
static List *
compound_arms(const PgBsonSelect *select, const PgBsonCondition *condition)
{
	const char *column = select->clauses.column;
	List	   *arms = NIL;
	List	   *sure = NIL;

	foreach_ptr(const PgBsonCondition, part, condition->parts)
	{
		List	   *conditions = part->array == NULL ? NIL : lappend(list_copy(sure), unsure_sql(select, part, true));

		for (int i = foreach_current_index(part) + 1; conditions != NIL && i < list_length(condition->parts); i++)
			conditions = lappend(conditions, indexed_sql(select, list_nth(condition->parts, i)));
		if (conditions != NIL)
			arms = lappend(arms, PgBsonSqlJoin(conditions, " AND "));
		sure = lappend(sure, join_conditions(select, part->parts, column, " AND "));
	}
	return lcons(PgBsonSqlJoin(sure, " AND "), arms);
}

static char *
compare_sql(const PgBsonSelect *select, const PgBsonCondition *condition)
{
	const PgBsonTranslation *all = select->all;

	if (condition->field == NULL)
		return psprintf("%s OPERATOR(pg_catalog.%s) " INT64_FORMAT, PgBsonSelectNumber(select), condition->operator,
						PgBsonIntegerOf(&condition->value));
	return PgBsonSql(all, "%s OPERATOR(#%s) %s", PgBsonIndexedSql(all, select->clauses.column, condition->field),
					 condition->operator, PgBsonCollatedConstant(all, argument(select, &condition->value)));
}

static char *
any_sql(const PgBsonSelect *select, const PgBsonCondition *condition)
{
	const PgBsonTranslation *all = select->all;
	int			count;
	PgBsonValue *values = PgBsonValuesOf(&condition->value, &count);
	List	   *parameters = NIL;
	const char *array;

	for (int i = 0; i < count && PgBsonShapeParameter(all->shape, &values[i]) > 0; i++)
		parameters = lappend(parameters, unconstify(char *, PgBsonCollatedConstant(all, argument(select, &values[i]))));
	array = parameters == NIL ? PgBsonSqlArray(all, values, count) :
		psprintf("ARRAY[%s]", PgBsonSqlJoin(parameters, ", "));
	/* of parameters alone, whose types follow from what is around them, it would be an array of texts */
	if (parameters != NIL && all->collation == NULL)
		array = PgBsonSql(all, "%s::#bson[]", array);
	if (parameters == NIL && all->collation != NULL)
		array = PgBsonSql(all, "%s::#bson_collated[]", array);
	return PgBsonSql(all, "%s OPERATOR(#=) ANY (%s)", PgBsonIndexedSql(all, select->clauses.column, condition->field), array);
}

/* The words by a text index; the server tests the rest in the documents that it finds */
static char *
text_sql(const PgBsonSelect *select, const PgBsonCondition *condition, const char *document)
{
	const char *arguments = PgBsonTextArguments(select->all, &condition->value);
	PgBsonValue spec;
	PgBsonValue search;

	(void) PgBsonFindField(&condition->value, "spec", &spec);
	(void) PgBsonFindField(&condition->value, "search", &search);
	return PgBsonSql(select->all, "(#bson_tsvector(%s, %s) OPERATOR(pg_catalog.@@) #bson_tsquery(%s)%s)", document,
					 PgBsonSqlArgument(select->all, &spec), arguments,
					 PgBsonTextIsStrict(PgBsonTextSearchParse(PgBsonTextSpecParse(&spec), &search)) ?
					 PgBsonSql(select->all, " AND #bson_text_matches(%s, %s)", document, arguments) : "");
}

/* Is one of these, or within these, NULL where a document lacks a field? */
static bool
can_be_null(const List *conditions)
{
	check_stack_depth();
	foreach_ptr(const PgBsonCondition, condition, conditions)
	{
		if (condition->kind == PGBSON_CONDITION_GEOMETRY || can_be_null(condition->parts))
			return true;
	}
	return false;
}

static char *
condition_sql(const PgBsonSelect *select, const PgBsonCondition *condition, const char *document)
{
	check_stack_depth();
	switch (condition->kind)
	{
		case PGBSON_CONDITION_QUERY:
			return PgBsonMatchSql(select->all, document, query_argument(select, &condition->value));
		case PGBSON_CONDITION_AND:
			return combine(select, condition, document, " AND ");
		case PGBSON_CONDITION_OR:
			return combine(select, condition, document, " OR ");
		case PGBSON_CONDITION_NOR:
			return psprintf(can_be_null(condition->parts) ? "%s IS NOT TRUE" : "NOT %s", combine(select, condition, document, " OR "));
		case PGBSON_CONDITION_EXPRESSION:
			return PgBsonSql(select->all, "#bson_eval(%s, %s%s) OPERATOR(#=) #bson 'true'", document,
							 argument(select, &condition->value), PgBsonSelectVariables(select));
		case PGBSON_CONDITION_COMPUTED:
			return computed_sql(select, condition, document);
		case PGBSON_CONDITION_EQUALS:
			return equals_sql(select, condition, document);
		case PGBSON_CONDITION_INDEXED:
			return indexed_sql(select, condition);
		case PGBSON_CONDITION_COMPOUND:
			return psprintf("(%s)", PgBsonSqlJoin(compound_arms(select, condition), " OR "));
		case PGBSON_CONDITION_COMPARE:
			return compare_sql(select, condition);
		case PGBSON_CONDITION_ANY:
			return any_sql(select, condition);
		case PGBSON_CONDITION_TEXT:
			return text_sql(select, condition, document);
		case PGBSON_CONDITION_GEOMETRY:
			return PgBsonGeometrySql(select, condition->geo, document);
	}
	elog(ERROR, "unexpected condition of a bson pipeline: %d", condition->kind);
}

void
PgBsonConditionsAddShape(PgBsonSelect *select)
{
	foreach_ptr(const PgBsonSource, source, select->all->shape == NULL ? NIL : select->all->shape->sources)
	{
		const char *relation = psprintf("%s.%s", PgBsonSqlIdentifier(source->schema), PgBsonSqlIdentifier(source->relation));

		(void) PgBsonSelectAddWhere(select, PgBsonSql(select->all, "#bson_shape_holds(%s::pg_catalog.regclass, '"
													  INT64_FORMAT "'::pg_catalog.int8)", PgBsonSqlString(relation),
													  source->signature));
	}
}

/* Is there this condition already, as that of a partial index can be? */
static bool
is_there(const PgBsonSelect *select, const char *sql)
{
	foreach_ptr(const PgBsonWhere, where, select->clauses.where)
	{
		if (strcmp(where->sql, sql) == 0)
			return true;
	}
	return false;
}

void
PgBsonConditionsAdd(PgBsonSelect *select, const List *conditions, const char *document)
{
	foreach_ptr(const PgBsonCondition, condition, conditions)
	{
		const char *sql = condition_sql(select, condition, document);
		PgBsonWhere *where;

		if (is_there(select, sql))
			continue;
		where = PgBsonSelectAddWhere(select, sql);
		if (condition->kind == PGBSON_CONDITION_INDEXED)
		{
			where->field = condition->field;
			where->scalar = join_conditions(select, condition->parts, document, " AND ");
			if (condition->array == NULL)
				where->sure = list_make1(unconstify(PgBsonIndexed *, condition->field));
		}
		if (condition->kind == PGBSON_CONDITION_COMPOUND)
		{
			where->arms = compound_arms(select, condition);
			if (list_length(where->arms) == 1)
				where->arms = NIL;
			foreach_ptr(const PgBsonCondition, part, condition->parts)
				where->sure = lappend(where->sure, unconstify(PgBsonIndexed *, part->field));
		}
	}
}
