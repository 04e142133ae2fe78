/*
 * subscript.c
 *	  Subscripting: d['a'][0] in a query, and as the target of an assignment.
 *
 * A subscript is text or an integer.  Both work like an element of a text[]
 * path: they name a field of a document or a position in an array.  Reading a
 * value that does not exist gives NULL; assigning creates it (see
 * PGBSON_ASSIGN).
 */
#include "door.h"

#include "catalog/pg_type.h"
#include "core/write/from_value.h"
#include "core/write/modify.h"
#include "executor/execExpr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "parser/parse_coerce.h"
#include "parser/parse_expr.h"
#include "sql/site/type.h"
#include "utils/builtins.h"

/* One subscript during execution */
typedef struct Subscript
{
	bool		is_int;			/* int4; text otherwise */
	char		digits[16];		/* of an int4 */
} Subscript;

typedef struct Workspace
{
	PgBsonStep *steps;			/* one for each subscript, filled in for each row */
	Subscript  *subscripts;
	PgBsonFetchHint hint;
} Workspace;

static void
report_slice(ParseState *pstate, const A_Indices *indices)
{
	Node	   *bound = indices->uidx ? indices->uidx : indices->lidx;

	PgBsonReport(ERRCODE_DATATYPE_MISMATCH, errmsg("bson subscript does not support slices"),
				 parser_errposition(pstate, exprLocation(bound)));
}

/* The type that a subscript expression is coerced to: int4 or text, if exactly one of them accepts it */
static Oid
subscript_type(ParseState *pstate, Node *expr)
{
	Oid			source = exprType(expr);
	Oid			int4 = INT4OID;
	Oid			text = TEXTOID;
	bool		as_int;
	bool		as_text;

	if (source == UNKNOWNOID)
		return TEXTOID;

	as_int = can_coerce_type(1, &source, &int4, COERCION_IMPLICIT);
	as_text = can_coerce_type(1, &source, &text, COERCION_IMPLICIT);
	if (as_int == as_text)
		PgBsonReport(ERRCODE_DATATYPE_MISMATCH, errmsg("subscript type %s is not supported", format_type_be(source)),
					 as_int ?
					 errhint("A bson subscript must be coercible to only one of the types integer and text.") :
					 errhint("A bson subscript must be coercible to either integer or text."),
					 parser_errposition(pstate, exprLocation(expr)));
	return as_int ? INT4OID : TEXTOID;
}

static void
subscript_transform(SubscriptingRef *sbsref, List *indirection, ParseState *pstate,
					bool isSlice, bool isAssignment)
{
	List	   *subscripts = NIL;

	/* the definition of another type can name this as its handler */
	if (!PgBsonIsBsonType(sbsref->refcontainertype))
		PgBsonReport(ERRCODE_DATATYPE_MISMATCH,
					 errmsg("bson subscripting does not support type %s",
							format_type_be(sbsref->refcontainertype)));

	foreach_ptr(A_Indices, indices, indirection)
	{
		Node	   *expr;

		/* without an upper bound it is a slice, too; slices are not supported */
		if (isSlice || indices->uidx == NULL)
			report_slice(pstate, indices);

		expr = transformExpr(pstate, indices->uidx, pstate->p_expr_kind);
		/* subscript_type has made sure that this succeeds */
		expr = coerce_type(pstate, expr, exprType(expr), subscript_type(pstate, expr), -1,
						   COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);
		subscripts = lappend(subscripts, expr);
	}

	sbsref->refupperindexpr = subscripts;
	sbsref->reflowerindexpr = NIL;

	/* an element of a bson is a bson */
	sbsref->refrestype = sbsref->refcontainertype;
	sbsref->reftypmod = -1;
}

/* The subscripts, already evaluated, as steps; false if one is NULL, which is an error in an assignment */
static bool
check_subscripts(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *sbsref = op->d.sbsref_subscript.state;
	Workspace  *ws = (Workspace *) sbsref->workspace;

	for (int i = 0; i < sbsref->numupper; i++)
	{
		Subscript  *subscript = &ws->subscripts[i];
		PgBsonStep *step = &ws->steps[i];

		if (sbsref->upperindexnull[i])
		{
			if (sbsref->isassignment)
				PgBsonReport(ERRCODE_NULL_VALUE_NOT_ALLOWED, errmsg("bson subscript in assignment must not be null"));
			*op->resnull = true;
			return false;
		}

		if (subscript->is_int)
		{
			step->kind = PGBSON_STEP_PATH;
			step->key_len = pg_ltoa(DatumGetInt32(sbsref->upperindex[i]), subscript->digits);
			step->key = subscript->digits;
		}
		else
			*step = PgBsonStepFromText(DatumGetTextPP(sbsref->upperindex[i]), PGBSON_STEP_PATH);
	}
	return true;
}

/* The value at the steps; neither the container nor any subscript is NULL, because of fetch_strict */
static void
subscript_fetch(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *sbsref = op->d.sbsref.state;
	Workspace  *ws = (Workspace *) sbsref->workspace;
	PgBsonValue value;

	*op->resnull = !PgBsonFetchPath(*op->resvalue, ws->steps, sbsref->numupper, &ws->hint, &value);
	*op->resvalue = *op->resnull ? (Datum) 0 : PointerGetDatum(PgBsonFromValue(&value));
}

static void
subscript_assign(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *sbsref = op->d.sbsref.state;
	Workspace  *ws = (Workspace *) sbsref->workspace;
	PgBsonValue value = PgBsonNull;
	PgBsonReader reader;
	PgBson	   *changed;

	if (!sbsref->replacenull)
		value = PgBsonRoot(DatumGetPgBsonPP(sbsref->replacevalue));
	if (*op->resnull)
		*op->resvalue = PointerGetDatum(PgBsonEmptyOf(ws->subscripts[0].is_int ? PGBSON_ARRAY : PGBSON_DOCUMENT));

	changed = PgBsonChangePath(PgBsonOpenWhole(&reader, *op->resvalue),
							   ws->steps, sbsref->numupper, PGBSON_ASSIGN, &value);
	PgBsonClose(&reader);
	/* if nothing changes, return the original datum, with its TOAST pointer */
	if (changed != NULL)
		*op->resvalue = PointerGetDatum(changed);
	*op->resnull = false;
}

static void
subscript_exec_setup(const SubscriptingRef *sbsref, SubscriptingRefState *sbsrefstate,
					 SubscriptExecSteps *methods)
{
	int			n = list_length(sbsref->refupperindexpr);
	Workspace  *ws = palloc0(sizeof(Workspace));

	ws->steps = palloc0(n * sizeof(PgBsonStep));
	ws->subscripts = palloc0(n * sizeof(Subscript));
	foreach_ptr(Node, index, sbsref->refupperindexpr)
		ws->subscripts[foreach_current_index(index)].is_int = exprType(index) == INT4OID;
	sbsrefstate->workspace = ws;

	methods->sbs_check_subscripts = check_subscripts;
	methods->sbs_fetch = subscript_fetch;
	methods->sbs_assign = subscript_assign;
}

/* SQL: bson_subscript_handler(internal) returns internal */
PGBSON_FUNCTION(pgbson_subscript_handler)
{
	static const SubscriptRoutines routines = {
		.transform = subscript_transform,
		.exec_setup = subscript_exec_setup,
		.fetch_strict = true,
		.fetch_leakproof = true,	/* a value that does not exist is NULL */
		.store_leakproof = false	/* an assignment may raise an error */
	};

	PG_RETURN_POINTER(&routines);
}
