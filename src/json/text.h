/*
 * text.h
 *	  A value as plain text, for ->> and similar operators.
 */
#ifndef PGBSON_TEXT_H
#define PGBSON_TEXT_H

#include "core/view.h"

/* The text of ->>: palloc'd text in the server's encoding, NULL for null and undefined */
extern text *PgBsonValueToText(const PgBsonValue *value);

/* The same in the caller's memory, aligned for a varlena, if it has room for it */
extern text *PgBsonValueToTextIn(const PgBsonValue *value, void *space, Size room);

/* A text of these bytes, so */
extern text *PgBsonTextIn(const char *s, uint32 len, void *space, Size room);

#endif							/* PGBSON_TEXT_H */
