/*
 * datum_type.h
 *	  How SQL types convert to bson, between datum.c and datum_type.c.
 */
#ifndef PGBSON_DATUM_TYPE_H
#define PGBSON_DATUM_TYPE_H

#include "sql/make/datum.h"

#include "access/tupdesc.h"

typedef enum PgBsonCategory
{
	PGBSON_CATEGORY_BOOL,
	PGBSON_CATEGORY_INT2,
	PGBSON_CATEGORY_INT4,
	PGBSON_CATEGORY_INT8,
	PGBSON_CATEGORY_OID,
	PGBSON_CATEGORY_FLOAT4,
	PGBSON_CATEGORY_FLOAT8,
	PGBSON_CATEGORY_NUMERIC,
	PGBSON_CATEGORY_TEXT,		/* a varlena that holds its text: text, varchar, char(n) */
	PGBSON_CATEGORY_DATE,
	PGBSON_CATEGORY_TIMESTAMP,
	PGBSON_CATEGORY_TIMESTAMPTZ,
	PGBSON_CATEGORY_UUID,
	PGBSON_CATEGORY_BYTEA,
	PGBSON_CATEGORY_OUTPUT,	/* the output function's text */
	/* the types from here on are not scalar, so they cannot be keys */
	PGBSON_CATEGORY_JSON,
	PGBSON_CATEGORY_JSONB,
	PGBSON_CATEGORY_BSON,
	PGBSON_CATEGORY_CAST_TO_JSON,
	PGBSON_CATEGORY_CAST_TO_BSON,
	PGBSON_CATEGORY_ARRAY,
	PGBSON_CATEGORY_ROW
} PgBsonCategory;

/* The columns of the last row type */
typedef struct PgBsonRowInfo
{
	MemoryContext context;		/* of the following; reset for another row type */
	uint64		identifier;		/* of the row type's definition */
	PgBsonTypeInfo **columns;	/* NULL until needed */
	uint32	   *last;			/* PgBsonFindRepeatedKeys of the names; NULL if they differ */
} PgBsonRowInfo;

struct PgBsonTypeInfo
{
	PgBsonCallSite *site;
	MemoryContext context;
	Oid			typid;			/* the type asked for */
	Oid			base;			/* its base type if it is a domain, else the type itself */
	PgBsonCategory category;
	FmgrInfo	function;		/* of category OUTPUT, the output function; of the CASTs, the cast */
	FmgrInfo	output;			/* for keys; fn_oid invalid until needed */
	/* category ARRAY: the last element type */
	PgBsonTypeInfo *element;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	/* category ROW */
	PgBsonRowInfo *row;
};

struct PgBsonCallSite
{
	MemoryContext context;
	Oid			function;		/* the function that is called at the site */
	Oid			bson;			/* the type, if looked_up; may be invalid */
	bool		looked_up;
	int			ntypes;
	PgBsonTypeInfo **types;		/* by argument; NULL until needed */
	PgBsonWriter writer;		/* its data is NULL before the first call */
	void	   *kept;			/* for the function, see PgBsonCallSiteKept */
};

/* Look a type up; it lives in the context */
extern PgBsonTypeInfo *PgBsonTypeInfoOf(PgBsonCallSite *site, MemoryContext context, Oid typid);

/* The type's output function */
extern void PgBsonTypeInfoOutput(PgBsonTypeInfo *type, FmgrInfo *flinfo);

/* How the columns of a row of this type convert */
extern PgBsonRowInfo *PgBsonRowInfoOf(PgBsonTypeInfo *type, TupleDesc tupdesc);

#endif							/* PGBSON_DATUM_TYPE_H */
