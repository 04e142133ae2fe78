/*
 * names.h
 *	  Looking names up in lists and tables that the code has.
 */
#ifndef PGBSON_NAMES_H
#define PGBSON_NAMES_H

#include "core/bytes/view.h"

/*
 * The position of a name in a list of names such as "input! as:s in", where "!", "?" or ":" may follow a name; -1
 * if the list does not have it
 */
extern int	PgBsonNameAmong(const char *names, const char *name, uint32 len);

/* The row of a table that has this name as its first member, a C string; NULL if there is none */
#define PgBsonRowNamed(table, name, len) PgBsonRowAmong(table, lengthof(table), sizeof((table)[0]), name, len)
extern const void *PgBsonRowAmong(const void *rows, int count, Size width, const char *name, uint32 len);

#endif							/* PGBSON_NAMES_H */
