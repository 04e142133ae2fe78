/*
 * index.c
 *	  The fields of a table's column that have a btree index, (data -> 'field').
 */
#include "pipeline/parse/stage.h"

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* Add a name to the path of a field; false if no path can have it.  "indexes": its digits would select an element of an array. */
static bool
add_name(PgBsonKeyRef *path, Datum value, bool indexes)
{
	char	   *name = TextDatumGetCString(value);
	uint32		len = strlen(name);
	const char *utf8 = PgBsonFromServerText(name, &len);
	int32		number;

	path->key = path->len == 0 ? pnstrdup(utf8, len) : psprintf("%s.%.*s", path->key, (int) len, utf8);
	path->len = strlen(path->key);
	return len > 0 && strchr(name, '.') == NULL && !(indexes && PgBsonStepAsIndex(utf8, len, &number));
}

/* Read the expression column -> 'a' -> 'b', or column #> '{a,b}', into the field's path and way; false for another one */
static bool
read_expression(Oid type, Node *node, AttrNumber column, PgBsonIndexed *field)
{
	PgBsonIndexStep *step;
	const char *operator;
	Const	   *names;
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	check_stack_depth();
	/* the column can be of a domain */
	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, Var))
		return ((Var *) node)->varattno == column;
	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2 ||
		!read_expression(type, linitial(((OpExpr *) node)->args), column, field))
		return false;
	operator = get_opname(((OpExpr *) node)->opno);
	names = lsecond(((OpExpr *) node)->args);
	if (operator == NULL || exprType(linitial(((OpExpr *) node)->args)) != type || !IsA(names, Const) || names->constisnull)
		return false;
	step = palloc_object(PgBsonIndexStep);
	field->way = lappend(field->way, step);
	step->is_path = strcmp(operator, "#>") == 0;
	if (strcmp(operator, "->") == 0 && names->consttype == TEXTOID)
	{
		step->operand = TextDatumGetCString(names->constvalue);
		return add_name(&field->path, names->constvalue, false);
	}
	if (!step->is_path || names->consttype != TEXTARRAYOID)
		return false;
	step->operand = OidOutputFunctionCall(F_ARRAY_OUT, names->constvalue);
	deconstruct_array(DatumGetArrayTypeP(names->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i] || !add_name(&field->path, elements[i], true))
			return false;
	}
	return count > 0;
}

/* The field that is the first column of this index, in the default order of bson; NULL if no field is */
static PgBsonIndexed *
field_of_index(Oid type, Oid index, AttrNumber column, bool *unique)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	PgBsonIndexed *field = palloc0_object(PgBsonIndexed);
	bool		found = false;
	Form_pg_index form;
	Datum		classes;
	Datum		expressions;
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	form = (Form_pg_index) GETSTRUCT(tuple);
	classes = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indclass, &isnull);
	*unique = form->indisunique && form->indnkeyatts == 1;
	if (form->indisvalid && form->indkey.values[0] == 0 && heap_attisnull(tuple, Anum_pg_index_indpred, NULL) &&
		((oidvector *) DatumGetPointer(classes))->values[0] == GetDefaultOpClass(type, BTREE_AM_OID))
	{
		expressions = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs, &isnull);
		found = !isnull && read_expression(type, linitial(stringToNode(TextDatumGetCString(expressions))), column, field) &&
			field->path.len > 0;
	}
	ReleaseSysCache(tuple);
	return found ? field : NULL;
}

void
PgBsonParseIndexes(PgBsonSource *source, Oid type, Relation rel)
{
	AttrNumber	number = get_attnum(RelationGetRelid(rel), source->column);
	ListCell   *lc;

	source->width = get_attavgwidth(RelationGetRelid(rel), number);
	foreach(lc, RelationGetIndexList(rel))
	{
		bool		unique;
		PgBsonIndexed *field = field_of_index(type, lfirst_oid(lc), number, &unique);

		if (field == NULL)
			continue;
		source->indexed = lappend(source->indexed, field);
		source->unique_id |= unique && PgBsonKeyIs(field->path.key, field->path.len, "_id");
	}
}
