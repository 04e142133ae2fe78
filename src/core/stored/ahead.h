/*
 * ahead.h
 *	  Asking the processor for bytes before they are read.
 */
#ifndef PGBSON_AHEAD_H
#define PGBSON_AHEAD_H

#include "postgres.h"

#include "compat.h"

/*
 * Ask the processor for the bytes of a value in its row that will be read, and of the rows that a scan
 * comes to next.  For what is called with a column of each row.
 */
extern void PgBsonAskAhead(const struct varlena *value);

/* Ask for these bytes, which need not be anybody's */
extern void PgBsonAskFor(const void *from, Size bytes);

#endif							/* PGBSON_AHEAD_H */
