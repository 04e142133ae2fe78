/*
 * extjson.c
 *	  Extended JSON wrappers: which objects are one, and what they stand for.
 *
 * One table says it all: the key, the one key that may stand beside it, what
 * its value should have been, and the functions that read that value.
 */
#include "json/extjson.h"

#include <math.h>

#include "core/number.h"
#include "mb/pg_wchar.h"
#include "utils/float.h"

/* Of somebody's text, this much goes into a message */
#define EXCERPT_BYTES	64

/* A wrapper being read */
typedef struct Wrapper
{
	const struct WrapperKey *key;
	const PgBsonTree *tree;
	PgBsonBuilder *builder;
	const PgBsonNode *value;	/* of the wrapper's key */
	const PgBsonNode *companion;	/* of the key beside it, or NULL */
} Wrapper;

/* Give the wrapper's value to the builder; false, having done nothing, if it is malformed */
typedef bool (*Reader) (Wrapper *w);

/* The bytes that a string stands for: their number, 0 if it is malformed */
typedef uint32 (*Encoder) (const char *str, uint32 len, uint8 *bytes);

typedef struct WrapperKey
{
	const char *name;
	const char *companion;		/* the only key that may stand beside it */
	Reader		read;
	const char *expected;		/* detail of the error for anything else */
	Encoder		encode;			/* for a string that means something of fixed size */
	PgBsonType	type;			/* of what it encodes */
} WrapperKey;

static bool read_binary(Wrapper *w);
static bool read_code(Wrapper *w);
static bool read_date(Wrapper *w);
static bool read_dbpointer(Wrapper *w);
static bool read_fixed(Wrapper *w);
static bool read_maxkey(Wrapper *w);
static bool read_minkey(Wrapper *w);
static bool read_regex(Wrapper *w);
static bool read_regular_expression(Wrapper *w);
static bool read_symbol(Wrapper *w);
static bool read_timestamp(Wrapper *w);
static bool read_undefined(Wrapper *w);

static uint32 encode_date(const char *str, uint32 len, uint8 *bytes);
static uint32 encode_decimal(const char *str, uint32 len, uint8 *bytes);
static uint32 encode_double(const char *str, uint32 len, uint8 *bytes);
static uint32 encode_int(const char *str, uint32 len, uint8 *bytes);
static uint32 encode_long(const char *str, uint32 len, uint8 *bytes);
static uint32 encode_oid(const char *str, uint32 len, uint8 *bytes);
static uint32 encode_uuid(const char *str, uint32 len, uint8 *bytes);

static const WrapperKey wrapper_keys[] =
{
	{"$binary", "$type", read_binary,
	"An object with \"base64\", padded base64 text, and \"subType\", one or two hexadecimal digits, is expected."},
	{"$code", "$scope", read_code,
	"A string is expected, and for \"$scope\", if any, a document."},
	{"$date", NULL, read_date,
	"An ISO 8601 date and time with its offset is expected, to the millisecond, or {\"$numberLong\": milliseconds}.",
	encode_date, PGBSON_DATE},
	{"$dbPointer", NULL, read_dbpointer,
	"An object with \"$ref\", a string, and \"$id\", an ObjectId, is expected."},
	{"$maxKey", NULL, read_maxkey,
	"The number 1 is expected."},
	{"$minKey", NULL, read_minkey,
	"The number 1 is expected."},
	{"$numberDecimal", NULL, read_fixed,
	"A string with a number that decimal128 holds exactly is expected.",
	encode_decimal, PGBSON_DECIMAL128},
	{"$numberDouble", NULL, read_fixed,
	"A string with a number in the range of a double is expected, or with Infinity, -Infinity or NaN.",
	encode_double, PGBSON_DOUBLE},
	{"$numberInt", NULL, read_fixed,
	"A string with a 32-bit integer is expected.",
	encode_int, PGBSON_INT32},
	{"$numberLong", NULL, read_fixed,
	"A string with a 64-bit integer is expected.",
	encode_long, PGBSON_INT64},
	{"$oid", NULL, read_fixed,
	"A 24-digit hexadecimal string is expected.",
	encode_oid, PGBSON_OBJECTID},
	{"$regularExpression", NULL, read_regular_expression,
	"An object with the strings \"pattern\" and \"options\", without U+0000, is expected."},
	{"$symbol", NULL, read_symbol,
	"A string is expected."},
	{"$timestamp", NULL, read_timestamp,
	"An object with \"t\" and \"i\", integers from 0 to 4294967295, is expected."},
	{"$undefined", NULL, read_undefined,
	"The value true is expected."},
	{"$uuid", NULL, read_fixed,
	"A string of 32 hexadecimal digits in groups of 8-4-4-4-12 is expected.",
	encode_uuid, PGBSON_BINARY},
};

