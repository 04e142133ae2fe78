/*
 * member.h
 *	  Is a scalar one of the elements of an array?
 */
#ifndef PGBSON_MEMBER_H
#define PGBSON_MEMBER_H

#include "core/bytes/view.h"

/*
 * Is a value that is equal to the scalar (core/order/compare.h) an element of the array?  "scalar" is
 * no document or array.
 */
extern bool PgBsonArrayHas(PgBsonView array, const PgBsonValue *scalar);

/* Is a string or symbol of these bytes an element of the array? */
extern bool PgBsonArrayHasText(PgBsonView array, const char *s, uint32 len);

#endif							/* PGBSON_MEMBER_H */
