/*
 * served.c
 *	  Conditions and orders that a btree index on a field serves.
 *
 * A condition of MongoDB on a field holds for the field's value or for an element of it, if it is an array.  So it
 * becomes two: one on (data -> 'field') that the index serves, and one with @~ for the documents that have an array
 * there.  Arrays are a range of their own in the order of bson values, which the same index finds.  Where -> finds
 * nothing @~ decides, too, as there can be an array of documents on the way: before the last name of a path, or as the
 * document itself.
 *
 * The first documents in an order are in the same way those of two parts: of the documents without an array, which
 * the index has in order, and of the others, which are sorted.
 */
#include "pipeline/select.h"

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "common/int.h"
#include "core/bytes/recode.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "mongo/query/match.h"
#include "nodes/nodeFuncs.h"
#include "pipeline/sql_text.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* A condition, and its simpler form for documents that have no array in the field */
typedef struct Served
{
	const PgBsonIndexed *field;
	char	   *whole;
	const char *scalar;
} Served;

/* Add a name to the path of a field; false if no path can have it.  "indexes": its digits would select an element of an array. */
static bool
add_name(StringInfo path, Datum value, bool indexes)
{
	char	   *name = TextDatumGetCString(value);
	uint32		len = strlen(name);
	const char *utf8 = PgBsonFromServerText(name, &len);
	int32		number;

	appendStringInfo(path, "%s%.*s", path->len == 0 ? "" : ".", (int) len, utf8);
	return len > 0 && strchr(name, '.') == NULL && !(indexes && PgBsonStepAsIndex(utf8, len, &number));
}

/* Read the expression column -> 'a' -> 'b', or column #> '{a,b}', as a path and as SQL; false for another one */
static bool
read_expression(const PgBsonSelect *select, Node *node, AttrNumber column, StringInfo path, const char **sql)
{
	const char *operator;
	Const	   *names;
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	check_stack_depth();
	/* the column can be of a domain */
	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	*sql = select->base;
	if (IsA(node, Var))
		return ((Var *) node)->varattno == column;
	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2 ||
		!read_expression(select, linitial(((OpExpr *) node)->args), column, path, sql))
		return false;
	operator = get_opname(((OpExpr *) node)->opno);
	names = lsecond(((OpExpr *) node)->args);
	if (operator == NULL || exprType(linitial(((OpExpr *) node)->args)) != select->all->type || !IsA(names, Const) || names->constisnull)
		return false;
	if (strcmp(operator, "->") == 0 && names->consttype == TEXTOID)
	{
		*sql = PgBsonSql(select->all, "%s OPERATOR(#->) %s", *sql, PgBsonSqlString(TextDatumGetCString(names->constvalue)));
		return add_name(path, names->constvalue, false);
	}
	if (strcmp(operator, "#>") != 0 || names->consttype != TEXTARRAYOID)
		return false;
	*sql = PgBsonSql(select->all, "%s OPERATOR(#%s) %s", *sql, operator, PgBsonSqlString(OidOutputFunctionCall(F_ARRAY_OUT, names->constvalue)));
	deconstruct_array(DatumGetArrayTypeP(names->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i] || !add_name(path, elements[i], true))
			return false;
	}
	return count > 0;
}

/* The field that is the first column of this index, in the default order of bson; NULL if no field is */
static PgBsonIndexed *
field_of_index(const PgBsonSelect *select, Oid index, AttrNumber column, bool *unique)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	PgBsonIndexed *field = NULL;
	StringInfoData path;
	const char *sql;
	Form_pg_index form;
	Datum		classes;
	Datum		expressions;
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	form = (Form_pg_index) GETSTRUCT(tuple);
	classes = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indclass, &isnull);
	*unique = form->indisunique && form->indnkeyatts == 1;
	initStringInfo(&path);
	if (form->indisvalid && form->indkey.values[0] == 0 && heap_attisnull(tuple, Anum_pg_index_indpred, NULL) &&
		((oidvector *) DatumGetPointer(classes))->values[0] == GetDefaultOpClass(select->all->type, BTREE_AM_OID))
	{
		expressions = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs, &isnull);
		if (!isnull && read_expression(select, linitial(stringToNode(TextDatumGetCString(expressions))), column, &path, &sql) && path.len > 0)
		{
			field = palloc_object(PgBsonIndexed);
			*field = (PgBsonIndexed) {{path.data, path.len}, psprintf("(%s)", sql)};
		}
	}
	ReleaseSysCache(tuple);
	return field;
}

