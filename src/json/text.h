/*
 * text.h
 *	  A value as plain text, for ->> and similar operators.
 */
#ifndef PGBSON_TEXT_H
#define PGBSON_TEXT_H

#include "json/spell.h"

/* The text of ->>: palloc'd text in the server's encoding, NULL for null and undefined */
extern text *PgBsonValueToText(const PgBsonValue *value);

/*
 * The same of a scalar, without a header or a copy where that is possible: "buf" has
 * room for PGBSON_SPELL_SIZE.  NULL for null and undefined, and for what has to be printed.
 */
extern const char *PgBsonValueSpelling(const PgBsonValue *value, char *buf, uint32 *len);

#endif							/* PGBSON_TEXT_H */
