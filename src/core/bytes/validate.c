/*
 * validate.c
 *	  Checking BSON from outside, in one pass.
 *
 * It is not recursive: an array has the ends of the enclosing documents, so
 * that deeply nested input cannot exhaust the C stack.
 */

#include "core/bytes/view.h"

/* A document that is open */
typedef struct Frame
{
	Size		end;			/* offset of the terminator */
	Size		outer_end;		/* of a scope: where its code value ends; else 0 */
} Frame;

static bool
fail(PgBsonFault *fault, Size offset, const char *reason)
{
	fault->reason = reason;
	fault->offset = offset;
	fault->too_deep = false;
	return false;
}

/*
 * Are these bytes, which a zero byte follows, valid UTF-8?  U+0000 is allowed.  *bad is set to the offset of the first
 * wrong byte.
 */
static bool
utf8_is_valid(const uint8 *s, Size len, Size *bad)
{
	Size		pos = 0;

	/*
	 * Check piece by piece between zero bytes, which BSON strings may have: the server's verifier stops
	 * at a zero byte, but only after it has looked at all the rest.
	 */
	while (pos < len)
	{
		Size		piece = strlen((const char *) s + pos);

		if (piece > 0)
		{
			Size		ok = pg_encoding_verifymbstr(PG_UTF8, (const char *) s + pos, (int) piece);

			if (ok < piece)
			{
				*bad = pos + ok;
				return false;
			}
		}
		pos += piece + 1;
	}
	return true;
}

/* A length-prefixed string at "pos", which must end before "end" */
static bool
check_string(const uint8 *data, Size pos, Size end, Size *next, PgBsonFault *fault)
{
	uint32		len;
	Size		bad;

	if (end - pos < 5)
		return fail(fault, pos, gettext_noop("A string is cut short"));
	len = PgBsonReadU32(data + pos);
	if (len < 1 || len > end - pos - 4)
		return fail(fault, pos, gettext_noop("A string's length does not fit its document"));
	if (data[pos + 4 + len - 1] != 0)
		return fail(fault, pos + 4 + len - 1, gettext_noop("A string does not end in a zero byte"));
	if (!utf8_is_valid(data + pos + 4, len - 1, &bad))
		return fail(fault, pos + 4 + bad, gettext_noop("A string is not valid UTF-8"));
	*next = pos + 4 + len;
	return true;
}

/* A C string at "pos", which must end before "end" */
static bool
check_cstring(const uint8 *data, Size pos, Size end, Size *next, PgBsonFault *fault)
{
	const uint8 *nul = memchr(data + pos, 0, end - pos);
	Size		bad;

	if (nul == NULL)
		return fail(fault, pos, gettext_noop("A key or regular expression does not end in a zero byte"));
	if (!utf8_is_valid(data + pos, nul - (data + pos), &bad))
		return fail(fault, pos + bad, gettext_noop("A key or regular expression is not valid UTF-8"));
	*next = nul - data + 1;
	return true;
}

/* A value without documents in it.  It begins at "pos"; "end" is the terminator of its document. */
static bool
check_scalar(const uint8 *data, uint8 type, Size pos, Size end, Size *next, PgBsonFault *fault)
{
	Size		size;

	switch (type)
	{
		case PGBSON_STRING:
		case PGBSON_CODE:
		case PGBSON_SYMBOL:
			return check_string(data, pos, end, next, fault);

		case PGBSON_DBPOINTER:
			if (!check_string(data, pos, end, next, fault))
				return false;
			if (end - *next < 12)
				return fail(fault, *next, gettext_noop("A value is cut short"));
			*next += 12;
			return true;

		case PGBSON_REGEX:
			return check_cstring(data, pos, end, next, fault) &&
				check_cstring(data, *next, end, next, fault);

		case PGBSON_BINARY:
			{
				uint32		len;

				if (end - pos < 5)
					return fail(fault, pos, gettext_noop("A binary value is cut short"));
				len = PgBsonReadU32(data + pos);
				if (len > end - pos - 5)
					return fail(fault, pos, gettext_noop("A binary value's length does not fit its document"));
				if (data[pos + 4] == 0x02 &&
					(len < 4 || PgBsonReadU32(data + pos + 5) != len - 4))
					return fail(fault, pos + 5, gettext_noop("The inner length of a binary value of subtype 2 is wrong"));
				*next = pos + 5 + len;
				return true;
			}

		case PGBSON_BOOL:
			if (end - pos < 1)
				return fail(fault, pos, gettext_noop("A value is cut short"));
			if (data[pos] > 1)
				return fail(fault, pos, gettext_noop("A boolean is neither 0 nor 1"));
			*next = pos + 1;
			return true;

		default:
			size = PgBsonValueSize(type, data + pos, end - pos);
			if (size == PGBSON_BAD_SIZE)
				return fail(fault, pos, gettext_noop("A value is cut short"));
			*next = pos + size;
			return true;
	}
}

