/*
 * from_value.c
 *	  Making bson datums of values that are already encoded.
 */
#include "core/write/from_value.h"

#include "core/write/write.h"

void
PgBsonReportTooLarge(void)
{
	PgBsonReportLimit(errmsg("bson document is too large"),
					  errdetail("A bson value holds at most %zu bytes.", (Size) PGBSON_MAX_SIZE));
}

/* Write the envelope of a document of "size" bytes, and return where its value goes */
static inline uint8 *
put_envelope(uint8 *p, Size size, PgBsonType type)
{
	PgBsonWriteU32(p, size);
	p[size - 1] = 0;
	return PgBsonPutEnvelope(p, type);
}

/* Allocate a datum of "size" bytes; returns where they go */
static inline uint8 *
allocate_datum(uint64 size, PgBson **result)
{
	if (size > PGBSON_MAX_SIZE)
		PgBsonReportTooLarge();
	*result = (PgBson *) palloc(size + VARHDRSZ);
	SET_VARSIZE(*result, size + VARHDRSZ);
	return (uint8 *) VARDATA(*result);
}

uint8 *
PgBsonAllocateArray(uint64 len, PgBson **result)
{
	uint8	   *p;

	len += PGBSON_MIN_SIZE;
	p = put_envelope(allocate_datum(len + PGBSON_ENVELOPE_SIZE, result), len + PGBSON_ENVELOPE_SIZE, PGBSON_ARRAY);
	PgBsonWriteU32(p, len);
	p[len - 1] = 0;
	return p + 4;
}

PgBson *
PgBsonFromBytes(const uint8 *data, Size len)
{
	PgBson	   *result;

	memcpy(allocate_datum(len, &result), data, len);
	return result;
}

/* A document that looks like an envelope is put into one, too */
inline Size
PgBsonRootSize(const PgBsonValue *value)
{
	bool		enveloped = value->type != PGBSON_DOCUMENT ||
		(value->len >= 9 && PgBsonBeginsEnvelope(value->data) && PgBsonIsEnvelope(PgBsonValueView(value)));

	return enveloped ? (Size) value->len + PGBSON_ENVELOPE_SIZE : value->len;
}

inline void
PgBsonPutRoot(const PgBsonValue *value, uint8 *p, Size size)
{
	if (size > value->len)
		p = put_envelope(p, size, value->type);
	if (value->len > 0)
		memcpy(p, value->data, value->len);
}

PgBson *
PgBsonFromValue(const PgBsonValue *value)
{
	Size		size = PgBsonRootSize(value);
	PgBson	   *result;

	PgBsonPutRoot(value, allocate_datum(size, &result), size);
	return result;
}

PgBson *
PgBsonEmptyOf(PgBsonType type)
{
	return PgBsonFromValue(&(PgBsonValue) {type, PgBsonEmpty.len, PgBsonEmpty.data});
}

PgBson *
PgBsonEncloseLookalike(PgBson *document)
{
	PgBsonView	view = PgBsonViewOf(document);
	PgBsonValue value = {PGBSON_DOCUMENT, view.len, view.data};

	return PgBsonIsEnvelope(view) ? PgBsonFromValue(&value) : document;
}
