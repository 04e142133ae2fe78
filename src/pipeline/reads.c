/*
 * reads.c
 *	  Which fields of the documents expressions and stages read.
 *
 * It is never wrong to say more than is read.
 */
#include "pipeline/operand.h"

#include "mongo/project/project.h"
#include "pipeline/sql_text.h"

#define WIDE	500				/* smaller documents are sorted or copied in less time than it takes to leave out fields */

static void
note(PgBsonReads *reads, const char *path, uint32 len)
{
	const char *dot = memchr(path, '.', len);
	PgBsonKeyRef *name;

	len = dot == NULL ? len : dot - path;
	if (PgBsonFindNamed(reads->names, path, len) != NULL)
		return;
	name = palloc_object(PgBsonKeyRef);
	*name = (PgBsonKeyRef) {path, len};
	reads->names = lappend(reads->names, name);
}

void
PgBsonReadsExpression(PgBsonReads *reads, const PgBsonValue *expression)
{
	uint32		len;

	check_stack_depth();
	if (expression->type == PGBSON_STRING)
	{
		const char *s = PgBsonValueString(expression, &len);
		const char *dot = memchr(s, '.', len);
		uint32		first = dot == NULL ? len : dot - s;

		if (len > 1 && s[0] == '$' && s[1] != '$')
			note(reads, s + 1, len - 1);
		reads->all |= PgBsonKeyIs(s, first, "$$ROOT") || PgBsonKeyIs(s, first, "$$CURRENT");
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

/* Note what a stage reads; false if the stages after it read other documents, which it makes, or that is not known */
static bool
goes_on(PgBsonReads *reads, const PgBsonIter *stage)
{
	const PgBsonValue *operand = &stage->value;
	bool		projects = PgBsonIterIs(stage, "$project");
	PgBsonExprUse use = {.open = true};

	reads->shown |= projects;
	if (PgBsonIterIs(stage, "$limit") || PgBsonIterIs(stage, "$skip"))
		return true;
	if (PgBsonIterIs(stage, "$count"))
		return false;
	if (PgBsonIterIs(stage, "$group") || PgBsonIterIs(stage, "$bucket") || PgBsonIterIs(stage, "$sortByCount"))
	{
		PgBsonReadsExpression(reads, operand);
		return false;
	}
	if (!projects && !PgBsonIterIs(stage, "$match") && !PgBsonIterIs(stage, "$sort") && !PgBsonIterIs(stage, "$set") && !PgBsonIterIs(stage, "$addFields"))
		reads->all = true;
	PgBsonReadsKeys(reads, operand);
	if (!PgBsonIterIs(stage, "$match"))
		PgBsonReadsExpression(reads, operand);
	if (!projects || reads->all)
		return !reads->all;
	/* the _id is kept if nothing is said of it */
	note(reads, "_id", 3);
	return !PgBsonProjectionIncludes(PgBsonProjectionParseStage(operand, &use));
}

void
PgBsonReadsStages(PgBsonReads *reads, PgBsonIter stages)
{
	PgBsonIter	stage;

	while (!reads->all && PgBsonIterNext(&stages))
	{
		if (stages.value.type != PGBSON_DOCUMENT || !PgBsonFirst(&stages.value, &stage))
			break;
		if (!goes_on(reads, &stage))
			return;
	}
	reads->all = true;
}

PgBsonValue
PgBsonReadsProjection(const PgBsonReads *reads, PgBsonView fields)
{
	PgBsonWriter maker;
	PgBsonValue one = PgBsonMakeInt32(1);
	PgBsonValue zero = PgBsonMakeInt32(0);
	bool		id = false;
	ListCell   *lc;

	if (reads->all)
		return PgBsonMissing;
	PgBsonWriterBegin(&maker, 0);
	foreach(lc, reads->names)
	{
		const PgBsonKeyRef *name = lfirst(lc);

		id |= PgBsonKeyIs(name->key, name->len, "_id");
		PgBsonWriterField(&maker, name->key, name->len, &one);
	}
	if (!id)
		PgBsonWriterField(&maker, "_id", 3, &zero);
	PgBsonForEach(iter, fields)
		PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

bool
PgBsonReadsLeaveOut(PgBsonSelect *select, PgBsonReads *reads)
{
	PgBsonValue projection;

	PgBsonReadsStages(reads, select->next);
	if (select->width < WIDE || reads->all)
		return false;
	projection = PgBsonReadsProjection(reads, PgBsonEmpty);
	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_project(%s, %s)", PgBsonSelectDocument(select),
										  PgBsonSqlArgument(select->all->schema, &projection)));
	return true;
}
