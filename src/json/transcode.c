/*
 * transcode.c
 *	  JSON text to bson: in one pass for most texts, or else with json-c.
 *
 * The bytes of the document are written into the datum while the text is
 * scanned; there is no tree, and no list of tokens. json/parse.c defines what
 * a text means and how errors are worded: the transcoder either makes exactly
 * the bytes that json/parse.c would make, or declines without side effects.
 * It declines
 *
 *		a text that is not JSON, so it never raises an error,
 *		a key of an Extended JSON wrapper, except for those that
 *		json/wrapper.c reads: {"$oid": "57e1..."} and almost all others,
 *		a key that occurs twice in its object, or contains U+0000,
 *		nesting beyond PGBSON_MAX_DEPTH.
 *
 * Speed comes from three things.  Strings are copied sixteen bytes at a time
 * and checked while they are copied.  Before each element, the buffer has
 * enough space for all the rest of the text, so the code within an element
 * need not check.  And the keys of an object are compared by their signatures
 * (core/bytes/keys.h), once, when the object closes.
 */
#include "json/transcode.h"

#include "core/bytes/digits.h"
#include "core/bytes/keys.h"
#include "core/bytes/scan.h"
#include "json/copy_number.h"
#include "json/extjson.h"
#include "json/parse.h"

int			PgBsonJsonParserSetting = PGBSON_PARSER_AUTO;

/*
 * How many bytes an element may take in addition to its text: its type, its
 * number in an array, a string's length and zero bytes, eight bytes for a
 * number of one digit, and the sixteen bytes that copying a string may write
 * after its end.
 */
#define ELEMENT_SLACK	64

/* Digits of an array's number */
#define INDEX_DIGITS	12

/* An open container */
typedef struct TextFrame
{
	uint32		start;			/* where its length will be written */
	bool		is_array;
	uint8		digits;			/* of an array: in "index" */
	char		index[INDEX_DIGITS];	/* of an array: the next element's number, with leading zeroes */
	uint32		first_key;		/* of an object: the number of signatures before those of its keys */
	bool		has_regex;		/* of an object: it has a key $regex, which may make it a wrapper */
} TextFrame;

/* The whole state, except what hot code keeps in local variables */
typedef struct Transcoder
{
	PgBsonWriter writer;
	PgBsonSignatures keys;
	TextFrame	frames[PGBSON_MAX_DEPTH];
} Transcoder;

/* Strings ---------------------------------------------------------------------- */

/* Four hexadecimal digits; -1 if they are none */
static int
hex4(const uint8 *s, const uint8 *end)
{
	uint8		bytes[2];

	if (end - s < 4 || !PgBsonDecodeHex((const char *) s, 2, bytes))
		return -1;
	return bytes[0] << 8 | bytes[1];
}

/* The character of \uXXXX, or of two of them, behind "\u"; NULL to decline */
static const uint8 *
copy_unicode(const uint8 *s, const uint8 *end, uint8 **out)
{
	int			c = hex4(s, end);
	int			low;

	if (c < 0 || (c >= 0xDC00 && c <= 0xDFFF))
		return NULL;
	s += 4;
	if (c >= 0xD800 && c <= 0xDBFF)
	{
		if (end - s < 6 || s[0] != '\\' || s[1] != 'u')
			return NULL;
		low = hex4(s + 2, end);
		if (low < 0xDC00 || low > 0xDFFF)
			return NULL;
		c = 0x10000 + ((c & 0x3FF) << 10) + (low & 0x3FF);
		s += 6;
	}
	unicode_to_utf8(c, *out);
	*out += pg_encoding_mblen(PG_UTF8, (char *) *out);
	return s;
}

