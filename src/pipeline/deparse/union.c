/*
 * union.c
 *	  Pipelines beside each other: $unionWith, whose documents follow the others, and $facet,
 *	  of which each makes a field.
 */
#include "pipeline/deparse/step.h"

#include "pipeline/deparse/sql_text.h"

/* Does the SELECT only read from a UNION ALL that $unionWith made?  Then another table is added to that. */
static bool
is_only_union(const PgBsonSelect *select)
{
	const PgBsonClauses *clauses = &select->clauses;

	return select->with.union_name != NULL && clauses->from == select->with.union_name && !select->document.computed &&
		!clauses->unwinds && !clauses->grouped && select->document.stages.count == 0 && clauses->where == NIL &&
		clauses->order.sql == NULL && !PgBsonSelectIsCut(select);
}

void
PgBsonDeparseUnion(PgBsonSelect *select, const PgBsonStage *node)
{
	PgBsonTranslation *all = select->all;
	PgBsonSelect *other = PgBsonDeparseChain(all, select->scope, &((const PgBsonUnion *) node)->other, NULL);
	const char *level = select->clauses.from;

	if (!is_only_union(select))
	{
		/* the order of all documents is not defined */
		PgBsonSelectForgetOrder(select);
		(void) PgBsonSelectLevel(select, NULL);
		level = psprintf("s%d", ++all->nlevels);
		select->with.united = makeStringInfo();
		appendStringInfo(select->with.united, "SELECT %s AS data\nFROM %s", select->document.base, select->clauses.from);
	}
	appendStringInfo(select->with.united, "\nUNION ALL (\n%s\n)", PgBsonSqlIndent(PgBsonSelectText(other)));
	select->with.union_name = level;
	select->clauses = (PgBsonClauses) {.from = level, .limit = -1};
	select->document = (PgBsonDocument) {.base = psprintf("%s.data", level)};
	select->unwound = false;
}

void
PgBsonDeparseFacet(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonFacet *facet = (const PgBsonFacet *) node;
	List	   *names = NIL;
	List	   *values = NIL;
	ListCell   *n;
	ListCell   *b;

	(void) PgBsonSelectLevel(select, NULL);
	forboth(n, facet->names, b, facet->branches)
	{
		const PgBsonKeyRef *name = lfirst(n);

		names = lappend(names, PgBsonSqlName(name->key, name->len));
		values = lappend(values, PgBsonSelectArray(PgBsonDeparseChain(select->all, select->scope, lfirst(b), select), "$facet"));
	}
	select->clauses = (PgBsonClauses) {.limit = -1, .grouped = true};
	PgBsonSelectCompute(select, PgBsonSqlDocument(select->all, names, values));
	select->unwound = false;
}
