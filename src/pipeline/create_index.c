/*
 * create_index.c
 *	  An index that MongoDB's createIndexes asks for, as statements of SQL.
 *
 * Which index serves what is in doc/operations.md.  An index is on the values of its fields, which conditions of
 * queries and a sort with a limit use.  A unique one allows one document that lacks the field, as MongoDB does.  Values
 * in arrays are found by an index on whole documents, which is made beside the first index that is not unique.
 * bson-copy makes the same (src/tools/bson_copy/table.py).
 */
#include "pipeline/command.h"

#include "core/bytes/recode.h"
#include "core/number/number.h"
#include "core/write/from_value.h"
#include "json/print.h"
#include "mongo/common/collation.h"
#include "mongo/expr/expr.h"
#include "mongo/query/match.h"
#include "text/search.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* What an index is asked for */
typedef struct IndexSpec
{
	Oid			relation;
	PgBsonTranslation *all;
	const char *column;			/* quoted */
	const PgBsonValue *spec;
	PgBsonValue condition;		/* of a partial index; or missing */
	PgBsonValue key;
	int			fields;
	PgBsonIter	first;			/* the first field of the key */
	const char *kind;			/* hashed, text or geometry; NULL if all fields have an order */
	int			geometries;		/* how many fields are geometry */
	bool		wild;			/* a field is $** */
	bool		unique;
	bool		sparse;
} IndexSpec;

pg_noreturn static void
index_wrong(const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid specification of an index of bson documents"), errdetail("%s", _(detail)));
}

static bool
option_is_true(const PgBsonValue *spec, const char *name)
{
	PgBsonValue value;

	if (!PgBsonFindField(spec, name, &value))
		return false;
	if (value.type != PGBSON_BOOL && !PgBsonIsNumber(value.type))
		index_wrong(gettext_noop("An option that must be a boolean is of another type."));
	return PgBsonExprIsTrue(&value);
}

static bool
is_wild(const char *path, uint32 len)
{
	return len >= 3 && memcmp(path + len - 3, "$**", 3) == 0;
}

static bool
is_geometry(const PgBsonValue *direction)
{
	return PgBsonOptionIs(direction, "2dsphere") || PgBsonOptionIs(direction, "2d");
}

static IndexSpec
read_spec(const PgBsonTarget *target, const PgBsonValue *spec)
{
	PgBsonStatement *statement;
	IndexSpec	index = {target->relation, .spec = spec, .condition = PgBsonMissing};
	PgBsonTarget collated = *target;
	PgBsonValue name;

	if (spec->type == PGBSON_DOCUMENT)
		(void) PgBsonFindField(spec, "collation", &collated.collation);
	statement = PgBsonStatementBegin(&collated);
	index.all = &statement->all;
	index.column = PgBsonSqlIdentifier(PgBsonParseRelation(&statement->parse, target->relation)->column);
	if (!PgBsonFindField(spec, "key", &index.key) || index.key.type != PGBSON_DOCUMENT ||
		!PgBsonFirst(&index.key, &index.first))
		index_wrong(gettext_noop("It needs a \"key\", a document with a field or more."));
	(void) PgBsonFindField(spec, "partialFilterExpression", &index.condition);
	/* MongoDB's index on the _id, which bsond and bson-copy make with a collection's collation */
	index.unique = option_is_true(spec, "unique") ||
		(PgBsonFindField(spec, "name", &name) && PgBsonOptionIs(&name, "_id_"));
	index.sparse = option_is_true(spec, "sparse");
	PgBsonForEach(iter, PgBsonValueView(&index.key))
	{
		index.fields++;
		index.wild |= is_wild(iter.key, iter.key_len);
		if (iter.key_len == 0 || iter.key[0] == '.' || iter.key[iter.key_len - 1] == '.')
			index_wrong(gettext_noop("The name of a field is empty."));
		if (PgBsonIsNumber(iter.value.type))
		{
			if (!PgBsonExprIsTrue(&iter.value))
				index_wrong(gettext_noop("A number in the \"key\" must be greater or less than 0."));
			continue;
		}
		if (iter.value.type != PGBSON_STRING)
			index_wrong(gettext_noop("The values of the \"key\" must be numbers or strings."));
		index.geometries += is_geometry(&iter.value);
		index.kind = PgBsonOptionIs(&iter.value, "hashed") ? "hashed" : PgBsonOptionIs(&iter.value, "text") ? "text" :
			is_geometry(&iter.value) ? "geometry" : NULL;
		if (index.kind == NULL)
			index_wrong(gettext_noop("A string in the \"key\" must be hashed, text, 2d or 2dsphere."));
	}
	return index;
}

