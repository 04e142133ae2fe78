/*
 * expr.h
 *	  MongoDB's aggregation expressions: an expression, made ready, on documents.
 *
 * An expression is parsed once into a tree of nodes; constant parts are
 * calculated when they are first needed.  An operator that does not exist is an
 * error (22023), and so is one that is known but not offered (0A000).  The
 * operators are rows of tables, one table a family: expr_arith.c, expr_string.c
 * and so on.  MongoDB's server parses expressions in
 * src/mongo/db/pipeline/expression.cpp and evaluates them in
 * src/mongo/db/exec/expression.
 *
 * A value that is missing has the type PGBSON_EOD.  Values are passed by
 * PgBsonValue and point into the document, the expression, or memory of the
 * context that is current at the evaluation.
 */
#ifndef PGBSON_EXPR_H
#define PGBSON_EXPR_H

#include "core/bytes/keys.h"
#include "core/bytes/view.h"
#include "core/write/write.h"

#define PGBSON_MISSING		PGBSON_EOD

/* $range and what repeats its input make no value larger than this, in bytes */
#define PGBSON_EXPR_MAX_VALUE	((Size) 100 * 1024 * 1024)

typedef struct PgBsonExpr PgBsonExpr;
typedef struct PgBsonExprOp PgBsonExprOp;
typedef struct PgBsonExprParser PgBsonExprParser;

/* An evaluation: the values of the variables, by slot; slot 0 is ROOT */
typedef struct PgBsonExprRun
{
	PgBsonValue *slots;
} PgBsonExprRun;

typedef PgBsonValue (*PgBsonExprFunction) (PgBsonExprRun *run, const PgBsonExpr *e);

/* The same of an operator of a few arguments, which are evaluated and checked (PgBsonExprEvalSimple) */
typedef PgBsonValue (*PgBsonExprSimple) (const PgBsonExpr *e, const PgBsonValue *args);

/* For operators whose arguments are not plain expressions: parse the operand */
typedef void (*PgBsonExprHook) (PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand);

/* One operator */
struct PgBsonExprOp
{
	const char *name;
	int			min;			/* arguments */
	int			max;			/* -1: any number */
	PgBsonExprFunction eval;	/* NULL: known, but not offered */
	int			code;			/* which one, where operators share a function */
	const char *fields;			/* names of the arguments, in order, "!" after those that must be there */
	PgBsonExprHook parse;
	const char *hint;			/* why it is not offered, or what to use */
	const char *takes;			/* for PgBsonExprEvalSimple: what each argument must be */
	PgBsonExprSimple simple;
};

/*
 * The row of an operator whose arguments are all needed.  "takes" has a letter for
 * each: n number, i int or long, a array, s string, d document, t timestamp, v any
 * value.  Where one of these is null or missing, so is the result; of a capital
 * letter null is an error like any other type.
 */
#define PGBSON_EXPR_SIMPLE(name, takes, function, code) \
	{name, sizeof(takes) - 1, sizeof(takes) - 1, PgBsonExprEvalSimple, code, NULL, NULL, NULL, takes, function}
#define PGBSON_EXPR_MAX_SIMPLE	3

/* The operators, a table a family; the last row has no name */
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

/* A node: an operator, or a constant, a path, an array, a document (expr.c) */
struct PgBsonExpr
{
	PgBsonExprFunction eval;
	PgBsonExprFunction once;	/* of what is constant, and not yet calculated */
	const PgBsonExprOp *op;		/* NULL of the others */
	int			nargs;
	PgBsonExpr **args;			/* NULL: not given */
	PgBsonValue constant;
	int			slot;			/* of a path: the variable it starts at; of $map and the like: the first one they set */
	int			nnames;
	PgBsonKeyRef *names;		/* of a path: the fields; of a document: the keys */
	void	   *extra;			/* what the operator's hook made */
};

/* A whole expression */
typedef struct PgBsonExpression
{
	PgBsonExpr *root;
	int			nslots;
	int			nvariables;		/* those that the caller gives */
	PgBsonKeyRef *variables;
	int		   *variable_slots;
} PgBsonExpression;

/* Make an expression ready, palloc'd; it points into the bytes given */
extern PgBsonExpression *PgBsonExpressionParse(const PgBsonValue *expression);

