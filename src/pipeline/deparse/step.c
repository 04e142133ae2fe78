/*
 * step.c
 *	  The sources of documents, and steps that concern single documents or their order.
 */
#include "pipeline/deparse/step.h"

/* So many $unwind of a SELECT become nested calls, and the server looks at each again for each call around it */
#define MAX_UNWINDS	10

PgBsonSelect *
PgBsonDeparseSource(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonSource *source,
					const PgBsonSelect *outer)
{
	PgBsonSelect *select;
	char	   *alias;
	char	   *from;
	bool		varies;

	if (source->given)
	{
		select = PgBsonSelectNew(all, scope, outer->clauses.from, outer->document.base);
		select->with.outer_nested = outer->with.outer_nested + list_length(outer->with.nested);
		select->clauses.order = outer->clauses.order;
		select->unwound = outer->unwound;
		return select;
	}
	alias = psprintf("t%d", ++all->ntables);
	if (source->relation != NULL)
	{
		from = psprintf("%s.%s AS %s", PgBsonSqlIdentifier(source->schema), PgBsonSqlIdentifier(source->relation), alias);
		select = PgBsonSelectNew(all, scope, from, psprintf("%s.%s", alias, PgBsonSqlIdentifier(source->column)));
		select->clauses.column = select->document.base;
		select->clauses.geometry = source->geometry;
		return select;
	}
	select = PgBsonSelectNew(all, scope, NULL, psprintf("%s.data", alias));
	varies = PgBsonOperandVaries(scope->names, PgBsonExpressionParse(&source->documents, NULL));
	select->clauses.from = PgBsonSql(all, "#bson_array_elements(#bson_eval(#bson '{}', %s%s)) AS %s(data)",
									 PgBsonSqlArgument(all, &source->documents),
									 varies ? PgBsonSelectVariables(select) : "", alias);
	return select;
}

void
PgBsonDeparseFilter(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonFilter *step = (const PgBsonFilter *) node;
	const char *part = PgBsonOperandQueried(select, &node->operand);

	PgBsonShapeWrites(select->all->shape, &node->operand);
	if (part != NULL && select->document.stages.count == 0 && !select->clauses.unwinds && !select->clauses.grouped &&
		!PgBsonSelectIsCut(select))
	{
		const bool	numbered = PgBsonSelectNumber(select) != NULL && step->numbers != NIL;

		PgBsonConditionsAdd(select, numbered ? step->numbers : step->conditions, part);
	}
	else
	{
		PgBsonSelectPlain(select);
		PgBsonConditionsAdd(select, step->conditions, PgBsonSelectDocument(select));
	}
	PgBsonShapeWrites(select->all->shape, NULL);
}

void
PgBsonDeparseCompute(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonCompute *step = (const PgBsonCompute *) node;

	select->document.stages_vary |= step->varies;
	if (select->document.stages.count == 0)
		PgBsonWriterBegin(&select->document.stages, 0);
	PgBsonWriterPush(&select->document.stages, &step->stage);
}

void
PgBsonDeparseProject(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonValue *query = &((const PgBsonProjectStep *) node)->query;
	bool		positional = query->type != PGBSON_MISSING;
	int			parameter = positional ? PgBsonShapeParameter(select->all->shape, query) : 0;

	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_project(%s, %s%s%s)", PgBsonSelectDocument(select),
										  PgBsonSqlArgument(select->all, &node->operand), positional ? ", " : "",
										  parameter > 0 ? psprintf("$%d", parameter) :
										  positional ? PgBsonSqlArgument(select->all, query) : ""));
}

void
PgBsonDeparseRedact(PgBsonSelect *select, const PgBsonStage *node)
{
	bool		varies = ((const PgBsonCompute *) node)->varies;

	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_redact(%s, %s%s)", PgBsonSelectDocument(select),
										  PgBsonSqlArgument(select->all, &node->operand),
										  varies ? PgBsonSelectVariables(select) : ""));
	(void) PgBsonSelectAddWhere(select, psprintf("%s.data IS NOT NULL", PgBsonSelectLevel(select, NULL)));
}

/*
 * $unwind as columns: the element, its place if that is a field, and the document with the other fields.  Otherwise
 * each row would have a copy of the whole document.  The paths that are carried are columns, too, as they are the same
 * for all elements.
 */
