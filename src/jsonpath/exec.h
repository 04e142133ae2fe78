/*
 * exec.h
 *	  What the files of the jsonpath executor share; private to this folder.
 *
 * A jsonpath is a chain of steps.  The server's parser (src/backend/utils/adt/jsonpath.c)
 * made it; we evaluate it over BSON, with the results and errors of the
 * server's executor for jsonb.
 *
 * Sequences.  A step takes one item and yields a sequence of items, each of which goes to the
 * next step at once, so that no list of intermediate items is built.  What the
 * last step yields is appended to "out".  If "out" is NULL, the caller only asks whether there is
 * an item, and evaluation stops at the first.
 *
 * Lax and strict.  A document may have a value where another has an array of
 * such values.  In lax mode, the default, this makes no difference: a step that is not meant for
 * arrays (.key, .*, a filter, most methods) is applied to the elements of an array, one level
 * deep, which is called unwrapping; a step that is meant for arrays takes any other item as an array of one
 * element.  A member or element that is missing yields nothing.  In strict mode each of these is an
 * error.  Below .** both modes ignore such errors, because it meets values of all kinds (ignore_structure).
 *
 * Errors.  What the path does not allow (a wrong container in strict mode, a text that is no number for
 * .double(), a division by zero) is an error that the caller can have suppressed: by @? and @@,
 * or by "silent".  PgBsonJpFail raises it, or returns PGBSON_JP_FAILED, which every
 * caller hands on; the items found before count in a query, but an answer about
 * existence becomes unknown, which is SQL NULL.  Other errors (a variable that is not given, a comparison that needs
 * the session's time zone) are mistakes of the statement, and always raised.
 *
 * Predicates.  A predicate is true, false or unknown, as in SQL.  An error within it makes it unknown and
 * ends there, whether errors are suppressed or not; so does a comparison of kinds that have no order among
 * each other.  Null is a value, which differs from all others.  Both operands are sequences, unwrapped in
 * lax mode: the predicate is true if some pair of their items satisfies it.  Lax mode stops at the first such pair;
 * strict mode looks at all, as an unknown pair makes the whole unknown.  A filter lets an item pass if its predicate is
 * true; as a step, a predicate yields true, false, or null for unknown.
 *
 * For the same reason @? in strict mode evaluates all of a path, although one item would be enough:
 * an error behind it counts.
 *
 * Jp in names: jsonpath.
 */
#ifndef PGBSON_JSONPATH_EXEC_H
#define PGBSON_JSONPATH_EXEC_H

#include "core/write/from_value.h"
#include "jsonpath/jsonpath.h"

typedef enum PgBsonJpKind
{
	PGBSON_JP_VALUE,			/* a BSON value */
	PGBSON_JP_NUMERAL,			/* a number written in the path, or computed */
	PGBSON_JP_DATETIME			/* the result of .datetime() and similar methods */
} PgBsonJpKind;

/* The kind of number that a result becomes: the widest among the operands */
typedef enum PgBsonJpWidth
{
	PGBSON_JP_INTEGER,			/* also of literals: these adapt to the other operand */
	PGBSON_JP_DOUBLE,
	PGBSON_JP_DECIMAL
} PgBsonJpWidth;

typedef struct PgBsonJpNumeral
{
	Numeric		num;			/* NULL: the number is fixed / 10^scale, see fixed.c */
	int64		fixed;
	PgBsonJpWidth width;
	int16		scale;
	bool		literal;		/* "num" is part of the path, so its address identifies the literal */
	bool		computed;		/* the result of arithmetic, so converting it may round */
} PgBsonJpNumeral;

typedef struct PgBsonJpDatetime
{
	Datum		datum;
	Oid			type;			/* date, time, timetz, timestamp, timestamptz */
	bool		has_tz;			/* for timestamptz: whether "tz" is the zone of its text; else the session's counts */
	int			tz;				/* seconds west of UTC */
} PgBsonJpDatetime;

typedef struct PgBsonJpItem
{
	PgBsonJpKind kind;
	union
	{
		PgBsonValue value;
		PgBsonJpNumeral numeral;
		PgBsonJpDatetime datetime;
	}			u;
} PgBsonJpItem;

#define PGBSON_JP_INLINE_ITEMS	4

/* A growing list of items.  It points into itself, so it must not be copied. */
typedef struct PgBsonJpSequence
{
	uint32		count;
	uint32		room;
	PgBsonJpItem *items;		/* is "first" until more items come than fit there */
	PgBsonJpItem first[PGBSON_JP_INLINE_ITEMS];
} PgBsonJpSequence;