static bool
has_dot(const PgBsonIter *field)
{
	return memchr(field->key, '.', field->key_len) != NULL;
}

/* Does a unique and sparse index leave out documents without the field because NULL is distinct from NULL? */
static bool
lacks_are_distinct(const IndexSpec *index)
{
	return index->sparse && index->fields == 1 && !has_dot(&index->first) && index->condition.type == PGBSON_MISSING;
}

/* The value at a path with dots, as an expression in parentheses; of $** what is above it */
static char *
value_sql(const IndexSpec *index, const char *path, uint32 len)
{
	const char *text = PgBsonToServerText(path, &len);
	char	   *rest = pnstrdup(text, len);
	char	   *name;
	List	   *opened = NIL;
	List	   *steps = NIL;

	while ((name = strsep(&rest, ".")) != NULL && strcmp(name, "$**") != 0)
	{
		opened = lappend(opened, "(");
		steps = lappend(steps, PgBsonSql(index->all, " OPERATOR(#->) %s::text)", PgBsonSqlString(name)));
	}
	return psprintf("%s%s%s", PgBsonSqlJoin(opened, ""), index->column, PgBsonSqlJoin(steps, ""));
}

/* The value of this field as a column of the index, with the index's collation if it has one */
static const char *
column_sql(const IndexSpec *index, const PgBsonIter *field)
{
	char	   *value = value_sql(index, field->key, field->key_len);

	return index->all->collation == NULL ? value :
		PgBsonSql(index->all, "(%s) COLLATE %s", PgBsonCollatedConstant(index->all, value), index->all->collation);
}

static bool
descends(const PgBsonValue *direction)
{
	return PgBsonIsNumber(direction->type) && PgBsonNumberCompare(direction, &PgBsonZero) < 0;
}

/*
 * The values of all fields as columns.  Where there is an array on the way to a value, -> finds none, which is no
 * reason for two documents to be the same: a unique index has the sort key of such paths as another column.
 */
static char *
columns_sql(const IndexSpec *index)
{
	const PgBsonTranslation *all = index->all;
	List	   *columns = NIL;
	PgBsonWriter dotted;

	PgBsonWriterBegin(&dotted, index->key.len);
	PgBsonForEach(iter, PgBsonValueView(&index->key))
	{
		columns = lappend(columns, psprintf("%s%s", column_sql(index, &iter),
											descends(&iter.value) && index->fields > 1 ? " DESC" : ""));
		if (has_dot(&iter))
			PgBsonWriterField(&dotted, iter.key, iter.key_len, &PgBsonOne);
	}
	if (index->unique && dotted.count > 0)
	{
		PgBsonValue sort = PgBsonWriterEnd(&dotted, PGBSON_DOCUMENT);
		const char *key = PgBsonSql(all, "(#bson_sort_key(%s, %s))", index->column, PgBsonSqlConstant(all, &sort));

		columns = lappend(columns, psprintf(all->collation == NULL ? "%s" : "%s COLLATE %s", key, all->collation));
	}
	return psprintf("(%s)%s", PgBsonSqlJoin(columns, ", "), index->unique && !lacks_are_distinct(index) ? " NULLS NOT DISTINCT" : "");
}

static char *
words_sql(const IndexSpec *index)
{
	PgBsonValue spec = PgBsonTextSpecOf(index->spec);

	if (index->all->collation != NULL)
		index_wrong(gettext_noop("A text index has no collation."));
	return PgBsonSql(index->all, "USING gin (#bson_tsvector(%s, %s))", index->column,
					 PgBsonSqlConstant(index->all, &spec));
}

/*
 * The fields that are geometry; the index on whole documents serves the others.  What an index with limits of its own
 * in the plane refuses in MongoDB is not known here, so it checks nothing.
 */
