/*
 * pgbson.h
 *	  The bson type: what its bytes are.
 *
 * THE STORED FORMAT
 *
 * A bson datum is a varlena whose payload is exactly one valid BSON document
 * (bsonspec.org, version 1.1) and nothing else: no header, no index, no
 * reordering.  The payload of a document has the wire format that every BSON
 * library writes; bson_send, the cast to bytea and COPY BINARY hand out these
 * bytes.
 *
 *		int32 total length in bytes, itself and the terminator included
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
 * Any BSON codec can decode that, and such a document is unlikely to occur by
 * accident.  These bytes distinguish it from a document: FF 00 at offset 4, 00
 * at offset 7, a type other than document at offset 6, and no third element.
 * We call this the envelope; a "wrapper" is an object of Extended JSON, such
 * as {"$oid": "..."}.
 *
 * Only a root can have an envelope.  A field or an element whose value is a
 * document with such bytes is that document, for every operator.  When it
 * becomes a root, as the result of -> does, it gets an envelope itself, with
 * the type document at offset 6.  So bytes with a document at offset 6 are an
 * envelope only if that document has the bytes of an envelope, of either kind;
 * {"": MinKey, "": {"x": 1}} is a document of two fields.
 *
 * PgBsonRootOf() and PgBsonIsEnvelope() in core/bytes/view.c open envelopes.
 * PgBsonPutEnvelope() in core/write/write.h writes them, for PgBsonFromValue() and
 * PgBsonEncloseLookalike() in core/write/from_value.c, for json/transcode.c, and for
 * PgBsonWriterOpenEnvelope(); where libbson makes the document element by
 * element (core/write/build.c), MinKey is simply its first element.  A change of a
 * stored value goes through PgBsonEditFinish() in core/write/write.c, which
 * preserves these rules.  Code that has only the front of a document
 * (core/stored/reader.c) calls PgBsonBeginsEnvelope() in core/bytes/view.h.
 *
 * The format is fixed from version 1.0 on.
 *
 * TRUST
 *
 * Bytes from outside (recv, bytea, \x text) pass core/bytes/validate.c once.  All
 * other code relies on the structure, but still bounds every read by the
 * enclosing document, so that damaged storage causes an error of class XX001
 * and never a crash.
 */
#ifndef PGBSON_H
#define PGBSON_H

#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"

/* The release that these sources are, as META.json says; bson_version() and the magic blocks of both modules show it */
#define PGBSON_RELEASE "1.1.0"

/*
 * Documents, arrays and scopes may nest this deep, the stored document (for a
 * root that is an array: its envelope) being level 1.  All doors and operators
 * have this one limit; beyond it they raise error 54001.
 */
#define PGBSON_MAX_DEPTH 1024

/* The largest payload, in bytes, that fits in a varlena */
#define PGBSON_MAX_SIZE (MaxAllocSize - VARHDRSZ)

/* The size of the smallest document, a length and a terminator, in bytes */
#define PGBSON_MIN_SIZE 5

typedef struct varlena PgBson;

#define PG_RETURN_PGBSON_P(x)	PG_RETURN_POINTER(x)

#endif							/* PGBSON_H */
