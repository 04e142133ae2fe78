/*
 * expr.h
 *	  MongoDB's aggregation expressions: parsing them, and evaluating them for documents.
 *
 * An expression is parsed once into a tree of nodes; constant parts are
 * calculated when they are first needed.  An operator that does not exist is an
 * error (22023), and so is one that is known but not offered (0A000).  The
 * operators are rows of tables, one table a family: expr_arith.c, expr_string.c
 * and so on.  MongoDB's server parses expressions in
 * src/mongo/db/pipeline/expression.cpp and evaluates them in
 * src/mongo/db/exec/expression.
 *
 * A value that is missing has the type PGBSON_EOD.  The bytes that a PgBsonValue
 * points to are part of the document or the expression, or are palloc'd in the
 * context that is current at the evaluation; nothing is freed.  Those of a number
 * can be in the node that calculates it, until the node is evaluated again.
 */
#ifndef PGBSON_EXPR_H
#define PGBSON_EXPR_H

#include "core/bytes/keys.h"
#include "core/bytes/memory.h"
#include "core/bytes/names.h"
#include "core/find/fields.h"
#include "core/find/path.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "nodes/memnodes.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#define PGBSON_MISSING		PGBSON_EOD
extern const PgBsonValue PgBsonMissing;

typedef struct PgBsonExpr PgBsonExpr;
typedef struct PgBsonExprOp PgBsonExprOp;
typedef struct PgBsonExprParser PgBsonExprParser;

/*
 * A field of $$ROOT that paths begin with, one of the first PGBSON_MAX_FIELDS of an expression.  It is shared if it is
 * looked for once in a document, because several paths begin with it, or because one walk finds all fields.
 */
typedef struct PgBsonRootField
{
	PgBsonStep	name;
	int			number;			/* among the fields of the expression */
	bool		shared;
	PgBsonFindHint hint;
} PgBsonRootField;

/* The state of an evaluation */
typedef struct PgBsonExprRun
{
	PgBsonValue *slots;			/* the values of the variables, by the slots that parsing gave them; slot 0 is $$ROOT */
	MemoryContext context;		/* the current one when it began; loops have others below it */
	uint32		looked;			/* a bit for each shared field that was looked for ... */
	PgBsonValue shared[PGBSON_MAX_FIELDS];	/* ... and its value */
	PgBsonFields *fields;		/* the expression's */
	PgBsonReader reader;		/* for these ... */
	PgBsonFieldWalk walk;		/* ... which goes on when one is needed that was not found yet */
} PgBsonExprRun;

typedef PgBsonValue (*PgBsonExprFunction) (PgBsonExprRun *run, const PgBsonExpr *e);

/* The same for an operator whose few arguments are evaluated and checked before (PgBsonExprEvalSimple) */
typedef PgBsonValue (*PgBsonExprSimple) (const PgBsonExpr *e, const PgBsonValue *args);

/* Parses the operand of an operator that does not just take expressions as arguments */
typedef void (*PgBsonExprHook) (PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand);

/* One operator */
struct PgBsonExprOp
{
	const char *name;
	int			min;			/* arguments */
	int			max;			/* -1: any number */
	PgBsonExprFunction eval;	/* NULL: the operator is known, but not offered */
	int			code;			/* distinguishes the operators that share a function */
	const char *fields;			/* names of the arguments in order; "!" follows one that is required */
	PgBsonExprHook parse;
	const char *hint;			/* why the operator is not offered, or what to use instead */
	const char *takes;			/* for PgBsonExprEvalSimple: the type that each argument must have */
	PgBsonExprSimple simple;
};

/*
 * The row of an operator that needs all of its arguments.  "takes" has a letter for each: n number,
 * i int or long, a array, s string, d document, t timestamp, v any value.  If an argument is null
 * or missing, the result is null; but for a capital letter null is an error, like any other wrong
 * type.  V is any value, null and missing included.
 */
#define PGBSON_EXPR_SIMPLE(name, takes, function, code) \
	{name, sizeof(takes) - 1, sizeof(takes) - 1, PgBsonExprEvalSimple, code, NULL, NULL, NULL, takes, function}
