/*
 * jsonpath.h
 *	  Evaluating the server's jsonpath over a bson value.
 *
 * Modes, unwrapping, three-valued logic and errors are those of the jsonb_path
 * functions.  The following is specific to BSON:
 *
 *	- An item found in a document keeps its BSON type in the result.
 *	- A date is a datetime (timestamp with time zone) without .datetime().
 *	- Numbers compare by what they are worth (core/number/number.h).  A number written in the path
 *	counts with its decimal value, so 1.1 equals both the double 1.1 and the decimal128 1.1.  So does
 *	a computed one; in computing it, a double counted with its shortest spelling.
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

/* What a call site remembers of a path that is the same at each call */
typedef struct PgBsonJpSite PgBsonJpSite;

/* Make such a memory, with a copy of the path, in "context" */
extern PgBsonJpSite *PgBsonJpSiteMake(const JsonPath *path, MemoryContext context);

/* The arguments of an evaluation.  PgBsonJpAim fills in the first ones. */
typedef struct PgBsonJpCall
{
	PgBsonReader reader;		/* of the document that is $ */
	PgBsonValue target;			/* the value that the plain steps at the beginning of the path lead to */
	bool		reached;		/* they are the whole path */
	bool		nothing;		/* they lead to no value, so the path yields nothing */
	JsonPathItem step;			/* if not "reached", the step that "target" is taken to */
	JsonPath   *path;
	PgBsonJpSite *site;			/* NULL: none */
	PgBsonView	vars;			/* a document, if has_vars is set */
	bool		has_vars;
	bool		silent;			/* suppress the errors that can be suppressed */
	bool		use_tz;			/* the evaluation may use the session's time zone */
} PgBsonJpCall;

typedef enum PgBsonJpOutcome
{
	PGBSON_JP_EMPTY,			/* no item */
	PGBSON_JP_FOUND,			/* at least one */
	PGBSON_JP_FAILED			/* an error that was suppressed */
} PgBsonJpOutcome;

/* The items that an evaluation found, in order */
typedef struct PgBsonJpResult
{
	uint32		count;
	PgBsonValue *values;		/* these point into the document, the variables or palloc'd memory */
} PgBsonJpResult;

/*
 * Open the datum and set the target.  The path, or the site, must be set before.  After the evaluation the caller
 * closes the reader.  Values that were found are valid until the next datum is opened, or as long as this one is.
 */
extern void PgBsonJpAim(PgBsonJpCall *call, Datum datum, PgBsonReadHint *hint);

/* Does the path yield an item?  The evaluation stops at the first. */
extern PgBsonJpOutcome PgBsonJsonpathExists(PgBsonJpCall *call);

/* All items that the path yields, including those found before an error that was suppressed */
extern PgBsonJpResult PgBsonJsonpathQuery(PgBsonJpCall *call);

/* Does the path yield exactly one item?  If so, it is stored in *value. */
extern bool PgBsonJsonpathSingle(PgBsonJpCall *call, PgBsonValue *value);

/* --- literal.c: literals, for code that reads a path without running it --- */

/* The string of this item, which is a key, a literal string or the name of a variable, in UTF-8 */
extern const char *PgBsonJsonpathString(JsonPathItem *item, uint32 *len);

/*
 * The BSON values that are equal to a literal: none, if it is not a literal or
 * no BSON value is equal to it; one; or two, null and undefined, which both
 * count as null.  Returns how many; palloc'd.
 *
 * *exact is set if every value that is equal to one of these is equal to the
 * literal.
 */
extern int	PgBsonJsonpathLiteralForms(JsonPathItem *item, PgBsonValue forms[2], bool *exact);

#endif							/* PGBSON_JSONPATH_H */