/* A predicate of the path, prepared for many evaluations; see condition.c */
typedef struct PgBsonJpCondition PgBsonJpCondition;

/* What is remembered about one literal, predicate or key of the path, found by its address */
typedef struct PgBsonJpLiteral
{
	const void *key;			/* its address */
	bool		tried;			/* a BSON number of this value was looked for */
	bool		fits;
	PgBsonValue value;			/* that BSON number; of a key or string, the string */
	bool		fixed_tried;	/* a form fixed / 10^scale was looked for */
	bool		is_fixed;
	int16		scale;
	int64		fixed;
	text	   *regex;
	int			regex_flags;
	PgBsonFindHint hint;		/* of the documents in which this key was looked for */
	bool		tested;			/* the predicate was evaluated once before */
	PgBsonJpCondition *condition;	/* the predicate, prepared */
	struct PgBsonJpLiteral *next;	/* in the same chain */
} PgBsonJpLiteral;

/* All that is remembered: for the length of an evaluation, or by a call site for all evaluations */
typedef struct PgBsonJpMemory
{
	MemoryContext context;		/* where they are */
	bool		lasting;		/* it is a call site's */
	PgBsonJpLiteral **chains;	/* hash table by the addresses; NULL while there is no entry */
	uint32		nchains;		/* a power of two */
} PgBsonJpMemory;

/* At most this number of plain steps is looked up before the rest of a path is evaluated */
#define PGBSON_JP_PLAIN_STEPS	8

/* The plain steps that a path begins with, see start.c */
typedef struct PgBsonJpStart
{
	PgBsonStep	steps[PGBSON_JP_PLAIN_STEPS];	/* the plain steps after $ */
	int			nsteps;
	bool		members;		/* all of them are members */
	bool		whole;			/* the plain steps are the whole path */
	JsonPathItem rest;			/* if not, the step after them */
	JsonPathItem first;			/* the first step of the path */
} PgBsonJpStart;

struct PgBsonJpSite
{
	JsonPath   *path;
	PgBsonJpStart start;
	bool		filters_root;	/* the path is $ ? (predicate), in lax mode */
	PgBsonFindHint find;		/* of the documents on the way of the plain steps */
	PgBsonJpMemory memory;
};

/*
 * The array that a subscript is applied to, and the place in it that the one before led to.  The next
 * subscript is mostly greater, so its search can begin there and not at the front.
 */
typedef struct PgBsonJpMark
{
	const PgBsonJpItem *array;
	uint32		position;
	const uint8 *element;		/* NULL: at the front */
} PgBsonJpMark;

/* One running evaluation */
typedef struct PgBsonJpState
{
	PgBsonJpCall *call;
	PgBsonJpItem root;			/* $ */
	bool		partial;		/* not all of its bytes may be read yet; whoever needs all calls PgBsonJpReadRoot */
	const PgBsonJpItem *current;	/* @ */
	PgBsonJpMark *mark;			/* of the innermost subscript, for "last"; NULL outside of subscripts */
	bool		lax;
	bool		ignore_structure;	/* a missing member or a wrong container is not an error */
	bool		raise;			/* errors are raised, not suppressed */
	const uint8 *base;			/* the address that the ids of .keyvalue() are offsets from */
	int64		base_id;
	int64		next_base_id;
	MemoryContext context;		/* where results are allocated */
	MemoryContext scratch;		/* emptied after each outermost filter */
	uint32		filters;		/* the number of filters evaluated so far */
	bool		in_filter;
	PgBsonJpMemory *memory;		/* points to "own", or to the call site's */
	PgBsonJpMemory own;
} PgBsonJpState;

/*
 * Init makes a list empty.  Add copies an item, but not the bytes that its value points to; and
 * Free frees the list, but not those bytes.
 */
extern void PgBsonJpSequenceInit(PgBsonJpSequence *seq);
/* Append an item, which the caller fills in */
extern PgBsonJpItem *PgBsonJpSequenceNew(PgBsonJpSequence *seq);
extern void PgBsonJpSequenceFree(PgBsonJpSequence *seq);

static inline void
PgBsonJpSequenceAdd(PgBsonJpSequence *seq, const PgBsonJpItem *item)
{
	*PgBsonJpSequenceNew(seq) = *item;
}

/*
 * Append a value, part by part: the caller has just written it in parts, and a processor takes
 * longer to read these back with one wide load
 */
