/*
 * source.c
 *	  Where the documents of a pipeline come from: a table, or the stage $documents.
 *
 * See src/mongo/db/pipeline/document_source_documents.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "common/md5.h"
#include "mb/pg_wchar.h"
#include "utils/lsyscache.h"

bool		PgBsonMissingCollections = false;

static bool
can_be_read(char kind)
{
	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE || kind == RELKIND_VIEW ||
		kind == RELKIND_MATVIEW || kind == RELKIND_FOREIGN_TABLE;
}

/* The column of this name or, without a name, the only one of this type; NULL if there is none */
static const char *
find_column(Relation rel, const char *wanted, Oid type)
{
	TupleDesc	desc = RelationGetDescr(rel);
	const char *found = NULL;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attisdropped || getBaseType(attribute->atttypid) != type)
			continue;
		if (wanted == NULL && found != NULL)
			PgBsonReport(ERRCODE_AMBIGUOUS_COLUMN,
						 errmsg("relation \"%s\" has several columns of type bson", RelationGetRelationName(rel)),
						 errhint("Give the name of the column to be read as the argument \"column_name\"."));
		if (wanted == NULL || strcmp(NameStr(attribute->attname), wanted) == 0)
			found = NameStr(attribute->attname);
	}
	return found == NULL ? NULL : pstrdup(found);
}

static void
need_column(Relation rel, const char *wanted, const char *found)
{
	if (found != NULL)
		return;
	if (wanted == NULL)
		PgBsonReport(ERRCODE_DATATYPE_MISMATCH,
					 errmsg("relation \"%s\" has no column of type bson", RelationGetRelationName(rel)));
	if (get_attnum(RelationGetRelid(rel), wanted) == InvalidAttrNumber)
		PgBsonReport(ERRCODE_UNDEFINED_COLUMN,
					 errmsg("column \"%s\" of relation \"%s\" does not exist", wanted, RelationGetRelationName(rel)));
	PgBsonReport(ERRCODE_DATATYPE_MISMATCH,
				 errmsg("column \"%s\" of relation \"%s\" is not of type bson", wanted, RelationGetRelationName(rel)));
}

/* The relation, and the column of this name or, if that is NULL, the only one of its type */
static const PgBsonSource *
open_source(PgBsonParse *parse, Oid relation, const char *column, bool must_have)
{
	Relation	rel = try_relation_open(relation, AccessShareLock);
	PgBsonSource *source = palloc0_object(PgBsonSource);

	if (rel == NULL)
		PgBsonReport(ERRCODE_UNDEFINED_TABLE, errmsg("relation with OID %u does not exist", relation));
	if (!can_be_read(rel->rd_rel->relkind))
		PgBsonReport(ERRCODE_WRONG_OBJECT_TYPE, errmsg("\"%s\" is not a table or view", RelationGetRelationName(rel)));
	source->column = find_column(rel, column, parse->type);
	if (source->column == NULL && !must_have)
		source->column = find_column(rel, column = NULL, parse->type);
	need_column(rel, column, source->column);
	source->schema = get_namespace_name(RelationGetNamespace(rel));
	source->relation = pstrdup(RelationGetRelationName(rel));
	source->inherited = rel->rd_rel->relhassubclass && rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE;
	PgBsonParseChecks(source, parse->type, rel, PgBsonParseIndexes(parse, source, rel));
	if (parse->shape != NULL)
		parse->shape->sources = lappend(parse->shape->sources, source);
	/* keep the lock until the transaction ends, because the statement is about this relation */
	relation_close(rel, NoLock);
	return source;
}

/* A collection that does not exist: it has no documents, and the statement is for once, as it may come to exist */
static const PgBsonSource *
no_source(PgBsonParse *parse)
{
	PgBsonSource *source = palloc0_object(PgBsonSource);

	source->documents = PgBsonMakeArray(NULL, 0);
	if (parse->shape != NULL)
		PgBsonShapeOnce(parse->shape);
	return source;
}

const PgBsonSource *
PgBsonParseRelation(PgBsonParse *parse, Oid relation)
{
	return OidIsValid(relation) ? open_source(parse, relation, parse->column, true) : no_source(parse);
}

char *
PgBsonShortName(const char *name)
{
	char		sum[2 * MD5_DIGEST_LENGTH + 1];
	const char *why;
	int			len = strlen(name);

	if (len < NAMEDATALEN)
		return pstrdup(name);
	if (!pg_md5_hash(name, len, sum, &why))
		elog(ERROR, "cannot compute a hash: %s", why);
	return psprintf("%.*s_%.8s", pg_mbcliplen(name, len, NAMEDATALEN - 10), name, sum);
}

