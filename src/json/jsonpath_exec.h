/*
 * jsonpath_exec.h
 *	  What the files of the jsonpath executor share.
 *
 * A step of the path takes one item and yields a sequence of items, each of
 * which goes on to the next step; what falls out of the last step is appended
 * to "out".  Where "out" is NULL only existence matters, and the first item
 * settles it.
 *
 * Jp in names: jsonpath.
 */
#ifndef PGBSON_JSONPATH_EXEC_H
#define PGBSON_JSONPATH_EXEC_H

#include "json/jsonpath.h"
#include "utils/numeric.h"

typedef enum PgBsonJpKind
{
	PGBSON_JP_VALUE,			/* a BSON value */
	PGBSON_JP_NUMERAL,			/* a number written in the path, or computed */
	PGBSON_JP_DATETIME			/* what .datetime() and its kin make */
} PgBsonJpKind;

/* What a computed number should become; the widest of its operands */
typedef enum PgBsonJpWidth
{
	PGBSON_JP_INTEGER,			/* also: a literal, which adapts */
	PGBSON_JP_DOUBLE,
	PGBSON_JP_DECIMAL
} PgBsonJpWidth;

typedef struct PgBsonJpNumeral
{
	Numeric		num;
	PgBsonJpWidth width;
	bool		literal;		/* "num" is in the path, so its address stands for it */
	bool		computed;		/* by arithmetic, so it may be rounded */
} PgBsonJpNumeral;