/* What an escape stands for, from behind its backslash; NULL to decline */
static pg_noinline const uint8 *
copy_escape(const uint8 *s, const uint8 *end, uint8 **out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char characters[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (s == end)
		return NULL;
	if (*s == 'u')
		return copy_unicode(s + 1, end, out);
	at = memchr(letters, *s, sizeof(letters) - 1);
	if (at == NULL)
		return NULL;
	*(*out)++ = characters[at - letters];
	return s + 1;
}

/*
 * A string, from after its opening quote to after its closing one; NULL to
 * decline.  Writes up to sixteen bytes beyond the string's end.
 */
static inline const uint8 *
copy_string(const uint8 *s, const uint8 *end, uint8 **out)
{
	uint8	   *p = *out;

	for (;;)
	{
		while (end - s >= 16)
		{
			uint32		n = PgBsonPlainRun16(s);

			memcpy(p, s, 16);
			p += n;
			s += n;
			if (n < 16)
				break;
		}
		/* needed near the end of the text; elsewhere it stops at once */
		while (s < end && PgBsonIsPlainByte(*s))
			*p++ = *s++;
		if (s == end)
			return NULL;
		if (*s == '"')
			break;
		if (*s != '\\')
			return NULL;		/* a control character */
		if ((s = copy_escape(s + 1, end, &p)) == NULL)
			return NULL;
	}
	*out = p;
	return s + 1;
}

/* Objects ---------------------------------------------------------------------- */

/* Does the first key of this object begin with a dollar? */
static inline bool
begins_with_dollar(const uint8 *s, const uint8 *end)
{
	s = PgBsonSkipSpace(s + 1, end);
	return end - s > 2 && s[0] == '"' && s[1] == '$';
}

/* Can this key, as it was copied, be that of a wrapper, or does it contain U+0000? */
static inline bool
is_plain_key(const uint8 *key, uint32 len, bool had_escape, TextFrame *frame)
{
	if (len > 0 && key[0] == '$' && PgBsonExtJsonIsKey((const char *) key, len))
	{
		/* this key alone makes no wrapper */
		if (!PgBsonKeyIs((const char *) key, len, PGBSON_DOLLAR_REGEX))
			return false;
		frame->has_regex = true;
	}
	return !had_escape || memchr(key, 0, len) == NULL;
}

/* Is this object, two of whose keys may be equal, or one of which is $regex, a document? */
static pg_noinline bool
is_document_indeed(const TextFrame *frame, bool repeat, const uint8 *object)
{
	PgBsonView	view = {object, PgBsonReadU32(object)};

	return (!repeat || !PgBsonHasDuplicateKeys(view)) && (!frame->has_regex || !PgBsonExtJsonClaims(view));
}

/* Can this finished object be a document?  Not with a key twice; equal signatures do not prove that keys are equal. */
static inline bool
is_document(const TextFrame *frame, PgBsonSignatures *keys, const uint8 *object)
{
	bool		repeat = PgBsonSignaturesRepeat(keys, frame->first_key);

	return likely(!repeat && !frame->has_regex) || is_document_indeed(frame, repeat, object);
}

/* The pass --------------------------------------------------------------------- */

/* The next number has one more digit, or differs in more than one digit */
static pg_noinline void
carry_index(TextFrame *frame)
{
	int			i = INDEX_DIGITS - 1;

	while (frame->index[i] == '9')
		frame->index[i--] = '0';
	frame->index[i]++;
	frame->digits = Max(frame->digits, INDEX_DIGITS - i);
}

/* Write an array's next key, its number in decimal digits and a zero byte, and count it */
static inline uint8 *
put_index(uint8 *p, TextFrame *frame)
{
	if (likely(frame->digits == 1))
		*p++ = frame->index[INDEX_DIGITS - 1];
	else
	{
		memcpy(p, frame->index + INDEX_DIGITS - frame->digits, frame->digits);
		p += frame->digits;
	}
	*p++ = 0;
	if (frame->index[INDEX_DIGITS - 1] == '9')
		carry_index(frame);
	else
		frame->index[INDEX_DIGITS - 1]++;
	return p;
}

/*
 * Make room at "p" for this much text and an element's slack.  Returns the new
 * "p", or NULL to decline because that much may not fit into a datum.
 */
static pg_noinline uint8 *
make_room(PgBsonWriter *w, uint8 *p, Size rest)
{
	Size		len = p - w->data;

	if (rest + ELEMENT_SLACK > PGBSON_MAX_SIZE - len)
		return NULL;
	w->len = len;
	(void) PgBsonWriterRoom(w, rest + ELEMENT_SLACK);
	w->len = len;
	return w->data + len;
}

static inline bool
is_word(const uint8 *s, const uint8 *end, const char *word, Size len)
{
	return (Size) (end - s) >= len && memcmp(s, word, len) == 0;
}

/* Is the object that begins at "s" a wrapper, and one that is read here? */
static bool
is_wrapper(Transcoder *t, const uint8 *s, const uint8 *end)
{
	PgBsonType	type;
	uint8	   *p = t->writer.data;

	return begins_with_dollar(s, end) && PgBsonReadWrapper(s, end, &type, &p) != NULL;
}

/*
 * The whole text.  False to decline.
 *
 * This is a machine of six states, which are labels; in each state the grammar
 * determines what may follow.  It is one long function so that the compiler
 * keeps the cursors of both sides in registers throughout.
 */
static bool
transcode(Transcoder *t, const uint8 *s, const uint8 *end, PgBsonNumbers numbers)
{
	PgBsonWriter *w = &t->writer;
	PgBsonSignatures *keys = &t->keys;
	uint8	   *p = w->data;	/* the next byte to write */
	uint8	   *type;			/* where the type of the value to come is */
	uint8	   *begin;			/* of the string, or key, being copied */
	const uint8 *quote;			/* the same place in the text */
	uint8		root_type;
	TextFrame  *frame = NULL;	/* the innermost */
	int			depth = 0;
	bool		enveloped;

	s = PgBsonSkipSpace(s, end);
	if (s == end)
		return false;
	/* a root that is not a document, see pgbson.h */
	enveloped = *s != '{' || is_wrapper(t, s, end);
	if (enveloped)
	{
		type = p + 6;
		p = PgBsonPutEnvelope(p, PGBSON_EOD);
	}
	else
		type = &root_type;

value:
	if (s == end)
		return false;
	switch (*s)
	{
		case '"':
			*type = PGBSON_STRING;
			begin = p;
			p += 4;
			if ((s = copy_string(s + 1, end, &p)) == NULL)
				return false;
			*p++ = 0;
			PgBsonWriteU32(begin, p - begin - 4);
			break;

		case '{':
			if (begins_with_dollar(s, end))
			{
				PgBsonType	wrapper_type;

				quote = PgBsonReadWrapper(s, end, &wrapper_type, &p);
				if (quote != NULL)
				{
					*type = wrapper_type;
					s = quote;
					break;
				}
				/* a document, as {"$set": ...}; for a key of a wrapper, is_plain_key declines */
			}
			pg_fallthrough;
		case '[':
			/* an array, as a root, is one level deeper than it looks */
			if (unlikely(depth >= PGBSON_MAX_DEPTH - enveloped))
				return false;
			frame = &t->frames[depth++];
			frame->start = p - w->data;
			frame->is_array = *s == '[';
			p += 4;
			s = PgBsonSkipSpace(s + 1, end);
			if (s == end)
				return false;
			if (frame->is_array)
			{
				*type = PGBSON_ARRAY;
				memset(frame->index, '0', sizeof(frame->index));
				frame->digits = 1;
				if (*s == ']')
					goto close;
				goto element;
			}
			*type = PGBSON_DOCUMENT;
			frame->first_key = keys->count;
			frame->has_regex = false;
			if (*s == '}')
				goto close;
			goto field;

		case 't':
			if (!is_word(s, end, "true", 4))
				return false;
			*type = PGBSON_BOOL;
			*p++ = 1;
			s += 4;
			break;

		case 'f':
			if (!is_word(s, end, "false", 5))
				return false;
			*type = PGBSON_BOOL;
			*p++ = 0;
			s += 5;
			break;

		case 'n':
			if (!is_word(s, end, "null", 4))
				return false;
			*type = PGBSON_NULL;
			s += 4;
			break;

		default:
			if ((s = PgBsonCopyNumber(s, end, numbers, type, &p)) == NULL)
				return false;
	}

next:
	Assert((Size) (w->data + w->capacity - p) >= (Size) (end - s));
	s = PgBsonSkipSpace(s, end);
	if (depth == 0)
	{
		if (enveloped)
		{
			*p++ = 0;
			PgBsonWriteU32(w->data, p - w->data);
		}
		w->len = p - w->data;
		return s == end;
	}
	if (s == end)
		return false;
	if (*s == ',')
	{
		s = PgBsonSkipSpace(s + 1, end);
		if (frame->is_array)
			goto element;
		goto field;
	}
	if (*s != (frame->is_array ? ']' : '}'))
		return false;

close:
	s++;
	*p++ = 0;
	PgBsonWriteU32(w->data + frame->start, p - w->data - frame->start);
	if (!frame->is_array && !is_document(frame, keys, w->data + frame->start))
		return false;
	depth--;
	frame--;
	goto next;

element:
	CHECK_FOR_INTERRUPTS();
	if ((Size) (w->data + w->capacity - p) < (Size) (end - s) + ELEMENT_SLACK &&
		(p = make_room(w, p, end - s)) == NULL)
		return false;
	type = p++;
	p = put_index(p, frame);
	goto value;

field:
	CHECK_FOR_INTERRUPTS();
	if ((Size) (w->data + w->capacity - p) < (Size) (end - s) + ELEMENT_SLACK &&
		(p = make_room(w, p, end - s)) == NULL)
		return false;
	if (s == end || *s != '"')
		return false;
	type = p++;
	begin = p;
	quote = s++;
	if ((s = copy_string(s, end, &p)) == NULL ||
		!is_plain_key(begin, p - begin, s - quote - 2 != p - begin, frame))
		return false;
	/* sixteen bytes can be read behind the key, too */
	PgBsonSignaturesPush(keys, p - begin < 16 ? PgBsonShortKeySignature((const char *) begin, p - begin)
						 : PgBsonLongKeySignature((const char *) begin, p - begin));
	*p++ = 0;
	s = PgBsonSkipSpace(s, end);
	if (s == end || *s != ':')
		return false;
	s = PgBsonSkipSpace(s + 1, end);
	goto value;
}

PgBson *
PgBsonTranscode(const char *utf8, Size len, PgBsonNumbers numbers)
{
	Transcoder	t;
	bool		done;

	PgBsonWriterInit(&t.writer, len + len / 2 + 2 * ELEMENT_SLACK);
	if (t.writer.capacity < len + ELEMENT_SLACK)
	{
		pfree(t.writer.data - VARHDRSZ);
		return NULL;
	}
	PgBsonSignaturesInit(&t.keys);
	done = transcode(&t, (const uint8 *) utf8, (const uint8 *) utf8 + len, numbers);

	PgBsonSignaturesFree(&t.keys);
	if (done)
		return PgBsonWriterFinish(&t.writer);
	pfree(t.writer.data - VARHDRSZ);
	return NULL;
}

PgBson *
PgBsonFromJson(const char *text, Size len, PgBsonNumbers numbers, Node *escontext)
{
	PgBson	   *result = NULL;

	if (PgBsonJsonParserSetting == PGBSON_PARSER_AUTO && GetDatabaseEncoding() == PG_UTF8)
		result = PgBsonTranscode(text, len, numbers);
	return result != NULL ? result : PgBsonParseJson(text, len, numbers, escontext);
}
