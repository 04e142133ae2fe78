/*
 * pgbson.h
 *	  The bson type: what its bytes are, and the macros that fetch and return it.
 *
 * THE STORED FORMAT
 *
 * A bson datum is a varlena whose payload is exactly one valid BSON document
 * (bsonspec.org, version 1.1) and nothing else: no header, no index, no
 * reordering.  The payload of a document is the wire bytes any BSON library
 * wrote; bson_send, the cast to bytea and COPY BINARY hand out these bytes.
 *
 *		int32	total length in bytes, itself and the terminator included
 *		...		elements: type byte, key as a C string, value
 *		0x00	terminator
 *
 * All integers are little-endian and unaligned.  A value that is not a
 * document (an array, a number, null ...) is stored as the document
 *
 *		{"": MinKey, "": value}
 *
 *		offset	0	int32 length
 *				4	FF 00			MinKey under the empty key
 *				6	type 00			the value's type under the empty key
 *				8	value bytes, then the terminator
 *
 * Any BSON codec can decode that, and nobody writes it by accident.  It is
 * told from a document by those bytes: FF 00 at offset 4, 00 at offset 7, a
 * type other than document at offset 6, and nothing after the second element.
 * PgBsonRootOf() in core/view.c reads it and PgBsonFromValue() in
 * core/build.c writes it; no other code knows.
 *
 * The format is fixed from version 1.0 on.
 *
 * TRUST
 *
 * Bytes from outside (recv, bytea, \x text) pass core/validate.c once.  Code
 * below that door relies on the structure, but still bounds every read by the
 * enclosing document, so that damaged storage ends in an error of class
 * XX001 and never in a crash.
 */
#ifndef PGBSON_H
#define PGBSON_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/detoast.h"

/*
 * Documents, arrays and scopes may nest this deep, the stored document (for a
 * root that is an array: its wrapper) being level 1.  One limit for every door
 * and operator; beyond it the error is 54001.
 */
#define PGBSON_MAX_DEPTH 1024

/* The largest payload, in bytes: what a varlena holds */
#define PGBSON_MAX_SIZE (MaxAllocSize - VARHDRSZ)

/* The smallest document: length and terminator, in bytes */
#define PGBSON_MIN_SIZE 5

typedef struct varlena PgBson;

#define DatumGetPgBsonPP(d)		PgBsonDetoastPacked((struct varlena *) DatumGetPointer(d))
#define DatumGetPgBsonPCopy(d)	PgBsonDetoastCopy((struct varlena *) DatumGetPointer(d))
#define PG_GETARG_PGBSON_PP(n)	DatumGetPgBsonPP(PG_GETARG_DATUM(n))
#define PG_GETARG_PGBSON_P_COPY(n)	DatumGetPgBsonPCopy(PG_GETARG_DATUM(n))
#define PG_RETURN_PGBSON_P(x)	PG_RETURN_POINTER(x)

#endif							/* PGBSON_H */