#define PGBSON_EXPR_MAX_SIMPLE	3

/* The tables of operators, one for each family; a row without a name ends each */
extern const PgBsonExprOp PgBsonExprArith[];
extern const PgBsonExprOp PgBsonExprMath[];
extern const PgBsonExprOp PgBsonExprLogic[];
extern const PgBsonExprOp PgBsonExprString[];
extern const PgBsonExprOp PgBsonExprArray[];
extern const PgBsonExprOp PgBsonExprLoop[];
extern const PgBsonExprOp PgBsonExprSet[];
extern const PgBsonExprOp PgBsonExprObject[];
extern const PgBsonExprOp PgBsonExprDate[];
extern const PgBsonExprOp PgBsonExprDateText[];
extern const PgBsonExprOp PgBsonExprDateMath[];
extern const PgBsonExprOp PgBsonExprConvert[];
extern const PgBsonExprOp PgBsonExprAccumulate[];
extern const PgBsonExprOp PgBsonExprRegex[];
extern const PgBsonExprOp PgBsonExprRefused[];

/* A node of the tree: an operator, or a constant, path, array or document (expr.c) */
struct PgBsonExpr
{
	PgBsonExprFunction eval;
	PgBsonExprFunction once;	/* if "eval" is PgBsonExprEvalOnce: what evaluates this constant part the first time */
	const PgBsonExprOp *op;		/* NULL of the others */
	int			nargs;
	PgBsonExpr **args;			/* NULL: not given */
	PgBsonValue constant;
	int			slot;			/* path: slot of the variable it begins at; $map and the like: first slot they set */
	int			nnames;
	PgBsonStep *names;			/* for a path: the names of its fields; for a document: its keys */
	PgBsonFindHint *hint;		/* for a path with names */
	PgBsonRootField *field;		/* for a path from $$ROOT with names: what it begins with, if it can be shared */
	void	   *extra;			/* what the operator's own parsing function made */
	uint8		room[8];		/* for a number that it calculates, which lasts until it is evaluated again */
};

/* A whole expression */
typedef struct PgBsonExpression
{
	PgBsonExpr *root;
	int			nslots;
	PgBsonFields *fields;		/* of $$ROOT, if one walk is to find all of them; or NULL */
	int			ndefined;		/* the number of variables that the caller defines; they have the slots from 1 on */
	int			nvariables;		/* the number of variables that the caller gives by name */
	PgBsonKeyRef *variables;
	int		   *variable_slots;
} PgBsonExpression;

/*
 * Parse an expression, palloc'd; the result points into its bytes.  "names" is a list of
 * variables that the caller defines, such as "CURRENT KEEP", or NULL.
 */
extern PgBsonExpression *PgBsonExpressionParse(const PgBsonValue *expression, const char *names);

/* Which variables the expressions of a stage, or of several, can use, and what they use */
typedef struct PgBsonExprUse
{
	bool		open;			/* any variables, as the caller gives them; otherwise only $$NOW */
	bool		uses_now;		/* unless "open": one of the expressions uses $$NOW */
	List	   *expressions;	/* if "open": all of them, a list of PgBsonExpression */
} PgBsonExprUse;

/*
 * PgBsonExpressionParse for a stage with this use of variables, to which it adds what the expression uses.  If "use" is
 * NULL, the expression can use only variables that it defines.  Error 22023 for another variable, 0A000 for $$NOW.
 */
extern PgBsonExpression *PgBsonExpressionParseFor(const PgBsonValue *expression, PgBsonExprUse *use);

/*
 * The value of the expression for a document, PGBSON_MISSING if there is none.  "variables" is NULL
 * or a document with the variables that the expression uses but does not define; its array
 * PGBSON_NO_VALUE names those that have no value.  "values" are those of the variables that the
 * caller defined, in order; or NULL.
 */
