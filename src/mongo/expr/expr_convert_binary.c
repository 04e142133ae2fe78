/*
 * expr_convert_binary.c
 *	  Expressions: conversions of binary data.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_convert.cpp.
 */
#include "mongo/expr/expr_convert.h"

#include "common/base64.h"
#include "core/bytes/digits.h"
#include "utils/builtins.h"
#include "utils/uuid.h"

/* The length and subtype of a binary value; MongoDB counts the inner length of subtype 2 among the data */
#define BINARY_HEADER	5

static PgBsonValue
new_binary(uint8 subtype, const uint8 *bytes, uint32 len)
{
	uint8	   *data = palloc(len + 5);
	PgBsonValue value = {PGBSON_BINARY, len + 5, data};

	PgBsonWriteU32(data, len);
	data[4] = subtype;
	if (len > 0)
		memcpy(data + 5, bytes, len);
	return value;
}

PgBsonValue
PgBsonConvertStringToBinary(const char *s, uint32 len, const PgBsonConversion *conversion)
{
	bool		url = conversion->format == PGBSON_FORMAT_BASE64URL;
	uint8	   *bytes = palloc(len + 16);
	int			n;

	if (conversion->subtype == PGBSON_UUID_SUBTYPE && conversion->format != PGBSON_FORMAT_UUID)
		return PgBsonMissing;
	if (conversion->format == PGBSON_FORMAT_UUID)
	{
		if (conversion->subtype != PGBSON_UUID_SUBTYPE || !PgBsonDecodeUuid(s, len, bytes))
			return PgBsonMissing;
		return new_binary(conversion->subtype, bytes, PGBSON_UUID_SIZE);
	}
	if (conversion->format == PGBSON_FORMAT_UTF8)
		return new_binary(conversion->subtype, (const uint8 *) s, len);
	if (conversion->format == PGBSON_FORMAT_HEX)
	{
		if (len % 2 != 0 || !PgBsonDecodeHex(s, len / 2, bytes))
			return PgBsonMissing;
		return new_binary(conversion->subtype, bytes, len / 2);
	}
	if (url || conversion->format == PGBSON_FORMAT_BASE64)
	{
		char	   *copy = palloc(len + 4);
		uint32		copied = len;

		for (uint32 i = 0; i < len; i++)
		{
			copy[i] = s[i];
			if (url && (s[i] == '-' || s[i] == '_'))
				copy[i] = s[i] == '-' ? '+' : '/';
			else if (isspace((unsigned char) s[i]) || (url && (s[i] == '+' || s[i] == '/')))
				return PgBsonMissing;
		}
		while (url && copied % 4 != 0)
			copy[copied++] = '=';
		n = pg_b64_decode((const void *) copy, copied, (void *) bytes, len + 16);
		if (n < 0 || copied % 4 != 0)
			return PgBsonMissing;
		return new_binary(conversion->subtype, bytes, n);
	}
	return PgBsonMissing;
}

/* Are the bytes valid UTF-8?  U+0000 is allowed. */
static bool
is_utf8(const char *s, uint32 len)
{
	const char *end = s + len;

	/* the server's check ends at a U+0000, so go on after each */
	while (s < end)
	{
		const char *nul = memchr(s, '\0', end - s);
		int			piece = (nul == NULL ? end : nul) - s;

		CHECK_FOR_INTERRUPTS();
		if (!pg_verify_mbstr(PG_UTF8, s, piece, true))
			return false;
		s += piece + 1;
	}
	return true;
}

PgBsonValue
PgBsonConvertBinaryToString(const PgBsonValue *value, const PgBsonConversion *conversion)
{
	uint32		len = value->len - BINARY_HEADER;
	const uint8 *bytes = value->data + BINARY_HEADER;
	bool		is_uuid = PgBsonValueUuid(value) != NULL;
	bool		url = conversion->format == PGBSON_FORMAT_BASE64URL;
	char	   *s;
	int			n;

	if (conversion->format == PGBSON_FORMAT_UUID || (conversion->format == PGBSON_FORMAT_AUTO && is_uuid))
	{
		if (!is_uuid)
			return PgBsonMissing;
		s = DatumGetCString(DirectFunctionCall1(uuid_out, PointerGetDatum(bytes)));
		return PgBsonMakeString(s, strlen(s));
	}
	if (conversion->format == PGBSON_FORMAT_UTF8)
	{
		if (!is_utf8((const char *) bytes, len))
			return PgBsonMissing;
		return PgBsonMakeString((const char *) bytes, len);
	}
	if (len > MaxAllocSize / 4)
		return PgBsonMissing;
	s = palloc(2 * len + 16);
	if (conversion->format == PGBSON_FORMAT_HEX)
	{
		n = hex_encode((const char *) bytes, len, s);
		for (int i = 0; i < n; i++)
			s[i] = pg_ascii_toupper((unsigned char) s[i]);
		return PgBsonMakeString(s, n);
	}
	n = pg_b64_encode((const void *) bytes, len, (void *) s, 2 * len + 16);
	for (int i = 0; i < n && url; i++)
		s[i] = s[i] == '+' ? '-' : s[i] == '/' ? '_' : s[i];
	while (url && n > 0 && s[n - 1] == '=')
		n--;
	return PgBsonMakeString(s, n);
}

/* The number that these bytes are, with the most significant one first or last */
static uint64
read_bytes(const uint8 *bytes, uint32 len, bool big_endian)
{
	uint64		n = 0;

	for (uint32 i = 0; i < len; i++)
		n = n << 8 | bytes[big_endian ? i : len - 1 - i];
	return n;
}

PgBsonValue
PgBsonConvertBinaryToNumber(const PgBsonValue *value, const PgBsonConversion *conversion)
{
	uint32		len = value->len - BINARY_HEADER;
	const uint8 *bytes = value->data + BINARY_HEADER;
	uint64		bits;
	uint32		low;
	float		f;

	if (len != 1 && len != 2 && len != 4 && len != 8)
		return PgBsonMissing;
	bits = read_bytes(bytes, len, conversion->big_endian);
	if (conversion->type == PGBSON_DOUBLE && len == 4)
	{
		low = (uint32) bits;
		memcpy(&f, &low, sizeof(f));
		return PgBsonMakeDouble(f);
	}
	if (conversion->type == PGBSON_DOUBLE && len == 8)
	{
		double		d;

		memcpy(&d, &bits, sizeof(d));
		return PgBsonMakeDouble(d);
	}
	if ((conversion->type != PGBSON_INT32 || len == 8) && conversion->type != PGBSON_INT64)
		return PgBsonMissing;
	return PgBsonConvertInteger(conversion->type, len == 1 ? (int8) bits : len == 2 ? (int16) bits :
						 len == 4 ? (int32) bits : (int64) bits);
}

PgBsonValue
PgBsonConvertNumberToBinary(const PgBsonValue *value, const PgBsonConversion *conversion)
{
	uint8		bytes[8];

	/* numbers in BSON begin with the least significant byte */
	for (uint32 i = 0; i < value->len; i++)
		bytes[i] = value->data[conversion->big_endian ? value->len - 1 - i : i];
	return new_binary(conversion->subtype, bytes, value->len);
}