/* The legacy regular expression, a wrapper only as two strings */
static const WrapperKey legacy_regex =
{
	"$regex", "$options", read_regex,
	"Strings without U+0000 are expected."
};

static const WrapperKey *
find_wrapper_key(const char *key, uint32 len)
{
	if (len < 4 || key[0] != '$')
		return NULL;
	for (int i = 0; i < lengthof(wrapper_keys); i++)
	{
		/* the first letter tells most of them apart */
		if (wrapper_keys[i].name[1] == key[1] && PgBsonKeyIs(key, len, wrapper_keys[i].name))
			return &wrapper_keys[i];
	}
	return NULL;
}

bool
PgBsonExtJsonIsKey(const char *key, uint32 len)
{
	return find_wrapper_key(key, len) != NULL || PgBsonKeyIs(key, len, legacy_regex.name);
}

bool
PgBsonExtJsonClaims(PgBsonView doc)
{
	PgBsonIter	iter;
	uint32		count = 0;
	bool		regex = false;
	bool		options = false;

	PgBsonIterInit(&iter, doc);
	while (PgBsonIterNext(&iter))
	{
		if (find_wrapper_key(iter.key, iter.key_len) != NULL)
			return true;
		if (iter.value.type == PGBSON_STRING)
		{
			regex |= PgBsonKeyIs(iter.key, iter.key_len, legacy_regex.name);
			options |= PgBsonKeyIs(iter.key, iter.key_len, legacy_regex.companion);
		}
		count++;
	}
	return regex && options && count == 2;
}

uint32
PgBsonExtJsonFixed(const char *key, uint32 key_len, const char *str, uint32 len,
				   PgBsonType *type, uint8 *bytes)
{
	const WrapperKey *wrapper = find_wrapper_key(key, key_len);

	if (wrapper == NULL || wrapper->encode == NULL)
		return 0;
	*type = wrapper->type;
	return wrapper->encode(str, len, bytes);
}

/* The member of this name, or NULL */
static const PgBsonNode *
member(const PgBsonMember *members, uint32 count, const char *name)
{
	for (uint32 i = 0; i < count; i++)
	{
		if (PgBsonKeyIs(members[i].key, members[i].key_len, name))
			return &members[i].value;
	}
	return NULL;
}

/* The values of an object that has just these two members (or one, name2 being NULL); false if it is another */
static bool
object_of(Wrapper *w, const PgBsonNode *object, const char *name1, PgBsonNode *value1,
		  const char *name2, PgBsonNode *value2)
{
	PgBsonMember members[2];
	uint32		count = name2 == NULL ? 1 : 2;
	const PgBsonNode *found;

	if (object->kind != PGBSON_NODE_OBJECT || w->tree->count(w->tree->state, object) != count)
		return false;
	w->tree->members(w->tree->state, object, members);
	if ((found = member(members, count, name1)) == NULL)
		return false;
	*value1 = *found;
	if (name2 == NULL)
		return true;
	if ((found = member(members, count, name2)) == NULL)
		return false;
	*value2 = *found;
	return true;
}

static inline bool
is_string(const PgBsonNode *node)
{
	return node->kind == PGBSON_NODE_STRING;
}