void
PgBsonServedFind(PgBsonSelect *select, Relation rel, const char *column)
{
	AttrNumber	number = get_attnum(RelationGetRelid(rel), column);
	ListCell   *lc;

	select->column = select->base;
	select->width = get_attavgwidth(RelationGetRelid(rel), number);
	foreach(lc, RelationGetIndexList(rel))
	{
		bool		unique;
		PgBsonIndexed *field = field_of_index(select, lfirst_oid(lc), number, &unique);

		if (field == NULL)
			continue;
		select->indexed = lappend(select->indexed, field);
		select->unique_id |= unique && PgBsonKeyIs(field->path.key, field->path.len, "_id");
	}
}

static const char *
compare_sql(const PgBsonSelect *select, const char *field, const char *operator, const PgBsonValue *value)
{
	return PgBsonSql(select->all, "%s OPERATOR(#%s) %s", field, operator, PgBsonSqlArgument(select->all->schema, value));
}

/* The least value of the types that compare with this one, and of the next types; false if it has none */
static bool
bracket_of(const PgBsonValue *value, PgBsonValue *least, PgBsonValue *above)
{
	static const uint8 zeroes[12];
	static const uint8 least_date[8] = {[7] = 0x80};
	static const uint8 nan[8] = {[6] = 0xF8, [7] = 0x7F};
	const PgBsonValue ends[] = {
		{PGBSON_DOUBLE, 8, nan}, PgBsonMakeString("", 0), PgBsonMakeDocument(NULL), {PGBSON_OBJECTID, 12, zeroes}, {PGBSON_BOOL, 1, zeroes},
	{PGBSON_DATE, 8, least_date}, {PGBSON_TIMESTAMP, 8, zeroes}};

	for (int i = 0; i < lengthof(ends) - 1; i++)
	{
		if (PgBsonTypeRank(ends[i].type) == PgBsonTypeRank(value->type) && value->type != PGBSON_DOCUMENT)
		{
			*least = ends[i];
			*above = ends[i + 1];
			/* NaN compares with nothing */
			return !PgBsonIsNumber(value->type) || PgBsonCompare(value, least) > 0;
		}
	}
	return false;
}

/* Can the value be looked for?  A regular expression is a pattern, unless "exactly". */
static bool
is_plain(const PgBsonValue *value, bool exactly)
{
	return value->type != PGBSON_UNDEFINED && (exactly || value->type != PGBSON_REGEX);
}

/* The condition {$in: list} on the field's value; NULL if it has a pattern, or is empty */
static const char *
in_sql(const PgBsonSelect *select, const char *field, const PgBsonValue *list)
{
	PgBsonValue *values;
	int			count;

	if (list->type != PGBSON_ARRAY)
		return NULL;
	values = PgBsonValuesOf(list, &count);
	for (int i = 0; i < count; i++)
	{
		if (!is_plain(&values[i], false))
			return NULL;
	}
	return count == 0 ? NULL :
		PgBsonSql(select->all, "%s OPERATOR(#=) ANY (%s)", field, PgBsonSqlArray(select->all->schema, values, count));
}

