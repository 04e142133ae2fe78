/*
 * index.c
 *	  The fields of a table's column that have a btree index, (data -> 'field').
 */
#include "pipeline/parse/stage.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* Add a name to a field's path; false if no path can have it.  "indexes": its digits would select an element. */
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

bool
PgBsonParseField(Oid type, Node *node, AttrNumber column, PgBsonIndexed *field)
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
		!PgBsonParseField(type, linitial(((OpExpr *) node)->args), column, field))
		return false;
	operator = get_opname(((OpExpr *) node)->opno);
	names = lsecond(((OpExpr *) node)->args);
	if (operator == NULL || exprType(linitial(((OpExpr *) node)->args)) != type || !IsA(names, Const) ||
		names->constisnull)
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
	deconstruct_array(DatumGetArrayTypeP(names->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls,
					  &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i] || !add_name(&field->path, elements[i], true))
			return false;
	}
	return count > 0;
}

bool
PgBsonParseConstant(Oid type, const List *args, AttrNumber column, PgBsonValue *value)
{
	PgBsonIndexed whole = {{NULL}};
	const Const *constant = list_length(args) == 2 ? lsecond(args) : NULL;

	if (constant == NULL || !IsA(constant, Const) || constant->constisnull || constant->consttype != type ||
		!PgBsonParseField(type, linitial(args), column, &whole) || whole.path.len > 0)
		return false;
	*value = PgBsonRoot(DatumGetPgBsonPP(constant->constvalue));
	return true;
}

/* The field of this path among those that are known; "made" is added if it is new */
static PgBsonIndexed *
known_field(List **fields, PgBsonIndexed *made)
{
	foreach_ptr(PgBsonIndexed, known, *fields)
	{
		bool		same = PgBsonSameKey(known->path.key, known->path.len, made->path.key, made->path.len) &&
			list_length(known->way) == list_length(made->way);

		for (int i = 0; same && i < list_length(known->way); i++)
			same = strcmp(((PgBsonIndexStep *) list_nth(known->way, i))->operand,
						  ((PgBsonIndexStep *) list_nth(made->way, i))->operand) == 0;
		if (same)
			return known;
	}
	*fields = lappend(*fields, made);
	return made;
}

/* What the column of an index must be, to serve */
typedef struct IndexedAs
{
	Oid			type;			/* bson */
	Oid			family;			/* of the operator class */
	Oid			collated;		/* values are of this type, bson_collated; or InvalidOid */
	Oid			collation;
} IndexedAs;

/* Is the i-th column of an index such a field?  Then it is read into *field. */
static bool
read_column(const IndexedAs *as, Node *node, Oid class, Oid collation, AttrNumber column, PgBsonIndexed *field)
{
	if (get_opclass_family(class) != as->family || collation != as->collation)
		return false;
	if (OidIsValid(as->collated))
	{
		/* column -> 'field' becomes such a value by the cast */
		if (!IsA(node, FuncExpr) || exprType(node) != as->collated || list_length(((FuncExpr *) node)->args) != 1)
			return false;
		node = linitial(((FuncExpr *) node)->args);
	}
	return exprType(node) == as->type && PgBsonParseField(as->type, node, column, field) && field->path.len > 0;
}

/* Is it bson_sort_key(column, constant)?  Then *sort is set to the sort. */
static bool
read_sort_key(const IndexedAs *as, FuncExpr *call, AttrNumber column, PgBsonValue *sort)
{
	return IsA(call, FuncExpr) && strcmp(get_func_name(call->funcid), "bson_sort_key") == 0 &&
		PgBsonParseConstant(as->type, call->args, column, sort);
}

/* Is the condition of a partial index column @~ constant, and nothing else?  Then *query is set to the constant. */
static bool
read_condition_of(const IndexedAs *as, OpExpr *matches, AttrNumber column, PgBsonValue *query)
{
	const char *operator = IsA(matches, OpExpr) ? get_opname(matches->opno) : NULL;

	return operator != NULL && strcmp(operator, "@~") == 0 &&
		PgBsonParseConstant(as->type, matches->args, column, query) && query->type == PGBSON_DOCUMENT;
}

/* The index, with the columns from the first on that are such fields; NULL if the first is not */
static PgBsonIndex *
read_index(const IndexedAs *as, Oid oid, AttrNumber column, List **fields, bool *unique)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(oid));
	PgBsonIndex *index = palloc0_object(PgBsonIndex);
	Form_pg_index form;
	oidvector  *classes;
	oidvector  *collations;
	int2vector *options;
	Datum		expressions;
	Datum		predicate;
	List	   *nodes;
	bool		isnull;
	bool		everywhere;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	form = (Form_pg_index) GETSTRUCT(tuple);
	classes = (oidvector *) DatumGetPointer(SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indclass, &isnull));
	collations = (oidvector *) DatumGetPointer(SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indcollation, &isnull));
	options = (int2vector *) DatumGetPointer(SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indoption, &isnull));
	expressions = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs, &isnull);
	*unique = form->indisunique && form->indnkeyatts == 1;
	index->condition = PgBsonMissing;
	predicate = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indpred, &everywhere);
	if (form->indisvalid && !isnull &&
		(everywhere || read_condition_of(as, stringToNode(TextDatumGetCString(predicate)), column, &index->condition)))
	{
		int			count = form->indnkeyatts;

		nodes = stringToNode(TextDatumGetCString(expressions));
		/* expressions are listed apart: the i-th is the i-th column as long as all before are expressions */
		for (int i = 0; i < form->indnkeyatts && form->indkey.values[i] == 0; i++)
		{
			PgBsonIndexed *field = palloc0_object(PgBsonIndexed);

			if (!read_column(as, list_nth(nodes, i), classes->values[i], collations->values[i], column, field))
				break;
			index->columns = lappend(index->columns, known_field(fields, field));
			index->descends = lappend_int(index->descends, (options->values[i] & INDOPTION_DESC) != 0);
		}
		index->sort = PgBsonMissing;
		if (list_length(index->columns) == count - 1 && form->indkey.values[count - 1] == 0 &&
			read_sort_key(as, llast(nodes), column, &index->sort))
			count--;
		index->unique = form->indisunique && form->indimmediate && list_length(index->columns) == count;
	}
	ReleaseSysCache(tuple);
	return index->columns == NIL ? NULL : index;
}