/* A string that can be a C string in BSON */
static bool
is_cstring(const PgBsonNode *node)
{
	return is_string(node) && memchr(node->str, 0, node->len) == NULL;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool
hex_bytes(const char *s, int nbytes, uint8 *result)
{
	for (int i = 0; i < nbytes; i++)
	{
		int			high = hex_digit(s[2 * i]);
		int			low = hex_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		result[i] = high << 4 | low;
	}
	return true;
}

static bool
decimal_digits(const char *s, int n, int *result)
{
	*result = 0;
	for (int i = 0; i < n; i++)
	{
		if (s[i] < '0' || s[i] > '9')
			return false;
		*result = *result * 10 + (s[i] - '0');
	}
	return true;
}

/* An optional minus and digits, of a value between min and max */
static bool
parse_int64(const char *s, uint32 len, int64 min, int64 max, int64 *result)
{
	uint32		i = 0;
	bool		negative = len > 0 && s[0] == '-';
	uint64		magnitude = 0;
	uint64		limit = negative ? (uint64) 0 - (uint64) min : (uint64) max;

	if (negative)
		i = 1;
	if (i == len)
		return false;
	for (; i < len; i++)
	{
		unsigned	digit = (unsigned char) s[i] - '0';

		if (digit > 9 || magnitude > (limit - digit) / 10)
			return false;
		magnitude = magnitude * 10 + digit;
	}
	*result = (int64) (negative ? 0 - magnitude : magnitude);
	return true;
}

static uint32
encode_oid(const char *str, uint32 len, uint8 *bytes)
{
	return len == 24 && hex_bytes(str, 12, bytes) ? 12 : 0;
}

static bool
read_symbol(Wrapper *w)
{
	if (!is_string(w->value))
		return false;
	PgBsonBuilderSymbol(w->builder, w->value->str, w->value->len);
	return true;
}

static uint32
encode_int(const char *str, uint32 len, uint8 *bytes)
{
	int64		v;

	if (!parse_int64(str, len, PG_INT32_MIN, PG_INT32_MAX, &v))
		return 0;
	PgBsonWriteU32(bytes, (uint32) v);
	return 4;
}

static uint32
encode_long(const char *str, uint32 len, uint8 *bytes)
{
	int64		v;

	if (!parse_int64(str, len, PG_INT64_MIN, PG_INT64_MAX, &v))
		return 0;
	PgBsonWriteU64(bytes, (uint64) v);
	return 8;
}

/* Digits with an optional sign, point and exponent; at least one digit before the exponent */
static bool
is_decimal_number(const char *s)
{
	int			digits = 0;

	if (*s == '-' || *s == '+')
		s++;
	for (; *s >= '0' && *s <= '9'; s++)
		digits++;
	if (*s == '.')
	{
		for (s++; *s >= '0' && *s <= '9'; s++)
			digits++;
	}
	if (digits == 0)
		return false;
	if (*s == 'e' || *s == 'E')
	{
		s++;
		if (*s == '-' || *s == '+')
			s++;
		if (*s < '0' || *s > '9')
			return false;
		while (*s >= '0' && *s <= '9')
			s++;
	}
	return *s == '\0';
}

/*
 * The nearest double: who writes $numberDouble asks for one, so digits may be
 * rounded here, but not to infinity, nor all of them away.
 */
static bool
parse_double(const char *s, double *result)
{
	if (strcmp(s, "NaN") == 0)
		*result = get_float8_nan();
	else if (strcmp(s, "Infinity") == 0)
		*result = get_float8_infinity();
	else if (strcmp(s, "-Infinity") == 0)
		*result = -get_float8_infinity();
	else if (is_decimal_number(s))
	{
		bool		zero = strchr("eE", s[strcspn(s, "123456789eE")]) != NULL;

		*result = strtod(s, NULL);
		return !isinf(*result) && (zero || *result != 0);
	}
	else
		return false;
	return true;
}

static uint32
encode_double(const char *str, uint32 len, uint8 *bytes)
{
	char		buf[64];
	char	   *s = buf;
	double		v = 0;
	uint64		bits;
	bool		ok;

	if (memchr(str, 0, len) != NULL)
		return 0;
	if (len < sizeof(buf))
	{
		memcpy(buf, str, len);
		buf[len] = '\0';
	}
	else
		s = pnstrdup(str, len);
	ok = parse_double(s, &v);
	if (s != buf)
		pfree(s);
	memcpy(&bits, &v, sizeof(bits));
	PgBsonWriteU64(bytes, bits);
	return ok ? 8 : 0;
}

static uint32
encode_decimal(const char *str, uint32 len, uint8 *bytes)
{
	return PgBsonDecimalFromText(str, len, bytes) ? PGBSON_DECIMAL128_SIZE : 0;
}

static int
base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	return -1;
}

