/*
 * update.c
 *	  MongoDB's updates of whole documents: by operators, by replacement, and by a pipeline.
 *
 * The authority is MongoDB's src/mongo/db/update/update_driver.cpp, object_replace_executor.cpp
 * and pipeline_executor.cpp.
 */
#include "mongo/update/update.h"

#include "core/order/compare.h"
#include "mongo/update/update_tree.h"

/* Raise 22023 for an update with operators after other fields */
static void
check_replacement(PgBsonView document)
{
	PgBsonForEach(iter, document)
	{
		if (iter.key[0] == '$')
			PgBsonReportInvalid(errmsg("a bson update mixes operators and fields"),
								errdetail("\"%s\" follows a field.", PgBsonNameInMessage(iter.key, iter.key_len)));
	}
}

PgBsonUpdate *
PgBsonUpdateParse(const PgBsonValue *update, const PgBsonValue *array_filters, bool insert)
{
	PgBsonUpdate *result = palloc0_object(PgBsonUpdate);
	PgBsonUpdateFilters filters = {NULL};

	result->insert = insert;
	if (update->type != PGBSON_DOCUMENT && update->type != PGBSON_ARRAY)
		PgBsonReportInvalid(errmsg("a bson update must be a document, or an array of stages"),
							errdetail("It is of type %s.", PgBsonTypeName(update->type)));

	if (array_filters != NULL)
		PgBsonUpdateParseFilters(array_filters, &filters);
	if (update->type == PGBSON_ARRAY)
	{
		if (filters.count > 0)
			PgBsonUpdateInvalidFilter(gettext_noop("An update by a pipeline takes none."));
		result->pipeline = PgBsonPipelineParse(update, false);
		return result;
	}
	if (PgBsonHasOperator(update))
		PgBsonUpdateParseTree(result, update, &filters);
	else
	{
		check_replacement(PgBsonValueView(update));
		result->replacement = *update;
	}
	PgBsonUpdateCheckFilters(&filters);
	return result;
}

bool
PgBsonUpdateIsPositional(const PgBsonUpdate *update)
{
	return update->positional;
}

/* Is an _id among the fields, but not the first one? */
static bool
has_late_id(PgBsonView doc, PgBsonValue *id)
{
	PgBsonIter	iter = PgBsonIterBegin(doc);

	return PgBsonIterNext(&iter) && !PgBsonIterIs(&iter, "_id") && PgBsonFindKey(doc, "_id", 3, id);
}

PgBson *
PgBsonUpdateWithId(PgBsonView doc, const PgBsonValue *id)
{
	PgBsonWriter w;
	Size		start;

	PgBsonWriterInit(&w, (Size) doc.len + id->len + 5);
	start = PgBsonWriterOpen(&w);
	PgBsonWriterField(&w, "_id", 3, id);
	PgBsonForEach(iter, doc)
	{
		if (!PgBsonIterIs(&iter, "_id"))
			PgBsonWriterBytes(&w, iter.element, iter.next - iter.element);
	}
	PgBsonWriterClose(&w, start);
	return PgBsonWriterFinish(&w);
}

/* The replacing document, with the _id of the old one */
static PgBson *
replace_document(PgBsonView doc, const PgBsonValue *replacement)
{
	PgBsonView	view = PgBsonValueView(replacement);
	PgBsonValue id;
	PgBsonValue own;

	if (view.len == doc.len && memcmp(view.data, doc.data, doc.len) == 0)
		return NULL;
	if (PgBsonFindKey(view, "_id", 3, &own))
	{
		if (PgBsonFindKey(doc, "_id", 3, &id) && !PgBsonEqual(&id, &own))
			PgBsonReportInvalid(errmsg("a bson update cannot change \"_id\""),
								errdetail("The new document has a different one."));
		return has_late_id(view, &own) ? PgBsonUpdateWithId(view, &own) : PgBsonFromValue(replacement);
	}
	return PgBsonFindKey(doc, "_id", 3, &id) ? PgBsonUpdateWithId(view, &id) : PgBsonFromValue(replacement);
}

/* Update by a pipeline; the _id stays */
static PgBson *
apply_pipeline(const PgBsonUpdate *update, const PgBsonValue *root, const PgBsonUpdateInput *input)
{
	bool		uses_now = update->pipeline->use.uses_now;
	PgBsonValue variables;
	PgBsonValue result;
	int64		now = 0;

	if (uses_now && !input->has_now)
		PgBsonReportInvalid(errmsg("\"$$NOW\" in a bson update needs the current time"),
							errdetail("The function bson_apply is immutable and does not look at the clock."),
							errhint("Pass the time as the argument \"at\", or use the function bson_update."));
	if (uses_now)
	{
		(void) PgBsonTimestampToDate(input->now, &now);
		variables = PgBsonMakeDate(now);
		variables = PgBsonMakeDocument("NOW", &variables, NULL);
	}
	result = PgBsonPipelineApply(update->pipeline, root, uses_now ? &variables : NULL);
	return replace_document(PgBsonValueView(root), &result);
}

PgBson *
PgBsonUpdateApply(const PgBsonUpdate *update, PgBsonView doc, const PgBsonUpdateInput *input)
{
	PgBsonUpdateRun run;
	PgBsonValue root = PgBsonRootOf(doc);
	PgBsonValue id;
	PgBson	   *result;

	if (root.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("cannot update a bson value of type %s", PgBsonTypeName(root.type)),
							errdetail("A document is expected."));
	if (update->pipeline != NULL)
		return apply_pipeline(update, &root, input);
	if (update->root == NULL)
		return replace_document(doc, &update->replacement);
	if (update->positional && !input->has_position)
		PgBsonReportInvalid(errmsg("no array element for \"$\" in a path of a bson update"),
							errdetail("It is the one that the query finds in the document, so the update needs a query with a condition about an array."));

	memset(&run, 0, offsetof(PgBsonUpdateRun, edit));
	run.update = update;
	run.input = input;
	run.position_len = snprintf(run.position, sizeof(run.position), "%u", input->position);
	run.renamed = NULL;
	run.built.data = NULL;
	result = PgBsonUpdateApplyTree(&run, doc);
	if (result != NULL && has_late_id(PgBsonViewOf(result), &id))
	{
		PgBson	   *moved = PgBsonUpdateWithId(PgBsonViewOf(result), &id);

		pfree(result);
		result = moved;
	}
	return result;
}
