/*
 * sort_key_write.h
 *	  Writing the key of a sort from the values of its paths.
 *
 * If the sort has one path, ascending, the key is the value itself; otherwise
 * it is an array to which each path adds an element.  An ascending path adds
 * its value.  A descending path adds an array that sorts in the opposite order
 * of the value.  It has the rank of the value's type, negated, and then
 *
 *		number		the number, negated; for NaN, the least of all, an empty string, which sorts after numbers
 *		string		inverted bytes, see put_inverted
 *		binary		the length, negated, and inverted bytes; a DBPointer likewise
 *		fixed size	inverted bits, of the same type
 *		document	for each field the rank, the inverted name and these; at the end 1, which is no negated rank
 *		array		for each element the rank and these; at the end 1
 *
 * The form is our own, MongoDB stores no such keys; the authority for the order
 * is its src/mongo/db/exec/sort_key_comparator.cpp.
 */
#ifndef PGBSON_SORT_KEY_WRITE_H
#define PGBSON_SORT_KEY_WRITE_H

#include "mongo/sort/sort_key.h"

/* The key of these values, one for each path of the sort, palloc'd */
extern PgBson *PgBsonSortKeyWrite(const PgBsonSortOrder *order, const PgBsonValue *values);

#endif							/* PGBSON_SORT_KEY_WRITE_H */