/*
 * Strict base64: whole groups of four, padded, no line breaks, and no bits left
 * over that would get lost.  The server's decoder lets the last pass.
 */
static uint8 *
decode_base64(const PgBsonNode *node, uint32 *result_len)
{
	const char *s = node->str;
	uint32		len = node->len;
	uint32		pad = 0;
	uint32		bits = 0;
	uint8	   *result;
	uint8	   *p;

	if (len % 4 != 0)
		return NULL;
	while (pad < 2 && pad < len && s[len - 1 - pad] == '=')
		pad++;
	p = result = palloc(len / 4 * 3 + 1);
	for (uint32 i = 0; i < len - pad; i++)
	{
		int			digit = base64_digit(s[i]);

		if (digit < 0)
			return NULL;
		bits = bits << 6 | digit;
		if (i % 4 == 3)
		{
			*p++ = bits >> 16;
			*p++ = bits >> 8;
			*p++ = bits;
			bits = 0;
		}
	}
	if (pad == 1)
	{
		*p++ = bits >> 10;
		*p++ = bits >> 2;
		bits &= 0x03;
	}
	else if (pad == 2)
	{
		*p++ = bits >> 4;
		bits &= 0x0F;
	}
	*result_len = p - result;
	return bits == 0 ? result : NULL;
}

/* One or two hexadecimal digits, which mongoexport once sign-extended to eight; a number beside base64 text */
static bool
node_to_subtype(const PgBsonNode *node, bool legacy, uint8 *result)
{
	char		digits[2] = {'0', '0'};

	if (node->kind == PGBSON_NODE_INTEGER)
	{
		*result = (uint8) node->integer;
		return legacy && node->integer >= 0 && node->integer <= 0xFF;
	}
	if (!is_string(node))
		return false;
	if (node->len == 1)
		digits[1] = node->str[0];
	else if (node->len == 2)
		memcpy(digits, node->str, 2);
	else if (legacy && node->len == 8 && pg_strncasecmp(node->str, "ffffff", 6) == 0)
		memcpy(digits, node->str + 6, 2);
	else
		return false;
	return hex_bytes(digits, 1, result);
}

static bool
read_binary(Wrapper *w)
{
	PgBsonNode	base64;
	PgBsonNode	subtype_node;
	bool		legacy = w->companion != NULL;
	uint8		subtype;
	uint8	   *bytes;
	uint32		len;

	if (legacy)
	{
		base64 = *w->value;
		subtype_node = *w->companion;
	}
	else if (!object_of(w, w->value, "base64", &base64, "subType", &subtype_node))
		return false;

	if (!is_string(&base64) || !node_to_subtype(&subtype_node, legacy, &subtype))
		return false;
	bytes = decode_base64(&base64, &len);
	if (bytes == NULL)
		return false;
	PgBsonBuilderBinary(w->builder, subtype, bytes, len);
	pfree(bytes);
	return true;
}

/* Hyphens at their four places, or none at all */
static uint32
encode_uuid(const char *str, uint32 len, uint8 *bytes)
{
	char		digits[32];

	if (len == 32)
		memcpy(digits, str, 32);
	else if (len == 36 && str[8] == '-' && str[13] == '-' && str[18] == '-' && str[23] == '-')
	{
		memcpy(digits, str, 8);
		memcpy(digits + 8, str + 9, 4);
		memcpy(digits + 12, str + 14, 4);
		memcpy(digits + 16, str + 19, 4);
		memcpy(digits + 20, str + 24, 12);
	}
	else
		return 0;
	PgBsonWriteU32(bytes, 16);
	bytes[4] = 0x04;
	return hex_bytes(digits, 16, bytes + 5) ? 21 : 0;
}

