/*
 * transcode.c
 *	  JSON text to bson in one pass, for most texts.
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
 * need not check.  And the keys of an object are compared by their hashes,
 * once, when the object closes.
 */
#include "json/transcode.h"

#include "core/double.h"
#include "core/keys.h"
#include "core/scan.h"
#include "core/write.h"
#include "json/extjson.h"
#include "json/json_number.h"
#include "json/wrapper.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

int			PgBsonJsonParserSetting = PGBSON_PARSER_AUTO;

/* So many containers may be open before their frames move to memory of their own */
#define FEW_FRAMES		64

/*
 * How many bytes an element may take in addition to its text: its type, its
 * number in an array, a string's length and zero bytes, eight bytes for a
 * number of one digit, and the sixteen bytes that copying a string may write
 * after its end.
 */
#define ELEMENT_SLACK	64

/* Up to this many keys, their hashes are compared with each other; more go into a table */
#define FEW_KEYS		16

/* A table with this many places is on the stack */
#define SMALL_TABLE		256

/* Digits of an array's number */
#define INDEX_DIGITS	12

/* An open container */
typedef struct Frame
{
	uint32		start;			/* where its length will be written */
	bool		is_array;
	uint8		digits;			/* of an array: in "index" */
	char		index[INDEX_DIGITS];	/* of an array: the next element's number, with leading zeroes */
	uint32		first_key;		/* of an object: the number of hashes before its own */
	bool		has_regex;		/* of an object: it has a key $regex, which may make it a wrapper */
} Frame;

/* Hashes of the keys of all open objects, the innermost last */
typedef struct KeyHashes
{
	uint32	   *values;			/* "fixed", until there are too many */
	uint32		count;
	uint32		capacity;
	uint32		fixed[256];
} KeyHashes;

/* The whole state, except what hot code keeps in local variables */
typedef struct Transcoder
{
	PgBsonWriter writer;
	PgBsonBuilder *wrappers;	/* see json/wrapper.h */
	KeyHashes	keys;
	Frame	   *frames;			/* "few", until there are more */
	int			room;			/* frames that there is room for */
	Frame		few[FEW_FRAMES];
} Transcoder;

static inline bool
is_digit(uint8 c)
{
	return c >= '0' && c <= '9';
}


/* Strings ---------------------------------------------------------------------- */