#define PGBSON_NO_VALUE		"$missing"
extern PgBsonValue PgBsonExpressionEvaluate(const PgBsonExpression *expression, const PgBsonValue *doc,
											const PgBsonValue *variables, const PgBsonValue *values);

/* The same of an expression that is a document: the values of its fields, without making the document */
extern void PgBsonExpressionEvaluateFields(const PgBsonExpression *expression, const PgBsonValue *doc,
										   const PgBsonValue *variables, PgBsonValue *values);

/* The most variables visible at one place.  Names are searched one by one, so their number is limited. */
#define PGBSON_EXPR_MAX_VARIABLES	1000

/* For operators' own parsing functions (expr_parse.c) */
struct PgBsonExprParser
{
	PgBsonExpression *expression;
	List	   *fields;			/* of $$ROOT that paths begin with, a list of PgBsonRootField */
	int			nscope;			/* the number of variables in scope; a former value ends the scope of later ones */
	struct
	{
		PgBsonKeyRef name;
		int			slot;
	}			scope[PGBSON_EXPR_MAX_VARIABLES];
};

extern PgBsonExpr *PgBsonExprParseOperand(PgBsonExprParser *parser, const PgBsonValue *operand);
extern void PgBsonExprParseNamed(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand);
/* The whole operand is the only argument, also if it is an array */
extern void PgBsonExprParseSingle(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand);
extern bool PgBsonExprIsNamed(const PgBsonValue *operand);
/* The values of named arguments, not parsed, or missing, in the order of the list of names (mongo/common/options.h) */
extern void PgBsonExprReadNamed(const PgBsonExpr *e, const PgBsonValue *operand, const char *names,
								PgBsonValue *values);
extern int	PgBsonExprDefine(PgBsonExprParser *parser, const char *name, uint32 len);
/* A sentence that says why a variable cannot have this name, marked for translation; NULL if it can */
extern const char *PgBsonVariableNameProblem(const char *name, uint32 len);
extern void PgBsonExprCheckVariable(const PgBsonExpr *e, const char *name, uint32 len);
extern bool PgBsonExprIsConstant(const PgBsonExpr *e);
pg_noreturn extern void PgBsonExprBadOperand(const PgBsonExpr *e, const char *detail);

