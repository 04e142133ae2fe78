/*
 * datum.h
 *	  Any SQL value as bson.
 *
 * How a type converts is looked up once per call site, and kept in fn_extra:
 *
 *		site = PgBsonCallSiteOf(fcinfo->flinfo);
 *		type = PgBsonCallSiteType(site, 0, get_fn_expr_argtype(fcinfo->flinfo, 0));
 *		PgBsonWriterDatum(writer, type, value, isnull);
 *
 *		boolean						bool
 *		smallint, integer			int32
 *		bigint, oid					int64
 *		real, double precision		double; a real by its shortest decimal, so 1.1 stays 1.1
 *		numeric						decimal128; 22003 if that cannot hold it exactly
 *		timestamptz, timestamp		date, rounded to a millisecond, a timestamp taken as UTC;
 *		date						date, midnight UTC; 22008 for infinity
 *		uuid, bytea					binary, subtypes 4 and 0
 *		json, jsonb, bson			the value itself
 *		arrays						arrays, one level for each dimension
 *		row types					documents
 *		with a cast to bson, or json	what the cast makes
 *		anything else				string: the type's output
 *
 * A domain converts as its base type does.
 */
#ifndef PGBSON_DATUM_H
#define PGBSON_DATUM_H

#include "core/write/write.h"

typedef struct PgBsonCallSite PgBsonCallSite;
typedef struct PgBsonTypeInfo PgBsonTypeInfo;

/* What the call site remembers of types; it lives as long as the site */
extern PgBsonCallSite *PgBsonCallSiteOf(FmgrInfo *flinfo);

/* How values of this type convert; the site remembers it under "argno". Error 22023 for InvalidOid. */
extern PgBsonTypeInfo *PgBsonCallSiteType(PgBsonCallSite *site, int argno, Oid typid);

/* A writer for small values, which the site keeps and resets for each */
extern PgBsonWriter *PgBsonCallSiteWriter(PgBsonCallSite *site);

/* A struct for what the function itself remembers, zeroed at first; a context that lives as long as the site */
extern void *PgBsonCallSiteKept(PgBsonCallSite *site, Size size);
extern MemoryContext PgBsonCallSiteMemory(PgBsonCallSite *site);

/* Write this value */
extern void PgBsonWriterDatum(PgBsonWriter *w, PgBsonTypeInfo *type, Datum value, bool isnull);

/* A value as an object's key: UTF-8, *len bytes; error 22023 if it is not a scalar */
extern const char *PgBsonKeyOfDatum(PgBsonTypeInfo *type, Datum value, uint32 *len);

#endif							/* PGBSON_DATUM_H */
