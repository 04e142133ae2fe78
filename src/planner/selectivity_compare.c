/*
 * selectivity_compare.c
 *	  Estimators of = <> < <= >= > between a field and a constant: data -> 'total' > 3000.
 *
 * Where the expression has statistics of its own, from an index or CREATE
 * STATISTICS, the server's estimators use those.  Otherwise the comparison is
 * written as a query, {"total": {"$gt": 3000}}, which planner/selectivity.c
 * estimates from the statistics of the column.
 *
 * The server recognizes the two sides of BETWEEN only if their estimators are
 * its own; otherwise it multiplies what they return.  So the estimator of the lower bound looks for
 * a condition on the upper bound, and returns the fraction of rows between the two bounds divided
 * by the fraction below the upper one.  Multiplied with the estimate for the upper bound this gives
 * the right product.
 */
#include "planner/selectivity.h"

#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/find/path.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "door.h"
#include "nodes/nodeFuncs.h"
#include "sql/site/type.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

typedef enum Comparison
{
	LT, LE, EQ, NE, GE, GT
} Comparison;

static Datum estimate_comparison(FunctionCallInfo fcinfo, Comparison comparison);

/* SQL: the RESTRICT function of each operator */
PGBSON_DOOR(pgbson_lt_sel, estimate_comparison(fcinfo, LT));
PGBSON_DOOR(pgbson_le_sel, estimate_comparison(fcinfo, LE));
PGBSON_DOOR(pgbson_eq_sel, estimate_comparison(fcinfo, EQ));
PGBSON_DOOR(pgbson_ne_sel, estimate_comparison(fcinfo, NE));
PGBSON_DOOR(pgbson_ge_sel, estimate_comparison(fcinfo, GE));
PGBSON_DOOR(pgbson_gt_sel, estimate_comparison(fcinfo, GT));

/* For each comparison: its operator in a query, the comparison with exchanged sides, and the server's estimator */
static const struct
{
	const char *name;
	Comparison	commuted;
	PGFunction	estimator;
}			comparisons[] =
{
	[LT] = {"$lt", GT, scalarltsel},
	[LE] = {"$lte", GE, scalarlesel},
	[EQ] = {"$eq", EQ, eqsel},
	[NE] = {"$ne", NE, neqsel},
	[GE] = {"$gte", LE, scalargesel},
	[GT] = {"$gt", LT, scalargtsel}
};

/* A comparison of the expression with a constant, one side of a range */
typedef struct Side
{
	Comparison	comparison;		/* as if the expression were the left operand */
	Oid			operator;
	List	   *args;			/* of the operator */
	Node	   *constant;
	bool		on_left;		/* the expression is there */
	Oid			collation;
} Side;

/* The expression */
typedef struct Field
{
	PlannerInfo *root;
	int			relation;		/* as in the estimators' arguments */
	VariableStatData *expression;
	bool		in_column;		/* the expression is a field of a column, and "column" and "path" are set */
	VariableStatData column;
	StringInfoData path;		/* the field's path with dots, as in a query */
} Field;

/* --- the comparison as a query --- */

/*
 * The names that an accessor's arguments lead through, as a path with dots; false if a query would
 * read such a path in another way
 */
static bool
make_dotted_path(StringInfo path, List *args)
{
	StringInfoData names;
	int			count = 0;
	const char *name;
	int32		index;

	initStringInfo(&names);
	initStringInfo(path);
	if (!PgBsonAddNames(&names, args, &count))
		return false;
	name = names.data;
	for (int i = 0; i < count; i++)
	{
		uint32		len = strlen(name);

		if (len == 0 || name[0] == '$' || strchr(name, '.') != NULL || PgBsonStepAsIndex(name, len, &index))
			return false;
		appendStringInfo(path, "%s%s", i > 0 ? "." : "", name);
		name += len + 1;
	}
	return true;
}

/* Find out whether the expression is a field of a column */
static void
find_field_column(Field *field)
{
	Node	   *expr = field->expression->var;
	List	   *args = PgBsonAccessorArgs(expr);

	if (IsA(expr, SubscriptingRef))
		args = lcons(((SubscriptingRef *) expr)->refexpr, list_copy(((SubscriptingRef *) expr)->refupperindexpr));
	if (args == NIL || !IsA(linitial(args), Var) || !PgBsonIsBsonOrDomain(exprType(linitial(args))) ||
		!make_dotted_path(&field->path, args))
		return;
	examine_variable(field->root, linitial(args), field->relation, &field->column);
	field->in_column = true;
}

