/*
 * let.c
 *	  Variables that a command defines, {let: {name: expression, ...}}.
 *
 * See src/mongo/db/pipeline/variables.cpp of MongoDB.  Their expressions read no document, and each may use the
 * variables before it.  Conditions and pipelines have them in their scope.  Projections and updates are functions
 * without variables, so each of their expressions is put into $let.
 */
#include "pipeline/command.h"

#include "core/bytes/recode.h"

/* Calls of bson_let around each other, the last one outermost: each knows the variables of those before */
static char *
nested_calls(const PgBsonTranslation *all, List *variables)
{
	List	   *texts = NIL;
	int			count = list_length(variables);
	char	   *closing = palloc0(count + 1);

	memset(closing, ')', count);
	for (int i = count; i-- > 0;)
		texts = lappend(texts, PgBsonSql(all, "#bson_let(#bson '{}', %s, ", PgBsonSqlArgument(all, list_nth(variables, i))));
	texts = lappend(texts, PgBsonSql(all, "#bson_build_object('NOW', pg_catalog.now())"));
	return PgBsonSqlJoin(lappend(texts, closing), "");
}

static List *
end_group(List *groups, PgBsonWriter *group)
{
	PgBsonValue ended = PgBsonWriterEnd(group, PGBSON_DOCUMENT);

	return PgBsonAppendValue(groups, &ended);
}

const PgBsonScope *
PgBsonLetScope(const PgBsonTranslation *all, const PgBsonValue *let)
{
	PgBsonScope *scope = palloc0_object(PgBsonScope);
	PgBsonWriter group;			/* the variables of one call: only the first one of these may use variables */
	bool		begun = false;
	List	   *groups = NIL;	/* PgBsonValue * */
	List	   *names = NIL;

	if (let == NULL || let->type == PGBSON_MISSING)
		return scope;
	(void) PgBsonLetParse(let);
	PgBsonForEach(iter, PgBsonValueView(let))
	{
		PgBsonReads reads = {NIL};

		PgBsonReadsExpression(&reads, &iter.value);
		if (reads.all || reads.names != NIL)
			PgBsonReportInvalid(errmsg("variable \"%s\" of a bson command must not read a document",
									   PgBsonNameInMessage(iter.key, iter.key_len)));
		if (PgBsonOperandVaries(names, PgBsonExpressionParse(&iter.value, NULL)) && begun)
		{
			groups = end_group(groups, &group);
			begun = false;
		}
		if (!begun)
			PgBsonWriterBegin(&group, 64);
		begun = true;
		PgBsonWriterField(&group, iter.key, iter.key_len, &iter.value);
		names = PgBsonAppendName(names, iter.key, iter.key_len);
	}
	if (begun)
		groups = end_group(groups, &group);
	scope->names = names;
	/* a subquery that reads nothing is run once for the whole statement */
	scope->variables = psprintf("(SELECT %s)", nested_calls(all, groups));
	return scope;
}

/* Is there a string in the value that begins with one of the variables? */
static bool
mentions(const PgBsonValue *let, const PgBsonValue *value)
{
	uint32		len;

	check_stack_depth();
	if (value->type == PGBSON_STRING)
	{
		const char *s = PgBsonValueString(value, &len);
		PgBsonValue variable;

		len = PgBsonFirstNameLength(s, len);
		return len > 2 && s[0] == '$' && s[1] == '$' && PgBsonFindKey(PgBsonValueView(let), s + 2, len - 2, &variable);
	}
	if (!PgBsonIsContainer(value->type))
		return false;
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		if (mentions(let, &iter.value))
			return true;
	}
	return false;
}

/* {$let: {vars: {first: ...}, in: {$let: ... expression}}}, so that each variable may use those before it */
static PgBsonValue
with_variables(const PgBsonValue *let, const PgBsonValue *expression)
{
	PgBsonValue result = *expression;
	List	   *names = NIL;

	if (!mentions(let, expression))
		return result;
	PgBsonForEach(iter, PgBsonValueView(let))
	{
		PgBsonIter *variable = palloc_object(PgBsonIter);

		*variable = iter;
		names = lappend(names, variable);
	}
	for (int i = list_length(names); i-- > 0;)
	{
		const PgBsonIter *variable = list_nth(names, i);
		PgBsonValue one = PgBsonMakePair(variable->key, variable->key_len, &variable->value);

		result = PgBsonMakeDocument("vars", &one, "in", &result, NULL);
		result = PgBsonMakeDocument("$let", &result, NULL);
	}
	return result;
}

PgBsonValue
PgBsonLetInQuery(const PgBsonValue *let, const PgBsonValue *query)
{
	PgBsonWriter maker;

	check_stack_depth();
	if (let->type == PGBSON_MISSING || query->type != PGBSON_DOCUMENT)
		return *query;
	PgBsonWriterBegin(&maker, query->len);
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		PgBsonValue value = iter.value;

		if (PgBsonIterIs(&iter, "$expr"))
			value = with_variables(let, &value);
		else if (iter.key[0] == '$' && value.type == PGBSON_ARRAY)
		{
			int			count;
			PgBsonValue *queries = PgBsonValuesOf(&value, &count);

			for (int i = 0; i < count; i++)
				queries[i] = PgBsonLetInQuery(let, &queries[i]);
			value = PgBsonMakeArray(queries, count);
		}
		PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

PgBsonValue
PgBsonLetInFields(const PgBsonValue *let, const PgBsonValue *fields)
{
	PgBsonWriter maker;
	PgBsonIter	first;

	check_stack_depth();
	if (let->type == PGBSON_MISSING || fields->type != PGBSON_DOCUMENT || !PgBsonFirst(fields, &first) ||
		first.key[0] == '$')
		return let->type == PGBSON_MISSING ? *fields : with_variables(let, fields);
	PgBsonWriterBegin(&maker, fields->len);
	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonValue value = PgBsonLetInFields(let, &iter.value);

		PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

/* A stage of an update, {$set: fields}, {$replaceRoot: {newRoot: expression}} and so on */
static PgBsonValue
in_stage(const PgBsonValue *let, const PgBsonValue *stage)
{
	PgBsonIter	iter;
	PgBsonValue operand;

	if (!PgBsonOnlyField(stage, &iter))
		return *stage;
	operand = PgBsonIterIs(&iter, "$replaceWith") ? with_variables(let, &iter.value) : PgBsonLetInFields(let, &iter.value);
	return PgBsonMakePair(iter.key, iter.key_len, &operand);
}

PgBsonValue
PgBsonLetInUpdate(const PgBsonValue *let, const PgBsonValue *update)
{
	PgBsonValue *stages;
	int			count;

	if (let->type == PGBSON_MISSING || update->type != PGBSON_ARRAY)
		return *update;
	stages = PgBsonValuesOf(update, &count);
	for (int i = 0; i < count; i++)
		stages[i] = in_stage(let, &stages[i]);
	return PgBsonMakeArray(stages, count);
}