/* The same within the scope of variables that the caller defines, CURRENT maybe one of them */
extern PgBsonExpression *PgBsonExpressionParseIn(const PgBsonValue *expression, const char *const *names, int count);

/*
 * The same where the caller gives no variables: those that nothing defines are
 * an error.  That goes for $$NOW, too (0A000), unless "uses_now" is given, which
 * is set where it is used.
 */
extern PgBsonExpression *PgBsonExpressionParseClosed(const PgBsonValue *expression, bool *uses_now);

/*
 * Its value on a document, PGBSON_MISSING where it has none.  "variables" is a
 * document of the variables that the expression uses and does not define; or
 * NULL.  The names of those that have no value are an array in it, PGBSON_NO_VALUE.
 */
#define PGBSON_NO_VALUE		"$missing"
extern PgBsonValue PgBsonExpressionEvaluate(const PgBsonExpression *expression,
											const PgBsonValue *doc, const PgBsonValue *variables);

/* The same of one that PgBsonExpressionParseIn made: "values" are those of its variables, in order */
extern PgBsonValue PgBsonExpressionEvaluateIn(const PgBsonExpression *expression, const PgBsonValue *doc,
											  const PgBsonValue *variables, const PgBsonValue *values, int count);

/* For operators' hooks (expr_parse.c) */
extern PgBsonExpr *PgBsonExprParseOperand(PgBsonExprParser *parser, const PgBsonValue *operand);
extern void PgBsonExprParseNamed(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand);
extern bool PgBsonExprIsNamed(const PgBsonValue *operand);
extern void PgBsonExprReadNamed(const PgBsonExpr *e, const PgBsonValue *operand, const char *names,
								const char *detail, PgBsonValue *values);
extern int	PgBsonExprDefine(PgBsonExprParser *parser, const char *name, uint32 len);
extern int	PgBsonExprScope(const PgBsonExprParser *parser);
extern void PgBsonExprEndScope(PgBsonExprParser *parser, int scope);
/* What is wrong with a variable's name; or NULL */
extern const char *PgBsonVariableNameProblem(const char *name, uint32 len);
extern void PgBsonExprCheckVariable(const PgBsonExpr *e, const char *name, uint32 len);
extern bool PgBsonExprIsConstant(const PgBsonExpr *e);
pg_noreturn extern void PgBsonExprBadOperand(const PgBsonExpr *e, const char *detail);