static inline void
PgBsonJpSequenceAddValue(PgBsonJpSequence *seq, const PgBsonValue *value)
{
	PgBsonJpItem *item = PgBsonJpSequenceNew(seq);

	item->kind = PGBSON_JP_VALUE;
	item->u.value.type = value->type;
	item->u.value.len = value->len;
	item->u.value.data = value->data;
}

/* Can a loop over items end with this outcome? */
static inline bool
PgBsonJpSettled(PgBsonJpOutcome outcome, const PgBsonJpSequence *out)
{
	return outcome == PGBSON_JP_FAILED || (outcome == PGBSON_JP_FOUND && out == NULL);
}

static inline PgBsonJpItem
PgBsonJpValueItem(PgBsonValue value)
{
	PgBsonJpItem item;

	item.kind = PGBSON_JP_VALUE;
	item.u.value = value;
	return item;
}

static inline bool
PgBsonJpIsType(const PgBsonJpItem *item, PgBsonType type)
{
	return item->kind == PGBSON_JP_VALUE && item->u.value.type == type;
}

static inline bool
PgBsonJpIsNumber(const PgBsonJpItem *item)
{
	return item->kind == PGBSON_JP_NUMERAL ||
		(item->kind == PGBSON_JP_VALUE && PgBsonIsNumber(item->u.value.type));
}

/* A string, or the deprecated symbol, which counts as a string */
static inline bool
PgBsonJpIsString(const PgBsonJpItem *item)
{
	return PgBsonJpIsType(item, PGBSON_STRING) || PgBsonJpIsType(item, PGBSON_SYMBOL);
}

/* Is the expression a literal, and nothing else? */
static inline bool
PgBsonJpIsLiteral(JsonPathItem *step)
{
	return (step->type == jpiNull || step->type == jpiBool || step->type == jpiNumeric || step->type == jpiString) &&
		!jspHasNext(step);
}

/* Take an item that passed the last step: append it, or tell that there is one */
static inline PgBsonJpOutcome
PgBsonJpEmit(const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	if (out != NULL)
		PgBsonJpSequenceAdd(out, item);
	return PGBSON_JP_FOUND;
}

/*
 * The function of a step or an item method.  It applies the step to the item, and takes each item
 * that results through the rest of the path.
 */
typedef PgBsonJpOutcome PgBsonJpStep(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
									 PgBsonJpSequence *out);

/* --- exec.c: the steps of the path --- */

/*
 * Take the item through this step and those after it.  "unwrap": if the item is
 * an array and the step is not for arrays, apply it to the elements instead.
 */
extern PgBsonJpOutcome PgBsonJpRun(PgBsonJpState *st, JsonPathItem *step,
									const PgBsonJpItem *item, PgBsonJpSequence *out,
									bool unwrap);

/* Is this step a predicate? */
extern bool PgBsonJpIsPredicate(const JsonPathItem *step);

/* Take the item to the step after this one; if there is none, append it to the result */
extern PgBsonJpStep PgBsonJpNext;

/* PgBsonJpNext for a value; without a next step no item is made of it */
static inline PgBsonJpOutcome
PgBsonJpNextValue(PgBsonJpState *st, JsonPathItem *step, PgBsonValue value, PgBsonJpSequence *out)
{
	PgBsonJpItem item;

	if (out != NULL && !jspHasNext(step))
	{
		PgBsonJpSequenceAddValue(out, &value);
		return PGBSON_JP_FOUND;
	}
	item = PgBsonJpValueItem(value);
	return PgBsonJpNext(st, step, &item, out);
}

/* PgBsonJpNext for an item that this step has made: the memory of its value is freed if no result points to it */
extern PgBsonJpOutcome PgBsonJpNextMade(PgBsonJpState *st, JsonPathItem *step,
										const PgBsonJpItem *item, PgBsonJpSequence *out,
										void *memory);

/*
 * Evaluate an expression into "out", which must be empty before; "open" is set to replace arrays by
 * their elements in lax mode
 */
extern PgBsonJpOutcome PgBsonJpOperand(PgBsonJpState *st, JsonPathItem *step,
									   const PgBsonJpItem *item, bool open,
									   PgBsonJpSequence *out);

/* A suppressible error: raise it, or return PGBSON_JP_FAILED if the caller asked to suppress errors. */
extern PgBsonJpOutcome PgBsonJpFail(PgBsonJpState *st, int sqlstate,
									const char *fmt,...) pg_attribute_printf(3, 4);