static bool
read_code(Wrapper *w)
{
	PgBson	   *scope;

	if (!is_string(w->value))
		return false;
	if (w->companion == NULL)
	{
		PgBsonBuilderCode(w->builder, w->value->str, w->value->len);
		return true;
	}
	if (w->companion->kind != PGBSON_NODE_OBJECT)
		return false;
	scope = w->tree->document(w->tree->state, w->companion);
	if (scope == NULL)
		return false;
	PgBsonBuilderCodeWithScope(w->builder, w->value->str, w->value->len, PgBsonViewOf(scope));
	pfree(scope);
	return true;
}

static bool
read_timestamp(Wrapper *w)
{
	PgBsonNode	t;
	PgBsonNode	i;

	if (!object_of(w, w->value, "t", &t, "i", &i) ||
		t.kind != PGBSON_NODE_INTEGER || t.integer < 0 || t.integer > PG_UINT32_MAX ||
		i.kind != PGBSON_NODE_INTEGER || i.integer < 0 || i.integer > PG_UINT32_MAX)
		return false;
	PgBsonBuilderTimestamp(w->builder, (uint32) t.integer, (uint32) i.integer);
	return true;
}

static int
compare_chars(const void *a, const void *b)
{
	return *(const unsigned char *) a - *(const unsigned char *) b;
}

char *
PgBsonSortedOptions(const char *options, uint32 len)
{
	char	   *sorted = pnstrdup(options, len);
	bool		ascii = true;

	for (uint32 i = 0; i < len; i++)
		ascii &= !IS_HIGHBIT_SET(sorted[i]);
	if (ascii)
		qsort(sorted, len, 1, compare_chars);
	return sorted;
}

static bool
append_regex(Wrapper *w, const PgBsonNode *pattern, const PgBsonNode *options)
{
	char	   *sorted;

	if (!is_cstring(pattern) || !is_cstring(options))
		return false;
	sorted = PgBsonSortedOptions(options->str, options->len);
	PgBsonBuilderRegex(w->builder, pattern->str, pattern->len, sorted, options->len);
	pfree(sorted);
	return true;
}

static bool
read_regular_expression(Wrapper *w)
{
	PgBsonNode	pattern;
	PgBsonNode	options;

	return object_of(w, w->value, "pattern", &pattern, "options", &options) &&
		append_regex(w, &pattern, &options);
}

static bool
read_regex(Wrapper *w)
{
	return append_regex(w, w->value, w->companion);
}