/* The condition {operator: operand, ...} on the field's value; NULL if it has another operator than those served */
static const char *
operators_sql(const PgBsonSelect *select, const char *field, const PgBsonValue *operators)
{
	static const char *const signs[] = {"$gt", ">", "$gte", ">=", "$lt", "<", "$lte", "<="};
	bool		bounded[2] = {false, false};
	PgBsonValue least = {PGBSON_MISSING};
	PgBsonValue above;
	PgBsonValue first;
	List	   *conditions = NIL;

	PgBsonForEach(iter, PgBsonValueView(operators))
	{
		const char *condition = NULL;

		if (PgBsonIterIs(&iter, "$eq") && is_plain(&iter.value, true))
			condition = compare_sql(select, field, "=", &iter.value);
		else if (PgBsonIterIs(&iter, "$in"))
			condition = in_sql(select, field, &iter.value);
		for (int i = 0; condition == NULL && i < lengthof(signs); i += 2)
		{
			if (!PgBsonIterIs(&iter, signs[i]) || !bracket_of(&iter.value, &first, &above) ||
				(least.type != PGBSON_MISSING && PgBsonCompare(&least, &first) != 0))
				continue;
			least = first;
			bounded[i >= 4] = true;
			condition = compare_sql(select, field, signs[i + 1], &iter.value);
		}
		if (condition == NULL)
			return NULL;
		conditions = lappend(conditions, unconstify(char *, condition));
	}
	if (least.type != PGBSON_MISSING && !bounded[0])
		conditions = lappend(conditions, unconstify(char *, compare_sql(select, field, PgBsonIsNumber(least.type) ? ">" : ">=", &least)));
	if (least.type != PGBSON_MISSING && !bounded[1])
		conditions = lappend(conditions, unconstify(char *, compare_sql(select, field, "<", &above)));
	return PgBsonSqlJoin(conditions, " AND ");
}

/* Is the field's value an array? */
static const char *
array_sql(const PgBsonSelect *select, const char *field)
{
	static const uint8 no_bytes[5];
	const PgBsonValue array = PgBsonMakeArray(NULL, 0);
	const PgBsonValue binary = {PGBSON_BINARY, sizeof(no_bytes), no_bytes};

	return psprintf("%s AND %s", compare_sql(select, field, ">=", &array), compare_sql(select, field, "<", &binary));
}

/* The conditions for one field of a query; false if no index serves it */
static bool
serve_field(PgBsonSelect *select, const PgBsonIter *iter, List **conditions)
{
	static const uint8 no_fields[5] = {5};
	const PgBsonValue empty = {PGBSON_DOCUMENT, sizeof(no_fields), no_fields};
	const PgBsonIndexed *field = PgBsonFindNamed(select->indexed, iter->key, iter->key_len);
	const PgBsonIndexed *id = PgBsonFindNamed(select->indexed, "_id", 3);
	Served	   *served;
	PgBsonIter	first;
	PgBsonValue query;
	const char *x;
	const char *missing;

	if (field == NULL)
		return false;
	served = palloc_object(Served);
	served->field = field;
	x = missing = field->sql;
	if (iter->value.type == PGBSON_DOCUMENT && PgBsonFirst(&iter->value, &first) && first.key[0] == '$')
		served->scalar = operators_sql(select, x, &iter->value);
	else
		served->scalar = is_plain(&iter->value, false) ? compare_sql(select, x, "=", &iter->value) : NULL;
	if (served->scalar == NULL)
		return false;
	query = PgBsonMakePair(iter->key, iter->key_len, &iter->value);
	/* if documents without the field do not match, arrays are what is left, in which -> '_id' finds nothing, either */
	if (id != NULL && memchr(iter->key, '.', iter->key_len) == NULL && !PgBsonQueryMatches(PgBsonQueryParse(&query), &empty))
		missing = id->sql;
	served->whole = psprintf("(%s OR (%s IS NULL OR %s) AND %s)", served->scalar, missing, array_sql(select, x),
							 compare_sql(select, select->column, "@~", &query));
	select->served = lappend(select->served, served);
	*conditions = lappend(*conditions, served->whole);
	return true;
}

