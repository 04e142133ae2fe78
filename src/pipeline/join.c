/*
 * join.c
 *	  $lookup: documents of another table, or of a pipeline, put into each document.
 *
 * See src/mongo/db/pipeline/document_source_lookup.cpp of MongoDB.
 */
#include "pipeline/stage.h"

#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

typedef struct Lookup
{
	PgBsonValue from;
	PgBsonValue local;
	PgBsonValue foreign;
	PgBsonValue let;
	PgBsonValue pipeline;
	PgBsonValue as;
} Lookup;

static void
parse_lookup(Lookup *lookup, const char *name, const PgBsonValue *operand)
{
	PgBsonStageOptions(name, operand, "from:s localField:s? foreignField:s? let? pipeline as:s!", &lookup->from, &lookup->local,
					   &lookup->foreign, &lookup->let, &lookup->pipeline, &lookup->as);
	if (PgBsonHasDuplicateKeys(PgBsonValueView(operand)))
		PgBsonStageWrong(name, gettext_noop("A field occurs twice."));
	if (PgBsonOptionIs(&lookup->local, "") && PgBsonOptionIs(&lookup->foreign, ""))
		lookup->local = lookup->foreign = PgBsonMissing;
	if ((lookup->local.type == PGBSON_MISSING) != (lookup->foreign.type == PGBSON_MISSING))
		PgBsonStageWrong(name, gettext_noop("\"localField\" and \"foreignField\" belong together."));
	if (lookup->local.type == PGBSON_MISSING && lookup->pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs \"localField\" and \"foreignField\", or \"pipeline\"."));
	if (lookup->let.type != PGBSON_MISSING && lookup->pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("\"let\" is for a \"pipeline\"."));
	if (lookup->from.type == PGBSON_MISSING && lookup->pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs the field \"from\"."));
}

/*
 * The documents of the other table that have one of the values.  An _id is
 * never an array or missing, so an ordinary index on it serves; for other fields
 * an index that serves @~ does.
 */
static const char *
equality_sql(PgBsonTranslation *all, const Lookup *lookup, const char *document, const char *other)
{
	const char *local = PgBsonOperandPath(&lookup->local, "\"localField\" of stage \"$lookup\"");
	const char *foreign = PgBsonOperandPath(&lookup->foreign, "\"foreignField\" of stage \"$lookup\"");

	if (strcmp(foreign, "'_id'") == 0)
		return PgBsonSql(all, "(%s OPERATOR(#->) '_id') OPERATOR(#=) ANY (#bson_lookup_values(%s, %s))", other, document, local);
	return PgBsonSql(all, "%s OPERATOR(#@~) #bson_lookup_query(%s, %s, %s)", other, document, local, foreign);
}

/* The scope of a pipeline that has "let": these variables become a column of the SELECT */
static PgBsonScope *
let_scope(PgBsonSelect *select, const PgBsonValue *let)
{
	PgBsonScope *scope = palloc0_object(PgBsonScope);
	PgBsonLet  *parsed = PgBsonLetParse(let);
	const char *level;
	int			n = 0;

	scope->names = list_copy(select->scope->names);
	PgBsonForEach(iter, PgBsonValueView(let))
	{
		PgBsonKeyRef *ref = palloc_object(PgBsonKeyRef);

		(void) PgBsonOperandVaries(select->scope, parsed->expressions[n++]);
		*ref = (PgBsonKeyRef) {iter.key, iter.key_len};
		scope->names = lappend(scope->names, ref);
	}
	level = PgBsonSelectLevel(select, PgBsonSql(select->all, "#bson_let(%s, %s%s) AS variables", PgBsonSelectDocument(select),
												PgBsonSqlArgument(select->all->schema, let), PgBsonOperandVariables(select)));
	scope->variables = psprintf("%s.variables", level);
	return scope;
}

/* If the next stage is an $unwind of this field, without an index, skip it and return it; else NULL */
static PgBsonUnwind *
take_unwind(PgBsonSelect *select, const PgBsonValue *as)
{
	PgBsonIter	next = select->next;
	PgBsonIter	stage;
	PgBsonUnwind *unwind;
	const PgBsonStep *first;
	uint32		len;
	const char *path;

	if (!PgBsonIterNext(&next) || next.value.type != PGBSON_DOCUMENT || !PgBsonFirst(&next.value, &stage) ||
		!PgBsonIterIs(&stage, "$unwind"))
		return NULL;
	unwind = PgBsonUnwindParse(&stage.value);
	if (PgBsonIterNext(&stage) || unwind->with_index)
		return NULL;
	/* the names point into one string, one after the other, so they can be compared at once */
	path = PgBsonValueString(as, &len);
	first = &unwind->path.names[0];
	if (first[unwind->path.count - 1].key + first[unwind->path.count - 1].key_len - first->key != len ||
		memcmp(first->key, path, len) != 0)
		return NULL;
	select->next = next;
	PgBsonStageCount(select->all);
	if (select->all->depth == 1)
		select->all->stage++;
	return unwind;
}