typedef struct PgBsonJpDatetime
{
	Datum		datum;
	Oid			type;			/* date, time, timetz, timestamp, timestamptz */
	bool		has_tz;			/* of timestamptz: "tz" is the zone of its text, else the session's */
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

/* A growing list of items; not to be copied */
typedef struct PgBsonJpSequence
{
	uint32		count;
	uint32		room;
	PgBsonJpItem *items;		/* "first" until that is full */
	PgBsonJpItem first[PGBSON_JP_INLINE_ITEMS];
} PgBsonJpSequence;

/* Something derived from a literal of the path, made once per evaluation */
typedef struct PgBsonJpLiteral
{
	const void *key;			/* where the literal is */
	bool		tried[3];		/* by PgBsonJpWidth */
	bool		fits[3];
	PgBsonValue value[3];		/* a string's: [0] */
	text	   *regex;
	int			regex_flags;
	struct PgBsonJpLiteral *next;
} PgBsonJpLiteral;

/* One running evaluation */
typedef struct PgBsonJpState
{
	const PgBsonJpCall *call;
	PgBsonJpItem root;			/* $ */
	const PgBsonJpItem *current;	/* @ */
	const PgBsonJpItem *array;	/* of the innermost subscript, for last; NULL outside */
	bool		lax;
	bool		ignore_structure;	/* a missing member or wrong container is no error */
	bool		raise;			/* errors are raised, not suppressed */
	const uint8 *base;			/* .keyvalue()'s ids count bytes from here */
	int64		base_id;
	int64		next_base_id;
	MemoryContext context;		/* of the evaluation; holds the results */
	MemoryContext scratch;		/* emptied after each outermost filter */
	uint32		filters;		/* evaluated so far */
	bool		in_filter;
	PgBsonJpLiteral *literals;
} PgBsonJpState;

extern void PgBsonJpSequenceInit(PgBsonJpSequence *seq);
extern void PgBsonJpSequenceAdd(PgBsonJpSequence *seq, const PgBsonJpItem *item);
extern void PgBsonJpSequenceFree(PgBsonJpSequence *seq);

/* An outcome that ends a loop over items */
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

/* A string, or the deprecated symbol, which is one */
static inline bool
PgBsonJpIsString(const PgBsonJpItem *item)
{
	return PgBsonJpIsType(item, PGBSON_STRING) || PgBsonJpIsType(item, PGBSON_SYMBOL);
}

/* The item left the last step */
static inline PgBsonJpOutcome
PgBsonJpEmit(const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	if (out != NULL)
		PgBsonJpSequenceAdd(out, item);
	return PGBSON_JP_FOUND;
}

/* --- jsonpath.c: the walk --- */

/*
 * Take the item through this step and those after it.  "unwrap": if the item is
 * an array and the step is not for arrays, apply it to the elements instead.
 */
extern PgBsonJpOutcome PgBsonJpWalk(PgBsonJpState *st, JsonPathItem *step,
									const PgBsonJpItem *item, PgBsonJpSequence *out,
									bool unwrap);

/* Take the item to the step after this one, or out */
extern PgBsonJpOutcome PgBsonJpNext(PgBsonJpState *st, JsonPathItem *step,
									const PgBsonJpItem *item, PgBsonJpSequence *out);

/* The same for an item made here: its memory is freed if nothing kept the item */
extern PgBsonJpOutcome PgBsonJpNextMade(PgBsonJpState *st, JsonPathItem *step,
										const PgBsonJpItem *item, PgBsonJpSequence *out,
										void *memory);

/* All items of an expression, arrays among them opened in lax mode where "open" says so */
extern PgBsonJpOutcome PgBsonJpOperand(PgBsonJpState *st, JsonPathItem *step,
									   const PgBsonJpItem *item, bool open,
									   PgBsonJpSequence *out);

/*
 * A suppressible error: raise it if the caller did not ask for silence, else
 * return PGBSON_JP_FAILED.
 */
extern PgBsonJpOutcome PgBsonJpFail(PgBsonJpState *st, int sqlstate,
									const char *fmt,...) pg_attribute_printf(3, 4);

/* --- jsonpath_access.c: members, elements, descendants --- */

/* Each child of a container through "step" (NULL: out).  For .*, [*] and the opening of arrays. */
extern PgBsonJpOutcome PgBsonJpChildren(PgBsonJpState *st, JsonPathItem *step,
										const PgBsonJpItem *item, PgBsonJpSequence *out,
										bool unwrap);
extern PgBsonJpOutcome PgBsonJpKey(PgBsonJpState *st, JsonPathItem *step,
								   const PgBsonJpItem *item, PgBsonJpSequence *out);
extern PgBsonJpOutcome PgBsonJpAnyKey(PgBsonJpState *st, JsonPathItem *step,
									  const PgBsonJpItem *item, PgBsonJpSequence *out);
extern PgBsonJpOutcome PgBsonJpAnyArray(PgBsonJpState *st, JsonPathItem *step,
										const PgBsonJpItem *item, PgBsonJpSequence *out);
extern PgBsonJpOutcome PgBsonJpAny(PgBsonJpState *st, JsonPathItem *step,
								   const PgBsonJpItem *item, PgBsonJpSequence *out);
extern PgBsonJpOutcome PgBsonJpSubscripts(PgBsonJpState *st, JsonPathItem *step,
										  const PgBsonJpItem *item, PgBsonJpSequence *out);
extern PgBsonJpOutcome PgBsonJpLast(PgBsonJpState *st, JsonPathItem *step, PgBsonJpSequence *out);

/* --- jsonpath_item.c: items --- */

/* The entry of a literal at this address, made if need be */
extern PgBsonJpLiteral *PgBsonJpLiteralAt(PgBsonJpState *st, const void *key);

/* A string that is known by this address, as a BSON string */
extern PgBsonValue PgBsonJpLiteralString(PgBsonJpState *st, const void *key,
										 const char *s, uint32 len);

/* A literal or variable of the path as an item; a variable also becomes the base of .keyvalue() */
extern PgBsonJpItem PgBsonJpLiteralItem(PgBsonJpState *st, JsonPathItem *step);

/* The path's string of this step, in UTF-8 */
extern const char *PgBsonJpStepString(JsonPathItem *step, uint32 *len);

/* A string item's bytes in the server's encoding, palloc'd; NULL if they hold U+0000 */
extern char *PgBsonJpServerString(const PgBsonJpItem *item);

/*
 * A scalar item's text, as ->> and .string() have it, in the server's encoding,
 * palloc'd; NULL for null, containers and what holds U+0000.
 */
extern char *PgBsonJpScalarText(PgBsonJpState *st, const PgBsonJpItem *item);

extern PgBsonValue PgBsonJpMakeNull(void);
extern PgBsonValue PgBsonJpMakeBool(bool b);
extern PgBsonValue PgBsonJpMakeInteger(int64 i);	/* the smallest width */
extern PgBsonValue PgBsonJpMakeInt64(int64 i);
extern PgBsonValue PgBsonJpMakeDouble(double d);
extern PgBsonValue PgBsonJpMakeString(const char *s, uint32 len);	/* UTF-8 */

/* The item as a BSON value; false after a suppressed error, as no BSON number may hold it */
extern bool PgBsonJpItemValue(PgBsonJpState *st, const PgBsonJpItem *item, PgBsonValue *value);

/* The answer of .type() */
extern const char *PgBsonJpTypeName(const PgBsonJpItem *item);

/* --- jsonpath_predicate.c --- */

typedef enum PgBsonJpTruth
{
	PGBSON_JP_FALSE,
	PGBSON_JP_TRUE,
	PGBSON_JP_UNKNOWN
} PgBsonJpTruth;

extern PgBsonJpTruth PgBsonJpPredicate(PgBsonJpState *st, JsonPathItem *step,
									   const PgBsonJpItem *item);

/* --- jsonpath_number.c --- */

extern Numeric PgBsonJpItemNumeric(const PgBsonJpItem *item, PgBsonJpWidth *width);
extern bool PgBsonJpNumeralValue(PgBsonJpState *st, const PgBsonJpNumeral *numeral,
								 PgBsonValue *result);
extern int	PgBsonJpCompareNumbers(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b);
extern bool PgBsonJpToIndex(const PgBsonJpItem *item, int32 *index);
extern PgBsonJpOutcome PgBsonJpBinary(PgBsonJpState *st, JsonPathItem *step,
									  const PgBsonJpItem *item, PgBsonJpSequence *out);
extern PgBsonJpOutcome PgBsonJpUnary(PgBsonJpState *st, JsonPathItem *step,
									 const PgBsonJpItem *item, PgBsonJpSequence *out);
extern PgBsonJpOutcome PgBsonJpRounding(PgBsonJpState *st, JsonPathItem *step,
										const PgBsonJpItem *item, PgBsonJpSequence *out);

/* --- jsonpath_datetime.c --- */

/* Is the item a datetime: one made by .datetime(), or a BSON date? */
extern bool PgBsonJpAsDatetime(const PgBsonJpItem *item, PgBsonJpDatetime *dt);

/* False if the two kinds do not compare; 0A000 if that takes the session's time zone and it may not be used */
extern bool PgBsonJpCompareDatetimes(PgBsonJpState *st, const PgBsonJpItem *a,
									 const PgBsonJpItem *b, int *cmp);

/* 0A000 unless the session's time zone may be used */
extern void PgBsonJpRequireTz(PgBsonJpState *st, const char *from, const char *to);

/* ISO 8601 text of any datetime type; false if it is none */
extern bool PgBsonJpParseDatetime(char *s, PgBsonJpDatetime *dt);

/* ISO 8601 text, palloc'd */
extern char *PgBsonJpDatetimeText(const PgBsonJpDatetime *dt);
extern PgBsonJpOutcome PgBsonJpDatetimeMethod(PgBsonJpState *st, JsonPathItem *step,
											  const PgBsonJpItem *item, PgBsonJpSequence *out);

/* --- jsonpath_method.c: the other item methods --- */

extern PgBsonJpOutcome PgBsonJpMethod(PgBsonJpState *st, JsonPathItem *step,
									  const PgBsonJpItem *item, PgBsonJpSequence *out);

#ifdef PGBSON_JSONPATH_CONVERSIONS
/* --- jsonpath_convert.c: bigint(), boolean(), date() ... --- */

extern PgBsonJpOutcome PgBsonJpConvert(PgBsonJpState *st, JsonPathItem *step,
									   const PgBsonJpItem *item, PgBsonJpSequence *out);
#endif

#endif							/* PGBSON_JSONPATH_EXEC_H */
