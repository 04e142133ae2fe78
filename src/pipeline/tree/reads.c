/*
 * reads.c
 *	  Which fields of the documents expressions and stages read.
 *
 * It is never wrong to say more than is read.
 */
#include "pipeline/tree/node.h"

#include "mongo/project/project.h"
#include "mongo/query/match.h"

static void
note(PgBsonReads *reads, const char *path, uint32 len)
{
	len = PgBsonFirstNameLength(path, len);
	if (PgBsonFindNamed(reads->names, path, len) == NULL)
		reads->names = PgBsonAppendName(reads->names, path, len);
}

void
PgBsonReadsExpression(PgBsonReads *reads, const PgBsonValue *expression)
{
	PgBsonKeyRef path;
	uint32		len;

	check_stack_depth();
	if (PgBsonOperandIsPath(expression, &path))
		note(reads, path.key, path.len);
	else if (expression->type == PGBSON_STRING)
	{
		const char *s = PgBsonValueString(expression, &len);

		len = PgBsonFirstNameLength(s, len);
		reads->all |= PgBsonKeyIs(s, len, "$$ROOT") || PgBsonKeyIs(s, len, "$$CURRENT");
	}
	if (!PgBsonIsContainer(expression->type))
		return;
	PgBsonForEach(iter, PgBsonValueView(expression))
	{
		if (PgBsonIterIs(&iter, "$literal"))
			continue;
		/* these name fields without a dollar sign */
		reads->all |= PgBsonIterIs(&iter, "$getField") || PgBsonIterIs(&iter, "sortBy");
		PgBsonReadsExpression(reads, &iter.value);
	}
}

void
PgBsonReadsKeys(PgBsonReads *reads, const PgBsonValue *operand)
{
	reads->all |= operand->type != PGBSON_DOCUMENT;
	if (reads->all)
		return;
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		reads->all |= iter.key_len == 0 || iter.key[0] == '$';
		note(reads, iter.key, iter.key_len);
	}
}

void
PgBsonReadsQuery(PgBsonReads *reads, const PgBsonValue *query)
{
	check_stack_depth();
	reads->all |= query->type != PGBSON_DOCUMENT;
	if (reads->all)
		return;
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		if (iter.key_len > 0 && iter.key[0] != '$')
			note(reads, iter.key, iter.key_len);
		else if (PgBsonIterIs(&iter, "$expr"))
			PgBsonReadsExpression(reads, &iter.value);
		else if (PgBsonQueryIsLogical(&iter))
		{
			PgBsonForEach(element, PgBsonValueView(&iter.value))
				PgBsonReadsQuery(reads, &element.value);
		}
		else
			reads->all |= !PgBsonIterIs(&iter, "$comment");
	}
}

/* Note what a step reads; false if the steps after it read other documents, which it makes, or that is not known */
static bool
goes_on(PgBsonReads *reads, const PgBsonStage *step)
{
	const PgBsonValue *operand = &step->operand;
	bool		projects = strcmp(step->name, "$project") == 0;
	PgBsonExprUse use = {.open = true};

	reads->shown |= projects;
	if (step->kind == PGBSON_NODE_CUT)
		return true;
	if (step->kind == PGBSON_NODE_COUNT)
		return false;
	if (step->kind == PGBSON_NODE_GROUP && ((const PgBsonGroup *) step)->buckets == 0)
	{
		PgBsonReadsExpression(reads, operand);
		return false;
	}
	if (!projects && step->kind != PGBSON_NODE_FILTER && step->kind != PGBSON_NODE_SORT &&
		PgBsonNameAmong("$set $addFields", step->name, strlen(step->name)) < 0)
		reads->all = true;
	if (step->kind == PGBSON_NODE_FILTER)
	{
		PgBsonReadsQuery(reads, operand);
		return !reads->all;
	}
	PgBsonReadsKeys(reads, operand);
	PgBsonReadsExpression(reads, operand);
	if (!projects || reads->all)
		return !reads->all;
	/* the _id is kept if nothing is said of it */
	note(reads, "_id", 3);
	return !PgBsonProjectionIncludes(PgBsonProjectionParseStage(operand, &use));
}

void
PgBsonReadsSteps(PgBsonReads *reads, const List *steps, int step)
{
	for (; !reads->all && step < list_length(steps); step++)
	{
		if (!goes_on(reads, list_nth(steps, step)))
			return;
	}
	reads->all = true;
}

PgBsonValue
PgBsonReadsProjection(const PgBsonReads *reads, PgBsonView fields)
{
	PgBsonWriter maker;
	bool		id = false;

	if (reads->all)
		return PgBsonMissing;
	PgBsonWriterBegin(&maker, 0);
	foreach_ptr(const PgBsonKeyRef, name, reads->names)
	{
		id |= PgBsonKeyIs(name->key, name->len, "_id");
		PgBsonWriterField(&maker, name->key, name->len, &PgBsonOne);
	}
	if (!id)
		PgBsonWriterField(&maker, "_id", 3, &PgBsonZero);
	PgBsonForEach(iter, fields)
		PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}
