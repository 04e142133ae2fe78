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
 * MongoDB has no delta of a root that is an array; here it has the same form.
 *
 * If no delta of this form is smaller than the new value, the delta is the new
 * value itself.  But a new document whose first field is "$v" would be mistaken
 * for one of the above, so it is written
 *
 *		{"$v": 2, "replacement": document}
 *
 * A delta names fields, so it cannot tell which of several fields with one name changes, and a new
 * field can only be put after all others.  Otherwise the document is replaced.
 * The authority is MongoDB's src/mongo/db/update/document_diff_calculator.cpp.
 */
#ifndef PGBSON_DIFF_H
#define PGBSON_DIFF_H

#include "core/bytes/view.h"

/* The delta between two stored documents, palloc'd; NULL if it is the second document itself */
extern PgBson *PgBsonDiff(PgBsonView from, PgBsonView to);

/*
 * What an update has changed, as MongoDB's change streams tell it, palloc'd: {updatedFields: {path: value},
 * removedFields: [path], truncatedArrays: [{field: path, newSize: n}]}.  NULL if names of fields cannot tell it.
 */
extern PgBson *PgBsonDescribeUpdate(PgBsonView from, PgBsonView to);

/*
 * patch.c: as in MongoDB, deleting a field that is missing does nothing, and updating a field that is missing adds it,
 * so a delta can be applied twice.  A change within a field that is missing, or of another type, is an error.
 */

/* The most nulls that a delta adds to an array, to reach a position behind its end */
#define PGBSON_PATCH_MAX_PADDING	1500000

/*
 * Apply the delta to a stored document, palloc'd; NULL if the result is the
 * delta itself.  Raises 22023 for a delta that is not understood, and 55000 for
 * one that does not fit the document.
 */
extern PgBson *PgBsonPatch(PgBsonView doc, PgBsonView delta);

#endif							/* PGBSON_DIFF_H */