static char *
geometry_sql(const IndexSpec *index)
{
	List	   *columns = NIL;
	PgBsonValue limit;
	bool		limited = PgBsonFindField(index->spec, "min", &limit) || PgBsonFindField(index->spec, "max", &limit);

	PgBsonForEach(iter, PgBsonValueView(&index->key))
	{
		const PgBsonKeyRef path = {iter.key, iter.key_len};
		bool		sphere = PgBsonOptionIs(&iter.value, "2dsphere");

		if (is_geometry(&iter.value))
			columns = lappend(columns, psprintf("(%s)", PgBsonGeometryOf(index->all, index->column, &path, sphere,
																		 sphere || !limited)));
	}
	return psprintf("USING gist (%s)", PgBsonSqlJoin(columns, ", "));
}

/* What follows the name of the table; NULL if there is no such index here */
static char *
using_sql(const IndexSpec *index)
{
	const char *value = value_sql(index, index->first.key, index->first.key_len);

	if (index->geometries > 0)
		return index->unique || index->condition.type != PGBSON_MISSING ? NULL : geometry_sql(index);
	if (index->kind != NULL && strcmp(index->kind, "text") == 0)
		return words_sql(index);
	/* its strings are compared by their bytes */
	if (index->all->collation != NULL && (index->wild || index->condition.type != PGBSON_MISSING))
		return NULL;
	if (index->wild)
		return PgBsonSql(index->all, "USING gin (%s #bson_range_ops)", value);
	if (index->kind != NULL && index->fields == 1)
		return psprintf("USING hash (%s)", column_sql(index, &index->first));
	return columns_sql(index);
}

/*
 * The condition of a partial index, or an empty string.  An index that is sparse, but not unique, is of all documents,
 * and so serves more queries.
 */
static const char *
index_condition_sql(const IndexSpec *index)
{
	PgBsonValue query = index->condition;
	PgBsonWriter all;
	PgBsonValue one;

	if (query.type == PGBSON_MISSING)
	{
		if (!index->sparse || !index->unique || lacks_are_distinct(index) || index->wild || index->kind != NULL)
			return "";
		PgBsonWriterBegin(&all, index->key.len + 32);
		PgBsonForEach(iter, PgBsonValueView(&index->key))
		{
			PgBsonValue yes = PgBsonMakeBool(true);
			PgBsonValue exists = PgBsonMakeDocument("$exists", &yes, NULL);

			one = PgBsonMakePair(iter.key, iter.key_len, &exists);
			PgBsonWriterPush(&all, &one);
		}
		query = PgBsonWriterEnd(&all, PGBSON_ARRAY);
		query = index->fields == 1 ? one : PgBsonMakeDocument("$or", &query, NULL);
	}
	/* is it a query? */
	(void) PgBsonQueryParse(&query);
	return PgBsonSql(index->all, " WHERE %s OPERATOR(#@~) %s", index->column, PgBsonSqlConstant(index->all, &query));
}

/* The name of the index as MongoDB has it: that of the specification, or else of the fields and their values */
static char *
mongodb_name(const IndexSpec *index)
{
	PgBsonValue name;
	uint32		len;
	List	   *made = NIL;

	if (PgBsonFindField(index->spec, "name", &name))
	{
		const char *s;

		if (name.type != PGBSON_STRING)
			index_wrong(gettext_noop("The \"name\" must be a string."));
		s = PgBsonValueString(&name, &len);
		s = PgBsonToServerText(s, &len);
		return pnstrdup(s, len);
	}
	PgBsonForEach(iter, PgBsonValueView(&index->key))
	{
		const char *key;

		len = iter.key_len;
		key = PgBsonToServerText(iter.key, &len);
		made = lappend(made, psprintf("%.*s_%s", (int) len, key, text_to_cstring(PgBsonValueToText(&iter.value))));
	}
	return PgBsonSqlJoin(made, "_");
}