/*
 * Write a constant of one of the types that are compared with bson; false for
 * another type, and for values that are no scalars
 */
static bool
write_constant(PgBsonWriter *w, const Const *c)
{
	Datum		d = c->constvalue;
	int64		ms;

	switch (c->consttype)
	{
		case INT4OID:
			PgBsonWriterInt32(w, DatumGetInt32(d));
			return true;
		case INT8OID:
			PgBsonWriterInt64(w, DatumGetInt64(d));
			return true;
		case FLOAT8OID:
			PgBsonWriterDouble(w, DatumGetFloat8(d));
			return true;
		case NUMERICOID:
			PgBsonWriterDouble(w, DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, d)));
			return true;
		case BOOLOID:
			PgBsonWriterBool(w, DatumGetBool(d));
			return true;
		case UUIDOID:
			PgBsonWriterBinary(w, PGBSON_UUID_SUBTYPE, DatumGetUUIDP(d)->data, UUID_LEN);
			return true;
		case TIMESTAMPTZOID:
			if (!PgBsonTimestampToDate(DatumGetTimestampTz(d), &ms))
				return false;
			PgBsonWriterDate(w, ms);
			return true;
		case TEXTOID:
			{
				uint32		len;
				const char *s = PgBsonFromText(DatumGetTextPP(d), &len);

				PgBsonWriterString(w, s, len);
				return true;
			}
		default:
			break;
	}
	if (PgBsonIsBsonOrDomain(c->consttype))
	{
		PgBsonValue value = PgBsonRoot(DatumGetPgBsonPP(d));

		/* a query reads these as values; but a document or a regular expression may be a condition of its own */
		if (PgBsonIsNumber(value.type) || value.type == PGBSON_STRING || value.type == PGBSON_BOOL ||
			value.type == PGBSON_DATE || value.type == PGBSON_OBJECTID || value.type == PGBSON_BINARY)
		{
			PgBsonWriterPut(w, &value);
			return true;
		}
	}
	return false;
}

/*
 * The fraction of rows that satisfy all these comparisons, from the column's statistics; false if
 * these have nothing about the field
 */
static bool
ask_column(Field *field, Side **sides, int nsides, double *sel)
{
	PgBsonWriter w;
	PgBsonValue query;

	if (!field->in_column)
		return false;
	PgBsonWriterBegin(&w, 0);
	for (int i = 0; i < nsides; i++)
	{
		const char *name = comparisons[sides[i]->comparison].name;

		PgBsonWriterKey(&w, PGBSON_EOD, name, strlen(name));
		if (!write_constant(&w, (Const *) sides[i]->constant))
			return false;
	}
	query = PgBsonWriterEnd(&w, PGBSON_DOCUMENT);
	query = PgBsonMakePair(field->path.data, field->path.len, &query);
	*sel = PgBsonColumnSelectivity(field->root, &field->column, sides[0]->operator, PGBSON_GIN_MATCH,
								   PointerGetDatum(PgBsonFromValue(&query)), false);
	return true;
}

/* --- estimates --- */

static double
ask_server(const Field *field, const Side *side)
{
	Comparison	comparison = side->on_left ? side->comparison : comparisons[side->comparison].commuted;

	return DatumGetFloat8(DirectFunctionCall4Coll(comparisons[comparison].estimator, side->collation,
												  PointerGetDatum(field->root), ObjectIdGetDatum(side->operator),
												  PointerGetDatum(side->args), Int32GetDatum(field->relation)));
}

/* The fraction of rows that satisfy this comparison */
static double
side_selectivity(Field *field, Side *side)
{
	double		sel;
	double		equal;

	if (side->comparison != NE)
		return ask_column(field, &side, 1, &sel) ? sel : ask_server(field, side);
	/* of the rows that have the field, count those with other values */
	side->comparison = EQ;
	if (!ask_column(field, &side, 1, &equal))
	{
		side->comparison = NE;
		return ask_server(field, side);
	}
	return Max(PgBsonFieldSelectivity(field->root, &field->column, side->operator, field->path.data,
									  field->path.len) - equal, 0);
}

