/*
 * diff.h
 *	  What changes one value into another, in the form of MongoDB's oplog.
 *
 * A delta is a document:
 *
 *		{"$v": 2, "diff": CHANGES}
 *
 * CHANGES of a document are sections, in this order, each left out if empty:
 *
 *		d	{name: false, ...}		fields that go
 *		u	{name: value, ...}		fields that keep their places, with other values
 *		i	{name: value, ...}		fields at the end, in this order; a field of that name goes
 *		sNAME	CHANGES				what changes within a field
 *
 * and of an array:
 *
 *		a	true					this is about an array
 *		l	number					its new length, where it gets shorter
 *		uPOSITION	value			an element's new value, or one behind the end
 *		sPOSITION	CHANGES			what changes within an element
 *
 * MongoDB has no delta of a root that is an array; here it has that form, too.
 *
 * Anything else is the new value itself, which a delta is where no other is
 * smaller.  A new document whose first field is "$v", which would be taken for
 * one of the above, is written
 *
 *		{"$v": 2, "replacement": document}
 *
 * The form holds by names, so it cannot say which of several fields with one
 * name changes, nor where a new field goes but behind all others.  Where that
 * is needed a document is replaced.
 */
#ifndef PGBSON_DIFF_H
#define PGBSON_DIFF_H

#include "core/bytes/view.h"

/* The delta from one stored document to the other, palloc'd; NULL where it is the other itself */
extern PgBson *PgBsonDiff(PgBsonView from, PgBsonView to);

#endif							/* PGBSON_DIFF_H */
