/*
 * hex.h
 *	  Bytes from hexadecimal digits.
 */
#ifndef PGBSON_HEX_H
#define PGBSON_HEX_H

#include "postgres.h"

/* Two hexadecimal digits for each byte, in either case; false if there are other characters */
extern bool PgBsonDecodeHex(const char *s, int nbytes, uint8 *result);

#endif							/* PGBSON_HEX_H */
