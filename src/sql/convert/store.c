/*
 * store.c
 *	  Set-returning functions that put all their rows into a tuplestore at once.
 */
#include "sql/convert/store.h"

#include "access/tupdesc.h"
#include "miscadmin.h"

bool
PgBsonStoreWanted(FunctionCallInfo fcinfo, int ncolumns)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	return rsinfo != NULL && IsA(rsinfo, ReturnSetInfo) &&
		(rsinfo->allowedModes & SFRM_Materialize) && (rsinfo->allowedModes & SFRM_Materialize_Preferred) &&
		rsinfo->expectedDesc != NULL && rsinfo->expectedDesc->natts == ncolumns;
}

ReturnSetInfo *
PgBsonReturnRows(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo))
		PgBsonReportUnsupported(errmsg("set-valued function called in context that cannot accept a set"));
	return rsinfo;
}

ReturnSetInfo *
PgBsonReturnStore(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = PgBsonReturnRows(fcinfo);

	if (!(rsinfo->allowedModes & SFRM_Materialize))
		PgBsonReportUnsupported(errmsg("materialize mode required, but it is not allowed in this context"));
	rsinfo->returnMode = SFRM_Materialize;
	return rsinfo;
}

Tuplestorestate *
PgBsonStoreMake(ReturnSetInfo *rsinfo, TupleDesc desc)
{
	MemoryContext old = MemoryContextSwitchTo(rsinfo->econtext->ecxt_per_query_memory);

	rsinfo->setResult = tuplestore_begin_heap((rsinfo->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
	/* the executor compares it with the expected type, and frees it: so it gets a copy, and only of another type */
	if (desc != rsinfo->expectedDesc)
		rsinfo->setDesc = CreateTupleDescCopy(desc);
	MemoryContextSwitchTo(old);
	return rsinfo->setResult;
}

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
