/*
 * row.h
 *	  Rows of varlenas for a tuplestore.
 */
#ifndef PGBSON_ROW_H
#define PGBSON_ROW_H

#include "pgbson.h"

#include "access/htup_details.h"
#include "core/write/from_value.h"
#include "utils/tuplestore.h"

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

/* The next column is a varlena of "len" bytes, which the caller writes where the result points; NULL if there is no room */
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

#endif							/* PGBSON_ROW_H */
