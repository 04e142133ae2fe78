/*
 * text.h
 *	  A value as plain text, for ->> and similar operators.
 */
#ifndef PGBSON_TEXT_H
#define PGBSON_TEXT_H

#include "core/view.h"

/* The text of ->>: palloc'd text in the server's encoding, NULL for null and undefined */
extern text *PgBsonValueToText(const PgBsonValue *value);

#endif							/* PGBSON_TEXT_H */
