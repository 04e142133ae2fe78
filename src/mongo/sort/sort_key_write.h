/*
 * sort_key_write.h
 *	  The key of a sort, from the values that count.
 *
 * The key is the value itself where the sort has one path, and ascending;
 * otherwise an array of what each path adds.  An ascending path adds its
 * value.  A descending path adds an array that sorts against the value:
 *
 *		rank		the number of the value's rank, negated
 *		number		negated; NaN, the least of all, is an empty string, which sorts behind numbers
 *		string		inverted bytes, see put_inverted
 *		binary		length, negated, and inverted bytes; so a DBPointer
 *		fixed size	inverted bits, of the same type
 *		document	rank, inverted name and these for each field; 1, which no rank is
 *		array		rank and these for each element; 1
 */
#ifndef PGBSON_SORT_KEY_WRITE_H
#define PGBSON_SORT_KEY_WRITE_H

#include "mongo/sort/sort_key.h"

/* The key of these values, one for each path of the sort, palloc'd */
extern PgBson *PgBsonSortKeyWrite(const PgBsonSortOrder *order, const PgBsonValue *values);

#endif							/* PGBSON_SORT_KEY_WRITE_H */