/* Four hexadecimal digits; -1 if they are none */
static int
hex4(const uint8 *s, const uint8 *end)
{
	int			v = 0;

	if (end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++)
	{
		uint8		c = s[i] | 0x20;

		if (is_digit(s[i]))
			v = v << 4 | (s[i] - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (c - 'a' + 10);
		else
			return -1;
	}
	return v;
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
	if (s == end)
		return NULL;
	switch (*s++)
	{
		case '"':
			*(*out)++ = '"';
			return s;
		case '\\':
			*(*out)++ = '\\';
			return s;
		case '/':
			*(*out)++ = '/';
			return s;
		case 'b':
			*(*out)++ = '\b';
			return s;
		case 'f':
			*(*out)++ = '\f';
			return s;
		case 'n':
			*(*out)++ = '\n';
			return s;
		case 'r':
			*(*out)++ = '\r';
			return s;
		case 't':
			*(*out)++ = '\t';
			return s;
		case 'u':
			return copy_unicode(s, end, out);
		default:
			return NULL;
	}
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


/* Numbers ---------------------------------------------------------------------- */

static inline void
put_double(uint8 **out, double d)
{
	PgBsonWriteDouble(*out, d);
	*out += 8;
}

/* A number that is not read here, by the rule of json/json_number.h; NULL to decline */
static const uint8 *
copy_by_rule(const uint8 *token, const uint8 *s, PgBsonNumbers numbers, uint8 *type, uint8 **out)
{
	uint32		size;

	*type = PgBsonJsonNumber((const char *) token, s - token, numbers, *out, &size);
	if (*type == PGBSON_EOD)
		return NULL;
	*out += size;
	return s;
}

/*
 * The value of eight digits, the first of them in the lowest byte: combine
 * pairs of digits, then pairs of pairs, and so on
 */
static inline uint32
value_of_digits(uint64 digits)
{
	digits = (digits * 10 + (digits >> 8)) & UINT64CONST(0x00FF00FF00FF00FF);
	digits = (digits * 100 + (digits >> 16)) & UINT64CONST(0x0000FFFF0000FFFF);
	return (uint32) (digits * 10000 + (digits >> 32));
}

/*
 * Append digits to a number; returns the place after them.  The number is
 * useless if there are too many digits.  They are read eight at a time,
 * including the last ones, because a loop that runs once for each digit is
 * mispredicted every time.
 */
static inline const uint8 *
read_digits(const uint8 *s, const uint8 *end, uint64 *number)
{
	static const uint32 pow10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	uint64		v = *number;

	while (end - s >= 8)
	{
		uint64		digits = PgBsonReadU64(s) ^ UINT64CONST(0x3030303030303030);
		/* the highest bit of each byte above 9, and perhaps of some bytes after the first of these */
		uint64		others = ((digits + UINT64CONST(0x7676767676767676)) | digits) & UINT64CONST(0x8080808080808080);
		int			n;

		if (others != 0)
		{
			n = pg_rightmost_one_pos64(others) / 8;
			digits = digits << (8 * (7 - n)) << 8;
			*number = v * pow10[n] + value_of_digits(digits);
			return s + n;
		}
		v = v * 100000000 + value_of_digits(digits);
		s += 8;
	}
	while (s < end && is_digit(*s))
		v = v * 10 + (*s++ - '0');
	*number = v;
	return s;
}

/*
 * A number with a fraction or an exponent: its integer digits were read, and
 * "s" points after them.  "mantissa" is their value, unless there are too many
 * of them.
 */
static const uint8 *
copy_double(const uint8 *token, const uint8 *s, const uint8 *end, uint64 mantissa,
			PgBsonNumbers numbers, uint8 *type, uint8 **out)
{
	bool		negative = *token == '-';
	bool		below_one = token[negative] == '0';
	int			digits = below_one ? 0 : s - token - negative;	/* of the mantissa */
	int			exponent = 0;
	double		d;

	if (*s == '.')
	{
		const uint8 *fraction = ++s;
		const uint8 *last;
		uint64		whole = mantissa;

		if (below_one)
		{
			while (s < end && *s == '0')
				s++;
		}
		digits -= s - fraction;
		s = last = read_digits(s, end, &mantissa);
		if (s == fraction)
			return NULL;
		/* quotients of numeric end in many zeroes */
		if (digits + (s - fraction) > DBL_DIG && s[-1] == '0')
		{
			while (last[-1] == '0')
				last--;
			mantissa = whole;
			(void) read_digits(fraction, last, &mantissa);
		}
		exponent = fraction - last;
		digits -= exponent;
	}
	if (s < end && (*s == 'e' || *s == 'E'))
	{
		bool		below = false;
		uint64		given = 0;
		const uint8 *first;

		s++;
		if (s < end && (*s == '+' || *s == '-'))
			below = *s++ == '-';
		first = s;
		s = read_digits(s, end, &given);
		if (s == first)
			return NULL;
		if (s - first > 4)
			digits = PG_INT16_MAX;	/* only with a very long fraction is this in range; the slow way decides */
		else
			exponent += below ? -(int) given : (int) given;
	}

	/* any number of this many digits fits the mantissa */
	if (digits <= 19)
	{
#ifdef PGBSON_DOUBLES_ROUND_ONCE
		/*
		 * With fifteen digits both operands are exact, so the quotient is the
		 * nearest double; and a double always gives back fifteen digits.
		 */
		if (mantissa < UINT64CONST(1000000000000000) && exponent <= 0 && exponent > -PGBSON_EXACT_POWERS)
		{
			d = (double) mantissa / PgBsonPowersOfTen[-exponent];
			put_double(out, negative ? -d : d);
			return s;
		}
#endif
		/* the text that other programs print of a double, with sixteen digits or more */
		if (PgBsonShortestDouble(mantissa, exponent, &d))
		{
			put_double(out, negative ? -d : d);
			return s;
		}
	}
	return copy_by_rule(token, s, numbers, type, out);
}

/* A number; NULL to decline */
static inline const uint8 *
copy_number(const uint8 *s, const uint8 *end, PgBsonNumbers numbers, uint8 *type, uint8 **out)
{
	const uint8 *token = s;
	const uint8 *digits;
	bool		negative = *s == '-';
	uint64		v = 0;
	int			n;

	if (negative)
		s++;
	digits = s;
	s = read_digits(s, end, &v);
	n = s - digits;
	if (n == 0 || (*digits == '0' && n > 1))
		return NULL;

	if (s < end && (*s == '.' || *s == 'e' || *s == 'E'))
	{
		*type = PGBSON_DOUBLE;
		return copy_double(token, s, end, v, numbers, type, out);
	}
	/* nineteen digits do not overflow; more never fit */
	if (n > 19 || v > (uint64) PG_INT64_MAX + negative)
		return copy_by_rule(token, s, numbers, type, out);
	if (negative && v == 0)
	{
		/* a zero with a sign is not an integer */
		*type = PGBSON_DOUBLE;
		put_double(out, -0.0);
		return s;
	}
	if (v <= (uint64) PG_INT32_MAX + negative)
	{
		*type = PGBSON_INT32;
		PgBsonWriteU32(*out, negative ? 0 - (uint32) v : (uint32) v);
		*out += 4;
	}
	else
	{
		*type = PGBSON_INT64;
		PgBsonWriteU64(*out, negative ? 0 - v : v);
		*out += 8;
	}
	return s;
}


/* Keys ------------------------------------------------------------------------- */

/*
 * The key's hash.  Reads up to seven bytes past the key, which are within the
 * buffer.  The hash is not secret: if keys were chosen to have equal hashes,
 * keys_differ notices.
 */
static inline uint32
hash_key(const uint8 *key, uint32 len)
{
	uint64		h = len;

	while (len > 8)
	{
		h = (h ^ PgBsonReadU64(key)) * UINT64CONST(0x9e3779b97f4a7c15);
		h ^= h >> 32;
		key += 8;
		len -= 8;
	}
	if (len > 0)
		h ^= PgBsonReadU64(key) << (64 - 8 * len);
	h *= UINT64CONST(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 32)) * UINT64CONST(0xc2b2ae3d27d4eb4f);
	return (uint32) (h >> 32);
}

static inline void
push_key(KeyHashes *keys, uint32 hash)
{
	if (unlikely(keys->count == keys->capacity))
	{
		Size		bytes = (Size) keys->capacity * 2 * sizeof(uint32);

		if (keys->values == keys->fixed)
		{
			keys->values = palloc(bytes);
			memcpy(keys->values, keys->fixed, sizeof(keys->fixed));
		}
		else
			keys->values = repalloc_huge(keys->values, bytes);
		keys->capacity *= 2;
	}
	keys->values[keys->count++] = hash;
}

/*
 * Are two of many hashes equal?  They are put into a table to find out.  If
 * they were chosen to make the table slow, the answer is yes, too.  This is
 * not lib/simplehash.h, because that would not stop in this case, and because
 * its elements have a status besides the four bytes of a hash.
 */
static bool
hashes_repeat(const uint32 *hashes, uint32 n)
{
	uint32		small[SMALL_TABLE];
	uint32		size = pg_nextpower2_32(n * 2);
	uint32		budget = n * 4;
	uint32	   *table = small;
	bool		repeat = false;

	if (size > SMALL_TABLE)
		table = MemoryContextAllocHuge(CurrentMemoryContext, (Size) size * sizeof(uint32));
	memset(table, 0, (Size) size * sizeof(uint32));

	for (uint32 i = 0; i < n && !repeat; i++)
	{
		uint32		hash = Max(hashes[i], 1);	/* 0 is a free place */
		uint32		place = hash & (size - 1);

		while (table[place] != 0)
		{
			if (table[place] == hash || budget-- == 0)
			{
				repeat = true;
				break;
			}
			place = (place + 1) & (size - 1);
		}
		table[place] = hash;
	}
	if (table != small)
		pfree(table);
	return repeat;
}

/*
 * Do all keys of this finished object differ?  The last "n" hashes are its
 * own.  Equal hashes do not prove that keys are equal, so then the keys are
 * compared.
 */
static inline bool
keys_differ(const uint32 *hashes, uint32 n, const uint8 *object)
{
	PgBsonView	view = {object, PgBsonReadU32(object)};
	bool		repeat = false;

	if (n <= FEW_KEYS)
	{
		for (uint32 i = 1; i < n; i++)
		{
			for (uint32 j = 0; j < i; j++)
				repeat |= hashes[j] == hashes[i];
		}
	}
	else
		repeat = hashes_repeat(hashes, n);
	return !repeat || !PgBsonHasDuplicateKeys(view);
}

/*
 * Make room for one more frame; false to decline because there are as many as
 * there may be.  An array, as a root, is one level deeper than it looks.
 */
static pg_noinline bool
make_frame(Transcoder *t, int depth, bool enveloped)
{
	Frame	   *frames;

	if (depth >= PGBSON_MAX_DEPTH - enveloped)
		return false;
	if (depth < t->room)
		return true;
	frames = palloc(sizeof(Frame) * PGBSON_MAX_DEPTH);
	memcpy(frames, t->few, sizeof(t->few));
	t->frames = frames;
	t->room = PGBSON_MAX_DEPTH;
	return true;
}

/* Does the first key of this object begin with a dollar? */
static inline bool
begins_with_dollar(const uint8 *s, const uint8 *end)
{
	s = PgBsonSkipSpace(s + 1, end);
	return end - s > 2 && s[0] == '"' && s[1] == '$';
}

/* Can this key, as it was copied, be that of a wrapper, or does it contain U+0000? */
static inline bool
is_plain_key(const uint8 *key, uint32 len, bool had_escape, Frame *frame)
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

/* Can this finished object be a document? */
static inline bool
is_document(const Frame *frame, const KeyHashes *keys, const uint8 *object)
{
	PgBsonView	view = {object, PgBsonReadU32(object)};

	return keys_differ(keys->values + frame->first_key, keys->count - frame->first_key, object) &&
		(!frame->has_regex || !PgBsonExtJsonClaims(view));
}


/* The pass --------------------------------------------------------------------- */

/* The number of an array's first element */
static inline void
begin_index(Frame *frame)
{
	memset(frame->index, '0', sizeof(frame->index));
	frame->digits = 1;
}

/* The next number has one more digit, or differs in more than one digit */
static pg_noinline void
carry_index(Frame *frame)
{
	int			i = INDEX_DIGITS - 1;

	while (frame->index[i] == '9')
		frame->index[i--] = '0';
	frame->index[i]++;
	frame->digits = Max(frame->digits, INDEX_DIGITS - i);
}

/* Write an array's next key, its number in decimal digits and a zero byte, and count it */
static inline uint8 *
put_index(uint8 *p, Frame *frame)
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

	return begins_with_dollar(s, end) && PgBsonReadWrapper(s, end, &t->wrappers, &type, &p) != NULL;
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
	KeyHashes  *keys = &t->keys;
	uint8	   *p = w->data;	/* the next byte to write */
	uint8	   *type;			/* where the type of the value to come is */
	uint8	   *begin;			/* of the string, or key, being copied */
	const uint8 *quote;			/* the same place in the text */
	uint8		root_type;
	Frame	   *frame = NULL;	/* the innermost */
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

				quote = PgBsonReadWrapper(s, end, &t->wrappers, &wrapper_type, &p);
				if (quote != NULL)
				{
					*type = wrapper_type;
					s = quote;
					break;
				}
				/* {"$set": ...} is an ordinary key; wrappers will decline */
			}
			pg_fallthrough;
		case '[':
			if (unlikely(depth >= FEW_FRAMES) && !make_frame(t, depth, enveloped))
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
				begin_index(frame);
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
			if ((s = copy_number(s, end, numbers, type, &p)) == NULL)
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
	if (!frame->is_array)
	{
		if (!is_document(frame, keys, w->data + frame->start))
			return false;
		keys->count = frame->first_key;
	}
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
	push_key(keys, hash_key(begin, p - begin));
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
	t.wrappers = NULL;
	t.keys.values = t.keys.fixed;
	t.keys.count = 0;
	t.keys.capacity = lengthof(t.keys.fixed);
	t.frames = t.few;
	t.room = FEW_FRAMES;

	done = transcode(&t, (const uint8 *) utf8, (const uint8 *) utf8 + len, numbers);

	if (t.wrappers != NULL)
		PgBsonBuilderDiscard(t.wrappers);
	if (t.keys.values != t.keys.fixed)
		pfree(t.keys.values);
	if (t.frames != t.few)
		pfree(t.frames);
	if (done)
		return PgBsonWriterFinish(&t.writer);
	pfree(t.writer.data - VARHDRSZ);
	return NULL;
}
