/*
 * literal.h
 *	  The literals of a jsonpath, for code that reads a path without running it.
 */
#ifndef PGBSON_JSONPATH_LITERAL_H
#define PGBSON_JSONPATH_LITERAL_H

#include "core/bytes/view.h"
#include "utils/jsonpath.h"

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

#endif							/* PGBSON_JSONPATH_LITERAL_H */
