/*
 * hex.h
 *	  Bytes from hexadecimal digits.
 */
#ifndef PGBSON_HEX_H
#define PGBSON_HEX_H

#include "postgres.h"

/*
 * Write "nbytes" bytes, two hexadecimal digits for each, in upper or lower case; false if there are
 * other characters
 */
extern bool PgBsonDecodeHex(const char *s, int nbytes, uint8 *result);

/* The sixteen bytes of a UUID: groups of 8, 4, 4, 4 and 12 digits, with hyphens between */
extern bool PgBsonDecodeUuid(const char *s, uint32 len, uint8 *result);

#endif							/* PGBSON_HEX_H */
