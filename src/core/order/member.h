/*
 * member.h
 *	  Is a scalar one of the elements of an array?
 */
#ifndef PGBSON_MEMBER_H
#define PGBSON_MEMBER_H

#include "core/bytes/view.h"

/* By core/order/compare.h's equality; no document or array */
extern bool PgBsonArrayHas(PgBsonView array, const PgBsonValue *scalar);

/* The same of a string, or a symbol, with these bytes */
extern bool PgBsonArrayHasText(PgBsonView array, const char *s, uint32 len);

#endif							/* PGBSON_MEMBER_H */
