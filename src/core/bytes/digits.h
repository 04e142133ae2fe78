/*
 * digits.h
 *	  What texts of digits spell: bytes, UUIDs, dates and times.
 */
#ifndef PGBSON_DIGITS_H
#define PGBSON_DIGITS_H

#include "postgres.h"

/* Write "nbytes" bytes, two hexadecimal digits for each, in upper or lower case; false if there are other characters */
extern bool PgBsonDecodeHex(const char *s, int nbytes, uint8 *result);

/* The sixteen bytes of a UUID: groups of 8, 4, 4, 4 and 12 digits, with hyphens between */
extern bool PgBsonDecodeUuid(const char *s, uint32 len, uint8 *result);

/* A date or time as ISO 8601 spells it */
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

#endif							/* PGBSON_DIGITS_H */
