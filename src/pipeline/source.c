/*
 * source.c
 *	  Tables that a pipeline reads.
 */
#include "pipeline/source.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "core/bytes/recode.h"
#include "pipeline/sql_text.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static bool
can_be_read(char kind)
{
	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE || kind == RELKIND_VIEW ||
		kind == RELKIND_MATVIEW || kind == RELKIND_FOREIGN_TABLE;
}

/* The type of a column, of a domain the one below */
static Oid
column_type(Form_pg_attribute attribute)
{
	return attribute->attisdropped ? InvalidOid : getBaseType(attribute->atttypid);
}

/* The column of this name, or the only one of the type; NULL if there is no such */
static const char *
find_column(Relation rel, const char *wanted, Oid type)
{
	TupleDesc	desc = RelationGetDescr(rel);
	const char *found = NULL;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (column_type(attribute) != type)
			continue;
		if (wanted == NULL && found != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_AMBIGUOUS_COLUMN),
					 errmsg("relation \"%s\" has several columns of type bson", RelationGetRelationName(rel)),
					 errhint("Name the one to be read as the argument \"column_name\".")));
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
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("relation \"%s\" has no column of type bson", RelationGetRelationName(rel))));
	if (get_attnum(RelationGetRelid(rel), wanted) == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", wanted, RelationGetRelationName(rel))));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" of relation \"%s\" is not of type bson", wanted, RelationGetRelationName(rel))));
}

static PgBsonSource
source_of(Oid relation, const char *column, bool must_have, Oid type)
{
	PgBsonSource source = {relation, NULL, NULL};
	Relation	rel = try_relation_open(relation, AccessShareLock);
	const char *found;

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (!can_be_read(rel->rd_rel->relkind))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is no table or view", RelationGetRelationName(rel))));
	found = find_column(rel, column, type);
	if (found == NULL && !must_have)
		found = find_column(rel, column = NULL, type);
	need_column(rel, column, found);
	source.name = psprintf("%s.%s", PgBsonSqlIdentifier(get_namespace_name(RelationGetNamespace(rel))),
						   PgBsonSqlIdentifier(RelationGetRelationName(rel)));
	source.column = PgBsonSqlIdentifier(found);
	/* until the transaction's end, as the statement is to mean this relation */
	relation_close(rel, NoLock);
	return source;
}

PgBsonSource
PgBsonSourceOf(Oid relation, const char *column, Oid type)
{
	return source_of(relation, column, true, type);
}

PgBsonSource
PgBsonSourceNamed(const PgBsonValue *name, const char *column, Oid type)
{
	uint32		len;
	const char *utf8 = PgBsonValueString(name, &len);
	char	   *whole;
	char	   *dot;
	Oid			relation;

	utf8 = PgBsonToServerText(utf8, &len);
	whole = pnstrdup(utf8, len);
	relation = len < NAMEDATALEN ? RelnameGetRelid(whole) : InvalidOid;
	dot = strchr(whole, '.');
	if (!OidIsValid(relation) && dot != NULL && strlen(dot + 1) < NAMEDATALEN && dot - whole < NAMEDATALEN)
	{
		char	   *schema = pnstrdup(whole, dot - whole);
		Oid			namespace = LookupExplicitNamespace(schema, true);

		if (OidIsValid(namespace))
			relation = get_relname_relid(dot + 1, namespace);
	}
	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s\" does not exist", whole),
				 errhint("A collection that a stage names is a table or view, spelled as it is stored, with its schema if that is not in search_path.")));
	return source_of(relation, column, column == NULL, type);
}
