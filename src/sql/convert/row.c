/*
 * row.c
 *	  Rows of varlenas for a tuplestore, formed without the server's loops over attributes of any type.
 *
 * A varlena of up to 126 bytes gets a header of one byte and no alignment, as
 * heap_form_tuple does it.  Rows that are too long for the room here are left to
 * that.
 */
#include "sql/convert/row.h"

void
PgBsonRowInit(PgBsonRow *row, int natts)
{
	Assert(natts <= PGBSON_ROW_COLUMNS);
	memset(&row->tuple, 0, sizeof(row->tuple));
	memset(&row->data, 0, PGBSON_ROW_START);
	row->tuple.t_data = &row->data.header;
	ItemPointerSetInvalid(&row->tuple.t_self);
	row->data.header.t_hoff = PGBSON_ROW_START;
	HeapTupleHeaderSetNatts(&row->data.header, natts);
}
