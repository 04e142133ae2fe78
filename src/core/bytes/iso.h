/*
 * iso.h
 *	  Dates and times as ISO 8601 spells them.
 */
#ifndef PGBSON_ISO_H
#define PGBSON_ISO_H

#include "postgres.h"

typedef struct PgBsonIso
{
	int64		day;			/* from 1970-01-01, in the Gregorian calendar */
	int64		us;				/* microseconds of the day */
	int			offset;			/* from UTC, in minutes */
	char		separator;		/* of the day and the time, T or a blank; 0: there is no time */
	bool		has_offset;
} PgBsonIso;

/*
 * yyyy-mm-dd, or yyyy-mm-ddThh:mm[:ss[.fff]] and perhaps an offset, Z, +hh, +hhmm or +hh:mm; a blank may
 * stand for T.  False for any other text, and for a time that is no whole number of microseconds.
 */
extern bool PgBsonReadIso(const char *str, uint32 len, PgBsonIso *iso);

#endif							/* PGBSON_ISO_H */