/* Which comparison the operator is, by its estimator; false if the estimator is none of ours */
static bool
comparison_of(Oid operator, Comparison *comparison)
{
	static const PGFunction ours[] = {
		[LT] = pgbson_lt_sel, [LE] = pgbson_le_sel, [EQ] = pgbson_eq_sel,
		[NE] = pgbson_ne_sel, [GE] = pgbson_ge_sel, [GT] = pgbson_gt_sel
	};
	RegProcedure estimator = get_oprrest(operator);
	FmgrInfo	info;

	if (!OidIsValid(estimator))
		return false;
	fmgr_info(estimator, &info);
	for (int i = 0; i < lengthof(ours); i++)
	{
		if (info.fn_addr == ours[i])
		{
			*comparison = i;
			return true;
		}
	}
	return false;
}

/* Find a condition of the same WHERE clause that bounds the same expression from above */
static bool
find_upper(const Field *field, Side *upper)
{
	if (field->expression->rel == NULL)
		return false;
	foreach_ptr(RestrictInfo, condition, field->expression->rel->baserestrictinfo)
	{
		OpExpr	   *op = (OpExpr *) condition->clause;
		Node	   *left;
		Node	   *right;

		if (!IsA(op, OpExpr) || list_length(op->args) != 2)
			continue;
		left = linitial(op->args);
		right = lsecond(op->args);
		upper->on_left = IsA(right, Const);
		upper->constant = upper->on_left ? right : left;
		if (!IsA(upper->constant, Const) || ((Const *) upper->constant)->constisnull ||
			!equal(upper->on_left ? left : right, field->expression->var) ||
			!comparison_of(op->opno, &upper->comparison))
			continue;
		if (!upper->on_left)
			upper->comparison = comparisons[upper->comparison].commuted;
		if (upper->comparison != LT && upper->comparison != LE)
			continue;
		upper->operator = op->opno;
		upper->args = op->args;
		upper->collation = op->inputcollid;
		return true;
	}
	return false;
}

/* The fraction of the rows satisfying "upper" that satisfy "lower", too */
static double
within_upper(Field *field, Side *lower, Side *upper)
{
	Side	   *both[] = {lower, upper};
	double		below = side_selectivity(field, upper);
	double		sel;

	if (!ask_column(field, both, lengthof(both), &sel))
	{
		double		above = ask_server(field, lower);

		/* combine the two as the server does, with its guess where one is not known or the two contradict each other */
		sel = above + below - 1;
		if (above == DEFAULT_INEQ_SEL || below == DEFAULT_INEQ_SEL || sel < -0.01)
			sel = DEFAULT_RANGE_INEQ_SEL;
		sel = Max(sel, 1.0e-10);
	}
	return below > 0 ? Min(sel / below, 1) : 0;
}

static Datum
estimate_comparison(FunctionCallInfo fcinfo, Comparison comparison)
{
	Field		field = {(PlannerInfo *) PG_GETARG_POINTER(0), PG_GETARG_INT32(3)};
	Side		side = {comparison, PG_GETARG_OID(1), (List *) PG_GETARG_POINTER(2)};
	VariableStatData vardata;
	Side		upper;
	double		sel;

	side.collation = PG_GET_COLLATION();
	side.on_left = true;
	if (!get_restriction_variable(field.root, side.args, field.relation, &vardata, &side.constant, &side.on_left))
		PG_RETURN_FLOAT8(ask_server(&field, &side));
	if (!side.on_left)
		side.comparison = comparisons[comparison].commuted;
	field.expression = &vardata;
	if (!IsA(side.constant, Const) || ((Const *) side.constant)->constisnull || !PgBsonIsBsonOrDomain(vardata.vartype))
		sel = ask_server(&field, &side);
	else
	{
		if (!HeapTupleIsValid(vardata.statsTuple))
			find_field_column(&field);
		if ((side.comparison == GT || side.comparison == GE) && find_upper(&field, &upper))
			sel = within_upper(&field, &side, &upper);
		else
			sel = side_selectivity(&field, &side);
		if (field.in_column)
			ReleaseVariableStats(field.column);
	}
	ReleaseVariableStats(vardata);
	CLAMP_PROBABILITY(sel);
	PG_RETURN_FLOAT8(sel);
}
