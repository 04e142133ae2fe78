/*
 * columns.h
 *	  The columns of a row type, and where a document has their values.
 */
#ifndef PGBSON_COLUMNS_H
#define PGBSON_COLUMNS_H

#include "core/bytes/keyset.h"
#include "core/find/fields.h"
#include "sql/convert/populate.h"

/* A column, and the name that is searched for */
typedef struct PgBsonColumn
{
	const char *name;			/* UTF-8 */
	uint32		name_len;
	int			same_as;		/* an earlier column of the same name, or -1 */
	PgBsonSqlType *type;		/* NULL until needed */
} PgBsonColumn;

/* What is known about a row type while its definition stays the same */
typedef struct PgBsonColumns
{
	MemoryContext context;		/* of the following */
	uint64		identifier;		/* of the definition */
	TupleDesc	tupdesc;
	PgBsonColumn *columns;
	uint32		wanted;			/* the number of columns to find: those neither dropped nor same_as another */
	PgBsonKeySet names;			/* the names of these columns */
	int		   *by_name;		/* the column of each entry of that set */
	PgBsonFields fields;		/* the same names, if they are few */
} PgBsonColumns;

/*
 * The row type's current columns: a named type may be altered during the life
 * of a call site.  They are kept in *kept, which is NULL at first; their
 * memory comes from "context".
 */
extern PgBsonColumns *PgBsonColumnsOf(MemoryContext context, PgBsonColumns **kept, Oid typid, int32 typmod);

/*
 * Find for each column the value of that name (the first of duplicates) in the document that the reader has
 * open; the others keep type PGBSON_EOD.  "values" has room for tupdesc->natts of them.
 */
extern void PgBsonColumnsFind(PgBsonColumns *row, PgBsonReader *reader, PgBsonValue *values);

#endif							/* PGBSON_COLUMNS_H */