/*
 * The relation of this name in search_path, or, as no relation has a long name, of that which bson-copy makes of it.
 * As a collection of MongoDB's it is in a schema that search_path names, or else in pg_temp; the server looks into
 * that first, and into pg_catalog.
 */
static Oid
find_in_search_path(const char *name)
{
	Oid			temporary;

	name = PgBsonShortName(name);
	if (!PgBsonMissingCollections)
		return RelnameGetRelid(name);
	foreach_oid(schema, fetch_search_path(false))
	{
		Oid			relation = get_relname_relid(name, schema);

		if (OidIsValid(relation))
			return relation;
	}
	temporary = LookupExplicitNamespace("pg_temp", true);
	return OidIsValid(temporary) ? get_relname_relid(name, temporary) : InvalidOid;
}

/* The relation of this name, or of this schema and name, or InvalidOid; *whole is the name as the server has it */
static Oid
find_relation(const PgBsonValue *name, bool in_schema, char **whole)
{
	uint32		len;
	const char *utf8 = PgBsonValueString(name, &len);
	char	   *dot;
	Oid			relation;

	utf8 = PgBsonToServerText(utf8, &len);
	*whole = pnstrdup(utf8, len);
	relation = find_in_search_path(*whole);
	dot = strchr(*whole, '.');
	if (!OidIsValid(relation) && in_schema && dot != NULL)
	{
		const char *schema = PgBsonShortName(pnstrdup(*whole, dot - *whole));
		Oid			namespace = LookupExplicitNamespace(schema, true);

		if (OidIsValid(namespace))
			relation = get_relname_relid(PgBsonShortName(dot + 1), namespace);
	}
	return relation;
}

Oid
PgBsonParseFind(const PgBsonValue *name)
{
	char	   *whole;

	return find_relation(name, true, &whole);
}

const PgBsonSource *
PgBsonParseNamed(PgBsonParse *parse, const PgBsonValue *name, bool must_exist)
{
	char	   *whole;
	Oid			relation = find_relation(name, must_exist, &whole);

	if (!OidIsValid(relation) && !must_exist)
		return no_source(parse);
	if (!OidIsValid(relation))
		PgBsonReport(ERRCODE_UNDEFINED_TABLE, errmsg("relation \"%s\" does not exist", whole),
					 errhint("A collection that a stage names is a table or view, spelled as it is stored, with its schema if that is not in search_path."));
	return open_source(parse, relation, parse->column, parse->column == NULL);
}

/* Split a pipeline that must begin with $documents into the operand of this stage and the other stages */
static PgBsonValue
split_documents(const PgBsonValue *pipeline, PgBsonValue *documents)
{
	PgBsonValue *stages;
	int			count;
	PgBsonIter	stage;

	if (pipeline->type != PGBSON_ARRAY)
		PgBsonStageWrong("$documents", gettext_noop("A pipeline without a collection must be an array that begins with it."));
	stages = PgBsonValuesOf(pipeline, &count);
	if (count == 0 || stages[0].type != PGBSON_DOCUMENT || !PgBsonFirst(&stages[0], &stage) || !PgBsonIterIs(&stage, "$documents"))
		PgBsonStageWrong("$documents", gettext_noop("It must be the first stage of a pipeline without a collection."));
	*documents = stage.value;
	if (PgBsonIterNext(&stage))
		PgBsonStageWrong("$documents", gettext_noop("A stage must have one field, its name."));
	return PgBsonMakeArray(stages + 1, count - 1);
}

/* Refuse elements of an array that are neither documents nor expressions, even if they are never read */
static void
check_documents(const PgBsonValue *documents)
{
	uint32		len;

	if (documents->type != PGBSON_ARRAY)
		return;
	PgBsonForEach(iter, PgBsonValueView(documents))
	{
		if (iter.value.type != PGBSON_DOCUMENT &&
			!(iter.value.type == PGBSON_STRING && PgBsonValueString(&iter.value, &len)[0] == '$'))
			PgBsonStageWrong("$documents", gettext_noop("An array of documents is expected."));
	}
}

const PgBsonSource *
PgBsonParseDocuments(PgBsonParse *parse, const PgBsonValue *pipeline, PgBsonValue *rest)
{
	PgBsonSource *source = palloc0_object(PgBsonSource);

	*rest = split_documents(pipeline, &source->documents);
	(void) PgBsonOperandVaries(parse->names, PgBsonExpressionParse(&source->documents, NULL));
	check_documents(&source->documents);
	parse->nstages++;
	return source;
}