/* Note an index of geometry as create_index.c makes it: st_geogfromwkb(bson_geography(column, path, true)) */
static void
read_geometry(PgBsonSource *source, Oid oid, AttrNumber column)
{
	Relation	rel = index_open(oid, AccessShareLock);

	foreach_ptr(const FuncExpr, read, rel->rd_rel->relam == GIST_AM_OID && rel->rd_index->indisvalid &&
				RelationGetIndexPredicate(rel) == NIL ? RelationGetIndexExpressions(rel) : NIL)
	{
		const FuncExpr *wkb = IsA(read, FuncExpr) && list_length(read->args) == 1 ? linitial(read->args) : NULL;
		const char *name = wkb != NULL && IsA(wkb, FuncExpr) && list_length(wkb->args) == 3 ?
			get_func_name(wkb->funcid) : NULL;
		const Var  *document = name == NULL ? NULL : linitial(wkb->args);
		const Const *path = name == NULL ? NULL : lsecond(wkb->args);
		const Const *checked = name == NULL ? NULL : lthird(wkb->args);
		PgBsonGeoIndex *index;

		if (name == NULL || (strcmp(name, "bson_geography") != 0 && strcmp(name, "bson_geometry") != 0) || !IsA(document, Var) ||
			document->varattno != column || !IsA(path, Const) || !IsA(checked, Const) ||
			!DatumGetBool(checked->constvalue))
			continue;
		index = palloc0_object(PgBsonGeoIndex);
		index->sphere = strcmp(name, "bson_geography") == 0;
		(void) add_name(&index->path, path->constvalue, false);
		source->geometry = lappend(source->geometry, index);
	}
	index_close(rel, NoLock);
}

/* See PgBsonIndexesSignature */
static int64
signature_of(Relation rel)
{
	const TupleConstr *constraints = RelationGetDescr(rel)->constr;
	uint64		signature = 0;

	foreach_oid(oid, RelationGetIndexList(rel))
		signature = hash_combine64(signature, hash_bytes_uint32_extended(oid, get_index_isvalid(oid)));
	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
	{
		const ConstrCheck *check = &constraints->check[i];

		signature = hash_combine64(signature, hash_bytes_extended((const unsigned char *) check->ccbin,
																  strlen(check->ccbin), check->ccvalid));
	}
	return (int64) signature;
}

int64
PgBsonIndexesSignature(Oid relation)
{
	Relation	rel = try_relation_open(relation, AccessShareLock);
	int64		signature = 0;

	if (rel != NULL)
	{
		signature = signature_of(rel);
		relation_close(rel, AccessShareLock);
	}
	return signature;
}

List *
PgBsonParseIndexes(PgBsonParse *parse, PgBsonSource *source, Relation rel)
{
	/* the default operator class is in no cache, but its family is */
	const IndexedAs plain = {parse->type, lookup_type_cache(parse->type, TYPECACHE_BTREE_OPFAMILY)->btree_opf};
	IndexedAs	as = plain;
	AttrNumber	number = get_attnum(RelationGetRelid(rel), source->column);
	List	   *fields = NIL;
	List	   *plain_fields = NIL;

	source->signature = signature_of(rel);
	source->width = get_attavgwidth(RelationGetRelid(rel), number);
	source->collated = OidIsValid(parse->collation);
	if (source->collated)
		as = (IndexedAs) {parse->type, lookup_type_cache(parse->collated, TYPECACHE_BTREE_OPFAMILY)->btree_opf,
						  parse->collated, parse->collation};
	foreach_oid(oid, RelationGetIndexList(rel))
	{
		bool		unique;
		PgBsonIndex *index = read_index(&plain, oid, number, source->collated ? &plain_fields : &fields,
										&unique);
		const PgBsonIndexed *first = index == NULL ? NULL : linitial(index->columns);

		if (index != NULL && index->condition.type != PGBSON_MISSING)
		{
			/* a filter whose values are parameters implies nothing, nor does one with a collation */
			if (parse->shape == NULL && !source->collated)
				source->partial = lappend(source->partial, index);
			continue;
		}
		/* a document is found by its _id, whatever strings are compared by */
		source->unique_id |= first != NULL && unique && PgBsonKeyIs(first->path.key, first->path.len, "_id");
		if (source->collated)
			index = read_index(&as, oid, number, &fields, &unique);
		if (index == NULL)
			read_geometry(source, oid, number);
		if (index == NULL || index->condition.type != PGBSON_MISSING)
			continue;
		source->indexed = list_append_unique_ptr(source->indexed, linitial(index->columns));
		source->indexes = lappend(source->indexes, index);
	}
	return fields;
}
