/*
 * narrow.c
 *	  The condition of a bitmap scan, narrowed to what the index proves.
 *
 * An index of class bson_ops knows of data @~ '{"a": 1, "b": {"$gt": 5}}' which rows have a = 1,
 * and which have some b.  So each row that it finds is tested for the whole query again.  If nearly
 * every document has a "b", a = 1 alone finds hardly more rows, which need no second test.  Then
 * the index is asked for the one, and rows are tested for the other.
 *
 * This is done in finished plans: the index was chosen, and rows were estimated, for the whole query.  The estimator
 * of @~ (selectivity.c) marks the plans in question.
 */
#include "planner/chain.h"

#include "catalog/pg_am.h"
#include "commands/defrem.h"
#include "core/bytes/names.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "planner/selectivity.h"
#include "utils/acl.h"
#include "utils/syscache.h"

bool		PgBsonNarrowScans = true;

/* A field that is left to the test of rows is in at least this part of the documents */
#define NEARLY_ALL		0.99

/* Is this a condition on a field of which keys of bson_ops tell only that it is there, as it nearly always is? */
static bool
is_hidden(const PgBsonIter *field, VariableStatData *column, Oid operator)
{
	if (field->key[0] == '$' || field->value.type != PGBSON_DOCUMENT || field->value.len == PGBSON_MIN_SIZE)
		return false;
	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		if (PgBsonNameAmong("$gt $gte $lt $lte $ne $type $size $mod", iter.key, iter.key_len) < 0)
			return false;
	}
	return PgBsonFieldSelectivity(NULL, column, operator, field->key, field->key_len) >= NEARLY_ALL;
}

/* Divide the query into its hidden conditions and the others; false if there are none of one kind */
static bool
divide_query(Datum query, VariableStatData *column, Oid operator, Datum parts[2])
{
	PgBsonValue root = PgBsonRoot(DatumGetPgBsonPP(query));
	PgBsonWriter w[2];
	Size		starts[2];

	if (root.type != PGBSON_DOCUMENT)
		return false;
	for (int i = 0; i < 2; i++)
	{
		PgBsonWriterInit(&w[i], root.len);
		starts[i] = PgBsonWriterOpen(&w[i]);
	}
	PgBsonForEach(iter, PgBsonValueView(&root))
		PgBsonWriterField(&w[is_hidden(&iter, column, operator)], iter.key, iter.key_len, &iter.value);
	for (int i = 0; i < 2; i++)
	{
		PgBsonWriterClose(&w[i], starts[i]);
		root = PgBsonWriterResult(&w[i], PGBSON_DOCUMENT);
		parts[i] = PointerGetDatum(PgBsonWriterFinish(&w[i]));
		/* without a field, a document may look like an envelope */
		if (root.len == PGBSON_MIN_SIZE || PgBsonRoot(DatumGetPgBsonPP(parts[i])).type != PGBSON_DOCUMENT)
			return false;
	}
	return true;
}

/* Can an index of bson_ops prove that a row satisfies the query? */
static bool
is_provable(Datum query)
{
	PgBsonGinKeys keys = {&PgBsonGinOps};
	List	   *leaves = NIL;
	bool		never;
	PgBsonGinNode *node = PgBsonGinQueryNode(&keys, query, PGBSON_GIN_MATCH, &never);
	GinTernaryValue *all;

	if (node == NULL)
		return false;
	PgBsonGinCollect(node, &leaves);
	all = palloc(list_length(leaves));
	memset(all, GIN_TRUE, list_length(leaves));
	return PgBsonGinEvaluate(node, all) == GIN_TRUE;
}

/* Does a column of an index, of the class bson_ops, serve this single condition column @~ constant? */
static bool
is_served(List *conditions, Oid index)
{
	OpExpr	   *condition = list_length(conditions) == 1 ? linitial(conditions) : NULL;
	Var		   *column;
	Oid			class;

	if (condition == NULL || !IsA(condition, OpExpr) || list_length(condition->args) != 2 ||
		!IsA(linitial(condition->args), Var) || !IsA(lsecond(condition->args), Const) ||
		lsecond_node(Const, condition->args)->constisnull)
		return false;
	column = linitial(condition->args);
	class = GetDefaultOpClass(column->vartype, GIN_AM_OID);
	return OidIsValid(class) && get_index_column_opclass(index, column->varattno) == class &&
		get_op_opfamily_strategy(condition->opno, get_opclass_family(class)) == PGBSON_GIN_MATCH;
}

/* The condition, with another query */
static List *
with_query(List *conditions, Datum query)
{
	List	   *result = copyObject(conditions);

	lsecond_node(Const, linitial_node(OpExpr, result)->args)->constvalue = query;
	return result;
}

void
PgBsonNarrow(Plan *plan, PlannedStmt *statement)
{
	BitmapHeapScan *heap = (BitmapHeapScan *) plan;
	BitmapIndexScan *scan = (BitmapIndexScan *) plan->lefttree;
	VariableStatData column = {NULL};
	OpExpr	   *condition;
	Var		   *var;
	Oid			relation;
	Datum		parts[2];

	/* a plan shall not show what is in rows that policies hide */
	if (!IsA(plan, BitmapHeapScan) || !IsA(scan, BitmapIndexScan) || statement->dependsOnRole ||
		!is_served(scan->indexqual, scan->indexid) || !equal(scan->indexqualorig, heap->bitmapqualorig))
		return;
	condition = linitial(heap->bitmapqualorig);
	var = linitial(condition->args);
	/* the column's type may be a domain; there are no statistics for what is indexed instead of a column */
	if (IsA(var, RelabelType))
		var = (Var *) ((RelabelType *) var)->arg;
	if (!IsA(var, Var))
		return;
	relation = rt_fetch(heap->scan.scanrelid, statement->rtable)->relid;
	column.acl_ok = pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	column.statsTuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relation), Int16GetDatum(var->varattno),
										BoolGetDatum(false));
	column.freefunc = ReleaseSysCache;
	if (HeapTupleIsValid(column.statsTuple) &&
		divide_query(lsecond_node(Const, condition->args)->constvalue, &column, condition->opno, parts) &&
			is_provable(parts[0]))
	{
		plan->qual = list_concat(with_query(heap->bitmapqualorig, parts[1]), plan->qual);
		heap->bitmapqualorig = with_query(heap->bitmapqualorig, parts[0]);
		scan->indexqualorig = with_query(scan->indexqualorig, parts[0]);
		scan->indexqual = with_query(scan->indexqual, parts[0]);
	}
	ReleaseVariableStats(column);
}
