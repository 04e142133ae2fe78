/*
 * union.c
 *	  Pipelines beside each other: $unionWith, whose documents follow the others, and $facet,
 *	  of which each makes a field.
 *
 * See src/mongo/db/pipeline/document_source_union_with.cpp and document_source_facet.cpp of MongoDB.
 */
#include "pipeline/stage.h"

#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

/* $unionWith */

/* Does the SELECT only read from a UNION ALL that $unionWith made?  Then another table is added to that. */
static bool
is_only_union(const PgBsonSelect *select)
{
	return select->union_name != NULL && select->from == select->union_name && !select->computed && !select->unwinds &&
		!select->grouped && select->stages.count == 0 && select->where == NIL && select->order == NULL &&
		select->skip == 0 && select->limit < 0;
}

void
PgBsonUnionAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	PgBsonValue from = *operand;
	PgBsonValue pipeline = PgBsonMissing;
	PgBsonSelect *other;
	const char *level;

	if (operand->type == PGBSON_DOCUMENT)
		PgBsonStageOptions(name, operand, "coll:s pipeline", &from, &pipeline);
	if (from.type != PGBSON_STRING && pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("A name, or a document with the fields \"coll\" and \"pipeline\", is expected."));

	other = from.type == PGBSON_MISSING ? PgBsonSourceDocuments(all, select->scope, &pipeline, &pipeline) :
		PgBsonSourceNamed(all, select->scope, &from);
	if (pipeline.type != PGBSON_MISSING)
		PgBsonStagesAdd(other, &pipeline);

	if (is_only_union(select))
		level = select->from;
	else
	{
		/* the order of all documents is not defined */
		PgBsonSelectForgetOrder(select);
		(void) PgBsonSelectLevel(select, NULL);
		level = psprintf("s%d", ++all->nlevels);
		select->united = makeStringInfo();
		appendStringInfo(select->united, "SELECT %s AS data\nFROM %s", select->base, select->from);
	}
	appendStringInfo(select->united, "\nUNION ALL (\n%s\n)", PgBsonSqlIndent(PgBsonSelectText(other)));
	select->union_name = select->from = level;
	select->base = psprintf("%s.data", level);
	select->fields = NIL;
	select->order = NULL;
	select->unwound = false;
}

/* $facet */

static void
check_facet(const char *name, const PgBsonValue *pipeline)
{
	PgBsonIter	stage;

	if (pipeline->type != PGBSON_ARRAY)
		PgBsonStageWrong(name, gettext_noop("Each field must be a pipeline."));
	PgBsonForEach(iter, PgBsonValueView(pipeline))
	{
		if (iter.value.type == PGBSON_DOCUMENT && PgBsonFirst(&iter.value, &stage) && PgBsonIterIs(&stage, "$documents"))
			PgBsonStageWrong(name, gettext_noop("A pipeline of it must not have the stage $documents."));
	}
}

void
PgBsonUnionAddFacet(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	const char *input;
	List	   *names = NIL;
	List	   *values = NIL;

	if (operand->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(operand)) == 0)
		PgBsonStageWrong(name, gettext_noop("A document with at least one pipeline is expected."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(operand)))
		PgBsonStageWrong(name, gettext_noop("A field occurs twice."));
	if (all->in_facet)
		PgBsonStageWrong(name, gettext_noop("It must not be within another one."));
	all->in_facet = true;
	input = PgBsonSelectLevel(select, NULL);
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		PgBsonSelect *branch = PgBsonSelectNew(all, select->scope, input, select->base);
		PgBsonNames path = PgBsonNestedSplit(iter.key, iter.key_len, "a field of stage \"$facet\"");

		if (path.count > 1)
			PgBsonStageWrong(name, gettext_noop("A field's name must not have a dot."));
		check_facet(name, &iter.value);
		PgBsonStageCount(all);
		branch->outer_nested = select->outer_nested + list_length(select->nested);
		branch->order = select->order;
		branch->unwound = select->unwound;
		PgBsonStagesAdd(branch, &iter.value);
		names = lappend(names, PgBsonSqlText(iter.key, iter.key_len));
		values = lappend(values, PgBsonSelectArray(branch));
	}
	all->in_facet = false;
	select->from = NULL;
	PgBsonSelectCompute(select, PgBsonSqlDocument(all, names, values));
	select->order = NULL;
	select->unwound = false;
	select->grouped = true;
}