/* The nodes that are not operators (expr.c) */
extern PgBsonValue PgBsonExprEvalConstant(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprEvalOnce(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprEvalPath(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprEvalArray(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprEvalObject(PgBsonExprRun *run, const PgBsonExpr *e);

/* An operator of PGBSON_EXPR_SIMPLE: null if an argument is, else its function of them; raises for other types */
extern PgBsonValue PgBsonExprEvalSimple(PgBsonExprRun *run, const PgBsonExpr *e);

/* The value of an argument; missing where it was not given */
static inline PgBsonValue
PgBsonExprArg(PgBsonExprRun *run, const PgBsonExpr *e, int i)
{
	PgBsonValue missing = {PGBSON_MISSING, 0, NULL};

	if (i >= e->nargs || e->args[i] == NULL)
		return missing;
	return e->args[i]->eval(run, e->args[i]);
}

/* Missing, null or undefined? */
static inline bool
PgBsonIsNothing(const PgBsonValue *value)
{
	return value->type == PGBSON_MISSING || PgBsonIsNullish(value->type);
}

/* As a condition */
extern bool PgBsonExprIsTrue(const PgBsonValue *value);

/* New values, palloc'd */
extern PgBsonValue PgBsonExprNull(void);
extern PgBsonValue PgBsonExprMissing(void);
extern PgBsonValue PgBsonExprBool(bool b);
extern PgBsonValue PgBsonExprInt32(int32 n);
extern PgBsonValue PgBsonExprInt64(int64 n);
extern PgBsonValue PgBsonExprInteger(int64 n);	/* int32 where it fits */
extern PgBsonValue PgBsonExprDouble(double d);
extern PgBsonValue PgBsonExprDecimal(const uint8 *bytes);
extern PgBsonValue PgBsonExprDateOf(int64 ms);
extern PgBsonValue PgBsonExprText(const char *s, Size len);
extern PgBsonValue PgBsonExprBytes(PgBsonType type, const uint8 *bytes, Size len);

/* An array of these values */
extern PgBsonValue PgBsonExprMakeArray(const PgBsonValue *elements, int count);

/* The document {key: value}, palloc'd; how deep it is nested is not checked */
extern PgBsonValue PgBsonExprPair(const char *key, uint32 key_len, const PgBsonValue *value);

/* An array or a document in the making */
typedef struct PgBsonExprMaker
{
	PgBsonWriter w;
	uint32		count;
} PgBsonExprMaker;

/* Open with room for the expected bytes; Close gives the value, palloc'd */
extern void PgBsonExprOpen(PgBsonExprMaker *maker, Size expected);
extern void PgBsonExprPush(PgBsonExprMaker *maker, const PgBsonValue *value);	/* missing: null */
extern void PgBsonExprField(PgBsonExprMaker *maker, const char *key, uint32 len, const PgBsonValue *value);	/* missing: nothing */
extern PgBsonValue PgBsonExprClose(PgBsonExprMaker *maker, PgBsonType type);

/* Memory for what one evaluation after another makes, and its release where that is much */
extern MemoryContext PgBsonExprScratch(void);
extern void PgBsonExprScratchTrim(MemoryContext scratch);

/* Numbers as $add and its like calculate with them; also the difference of two dates; divided by 0: null */
extern PgBsonValue PgBsonExprAdd(const PgBsonValue *a, const PgBsonValue *b);
extern PgBsonValue PgBsonExprSubtract(const PgBsonValue *a, const PgBsonValue *b);
extern PgBsonValue PgBsonExprMultiply(const PgBsonValue *a, const PgBsonValue *b);
extern PgBsonValue PgBsonExprDivide(const PgBsonValue *a, const PgBsonValue *b);

/* The elements of an array, palloc'd */
extern PgBsonValue *PgBsonExprElements(const PgBsonValue *array, int *count);

/* "missing", or the type's alias */
extern const char *PgBsonExprTypeName(const PgBsonValue *value);

/* Errors: an argument of the wrong type, or value; details are whole sentences, marked for translation */
pg_noreturn extern void PgBsonExprWrongType(const PgBsonExpr *e, const PgBsonValue *value, const char *detail);
pg_noreturn extern void PgBsonExprWrongValue(const PgBsonExpr *e, const char *detail);
pg_noreturn extern void PgBsonExprTooLarge(const PgBsonExpr *e);
pg_noreturn extern void PgBsonReportDateOutOfRange(void);

/* An argument that must be an integer of 32 or 64 bits, of whatever number type */
extern int32 PgBsonExprToInt32(const PgBsonExpr *e, const PgBsonValue *value);
extern int64 PgBsonExprToInt64(const PgBsonExpr *e, const PgBsonValue *value);

/* Argument i as a bound of a search, which must not be negative; "otherwise" if it is not given */
extern int32 PgBsonExprBound(PgBsonExprRun *run, const PgBsonExpr *e, int i, int32 otherwise);

/* Argument i, a number; false if it is null or missing */
extern bool PgBsonExprNumberArg(PgBsonExprRun *run, const PgBsonExpr *e, int i, PgBsonValue *number);

/* An argument that must be a string, or an array */
extern const char *PgBsonExprToString(const PgBsonExpr *e, const PgBsonValue *value, uint32 *len);
extern void PgBsonExprNeedArray(const PgBsonExpr *e, const PgBsonValue *value);

/* The sum or product of two numbers; *overflow: it is a double, as 64 bits do not hold it */
extern PgBsonValue PgBsonExprCalculate(const PgBsonValue *a, const PgBsonValue *b, bool multiply, bool *overflow);

/* Used by more than one family; the arrays of the arguments as one, null if one is nothing */
extern PgBsonValue PgBsonExprConcatArrays(PgBsonExprRun *run, const PgBsonExpr *e);
extern PgBsonValue PgBsonExprSpell(const PgBsonExpr *e, const PgBsonValue *value);
extern int	PgBsonExprCompare(const PgBsonValue *a, const PgBsonValue *b);	/* missing is first */

#endif							/* PGBSON_EXPR_H */