/* The same if a value lacks the structure that the step asks for, which is no error in lax mode and below .** */
#define PgBsonJpMismatch(st, ...) \
	((st)->ignore_structure ? PGBSON_JP_EMPTY : PgBsonJpFail(st, __VA_ARGS__))

/* The same for a message with "%s", which becomes the name of the step's operator or method */
extern PgBsonJpOutcome PgBsonJpFailAt(PgBsonJpState *st, JsonPathItem *step, int sqlstate, const char *fmt);

/* Make sure that all bytes of the root are read */
static inline void
PgBsonJpReadRoot(PgBsonJpState *st)
{
	if (st->partial)
		PgBsonReachValue(&st->call->reader, &st->call->reader.root);
	st->partial = false;
}

/* --- access.c: members, elements, descendants --- */

/*
 * Take each child of a container through "step", or append it to the result if
 * that is NULL. For .*, [*] and the unwrapping of arrays.
 */
extern PgBsonJpOutcome PgBsonJpChildren(PgBsonJpState *st, JsonPathItem *step,
										const PgBsonJpItem *item, PgBsonJpSequence *out,
										bool unwrap);

/* The steps .key, .*, [*], .**, [...] and last */
extern PgBsonJpStep PgBsonJpKey, PgBsonJpAnyKey, PgBsonJpAnyArray, PgBsonJpAny, PgBsonJpSubscripts, PgBsonJpLast;

/* --- item.c: items --- */

/* What is remembered about the literal, predicate or key at this address; an empty entry if it is the first time */
extern PgBsonJpLiteral *PgBsonJpLiteralAt(PgBsonJpState *st, const void *key);

/* A string of the path as a BSON string; its address identifies it */
extern PgBsonValue PgBsonJpLiteralString(PgBsonJpState *st, const void *key,
										 const char *s, uint32 len);

/* A literal or variable of the path as an item */
extern PgBsonJpItem PgBsonJpLiteralItem(PgBsonJpState *st, JsonPathItem *step);

/* The bytes of a string item in the server's encoding, palloc'd; NULL if they contain U+0000 */
extern char *PgBsonJpServerString(const PgBsonJpItem *item);

/*
 * A scalar item's text, as ->> and .string() return it, in the server's
 * encoding, palloc'd; NULL for null, for containers and for text with U+0000.
 */
extern char *PgBsonJpScalarText(PgBsonJpState *st, const PgBsonJpItem *item);

/*
 * Make the item a BSON value.  Returns false after a suppressed error: some numerics are outside
 * the range of all BSON numbers.
 */
extern bool PgBsonJpItemValue(PgBsonJpState *st, const PgBsonJpItem *item, PgBsonValue *value);

/* The result of .type() */
extern const char *PgBsonJpTypeName(const PgBsonJpItem *item);

/* --- predicate.c --- */

typedef enum PgBsonJpTruth
{
	PGBSON_JP_FALSE,
	PGBSON_JP_TRUE,
	PGBSON_JP_UNKNOWN
} PgBsonJpTruth;

/* The item that a predicate yields as a step: true, false, or null for unknown */
static inline PgBsonValue
PgBsonJpTruthValue(PgBsonJpTruth truth)
{
	return truth == PGBSON_JP_UNKNOWN ? PgBsonNull : PgBsonMakeBool(truth == PGBSON_JP_TRUE);
}

/* Of ! */
static inline PgBsonJpTruth
PgBsonJpNot(PgBsonJpTruth truth)
{
	if (truth == PGBSON_JP_UNKNOWN)
		return truth;
	return truth == PGBSON_JP_FALSE ? PGBSON_JP_TRUE : PGBSON_JP_FALSE;
}

/*
 * The result of && or ||, if "left" does not decide it: "right" does if it is false for && or true
 * for ||; otherwise the result is unknown if one side is
 */
static inline PgBsonJpTruth
PgBsonJpConnect(PgBsonJpTruth left, PgBsonJpTruth right, PgBsonJpTruth decisive)
{
	return right == decisive || right == PGBSON_JP_UNKNOWN ? right : left;
}

/* Of "is unknown" */
static inline PgBsonJpTruth
PgBsonJpIsUnknown(PgBsonJpTruth truth)
{
	return truth == PGBSON_JP_UNKNOWN ? PGBSON_JP_TRUE : PGBSON_JP_FALSE;
}

/* Is the predicate true for this item? */
extern PgBsonJpTruth PgBsonJpPredicate(PgBsonJpState *st, JsonPathItem *step,
									   const PgBsonJpItem *item);