static void
divide(PgBsonSelect *select, const PgBsonUnwindStep *step)
{
	const PgBsonUnwind *unwind = step->unwind;
	const PgBsonValue path = PgBsonOperandField(unwind->path.names[0].key, unwind->path.names[0].key_len);
	const char *operand = PgBsonSqlArgument(select->all, &path);
	PgBsonDocumentPart	parts[2] = {{{unwind->path.names[0].key, unwind->path.names[0].key_len}}};
	const char *columns = "";
	const char *level;
	List	   *carried;

	PgBsonSelectOrder(select, NULL);
	if (step->carried != NIL)
		(void) PgBsonOperandCarry(select, step->carried, NULL, NULL, NULL);
	select->clauses.unwinds++;
	if (unwind->with_index)
		/* of two such functions in a SELECT list, each row has the n-th value of both */
		columns = PgBsonSql(select->all, "#bson_unwind_places(%s, %s) AS place, ", select->document.base, operand);
	level = PgBsonOperandCarry(select, step->carried, NULL, PgBsonSql(select->all, "%s#bson_unwind_values(%s, %s) AS element", columns,
																	 select->document.base, operand), NULL);
	carried = select->document.carried;
	parts[0].sql = psprintf("%s.element", level);
	if (unwind->with_index)
	{
		const PgBsonStep *place = &unwind->index.names[0];

		parts[1] = (PgBsonDocumentPart) {{place->key, place->key_len}, psprintf("%s.place", level)};
	}
	PgBsonSelectParts(select, parts, unwind->with_index ? 2 : 1);
	select->document.carried = carried;
}

void
PgBsonDeparseUnwind(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonUnwindStep *step = (const PgBsonUnwindStep *) node;

	/* a LIMIT in the same SELECT would count the rows after the function, so end it */
	if (PgBsonSelectIsCut(select) || select->clauses.unwinds >= MAX_UNWINDS)
		(void) PgBsonSelectLevel(select, NULL);
	(void) PgBsonSelectDocument(select);
	if (step->divided && !select->document.computed && !(step->unwind->with_index && select->all->is_old))
	{
		divide(select, step);
		return;
	}
	if (step->kept.type != PGBSON_MISSING)
		PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_project(%s, %s)", select->document.base,
											  PgBsonSqlArgument(select->all, &step->kept)));
	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_unwind(%s, %s)", select->document.base,
										  PgBsonSqlArgument(select->all, &node->operand)));
	select->clauses.unwinds++;
	select->unwound = true;
}

void
PgBsonDeparseSort(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonSortStep *step = (const PgBsonSortStep *) node;

	PgBsonSelectForgetOrder(select);
	PgBsonSelectPlain(select);
	select->clauses.order.sql = PgBsonSql(select->all, "#bson_sort_key(%s, %s)", PgBsonSelectDocument(select),
										  PgBsonSqlArgument(select->all, &node->operand));
	select->clauses.order.is_key = true;
	select->clauses.order.index = step->index;
}

void
PgBsonDeparseCut(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonCut *step = (const PgBsonCut *) node;

	if (step->skip > 0)
		PgBsonSelectSkip(select, step->skip);
	if (step->limit >= 0)
		PgBsonSelectLimit(select, step->limit);
}

void
PgBsonDeparseSample(PgBsonSelect *select, const PgBsonStage *node)
{
	PgBsonSelectForgetOrder(select);
	PgBsonSelectPlain(select);
	PgBsonSelectOrder(select, "pg_catalog.random()");
	PgBsonSelectLimit(select, ((const PgBsonCut *) node)->limit);
}

/* The score of $text as a field, which is calculated once */
void
PgBsonDeparseScore(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonTranslation *all = select->all;
	const char *score = PgBsonSql(all, "#to_bson(#bson_text_score(%s, %s)) AS score", select->document.base,
								  PgBsonTextArguments(all, &node->operand));
	PgBsonDocumentPart part = {{PGBSON_SCORE_FIELD, strlen(PGBSON_SCORE_FIELD)}};

	part.sql = psprintf("%s.score", PgBsonSelectLevel(select, score));
	PgBsonSelectParts(select, &part, 1);
}
