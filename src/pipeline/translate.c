/*
 * translate.c
 *	  A pipeline of MongoDB's aggregation, or a find, as one SQL statement.
 */
#include "pipeline/command.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "mongo/common/collation.h"
#include "mongo/project/project.h"
#include "pipeline/rules/rules.h"
#include "utils/syscache.h"

Oid
PgBsonCollationFind(const char *tag, Oid schema, Oid type)
{
	HeapTuple	tuple = SearchSysCache3(COLLNAMEENCNSP, CStringGetDatum(tag), Int32GetDatum(-1),
										ObjectIdGetDatum(schema));
	Form_pg_collation form;
	Oid			oid = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	form = (Form_pg_collation) GETSTRUCT(tuple);
	if (form->collprovider == COLLPROVIDER_ICU && !form->collisdeterministic &&
		(superuser_arg(form->collowner) ||
		 form->collowner == GetSysCacheOid1(TYPEOID, Anum_pg_type_typowner, ObjectIdGetDatum(type))))
		oid = form->oid;
	ReleaseSysCache(tuple);
	return oid;
}

/* Have the statement compare strings by this collation; error 42704 if bson_collation has not made it */
static void
set_collation(const PgBsonTarget *target, PgBsonTranslation *all, PgBsonParse *parse)
{
	Oid			schema = get_namespace_oid(target->schema, false);
	char	   *tag = PgBsonCollationTag(&target->collation);

	if (tag == NULL)
		return;
	if (target->is_old)
		PgBsonReportUnsupported(errmsg("version 1.0 of the extension has no collations"),
								errhint("Use ALTER EXTENSION bson UPDATE."));
	parse->collation = PgBsonCollationFind(tag, schema, target->type);
	if (!OidIsValid(parse->collation))
		PgBsonReport(ERRCODE_UNDEFINED_OBJECT, errmsg("collation \"%s\" does not exist in the schema of the extension", tag),
					 errhint("Call bson_collation, which makes it, with this specification."));
	parse->collated = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("bson_collated"),
									  ObjectIdGetDatum(schema));
	all->collation = psprintf("%s.%s", all->schema, PgBsonSqlIdentifier(tag));
}

PgBsonStatement *
PgBsonStatementBegin(const PgBsonTarget *target)
{
	PgBsonStatement *statement = palloc_object(PgBsonStatement);

	statement->target = target;
	statement->all = (PgBsonTranslation) {
		.schema = PgBsonSqlIdentifier(target->schema), .is_old = target->is_old, .shape = target->shape, .stage = 1
	};
	statement->parse = (PgBsonParse) {.type = target->type, .column = target->column, .shape = target->shape};
	statement->scope = PgBsonLetScope(&statement->all, &target->let);
	statement->parse.names = unconstify(List *, statement->scope->names);
	if (target->collation.type != PGBSON_MISSING)
		set_collation(target, &statement->all, &statement->parse);
	return statement;
}

PgBsonSelect *
PgBsonStatementSelect(PgBsonStatement *statement, const PgBsonChain *chain)
{
	const PgBsonChain *ruled = PgBsonRulesApply(chain, statement->all.is_old);
	PgBsonSelect *select = PgBsonDeparseChain(&statement->all, statement->scope, ruled, NULL);

	PgBsonConditionsAddShape(select);
	return select;
}

char *
PgBsonTranslatePipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, List **spans)
{
	PgBsonStatement *statement = PgBsonStatementBegin(target);
	PgBsonParse *parse = &statement->parse;
	PgBsonChain chain = {NULL, NIL};
	PgBsonValue stages = *pipeline;
	char	   *text;

	/* $documents is a stage, too */
	parse->stage = OidIsValid(target->relation) ? 0 : 1;
	chain.source = OidIsValid(target->relation) ? PgBsonParseRelation(parse, target->relation) :
		PgBsonParseDocuments(parse, pipeline, &stages);
	PgBsonParseStages(parse, &chain, &stages);
	text = PgBsonSelectText(PgBsonStatementSelect(statement, &chain));
	if (spans != NULL)
		*spans = statement->all.spans;
	return text;
}

/* The projection of a find; "filter", or NULL, says what its positional operator stands for */
static void
add_projection(const PgBsonTarget *target, PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *projection,
			   const PgBsonValue *filter)
{
	PgBsonValue fields = PgBsonLetInFields(&target->let, projection);
	PgBsonValue query = filter == NULL ? PgBsonMissing : PgBsonLetInQuery(&target->let, filter);
	PgBsonProjectStep *project;

	(void) PgBsonProjectionParse(&fields, filter == NULL ? NULL : &query);
	project = PgBsonParseStep(parse, chain, PGBSON_NODE_PROJECT, sizeof(PgBsonProjectStep), "find", &fields);
	project->query = query;
}

static bool
is_empty(const PgBsonValue *document)
{
	return document == NULL || (document->type == PGBSON_DOCUMENT && PgBsonIsEmpty(document));
}

char *
PgBsonTranslateFind(const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *projection,
					const PgBsonValue *sort, int64 skip, int64 limit)
{
	PgBsonStatement *statement = PgBsonStatementBegin(target);
	PgBsonParse *parse = &statement->parse;
	PgBsonChain chain = {PgBsonParseRelation(parse, target->relation), NIL};
	PgBsonValue values[2] = {sort == NULL ? PgBsonNull : *sort, projection == NULL ? PgBsonNull : *projection};
	PgBsonValue uses = PgBsonMakeArray(values, 2);
	bool		scored = false;

	if (filter != NULL)
	{
		PgBsonParseFilter(parse, &chain, filter);
		scored = PgBsonParseScore(parse, &chain, &uses) > 0;
	}
	if (scored)
	{
		values[0] = PgBsonScoreIn(&values[0], true);
		sort = sort == NULL ? NULL : &values[0];
	}
	if (!is_empty(sort))
		PgBsonParseSort(parse, &chain, sort);
	if (skip > 0 || limit > 0)
	{
		PgBsonParseCut(parse, &chain, skip, -1);
		PgBsonParseCut(parse, &chain, 0, limit > 0 ? limit : -1);
	}
	if (scored)
	{
		if (!is_empty(projection))
			values[1] = PgBsonParseScoreFields(parse, &chain, &values[1]);
		PgBsonParseScoreEnd(parse, &chain);
		projection = projection == NULL ? NULL : &values[1];
	}
	if (!is_empty(projection))
		add_projection(target, parse, &chain, projection, filter);
	return PgBsonSelectText(PgBsonStatementSelect(statement, &chain));
}
