/*
 * translate.c
 *	  A pipeline of MongoDB's aggregation, or a find, as one SQL statement.
 */
#include "pipeline/translate.h"

#include "mongo/project/project.h"
#include "pipeline/let.h"
#include "pipeline/sql_text.h"
#include "pipeline/stage.h"

PgBsonTranslation *
PgBsonTranslationBegin(const PgBsonTarget *target)
{
	PgBsonTranslation *all = palloc0_object(PgBsonTranslation);

	all->schema = PgBsonSqlIdentifier(target->schema);
	all->type = target->type;
	all->column = target->column;
	all->scope = PgBsonLetScope(all, &target->let);
	return all;
}

char *
PgBsonTranslatePipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, List **spans)
{
	PgBsonTranslation *all = PgBsonTranslationBegin(target);
	PgBsonValue stages = *pipeline;
	PgBsonSelect *select = OidIsValid(target->relation) ? PgBsonSourceOf(all, all->scope, target->relation) :
		PgBsonSourceDocuments(all, all->scope, pipeline, &stages);
	char	   *statement;

	/* $documents is a stage, too */
	all->stage = OidIsValid(target->relation) ? 0 : 1;
	select->first = 1;
	PgBsonStagesAdd(select, &stages);
	statement = PgBsonSelectText(select);
	if (spans != NULL)
		*spans = all->spans;
	return statement;
}

char *
PgBsonTranslateFind(const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *projection,
					const PgBsonValue *sort, int64 skip, int64 limit)
{
	PgBsonTranslation *all = PgBsonTranslationBegin(target);
	PgBsonSelect *select = PgBsonSourceOf(all, all->scope, target->relation);

	if (filter != NULL)
		PgBsonMatchAdd(select, filter);
	if (sort != NULL && (sort->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(sort)) > 0))
		PgBsonStageSort(select, sort);
	if (skip > 0)
		PgBsonSelectSkip(select, skip);
	if (limit > 0)
		PgBsonSelectLimit(select, limit);
	if (projection != NULL && (projection->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(projection)) > 0))
	{
		PgBsonValue fields = PgBsonLetInFields(&target->let, projection);
		PgBsonValue query;

		if (filter != NULL)
			query = PgBsonLetInQuery(&target->let, filter);
		(void) PgBsonProjectionParse(&fields, filter == NULL ? NULL : &query);
		PgBsonSelectCompute(select, PgBsonSql(all, "#bson_project(%s, %s%s%s)", PgBsonSelectDocument(select),
											  PgBsonSqlArgument(all->schema, &fields), filter == NULL ? "" : ", ",
											  filter == NULL ? "" : PgBsonSqlArgument(all->schema, &query)));
	}
	return PgBsonSelectText(select);
}
