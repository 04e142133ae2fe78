/*
 * upsert_sql.c
 *	  INSERT ... ON CONFLICT: a unique index decides whether an update inserts a document.
 *
 * It is the index of the _id, if the filter demands one; or one on all fields of the filter.
 */
#include "pipeline/command.h"

#include "access/xact.h"
#include "core/order/compare.h"
#include "mongo/update/update.h"

/*
 * Does the filter demand one value of each field of this index, and nothing else, and has the document that an upsert
 * inserts these values?  Then *values is a list of them (PgBsonValue *).
 */
static bool
decides(const PgBsonIndex *index, const PgBsonValue *filter, const PgBsonValue *inserted, List **values)
{
	*values = NIL;
	foreach_ptr(const PgBsonIndexed, column, index->columns)
	{
		const PgBsonKeyRef *path = &column->path;
		PgBsonValue *value = palloc_object(PgBsonValue);
		PgBsonValue has;
		PgBsonNames names;
		PgBsonIter	first;

		if (!PgBsonFindKey(PgBsonValueView(filter), path->key, path->len, value))
			return false;
		if (PgBsonOnlyField(value, &first) && PgBsonIterIs(&first, "$eq"))
			*value = first.value;
		if (PgBsonIsContainer(value->type) || PgBsonIsNullish(value->type) || value->type == PGBSON_REGEX)
			return false;
		names = PgBsonNestedSplit(path->key, path->len, "a field of an upsert's filter");
		has = PgBsonNestedGet(inserted, &names);
		if (has.type == PGBSON_MISSING || PgBsonCompare(&has, value) != 0)
			return false;
		*values = lappend(*values, value);
	}
	/* the sort key must be of these values, too */
	if (index->sort.type == PGBSON_DOCUMENT)
	{
		PgBsonForEach(iter, PgBsonValueView(&index->sort))
		{
			if (PgBsonFindNamed(index->columns, iter.key, iter.key_len) == NULL)
				return false;
		}
	}
	return index->unique && PgBsonViewCount(PgBsonValueView(filter)) == list_length(index->columns);
}

/* The unique index by which an upsert finds its document */
static const PgBsonIndex *
deciding_index(const PgBsonCommandState *command, List **values)
{
	const PgBsonSource *source = command->source;
	const PgBsonValue *update = &command->options[PGBSON_OPTION_UPDATE];
	const PgBsonValue *filters = &command->options[PGBSON_OPTION_FILTERS];
	PgBsonUpdateInput input = {true, GetCurrentTransactionStartTimestamp()};

	/* what a pipeline would insert could be another document each time */
	if (source->indexes != NIL && !source->collated && update->type == PGBSON_DOCUMENT)
	{
		const PgBsonUpdate *parsed = PgBsonUpdateParse(update, filters->type == PGBSON_MISSING ? NULL : filters, true);
		PgBsonValue inserted = PgBsonRoot(PgBsonUpsert(parsed, &command->query, &input));

		foreach_ptr(const PgBsonIndex, index, source->indexes)
		{
			if (decides(index, &command->query, &inserted, values))
				return index;
		}
	}
	PgBsonReportUnsupported(errmsg("an upsert of bson documents needs a filter {\"_id\": value}, or of the fields of a unique index"),
							errdetail("Otherwise no unique index decides whether the document is there, and two sessions would both insert it."),
							errhint("Make a unique index on the fields of the filter, or lock the table, and use MERGE."));
}

/*
 * What is inserted where there is no document with these values; an error if there is one that the filter finds because
 * it has them in an array, which the unique index does not see.  $switch without a branch is that error.
 */
static char *
inserted_sql(const PgBsonCommandState *command, const PgBsonIndex *index, const List *values, char *upsert)
{
	const PgBsonTranslation *all = command->all;
	PgBsonSelect *select = PgBsonCommandSelect(command, &PgBsonMissing);
	List	   *equal = NIL;
	bool		scalar = command->source->rooted;
	ListCell   *lc;
	ListCell   *value;

	forboth(lc, index->columns, value, values)
	{
		scalar &= ((const PgBsonIndexed *) lfirst(lc))->scalar;
		equal = lappend(equal, PgBsonSql(all, "%s OPERATOR(#=) %s",
										 PgBsonIndexedSql(all, select->clauses.column, lfirst(lc)),
										 PgBsonSqlArgument(all, lfirst(value))));
	}
	if (scalar)
		return upsert;
	return PgBsonSql(all, "COALESCE((\n"
					 "    SELECT #bson_eval(%s, #bson '{\"$switch\": {\"branches\": [{\"case\": false, \"then\": \"an array has the value\"}]}}')\n"
					 "    FROM %s%s\n      AND (%s) IS NOT TRUE\n    LIMIT 1\n), %s)",
					 select->document.base, select->clauses.from, PgBsonSqlIndent(PgBsonSelectWhere(select)),
					 PgBsonSqlJoin(equal, " AND "), upsert);
}

/* The columns of the index */
static char *
conflict_columns(const PgBsonCommandState *command, const PgBsonIndex *index)
{
	const PgBsonTranslation *all = command->all;
	List	   *columns = NIL;

	foreach_ptr(const PgBsonIndexed, column, index->columns)
		columns = lappend(columns, unconstify(char *, PgBsonIndexedSql(all, command->column, column)));
	if (index->sort.type != PGBSON_MISSING)
		columns = lappend(columns, PgBsonSql(all, "#bson_sort_key(%s, %s)", command->column,
											 PgBsonSqlArgument(all, &index->sort)));
	return PgBsonSqlJoin(columns, ", ");
}

char *
PgBsonCommandUpsert(const PgBsonCommandState *command)
{
	const PgBsonTranslation *all = command->all;
	char	   *columns = PgBsonSql(all, "(%s OPERATOR(#->) $'_id')", command->column);
	char	   *inserted = PgBsonSql(all, "#bson_upsert(%s, %s%s)", PgBsonSqlArgument(all, &command->query),
									 PgBsonSqlArgument(all, &command->options[PGBSON_OPTION_UPDATE]),
									 PgBsonCommandFilters(command));
	PgBsonValue id;

	if (!PgBsonUpsertId(&command->query, &id))
	{
		List	   *values;
		const PgBsonIndex *index = deciding_index(command, &values);

		columns = conflict_columns(command, index);
		inserted = inserted_sql(command, index, values, inserted);
	}
	else
	{
		PgBsonCommandNeedId(command);
		if (all->collation != NULL && PgBsonTypeRank(id.type) == PgBsonTypeRank(PGBSON_STRING))
			PgBsonReportUnsupported(errmsg("an upsert of bson documents by an \"_id\" that is a string cannot have a collation"),
									errdetail("The unique index on the \"_id\" compares strings by their bytes."));
	}
	return psprintf("INSERT INTO %s (%s)\nVALUES (%s)\nON CONFLICT (%s) DO UPDATE SET %s", command->table, command->column,
					inserted, columns, PgBsonCommandSet(command));
}
