/*
 * mongodb.c
 *	  Functions for users who come from MongoDB: ObjectIds and dumps.
 */
#include "door.h"

#include "core/bytes/digits.h"
#include "core/bytes/value.h"
#include "core/write/from_value.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* SQL: bson_objectid() returns bson; a new one at every call */
PGBSON_FUNCTION(pgbson_objectid)
{
	uint8		oid[PGBSON_OBJECTID_SIZE];
	PgBsonValue value = {PGBSON_OBJECTID, sizeof(oid), oid};

	PgBsonObjectIdMake(oid);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&value));
}

/* SQL: bson_objectid(text) returns bson */
PGBSON_FUNCTION(pgbson_objectid_from_text)
{
	text	   *digits = PG_GETARG_TEXT_PP(0);
	uint8		oid[PGBSON_OBJECTID_SIZE];
	PgBsonValue value = {PGBSON_OBJECTID, sizeof(oid), oid};

	if (VARSIZE_ANY_EXHDR(digits) != 2 * sizeof(oid) || !PgBsonDecodeHex(VARDATA_ANY(digits), sizeof(oid), oid))
		PgBsonReport(ERRCODE_INVALID_TEXT_REPRESENTATION, errmsg("invalid ObjectId: \"%s\"", text_to_cstring(digits)),
					 errdetail("A 24-digit hexadecimal string is expected."));
	PG_RETURN_PGBSON_P(PgBsonFromValue(&value));
}

/* SQL: bson_objectid_timestamp(bson) returns timestamptz */
PGBSON_FUNCTION(pgbson_objectid_timestamp)
{
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	TimestampTz result;

	if (root.type != PGBSON_OBJECTID)
		PgBsonReportInvalid(errmsg("cannot get the time of a bson value of type %s",
								   PgBsonTypeName(root.type)),
							errdetail("The function takes an ObjectId."));
	if (!PgBsonDateToTimestamp(PgBsonObjectIdSeconds(root.data) * 1000, &result))
		PgBsonReportDamaged(0);
	PG_RETURN_TIMESTAMPTZ(result);
}

/* The state of a pass over the documents of a dump */
typedef struct Dump
{
	const uint8 *data;
	Size		len;			/* bytes */
	Size		next;			/* where the next document begins */
} Dump;

/* The document at dump->next, checked; its length in bytes */
static Size
next_document(const Dump *dump)
{
	PgBsonFault fault = {gettext_noop("A document is cut short"), 0, false};
	Size		left = dump->len - dump->next;
	Size		len = 0;

	if (left >= 4)
		len = PgBsonReadU32(dump->data + dump->next);
	if (len < PGBSON_MIN_SIZE || len > left ||
		!PgBsonCheck(dump->data + dump->next, len, &fault))
		PgBsonReport(ERRCODE_INVALID_BINARY_REPRESENTATION, errmsg("invalid bson dump"),
					 errdetail("The document at byte %zu of %zu: %s (at byte %zu).",
							   dump->next, dump->len, _(fault.reason), dump->next + fault.offset));
	return len;
}

/* SQL: bson_read_dump(bytea) returns setof bson: documents one after the other, as mongodump writes them */
PGBSON_FUNCTION(pgbson_read_dump)
{
	FuncCallContext *funcctx;
	Dump	   *dump;
	Size		len;
	PgBson	   *doc;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		bytea	   *bytes;

		funcctx = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		bytes = PG_GETARG_BYTEA_P_COPY(0);
		dump = palloc_object(Dump);
		dump->data = (const uint8 *) VARDATA(bytes);
		dump->len = VARSIZE(bytes) - VARHDRSZ;
		dump->next = 0;
		funcctx->user_fctx = dump;
		MemoryContextSwitchTo(old);
	}

	funcctx = SRF_PERCALL_SETUP();
	dump = (Dump *) funcctx->user_fctx;
	if (dump->next == dump->len)
		SRF_RETURN_DONE(funcctx);
	len = next_document(dump);
	doc = PgBsonFromBytes(dump->data + dump->next, len);
	dump->next += len;
	SRF_RETURN_NEXT(funcctx, PointerGetDatum(doc));
}