/* The "eval" functions of nodes that are not operators (expr.c) */
extern PgBsonValue PgBsonExprEvalConstant(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprEvalOnce(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprEvalPath(PgBsonExprRun *run, const PgBsonExpr *e);
/* A document, which has names, or an array */
extern PgBsonValue PgBsonExprEvalContainer(PgBsonExprRun *run, const PgBsonExpr *e);

/*
 * Evaluate an operator of PGBSON_EXPR_SIMPLE: null if an argument is null or missing, else what its
 * function makes of the arguments; an error if one has the wrong type
 */
extern PgBsonValue PgBsonExprEvalSimple(PgBsonExprRun *run, const PgBsonExpr *e);

/* Error 54000 if the values of this evaluation take too much memory */
extern void PgBsonExprCheckMemory(const PgBsonExprRun *run, const PgBsonExpr *e);

/* The value of an argument; a missing value if the argument was not given */
static inline PgBsonValue
PgBsonExprArg(PgBsonExprRun *run, const PgBsonExpr *e, int i)
{
	PgBsonValue value;

	if (i >= e->nargs || e->args[i] == NULL)
		return PgBsonMissing;
	if (e->args[i]->eval == PgBsonExprEvalConstant)
		return e->args[i]->constant;
	value = e->args[i]->eval(run, e->args[i]);
	/* what MemoryContextMemAllocated() returns of a context without those below it */
	if (unlikely(CurrentMemoryContext->mem_allocated > PGBSON_LARGE_VALUE))
		PgBsonExprCheckMemory(run, e->args[i]);
	return value;
}

/* The name of its operator, or "" */
static inline const char *
PgBsonExprName(const PgBsonExpr *e)
{
	return e->op == NULL ? "" : e->op->name;
}

/* Begin to write an array or a document, the result of an operator, which must not get too large */
static inline void
PgBsonExprBegin(PgBsonWriter *w, Size expected, const PgBsonExpr *e)
{
	PgBsonWriterBegin(w, expected);
	w->made_by = PgBsonExprName(e);
}

/* Missing, null or undefined? */
static inline bool
PgBsonIsNothing(const PgBsonValue *value)
{
	return value->type == PGBSON_MISSING || PgBsonIsNullish(value->type);
}

/* Does the value count as true in a condition? */
extern bool PgBsonExprIsTrue(const PgBsonValue *value);

/* A memory context for the values of many evaluations in turn; Trim frees them when they take much memory */
extern MemoryContext PgBsonExprScratch(void);
extern void PgBsonExprScratchTrim(MemoryContext scratch);

/* Arithmetic of $add and the like; Subtract also takes two dates; division by 0 gives null */
extern PgBsonValue PgBsonExprAdd(const PgBsonValue *a, const PgBsonValue *b);
extern PgBsonValue PgBsonExprSubtract(const PgBsonValue *a, const PgBsonValue *b);
extern PgBsonValue PgBsonExprMultiply(const PgBsonValue *a, const PgBsonValue *b);
extern PgBsonValue PgBsonExprDivide(const PgBsonValue *a, const PgBsonValue *b);

/* A number as a decimal, and what an operation of core/number/decimal.h makes of two numbers; palloc'd */
typedef void (*PgBsonDecimalOperation) (const uint8 *a, const uint8 *b, uint8 *result);
extern PgBsonValue PgBsonExprDecimal(const PgBsonValue *number);
extern PgBsonValue PgBsonExprDecimals(PgBsonDecimalOperation operation, const PgBsonValue *a, const PgBsonValue *b);

/* The name of the value's type, as an error message has it: "missing", or the type's alias */
extern const char *PgBsonExprTypeName(const PgBsonValue *value);

/* Errors for the type or the value of an argument; "detail" is a whole sentence, marked for translation */
pg_noreturn extern void PgBsonExprWrongType(const PgBsonExpr *e, const PgBsonValue *value, const char *detail);
pg_noreturn extern void PgBsonExprWrongValue(const PgBsonExpr *e, const char *detail);
pg_noreturn extern void PgBsonReportDateOutOfRange(void);

/* The value of an argument that must be an integer of 32 or 64 bits; its type may be any number */
extern int32 PgBsonExprToInt32(const PgBsonExpr *e, const PgBsonValue *value);
extern int64 PgBsonExprToInt64(const PgBsonExpr *e, const PgBsonValue *value);

/* Argument i, a bound of a search, which must not be negative; "otherwise" if it is not given */
extern int32 PgBsonExprBound(PgBsonExprRun *run, const PgBsonExpr *e, int i, int32 otherwise);

/* Raise an error unless the value has the type that the small letter stands for (see PGBSON_EXPR_SIMPLE) */
extern void PgBsonExprNeed(const PgBsonExpr *e, const PgBsonValue *value, char letter);

/* Evaluate argument i, which must have that type; false if it is null or missing */
extern bool PgBsonExprTake(PgBsonExprRun *run, const PgBsonExpr *e, int i, char letter, PgBsonValue *value);

/* The value of an argument that must be a string */
extern const char *PgBsonExprToString(const PgBsonExpr *e, const PgBsonValue *value, uint32 *len);

/* The sum or product of two numbers: a double if 64 bits cannot hold it, and then *overflow is set */
extern PgBsonValue PgBsonExprCalculate(const PgBsonValue *a, const PgBsonValue *b, bool multiply, bool *overflow);

/* The number of characters in a string of UTF-8 */
extern uint32 PgBsonCountCharacters(const char *s, uint32 len);

/* For several families: the arguments' arrays joined, null if one is nothing; a value as string operators spell it */
extern PgBsonValue PgBsonExprConcatArrays(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprSpell(const PgBsonExpr *e, const PgBsonValue *value);
extern int	PgBsonExprCompare(const PgBsonValue *a, const PgBsonValue *b);	/* missing is first */

#endif							/* PGBSON_EXPR_H */