/* The key of a text index as MongoDB lists it: _fts and _ftsx stand for the fields; false for that of another index */
static bool
text_key(const PgBsonValue *key, PgBsonValue *listed)
{
	PgBsonValue text = PgBsonMakeString("text", 4);
	PgBsonWriter maker;
	bool		is_text = false;

	PgBsonWriterBegin(&maker, key->len + 32);
	PgBsonForEach(iter, PgBsonValueView(key))
	{
		if (!PgBsonOptionIs(&iter.value, "text") && !PgBsonIterIs(&iter, "_ftsx"))
			PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
		else if (!is_text)
		{
			PgBsonWriterField(&maker, "_fts", 4, &text);
			PgBsonWriterField(&maker, "_ftsx", 5, &PgBsonOne);
			is_text = true;
		}
	}
	*listed = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	return is_text;
}

PgBsonValue
PgBsonIndexListed(const PgBsonValue *spec)
{
	PgBsonWriter maker;
	PgBsonValue value = PgBsonMakeInt32(2);
	PgBsonValue key;
	bool		is_text;

	if (!PgBsonFindField(spec, "key", &key) || key.type != PGBSON_DOCUMENT)
		index_wrong(gettext_noop("It needs a \"key\", a document with a field or more."));
	is_text = text_key(&key, &key);
	PgBsonWriterBegin(&maker, spec->len + 64);
	PgBsonWriterField(&maker, "v", 1, &value);
	PgBsonForEach(iter, PgBsonValueView(spec))
	{
		if (!PgBsonIterIs(&iter, "v") && !(is_text && PgBsonNameAmong("weights default_language language_override textIndexVersion",
																	  iter.key, iter.key_len) >= 0))
		{
			value = PgBsonIterIs(&iter, "key") ? key :
				PgBsonIterIs(&iter, "collation") ? PgBsonCollationListed(&iter.value) : iter.value;
			if (value.type != PGBSON_EOD)
				PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
		}
	}
	if (is_text)
	{
		value = PgBsonTextSpecOf(spec);
		PgBsonForEach(iter, PgBsonValueView(&value))
			PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
		value = PgBsonMakeInt32(3);
		PgBsonWriterField(&maker, "textIndexVersion", 16, &value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

/* COMMENT ON INDEX, with the specification, which MongoDB's listIndexes returns */
static char *
comment_sql(const IndexSpec *index, const char *place, const char *name)
{
	PgBsonValue listed = PgBsonIndexListed(index->spec);
	PgBsonValue value;

	if (!PgBsonFindField(index->spec, "name", &value))
	{
		PgBsonNames path = PgBsonNestedSplit("name", 4, "");
		uint32		len = strlen(name);
		const char *utf8 = PgBsonFromServerText(name, &len);

		value = PgBsonMakeString(utf8, len);
		listed = PgBsonNestedPut(&listed, &path, &value);
	}
	return psprintf("COMMENT ON INDEX %s IS %s", place,
					PgBsonSqlString(text_to_cstring(PgBsonPrintText(&listed, PGBSON_CANONICAL, 0))));
}

char *
PgBsonCommandIndex(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	IndexSpec	index = read_spec(target, arguments[0]);
	char	   *table = get_rel_name(index.relation);
	Oid			namespace = get_rel_namespace(index.relation);
	const char *schema = PgBsonSqlIdentifier(get_namespace_name(namespace));
	const char *on = psprintf("%s.%s", schema, PgBsonSqlIdentifier(table));
	const char *using = using_sql(&index);
	const char *name = mongodb_name(&index);
	char	   *own = PgBsonShortName(psprintf("%s_%s", table, name));
	const char *whole = "";

	if (using == NULL)
		return NULL;
	if (OidIsValid(get_relname_relid(own, namespace)))
		own = PgBsonShortName(psprintf("%s_%s_%u", table, name, index.relation));
	if ((using[0] == '(' || (index.geometries > 0 && index.geometries < index.fields)) && !index.unique &&
		index.all->collation == NULL)
		whole = PgBsonSql(index.all, ";\nCREATE INDEX IF NOT EXISTS %s ON %s USING gin (%s #bson_range_ops)",
						  PgBsonSqlIdentifier(PgBsonShortName(psprintf("%s_data", table))), on, index.column);
	return psprintf("CREATE %sINDEX %s ON %s %s%s;\n%s%s", index.unique ? "UNIQUE " : "", PgBsonSqlIdentifier(own), on, using,
					index_condition_sql(&index), comment_sql(&index, psprintf("%s.%s", schema, PgBsonSqlIdentifier(own)),
															 name),
					whole);
}