static bool
read_dbpointer(Wrapper *w)
{
	PgBsonNode	ref;
	PgBsonNode	id;
	PgBsonNode	oid_node;
	uint8		oid[12];

	if (!object_of(w, w->value, "$ref", &ref, "$id", &id) || !is_string(&ref) ||
		!object_of(w, &id, "$oid", &oid_node, NULL, NULL) || !is_string(&oid_node) ||
		encode_oid(oid_node.str, oid_node.len, oid) == 0)
		return false;
	PgBsonBuilderDBPointer(w->builder, ref.str, ref.len, oid);
	return true;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar; false if there is no such date */
static bool
date_to_days(int year, int month, int day, int *days)
{
	static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool		leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	int			before;

	if (month < 1 || month > 12 || day < 1 ||
		day > month_days[month - 1] + (month == 2 && leap ? 1 : 0))
		return false;

	/* leap days of the years before this one; year 0 is one of them */
	before = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1;
	*days = year * 365 + before - 719528 + day - 1;
	for (int m = 1; m < month; m++)
		*days += month_days[m - 1] + (m == 2 && leap ? 1 : 0);
	return true;
}

/* .fraction of a second, to milliseconds; nothing is rounded, so further digits are zeros */
static bool
parse_fraction(const char **s, int *ms)
{
	int			place = 100;

	*ms = 0;
	if (**s != '.')
		return true;
	(*s)++;
	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9'; (*s)++)
	{
		if (place == 0 && **s != '0')
			return false;
		*ms += place * (**s - '0');
		place /= 10;
	}
	return true;
}

/* Z, +hh, +hhmm or +hh:mm up to the end of the string, in minutes */
static bool
parse_offset(const char *s, int *minutes)
{
	int			sign = *s == '-' ? -1 : 1;
	int			hour;
	int			minute = 0;

	*minutes = 0;
	if (strcmp(s, "Z") == 0)
		return true;
	if (*s != '+' && *s != '-')
		return false;
	s++;
	if (strlen(s) < 2 || !decimal_digits(s, 2, &hour))
		return false;
	s += 2;
	if (*s == ':')
		s++;
	else if (*s == '\0')
		s = "00";
	if (strlen(s) != 2 || !decimal_digits(s, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*minutes = sign * (hour * 60 + minute);
	return true;
}

/*
 * yyyy-mm-ddThh:mm[:ss[.fff]] and an offset, without which the instant would be
 * anybody's guess; or yyyy-mm-dd, which is midnight UTC as JavaScript has it.
 */
static bool
parse_iso_date(const char *s, int64 *result)
{
	int			year;
	int			month;
	int			day;
	int			days;
	int			hour = 0;
	int			minute = 0;
	int			second = 0;
	int			ms = 0;
	int			offset = 0;

	if (strlen(s) < 10 || s[4] != '-' || s[7] != '-' ||
		!decimal_digits(s, 4, &year) || !decimal_digits(s + 5, 2, &month) ||
		!decimal_digits(s + 8, 2, &day) || !date_to_days(year, month, day, &days))
		return false;
	s += 10;
	if (*s != '\0')
	{
		if (strlen(s) < 6 || s[0] != 'T' || s[3] != ':' ||
			!decimal_digits(s + 1, 2, &hour) || !decimal_digits(s + 4, 2, &minute))
			return false;
		s += 6;
		if (*s == ':')
		{
			if (strlen(s) < 3 || !decimal_digits(s + 1, 2, &second))
				return false;
			s += 3;
			if (!parse_fraction(&s, &ms))
				return false;
		}
		if (hour > 23 || minute > 59 || second > 59 || !parse_offset(s, &offset))
			return false;
	}
	*result = (((int64) days * 24 + hour) * 60 + minute - offset) * 60000 + second * 1000 + ms;
	return true;
}

static uint32
encode_date(const char *str, uint32 len, uint8 *bytes)
{
	char		buf[64];
	int64		ms;

	if (len >= sizeof(buf) || memchr(str, 0, len) != NULL)
		return 0;
	memcpy(buf, str, len);
	buf[len] = '\0';
	if (!parse_iso_date(buf, &ms))
		return 0;
	PgBsonWriteU64(bytes, (uint64) ms);
	return 8;
}

/* A wrapper that holds just a string */
static bool
read_fixed(Wrapper *w)
{
	uint8		bytes[PGBSON_EXTJSON_FIXED];
	PgBsonValue value = {w->key->type, 0, bytes};

	if (is_string(w->value))
		value.len = w->key->encode(w->value->str, w->value->len, bytes);
	if (value.len == 0)
		return false;
	PgBsonBuilderValue(w->builder, &value);
	return true;
}

static bool
read_date(Wrapper *w)
{
	PgBsonNode	number;
	int64		ms;

	if (is_string(w->value))
		return read_fixed(w);
	if (w->value->kind == PGBSON_NODE_INTEGER)
		ms = w->value->integer;
	else if (!object_of(w, w->value, "$numberLong", &number, NULL, NULL) || !is_string(&number) ||
			 !parse_int64(number.str, number.len, PG_INT64_MIN, PG_INT64_MAX, &ms))
		return false;
	PgBsonBuilderDate(w->builder, ms);
	return true;
}

static inline bool
is_one(const PgBsonNode *node)
{
	return node->kind == PGBSON_NODE_INTEGER && node->integer == 1;
}

static bool
read_minkey(Wrapper *w)
{
	if (!is_one(w->value))
		return false;
	PgBsonBuilderMinKey(w->builder);
	return true;
}

static bool
read_maxkey(Wrapper *w)
{
	if (!is_one(w->value))
		return false;
	PgBsonBuilderMaxKey(w->builder);
	return true;
}

static bool
read_undefined(Wrapper *w)
{
	if (w->value->kind != PGBSON_NODE_BOOL || !w->value->boolean)
		return false;
	PgBsonBuilderUndefined(w->builder);
	return true;
}

char *
PgBsonExcerpt(const char *text, Size len)
{
	char	   *result = palloc(EXCERPT_BYTES + sizeof("..."));
	Size		n = Min(len, EXCERPT_BYTES);

	/* a message ends at U+0000, and must not end in the middle of a character */
	n = strnlen(text, n);
	if (n < len)
		n = pg_encoding_mbcliplen(PG_UTF8, text, n, n);
	memcpy(result, text, n);
	strcpy(result + n, n < len ? "..." : "");

	/* any character may come of an escape, also one the server's encoding lacks */
	if (GetDatabaseEncoding() != PG_UTF8)
	{
		char	   *to = result;

		for (const char *from = result; *from != '\0'; from++)
		{
			if (!IS_HIGHBIT_SET(*from))
				*to++ = *from;
			else if ((*from & 0xC0) != 0x80)
				*to++ = '?';
		}
		*to = '\0';
	}
	return result;
}

static PgBsonConverted
refuse_value(const WrapperKey *key, const PgBsonNode *value, Node *escontext)
{
	char	   *shown = NULL;

	if (is_string(value))
		shown = psprintf("\"%s\"", PgBsonExcerpt(value->str, value->len));
	else if (value->kind == PGBSON_NODE_INTEGER)
		shown = psprintf(INT64_FORMAT, value->integer);

	if (shown != NULL)
		ereturn(escontext, PGBSON_BAD_WRAPPER,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid \"%s\" value: %s", key->name, shown),
				 errdetail_internal("%s", key->expected)));
	ereturn(escontext, PGBSON_BAD_WRAPPER,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid \"%s\" value", key->name),
			 errdetail_internal("%s", key->expected)));
}