/* Push a document whose length word is at "pos" and which must end at or before "limit" */
static bool
open_document(const uint8 *data, Size pos, Size limit, Size outer_end,
			  Frame *stack, int *depth, PgBsonFault *fault)
{
	uint32		len;

	if (limit - pos < PGBSON_MIN_SIZE)
		return fail(fault, pos, gettext_noop("A document is cut short"));
	len = PgBsonReadU32(data + pos);
	if (len < PGBSON_MIN_SIZE || len > limit - pos)
		return fail(fault, pos, gettext_noop("A document's length does not fit what encloses it"));
	if (data[pos + len - 1] != 0)
		return fail(fault, pos + len - 1, gettext_noop("A document does not end in a zero byte"));
	if (*depth >= PGBSON_MAX_DEPTH)
	{
		fail(fault, pos, "It is nested too deeply");
		fault->too_deep = true;
		return false;
	}
	stack[*depth].end = pos + len - 1;
	stack[*depth].outer_end = outer_end;
	(*depth)++;
	return true;
}

bool
PgBsonCheck(const uint8 *data, Size len, PgBsonFault *fault)
{
	Frame		stack[PGBSON_MAX_DEPTH];
	int			depth = 0;
	Size		pos = 4;

	if (len < PGBSON_MIN_SIZE)
		return fail(fault, 0, gettext_noop("It is shorter than the smallest document"));
	if (PgBsonReadU32(data) != len)
		return fail(fault, 0, gettext_noop("Its length word differs from its length"));
	if (!open_document(data, 0, len, 0, stack, &depth, fault))
		return false;

	while (depth > 0)
	{
		Frame	   *frame = &stack[depth - 1];
		uint8		type;
		Size		element = pos;

		CHECK_FOR_INTERRUPTS();

		if (pos == frame->end)
		{
			pos++;
			if (frame->outer_end != 0 && pos != frame->outer_end)
				return fail(fault, pos, gettext_noop("A scope does not end where its code value ends"));
			depth--;
			continue;
		}

		type = data[pos++];
		if (type == 0)
			return fail(fault, element, gettext_noop("A document ends before its length says"));
		if (PgBsonSizeClass[type] == PGBSON_SIZE_UNKNOWN)
			return fail(fault, element, gettext_noop("The element type is unknown"));
		if (!check_cstring(data, pos, frame->end, &pos, fault))
			return false;

		if (PgBsonIsContainer(type))
		{
			if (!open_document(data, pos, frame->end, 0, stack, &depth, fault))
				return false;
			pos += 4;
		}
		else if (type == PGBSON_CODE_W_SCOPE)
		{
			uint32		size;
			Size		value = pos;

			if (frame->end - pos < 14)
				return fail(fault, pos, gettext_noop("A code value with scope is cut short"));
			size = PgBsonReadU32(data + pos);
			if (size < 14 || size > frame->end - pos)
				return fail(fault, pos, gettext_noop("The length of a code value with scope does not fit its document"));
			if (!check_string(data, pos + 4, value + size, &pos, fault) ||
				!open_document(data, pos, value + size, value + size, stack, &depth, fault))
				return false;
			pos += 4;
		}
		else if (!check_scalar(data, type, pos, frame->end, &pos, fault))
			return false;
	}

	/* the length word of the root was compared with the number of bytes at first */
	Assert(pos == len);
	return true;
}

/*
 * Do bytes that are not BSON look like JSON text, or like jsonb in binary form?  Drivers send these if
 * they are told that a parameter has type bson and binary format.
 */
static bool
looks_like_json(const uint8 *data, Size len)
{
	Size		i = 0;

	if (len > 1 && data[0] == 1)
		i = 1;					/* jsonb_send's version */
	while (i < len && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r'))
		i++;
	if (i == len || (data[i] != '{' && data[i] != '[' && data[i] != '"'))
		return false;
	/* JSON has no zero bytes; a BSON document has many */
	return memchr(data + i, 0, Min(len - i, 64)) == NULL;
}

bool
PgBsonValidate(const uint8 *data, Size len, struct Node *escontext)
{
	PgBsonFault fault;

	if (PgBsonCheck(data, len, &fault))
		return true;
	if (fault.too_deep)
		return PgBsonRefuseTooDeep(escontext);
	ereturn(escontext, false,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid bson document"),
			 errdetail("%s (at byte %zu of %zu).", _(fault.reason), fault.offset, len),
			 looks_like_json(data, len) ?
			 errhint("The bytes look like JSON text, but the parameter was sent in binary format. "
					 "Send it in text format, or as a parameter of type text that the statement casts: $1::text::bson.") : 0));
}
