/*
 * store.h
 *	  Set-returning functions that put all their rows into a tuplestore at once.
 *
 * Their call site's fn_extra is their own, unlike that of a function that returns row by
 * row, so they can remember what they compiled.
 */
#ifndef PGBSON_STORE_H
#define PGBSON_STORE_H

#include "core/write/from_value.h"

#include "access/htup_details.h"
#include "nodes/execnodes.h"
#include "utils/tuplestore.h"

/* Does the caller prefer a tuplestore, as FROM does?  Its rows must have this number of columns. */
extern bool PgBsonStoreWanted(FunctionCallInfo fcinfo, int ncolumns);

/* Where a set-returning function says how its rows come; an error if it was not called as one */
extern ReturnSetInfo *PgBsonReturnRows(FunctionCallInfo fcinfo);

/* Tell the caller that the rows come in a store; an error if it does not take one.  Without a store there is no row. */
extern ReturnSetInfo *PgBsonReturnStore(FunctionCallInfo fcinfo);

/* Make the store, for rows of this type, which may be the one that the caller expects */
extern Tuplestorestate *PgBsonStoreMake(ReturnSetInfo *rsinfo, TupleDesc desc);

/*
 * Rows of varlenas, formed without the server's loops over attributes of any type.  A varlena of up to 126 bytes gets a
 * header of one byte and no alignment, as heap_form_tuple does it.  Rows that are too long for the room here are left
 * to that.
 */

/* In bytes */
#define PGBSON_ROW_ROOM		1024

/* The most columns of a row: those whose null bits fit one byte */
#define PGBSON_ROW_COLUMNS	8
#define PGBSON_ROW_START	MAXALIGN(SizeofHeapTupleHeader + 1)

typedef struct PgBsonRow
{
	HeapTupleData tuple;		/* t_len is the length formed so far */
	int			columns;		/* number of columns formed so far */
	union
	{
		HeapTupleHeaderData header;
		char		bytes[PGBSON_ROW_ROOM];
	}			data;
} PgBsonRow;

/* Begin rows of "natts" columns */
extern void PgBsonRowInit(PgBsonRow *row, int natts);

/* Begin another row */
static inline void
PgBsonRowBegin(PgBsonRow *row)
{
	row->tuple.t_len = PGBSON_ROW_START;
	row->columns = 0;
	row->data.header.t_infomask = HEAP_HASVARWIDTH;
	row->data.header.t_bits[0] = 0;
}

/* The next column is NULL */
static inline void
PgBsonRowNull(PgBsonRow *row)
{
	row->columns++;
	row->data.header.t_infomask |= HEAP_HASNULL;
}

/* The next column is a varlena of "len" bytes, which the caller writes to the result; NULL if there is no room */
static inline void *
PgBsonRowVarlena(PgBsonRow *row, Size len)
{
	uint32		at = row->tuple.t_len;
	char	   *p = row->data.bytes + at;

	/* with room for the header and the alignment */
	if (unlikely(len + 8 > PGBSON_ROW_ROOM - at))
		return NULL;
	row->data.header.t_bits[0] |= 1 << row->columns++;
	if (len + VARHDRSZ_SHORT <= VARATT_SHORT_MAX)
	{
		row->tuple.t_len = at + VARHDRSZ_SHORT + len;
		SET_VARSIZE_SHORT(p, len + VARHDRSZ_SHORT);
		return p + VARHDRSZ_SHORT;
	}
	/* a byte that is not zero would be taken for a short header */
	while (at != INTALIGN(at))
		row->data.bytes[at++] = 0;
	p = row->data.bytes + at;
	row->tuple.t_len = at + VARHDRSZ + len;
	SET_VARSIZE(p, len + VARHDRSZ);
	return VARDATA(p);
}

/* A varlena of these bytes, or of this value; false if there is no room */
static inline bool
PgBsonRowBytes(PgBsonRow *row, const void *bytes, Size len)
{
	void	   *p = PgBsonRowVarlena(row, len);

	if (p != NULL)
		memcpy(p, bytes, len);
	return p != NULL;
}

static inline bool
PgBsonRowBson(PgBsonRow *row, const PgBsonValue *value)
{
	Size		size = PgBsonRootSize(value);
	void	   *p = PgBsonRowVarlena(row, size);

	if (p != NULL)
		PgBsonPutRoot(value, p, size);
	return p != NULL;
}

static inline void
PgBsonRowStore(PgBsonRow *row, Tuplestorestate *store)
{
	tuplestore_puttuple(store, &row->tuple);
}

#endif							/* PGBSON_STORE_H */