/* Does this pair of items satisfy the comparison?  "b" is NULL for like_regex. */
extern PgBsonJpTruth PgBsonJpPairSatisfies(PgBsonJpState *st, JsonPathItem *step,
										   const PgBsonJpItem *a, const PgBsonJpItem *b);

/* --- condition.c --- */

/*
 * PgBsonJpPredicate for the predicate at this position of the path, as jspInitByBuffer takes it.  A
 * call site prepares the predicate when it is evaluated for the second time.
 */
extern PgBsonJpTruth PgBsonJpTest(PgBsonJpState *st, char *base, int32 position, const PgBsonJpItem *item);

/* --- fixed.c --- */

/* Calculate left op right with numbers of few digits; false if an operand or the result is not one */
extern bool PgBsonJpFixedBinary(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *left,
								const PgBsonJpItem *right, PgBsonJpItem *result);
/* Apply a sign, .abs(), .floor() or .ceiling() to a number of few digits; false if operand or result is not one */
extern bool PgBsonJpFixedUnary(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *item, PgBsonJpItem *result);
/* Compare two numbers of few digits, with the result <0, 0 or >0; false if an operand is not one */
extern bool PgBsonJpFixedCompare(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b, int *result);

/* --- numeral.c --- */

/* The number of an item that is a number, and its width */
extern Numeric PgBsonJpItemNumeric(const PgBsonJpItem *item, PgBsonJpWidth *width);
/* The value of a numeral as a numeric, which is made if the numeral is fixed */
extern Numeric PgBsonJpNumeralNumeric(const PgBsonJpNumeral *numeral);
/* A numeral as a BSON number, palloc'd; false, or error 22003, if no BSON number can hold it */
extern bool PgBsonJpNumeralValue(PgBsonJpState *st, const PgBsonJpNumeral *numeral,
								 PgBsonValue *result);

/* The BSON number equal to a number written in a path, palloc'd; false if there is none */
extern bool PgBsonJpNumberForm(Numeric num, PgBsonValue *form);

/* Compare two numbers by value: <0, 0, >0 */
extern int	PgBsonJpCompareNumbers(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b);

/* A number with its fraction cut off; false if the rest is no int32 */
extern bool PgBsonJpToIndex(PgBsonJpState *st, const PgBsonJpItem *item, int32 *index);

/* --- arithmetic.c --- */

/* + - * / %; the signs + and -; .abs() .floor() .ceiling() */
extern PgBsonJpStep PgBsonJpBinary, PgBsonJpUnary, PgBsonJpRounding;

/* --- datetime.c --- */

/* If the item is a datetime, from .datetime() or as a BSON date, put it into *dt; else false */
extern bool PgBsonJpAsDatetime(const PgBsonJpItem *item, PgBsonJpDatetime *dt);

/*
 * False if the two types cannot be compared; error 0A000 if the comparison
 * needs the session's time zone and that may not be used
 */
extern bool PgBsonJpCompareDatetimes(PgBsonJpState *st, const PgBsonJpItem *a,
									 const PgBsonJpItem *b, int *cmp);

/* Raises 0A000 unless the session's time zone may be used */
extern void PgBsonJpRequireTz(PgBsonJpState *st, const char *from, const char *to);

/* Reads ISO 8601 text of any datetime type; false if it is not a datetime */
extern bool PgBsonJpParseDatetime(char *s, PgBsonJpDatetime *dt);

/* ISO 8601 text, palloc'd */
extern char *PgBsonJpDatetimeText(const PgBsonJpDatetime *dt);
/* .datetime() */
extern PgBsonJpStep PgBsonJpDatetimeMethod;

/* --- method.c: type(), size(), double(), keyvalue() --- */

extern PgBsonJpStep PgBsonJpType, PgBsonJpSize, PgBsonJpDouble, PgBsonJpKeyvalue;

#ifdef PGBSON_JSONPATH_CONVERSIONS
/* --- convert.c: bigint() and integer(), boolean(), number() and decimal(), string(), date() and the like --- */

extern PgBsonJpStep PgBsonJpToInteger, PgBsonJpToBoolean, PgBsonJpToNumber, PgBsonJpToString, PgBsonJpToDatetime;
#endif

#ifdef PGBSON_JSONPATH_STRINGS
/* --- string.c: lower(), replace() ... --- */

extern PgBsonJpStep PgBsonJpStringMethod;
#endif

#endif							/* PGBSON_JSONPATH_EXEC_H */