/* $and and $or: the conditions of each query of the array; an index must serve at least one for $and, each for $or */
static bool
serve_queries(PgBsonSelect *select, const PgBsonIter *iter, List **conditions)
{
	bool		is_or = PgBsonIterIs(iter, "$or");
	bool		some = false;
	List	   *all = NIL;

	if (!(is_or || PgBsonIterIs(iter, "$and")) || iter->value.type != PGBSON_ARRAY)
		return false;
	PgBsonForEach(element, PgBsonValueView(&iter->value))
	{
		List	   *of_element = NIL;
		PgBsonValue rest = PgBsonServedConditions(select, &element.value, &of_element);

		some |= of_element != NIL;
		if (is_or && of_element == NIL)
			return false;
		if (PgBsonViewCount(PgBsonValueView(&rest)) > 0)
			of_element = lappend(of_element, unconstify(char *, compare_sql(select, select->column, "@~", &rest)));
		if (of_element != NIL)
			all = is_or ? lappend(all, psprintf("(%s)", PgBsonSqlJoin(of_element, " AND "))) : list_concat(all, of_element);
	}
	if (some)
		*conditions = is_or ? lappend(*conditions, psprintf("(%s)", PgBsonSqlJoin(all, " OR "))) : list_concat(*conditions, all);
	return some;
}

PgBsonValue
PgBsonServedConditions(PgBsonSelect *select, const PgBsonValue *query, List **conditions)
{
	PgBsonWriter rest;

	check_stack_depth();
	if (select->indexed == NIL)
		return *query;
	PgBsonWriterBegin(&rest, query->len);
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		CHECK_FOR_INTERRUPTS();
		if (!serve_field(select, &iter, conditions) && !serve_queries(select, &iter, conditions))
			PgBsonWriterField(&rest, iter.key, iter.key_len, &iter.value);
	}
	return PgBsonWriterEnd(&rest, PGBSON_DOCUMENT);
}

void
PgBsonServedSort(PgBsonSelect *select, const PgBsonValue *sort)
{
	PgBsonIter	path;

	if (PgBsonViewCount(PgBsonValueView(sort)) != 1 || !PgBsonFirst(sort, &path) || !PgBsonIsNumber(path.value.type))
		return;
	select->sorted = PgBsonFindNamed(select->indexed, path.key, path.key_len);
	select->descending = PgBsonDoubleOf(&path.value) < 0;
	select->served_order = select->order;
}

/*
 * The conditions of the SELECT and one more.  "scalar": for documents without an array in the field that it is
 * sorted by, for which conditions are simpler.
 */
static const char *
where_sql(const PgBsonSelect *select, bool scalar, const char *condition)
{
	List	   *conditions = NIL;
	ListCell   *w;
	ListCell   *s;

	foreach(w, select->where)
	{
		const char *text = lfirst(w);

		foreach(s, select->served)
		{
			const Served *served = lfirst(s);

			if (scalar && served->whole == text && served->field == select->sorted)
				text = served->scalar;
		}
		conditions = lappend(conditions, unconstify(char *, text));
	}
	return PgBsonSqlJoin(lappend(conditions, unconstify(char *, condition)), "\n      AND ");
}

const char *
PgBsonServedFirst(const PgBsonSelect *select)
{
	const char *x;
	const char *array;
	const char *alias;
	int64		count;

	/* after $unwind or $group, LIMIT counts other rows than these documents */
	if (select->sorted == NULL || select->order != select->served_order || select->limit < 0 || select->unwinds || select->grouped ||
		pg_add_s64_overflow(select->limit, select->skip, &count))
		return NULL;
	x = select->sorted->sql;
	array = array_sql(select, x);
	alias = pnstrdup(select->column, strchr(select->column, '.') - select->column);
	return psprintf("(\n"
					"    (SELECT %s FROM %s\n    WHERE %s\n    ORDER BY %s%s\n    LIMIT " INT64_FORMAT ")\n"
					"    UNION ALL\n"
					"    (SELECT %s FROM %s\n    WHERE %s\n    ORDER BY %s\n    LIMIT " INT64_FORMAT ")\n"
					") AS %s(%s)",
					select->column, select->from, where_sql(select, true, psprintf("%s IS NOT NULL AND NOT (%s)", x, array)),
					x, select->descending ? " DESC" : "", count,
					select->column, select->from, where_sql(select, false, psprintf("(%s OR %s IS NULL)", array, x)), select->order, count,
					alias, select->column + strlen(alias) + 1);
}
