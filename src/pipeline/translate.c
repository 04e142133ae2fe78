/*
 * translate.c
 *	  A pipeline of MongoDB's aggregation, or a find, as one SQL statement.
 */
#include "pipeline/translate.h"

#include "mongo/project/project.h"
#include "pipeline/join.h"
#include "pipeline/source.h"
#include "pipeline/sql_text.h"
#include "pipeline/stage.h"

static const PgBsonScope no_variables = {NULL, NIL};

static PgBsonTranslation *
begin(const PgBsonTarget *target)
{
	PgBsonTranslation *all = palloc0_object(PgBsonTranslation);

	all->schema = PgBsonSqlIdentifier(target->schema);
	all->type = target->type;
	all->column = target->column;
	return all;
}

static PgBsonSelect *
select_from_target(PgBsonTranslation *all, const PgBsonTarget *target)
{
	PgBsonSource source = PgBsonSourceOf(target->relation, target->column, target->type);
	char	   *alias = PgBsonSelectAlias(all);

	return PgBsonSelectNew(all, &no_variables, psprintf("%s AS %s", source.name, alias),
						   psprintf("%s.%s", alias, source.column));
}

char *
PgBsonTranslatePipeline(const PgBsonTarget *target, const PgBsonValue *pipeline)
{
	PgBsonTranslation *all = begin(target);
	PgBsonSelect *select;

	if (!OidIsValid(target->relation))
		return PgBsonSelectText(PgBsonJoinDocuments(all, &no_variables, pipeline));
	select = select_from_target(all, target);
	PgBsonStagesAdd(select, pipeline);
	return PgBsonSelectText(select);
}

char *
PgBsonTranslateFind(const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *projection,
					const PgBsonValue *sort, int64 skip, int64 limit)
{
	PgBsonTranslation *all = begin(target);
	PgBsonSelect *select = select_from_target(all, target);

	if (filter != NULL)
		PgBsonStageMatch(select, filter);
	if (sort != NULL && (sort->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(sort)) > 0))
		PgBsonStageSort(select, sort);
	if (skip > 0)
		PgBsonSelectSkip(select, skip);
	if (limit > 0)
		PgBsonSelectLimit(select, limit);
	if (projection != NULL && (projection->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(projection)) > 0))
	{
		(void) PgBsonProjectionParse(projection, filter);
		PgBsonSelectCompute(select, PgBsonSql(all, "#bson_project(%s, %s%s%s)", PgBsonSelectDocument(select),
											  PgBsonSqlConstant(all->schema, projection), filter == NULL ? "" : ", ",
											  filter == NULL ? "" : PgBsonSqlConstant(all->schema, filter)));
	}
	return PgBsonSelectText(select);
}