/*
 * $lookup by _id, and $unwind: a join by values, which can be a hash join.  Each document has one _id,
 * and each value to look for occurs once, so no document is found twice.
 */
static void
join_by_id(PgBsonSelect *select, const PgBsonSelect *other, const Lookup *lookup)
{
	PgBsonTranslation *all = select->all;
	const char *as = PgBsonOperandPath(&lookup->as, "\"as\" of stage \"$lookup\"");
	uint32		len;
	const char *name = PgBsonValueString(&lookup->as, &len);
	const char *level;

	select->unwinds = 1;
	level = PgBsonSelectLevel(select, PgBsonSql(all, "#bson_lookup_each(%s, %s) AS id", PgBsonSelectDocument(select),
												PgBsonOperandPath(&lookup->local, "\"localField\" of stage \"$lookup\"")));
	select->from = PgBsonSql(all, "%s JOIN %s ON (%s OPERATOR(#->) '_id') OPERATOR(#=) %s.id", level, other->from, other->base, level);
	if (memchr(name, '.', len) == NULL)
	{
		PgBsonSelectPart(select, select->base, name, len, other->base);
		select->part_is_document = true;
	}
	else
		PgBsonSelectCompute(select, PgBsonSql(all, "#bson_put(%s, %s, %s)", select->base, as, other->base));
}

/*
 * $lookup and $unwind as a join: a document for each one that is found.  If a document stays for which none was found,
 * bson_put takes the field away, as $unwind does with an empty array.
 */
static void
join_found(PgBsonSelect *select, PgBsonSelect *other, const PgBsonUnwind *unwind, const char *as)
{
	char	   *alias = psprintf("t%d", ++select->all->ntables);

	select->from = psprintf(unwind->preserves ? "%s LEFT JOIN LATERAL (\n%s\n) AS %s ON true" : "%s CROSS JOIN LATERAL (\n%s\n) AS %s",
							select->from, PgBsonSqlIndent(PgBsonSelectText(other)), alias);
	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_put(%s, %s, %s.data)", select->base, as, alias));
}

void
PgBsonJoinAddLookup(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	Lookup		lookup;
	const PgBsonScope *scope;
	PgBsonSelect *other;
	PgBsonUnwind *unwind;
	const char *as;

	parse_lookup(&lookup, name, operand);
	as = PgBsonOperandPath(&lookup.as, "\"as\" of stage \"$lookup\"");
	PgBsonSelectColumn(select);
	scope = select->scope;
	if (lookup.let.type != PGBSON_MISSING)
		scope = let_scope(select, &lookup.let);

	other = lookup.from.type == PGBSON_MISSING ? PgBsonSourceDocuments(all, scope, &lookup.pipeline, &lookup.pipeline) :
		PgBsonSourceNamed(all, scope, &lookup.from);
	if (lookup.local.type != PGBSON_MISSING)
		other->where = list_make1(unconstify(char *, equality_sql(all, &lookup, PgBsonSelectDocument(select), other->base)));
	if (lookup.pipeline.type != PGBSON_MISSING)
		PgBsonStagesAdd(other, &lookup.pipeline);
	/* a join may change the order of the documents, so it is for documents whose order is not defined */
	unwind = NULL;
	if (select->order == NULL && other->order == NULL && select->skip == 0 && select->limit < 0)
		unwind = take_unwind(select, &lookup.as);
	/* the stage only compares with the other table's _id */
	if (unwind != NULL && !unwind->preserves && PgBsonOptionIs(&lookup.foreign, "_id") && lookup.pipeline.type == PGBSON_MISSING)
		join_by_id(select, other, &lookup);
	else if (unwind != NULL)
		join_found(select, other, unwind, as);
	else
		PgBsonSelectCompute(select, PgBsonSql(all, "#bson_put(%s, %s, %s)", PgBsonSelectDocument(select), as, PgBsonSelectArray(other)));
}
