/*
 * jsonpath.h
 *	  Evaluating the server's jsonpath over a bson value.
 *
 * Modes, unwrapping, three-valued logic and errors are those of the jsonb_path
 * functions.  The following is specific to BSON:
 *
 *	- An item found in a document keeps its BSON type in the result.
 *	- A date is a datetime (timestamp with time zone) without .datetime().
 *	- Numbers compare by what they are worth (core/number/number.h).  One that is
 *	  written in the path is worth its value, so 1.1 equals both the double 1.1
 *	  and the decimal128 1.1; one that was computed, too, with a double taken
 *	  for its shortest spelling.
 *	- Arithmetic is numeric's.  Its result becomes a BSON number of the widest
 *	  kind among the operands: an integer of the smallest width that holds it,
 *	  a double if one spells it exactly, else decimal128 rounded to 34 digits;
 *	  22003 beyond decimal128's range.
 *	- Values of one of the other BSON types (ObjectId, binary, ...) compare with
 *	  values of the same type, in the order of core/order/compare.h.  A symbol is a
 *	  string, and undefined compares as null.
 *	- The result of .datetime() and similar methods is a string, as in jsonb.
 */
#ifndef PGBSON_JSONPATH_H
#define PGBSON_JSONPATH_H

#include "core/find/path.h"
#include "utils/jsonpath.h"

/* What a call site whose path is always the same remembers of it */
typedef struct PgBsonJpSite PgBsonJpSite;

/* It lives in "context", and so does its copy of the path */
extern PgBsonJpSite *PgBsonJpSiteMake(const JsonPath *path, MemoryContext context);

/* The arguments of an evaluation, of which PgBsonJpAim fills in the first ones */
typedef struct PgBsonJpCall
{
	PgBsonReader reader;		/* which has the document open, $ */
	PgBsonValue target;			/* what the plain steps at the beginning of the path lead to */
	bool		reached;		/* they are the whole path */
	bool		nothing;		/* they lead nowhere, so the whole path does */
	JsonPathItem step;			/* else the step that the target goes to */
	JsonPath   *path;
	PgBsonJpSite *site;			/* NULL: none */
	PgBsonView	vars;			/* a document, if has_vars is set */
	bool		has_vars;
	bool		silent;			/* suppress errors that can be suppressed */
	bool		use_tz;			/* the session's time zone may be used */
} PgBsonJpCall;

typedef enum PgBsonJpOutcome
{
	PGBSON_JP_EMPTY,			/* no item */
	PGBSON_JP_FOUND,			/* at least one */
	PGBSON_JP_FAILED			/* an error that was suppressed */
} PgBsonJpOutcome;

/* The items of an evaluation, in order */
typedef struct PgBsonJpResult
{
	PgBsonJpOutcome outcome;
	uint32		count;
	PgBsonValue *values;		/* bytes of the document, of the variables, or palloc'd */
} PgBsonJpResult;

/*
 * Open the datum and set the target of an evaluation, whose path is set, or whose site is.  After the evaluation
 * the reader is to be closed; what is found lives until the next datum is opened, or as long as this one.
 */
extern void PgBsonJpAim(PgBsonJpCall *call, Datum datum);

/* Is there an item?  Stops at the first. */
extern PgBsonJpOutcome PgBsonJsonpathExists(PgBsonJpCall *call);

/* All items, including those found before a suppressed error */
extern PgBsonJpResult PgBsonJsonpathQuery(PgBsonJpCall *call);

/* Is there just one of them?  Then *value is it. */
extern bool PgBsonJsonpathSingle(PgBsonJpCall *call, PgBsonValue *value);

#endif							/* PGBSON_JSONPATH_H */
