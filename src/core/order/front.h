/*
 * front.h
 *	  What the first bytes of toasted values tell of their order.
 */
#ifndef PGBSON_FRONT_H
#define PGBSON_FRONT_H

#include "core/bytes/view.h"

/* A datum, or its front */
typedef struct PgBsonFront
{
	PgBsonValue root;			/* of which all bytes count, those that are not there included */
	const uint8 *avail;			/* the end of those that are there */
	struct varlena *bytes;		/* palloc'd, or NULL */
} PgBsonFront;

/* False if there is no front that can be had alone */
extern bool PgBsonFrontOpen(Datum datum, PgBsonFront *front);
extern void PgBsonFrontClose(PgBsonFront *front);

/* Is all there on the way to the first scalar, and that itself? */
extern bool PgBsonFrontHasScalar(const PgBsonFront *front);

/* What PgBsonCompare says, in *cmp; false if these fronts do not tell */
extern bool PgBsonFrontsTell(const PgBsonFront *a, const PgBsonFront *b, int *cmp);

/* The same of two data, with their fronts or without */
extern bool PgBsonFrontsCompare(Datum x, Datum y, int *cmp);

#endif							/* PGBSON_FRONT_H */