static PgBsonConverted
refuse_keys(const WrapperKey *key, Node *escontext)
{
	ereturn(escontext, PGBSON_BAD_WRAPPER,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid \"%s\" object", key->name),
			 key->companion == NULL ?
			 errdetail("No other key may stand beside \"%s\".", key->name) :
			 errdetail("No other key than \"%s\" may stand beside \"%s\".", key->companion, key->name)));
}

/* Which wrapper do these members make? */
static const WrapperKey *
wrapper_of(const PgBsonMember *members, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		const WrapperKey *key = find_wrapper_key(members[i].key, members[i].key_len);

		if (key != NULL)
			return key;
	}
	if (count == 2)
	{
		const PgBsonNode *regex = member(members, count, legacy_regex.name);
		const PgBsonNode *options = member(members, count, legacy_regex.companion);

		if (regex != NULL && is_string(regex) && options != NULL && is_string(options))
			return &legacy_regex;
	}
	return NULL;
}

PgBsonConverted
PgBsonExtJsonConvert(const PgBsonTree *tree, const PgBsonNode *object,
					 PgBsonBuilder *builder, Node *escontext)
{
	uint32		count = tree->count(tree->state, object);
	PgBsonMember *members = palloc_extended(count * sizeof(PgBsonMember), MCXT_ALLOC_HUGE);
	PgBsonConverted result;
	const WrapperKey *key;
	Wrapper		w;

	tree->members(tree->state, object, members);
	key = wrapper_of(members, count);
	if (key == NULL)
		result = PGBSON_NO_WRAPPER;
	else
	{
		w.key = key;
		w.tree = tree;
		w.builder = builder;
		w.value = member(members, count, key->name);
		w.companion = key->companion == NULL ? NULL : member(members, count, key->companion);
		if (count != (w.companion == NULL ? 1 : 2))
			result = refuse_keys(key, escontext);
		else if (key->read(&w))
			result = PGBSON_WRAPPER;
		else if (SOFT_ERROR_OCCURRED(escontext))
			result = PGBSON_BAD_WRAPPER;	/* within the scope */
		else
			result = refuse_value(key, w.value, escontext);
	}
	pfree(members);
	return result;
}
