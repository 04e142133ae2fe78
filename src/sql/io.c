/*
 * io.c
 *	  The type's input and output, text and binary, and the casts to and from bytea.
 *
 * Text is JSON, Extended JSON, or \x and the hex digits of the raw bytes.
 * Binary is the BSON document itself.
 */
#include "door.h"

#include "core/write/from_value.h"
#include "json/print.h"
#include "json/transcode.h"
#include "libpq/pqformat.h"
#include "sql/attempt.h"
#include "utils/builtins.h"

/* \x and hex digits: raw bytes from outside, which are validated */
static PgBson *
from_hex(const char *hex, Size len, Node *escontext)
{
	PgBson	   *result;
	Size		size = len / 2;

	if (len % 2 != 0)
		ereturn(escontext, NULL,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "bson"),
				 errdetail("The hexadecimal text has an odd number of digits.")));
	if (size > PGBSON_MAX_SIZE)
		ereturn(escontext, NULL,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("bson document is too large")));

	for (Size i = 0; i < len; i++)
	{
		if (!isxdigit((unsigned char) hex[i]))
			ereturn(escontext, NULL,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("invalid input syntax for type %s", "bson"),
					 errdetail("Character %zu is not a hexadecimal digit.", i + 3)));
	}

	result = (PgBson *) palloc(size + VARHDRSZ);
	SET_VARSIZE(result, size + VARHDRSZ);
	hex_decode(hex, len, VARDATA(result));
	if (!PgBsonValidate((uint8 *) VARDATA(result), size, escontext))
		return NULL;
	return result;
}

/* SQL: bson_in(cstring) returns bson */
PGBSON_FUNCTION(pgbson_in)
{
	char	   *text = PG_GETARG_CSTRING(0);
	PgBson	   *result;

	if (text[0] == '\\' && text[1] == 'x')
		result = from_hex(text + 2, strlen(text + 2), PG_ESCONTEXT());
	else
		result = PgBsonFromJson(text, strlen(text), PGBSON_NUMBERS_EXACT, PG_ESCONTEXT());
	if (result == NULL)
		PG_RETURN_NULL();		/* a soft error */
	PG_RETURN_PGBSON_P(result);
}

/* A text that may be a document's */
typedef struct Note
{
	text	   *text;
	PgBson	   *result;
} Note;

static void
read_note(void *arg)
{
	Note	   *note = arg;

	note->result = PgBsonFromJson(VARDATA_ANY(note->text), VARSIZE_ANY_EXHDR(note->text), PGBSON_NUMBERS_EXACT, NULL);
}

static bool
is_about_text(const ErrorData *error)
{
	return ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_DATA_EXCEPTION ||
		error->sqlerrcode == ERRCODE_STATEMENT_TOO_COMPLEX;
}

/*
 * SQL: bson_note(text) returns bson
 *
 * A comment is of whoever owns what it is on, and one that is no document must not be an error for all others.
 */
PGBSON_FUNCTION(pgbson_note)
{
	Note		note = {PG_GETARG_TEXT_PP(0)};

	if (!PgBsonAttempt(read_note, &note, is_about_text) || PgBsonRoot(note.result).type != PGBSON_DOCUMENT)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(note.result);
}

/* SQL: bson_out(bson) returns cstring */
PGBSON_FUNCTION(pgbson_out)
{
	PgBsonReader reader;
	PgBsonView	view = PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	StringInfoData out;

	initStringInfo(&out);
	if (!PgBsonPrint(&out, &reader.root, PGBSON_LOSSLESS, 0))
	{
		resetStringInfo(&out);
		PgBsonPrintHex(&out, view.data, view.len);
	}
	PgBsonClose(&reader);
	PG_RETURN_CSTRING(out.data);
}

/* Bytes from outside, which are validated */
static Datum
from_bytes(FunctionCallInfo fcinfo, const void *data, Size len)
{
	if (!PgBsonValidate(data, len, PG_ESCONTEXT()))
		PG_RETURN_NULL();		/* a soft error */
	PG_RETURN_PGBSON_P(PgBsonFromBytes(data, len));
}

/* SQL: bson_recv(internal) returns bson */
PGBSON_FUNCTION(pgbson_recv)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;

	return from_bytes(fcinfo, pq_getmsgbytes(buf, len), len);
}

/* SQL: bson_send(bson) returns bytea; the stored bytes are the wire bytes */
PGBSON_DOOR(pgbson_send, PointerGetDatum(PG_GETARG_PGBSON_P_COPY(0)));

/* SQL: bson(bytea) returns bson */
PGBSON_FUNCTION(pgbson_from_bytea)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);

	return from_bytes(fcinfo, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}
