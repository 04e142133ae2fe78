/*
 * compare_native.c
 *	  Comparison of bson with SQL's own types: integer, bigint, double
 *	  precision, numeric, text, boolean, timestamptz and uuid.
 *
 * The order is that of core/order/compare.h: the native value counts as the BSON
 * value that has the same meaning.  So a number is less than any string, and a
 * document is not equal to any text.  If no BSON value has exactly the same
 * meaning (a numeric of more than 34 digits, a time with microseconds, an
 * infinite time), the comparison is still exact, without rounding.
 *
 * Each operator is a member of the btree family bson_ops, and = also of the
 * hash family.  These families also have functions for two values of the
 * native type, which are needed to sort the array of = ANY and to hash the
 * rows of a subquery, and to choose a hash partition.  The families do not have all pairs of types, because a
 * pair such as integer and text has no meaning. amvalidate reports this, but
 * the planner does not need them.
 */
#include "door.h"

#include <float.h>
#include <math.h>

#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/number/number_text.h"
#include "core/order/compare.h"
#include "core/write/write.h"
#include "sql/site/kept.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* The size of a buffer for a value of a fixed-size type as BSON; a UUID is the largest */
#define NATIVE_ROOM		(4 + 1 + UUID_LEN)

/* Compare the value with the native value: <0, 0, >0 */
typedef int (*CompareNative) (FunctionCallInfo fcinfo, const PgBsonValue *value, Datum native);

static PgBsonValue
int4_value(Datum native, uint8 *room)
{
	PgBsonWriteU32(room, (uint32) DatumGetInt32(native));
	return (PgBsonValue) {PGBSON_INT32, 4, room};
}

static PgBsonValue
int8_value(Datum native, uint8 *room)
{
	PgBsonWriteU64(room, (uint64) DatumGetInt64(native));
	return (PgBsonValue) {PGBSON_INT64, 8, room};
}

static PgBsonValue
float8_value(Datum native, uint8 *room)
{
	PgBsonWriteDouble(room, DatumGetFloat8(native));
	return (PgBsonValue) {PGBSON_DOUBLE, 8, room};
}

static PgBsonValue
boolean_value(Datum native, uint8 *room)
{
	room[0] = DatumGetBool(native) ? 1 : 0;
	return (PgBsonValue) {PGBSON_BOOL, 1, room};
}

static PgBsonValue
uuid_value(Datum native, uint8 *room)
{
	PgBsonWriteU32(room, UUID_LEN);
	room[4] = PGBSON_UUID_SUBTYPE;
	memcpy(room + 5, DatumGetUUIDP(native)->data, UUID_LEN);
	return (PgBsonValue) {PGBSON_BINARY, 5 + UUID_LEN, room};
}

/*
 * Comparison with a type of fixed size, which TYPE_value converts to BSON, and the hash of the BSON
 * value that is equal to a value of the type
 */
#define FIXED(type) \
static int \
compare_##type(FunctionCallInfo fcinfo, const PgBsonValue *value, Datum native) \
{ \
	uint8		room[NATIVE_ROOM]; \
	PgBsonValue other = type##_value(native, room); \
\
	return PgBsonCompare(value, &other); \
} \
static uint64 \
native_hash_##type(Datum native, uint64 seed) \
{ \
	uint8		room[NATIVE_ROOM]; \
	PgBsonValue value = type##_value(native, room); \
\
	return PgBsonHash(&value, seed); \
}

FIXED(int4)
FIXED(int8)
FIXED(float8)
FIXED(boolean)
FIXED(uuid)

/* A string, palloc'd */
static PgBsonValue
text_value(text *t)
{
	uint32		len;
	const char *utf8 = PgBsonFromText(t, &len);
	uint8	   *bytes = palloc((Size) len + PGBSON_STRING_EXTRA);

	PgBsonPutString(bytes, utf8, len);
	if (utf8 != VARDATA_ANY(t))
		pfree(unconstify(char *, utf8));
	return (PgBsonValue) {PGBSON_STRING, len + PGBSON_STRING_EXTRA, bytes};
}

/* Compare with a string, bytewise; the collation of the text is ignored */
static int
compare_text(FunctionCallInfo fcinfo, const PgBsonValue *value, Datum native)
{
	text	   *t = DatumGetTextPP(native);
	uint32		len;
	const char *utf8 = PgBsonFromText(t, &len);
	int			cmp = PgBsonTypeRank(value->type) - PgBsonTypeRank(PGBSON_STRING);

	if (cmp == 0)
	{
		uint32		value_len;
		const char *string = PgBsonValueString(value, &value_len);

		cmp = memcmp(string, utf8, Min(value_len, len));
		if (cmp == 0)
			cmp = value_len < len ? -1 : value_len > len;
	}
	if (utf8 != VARDATA_ANY(t))
		pfree(unconstify(char *, utf8));
	if (PointerGetDatum(t) != native)
		pfree(t);
	return cmp;
}

static int
compare_timestamptz(FunctionCallInfo fcinfo, const PgBsonValue *value, Datum native)
{
	TimestampTz ts = DatumGetTimestampTz(native);
	int			cmp = PgBsonTypeRank(value->type) - PgBsonTypeRank(PGBSON_DATE);
	int64		date;
	int64		ms;
	int64		us;

	if (cmp != 0)
		return cmp;
	if (TIMESTAMP_IS_NOBEGIN(ts))
		return 1;
	if (TIMESTAMP_IS_NOEND(ts))
		return -1;
	date = PgBsonReadI64(value->data);
	ms = PgBsonTimestampFloor(ts, &us);
	if (date != ms)
		return date < ms ? -1 : 1;
	return us > 0 ? -1 : 0;
}

/* The last numeric as decimal128, which a call site remembers */
typedef struct NumericSite
{
	Size		size;			/* of the numeric; 0 if there was none yet */
	bool		fits;			/* can a decimal128 hold it exactly? */
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	char		bytes[FLEXIBLE_ARRAY_MEMBER];	/* of the numeric */
} NumericSite;

/* A numeric of up to this many bytes is remembered, so that a literal is converted once */
#define NUMERIC_REMEMBERED	64

static bool
numeric_to_decimal(FunctionCallInfo fcinfo, Numeric num, uint8 *decimal)
{
	Size		size = VARSIZE_ANY(num);
	NumericSite *site = PgBsonSite(fcinfo->flinfo, offsetof(NumericSite, bytes) + NUMERIC_REMEMBERED);

	if (site == NULL || size > NUMERIC_REMEMBERED)
		return PgBsonDecimalFromNumeric(num, decimal);
	if (site->size != size || memcmp(site->bytes, num, size) != 0)
	{
		site->size = 0;
		site->fits = PgBsonDecimalFromNumeric(num, site->decimal);
		memcpy(site->bytes, num, size);
		site->size = size;
	}
	memcpy(decimal, site->decimal, PGBSON_DECIMAL128_SIZE);
	return site->fits;
}

static int
compare_as_numerics(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a), NumericGetDatum(b)));
}

static int
compare_numeric(FunctionCallInfo fcinfo, const PgBsonValue *value, Datum native)
{
	Numeric		num = DatumGetNumeric(native);
	int			cmp = PgBsonTypeRank(value->type) - PgBsonTypeRank(PGBSON_DECIMAL128);
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	int64		i;

	if (cmp == 0)
	{
		if (numeric_to_decimal(fcinfo, num, decimal))
		{
			PgBsonValue other = {PGBSON_DECIMAL128, sizeof(decimal), decimal};

			cmp = PgBsonNumberCompare(value, &other);
		}
		/* NaN is the greatest numeric; this one is finite, because decimal128 can hold the others */
		else if (isnan(PgBsonDoubleOf(value)))
			cmp = -1;
		else
			cmp = compare_as_numerics(PgBsonNumberToInt64(value, &i) ? int64_to_numeric(i)
									  : PgBsonNumberToNumeric(value), num);
	}
	if (NumericGetDatum(num) != native)
		pfree(num);
	return cmp;
}

/* Compare the bson, which is argument "which", with the native value, which is the other argument: <0, 0, >0 */
static inline int
compare_with(FunctionCallInfo fcinfo, int which, CompareNative compare)
{
	PgBsonReader reader;
	int			cmp;

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(which));
	cmp = compare(fcinfo, &reader.root, PG_GETARG_DATUM(1 - which));
	PgBsonDrop(&reader);
	return cmp;
}

/* SQL: bson_NAME_TYPE(bson, TYPE), and TYPE_NAME_bson(TYPE, bson) */
#define COMPARISON(name, type, returns, forth, back) \
PG_FUNCTION_INFO_V1(pgbson_##name##_##type); \
Datum \
pgbson_##name##_##type(PG_FUNCTION_ARGS) \
{ \
	int			cmp = compare_with(fcinfo, 0, compare_##type); \
\
	returns(forth); \
} \
PG_FUNCTION_INFO_V1(pgbson_##type##_##name##_bson); \
Datum \
pgbson_##type##_##name##_bson(PG_FUNCTION_ARGS) \
{ \
	int			cmp = compare_with(fcinfo, 1, compare_##type); \
\
	returns(back); \
}

#define COMPARISONS(type) \
COMPARISON(eq, type, PG_RETURN_BOOL, cmp == 0, cmp == 0) \
COMPARISON(ne, type, PG_RETURN_BOOL, cmp != 0, cmp != 0) \
COMPARISON(lt, type, PG_RETURN_BOOL, cmp < 0, cmp > 0) \
COMPARISON(le, type, PG_RETURN_BOOL, cmp <= 0, cmp >= 0) \
COMPARISON(gt, type, PG_RETURN_BOOL, cmp > 0, cmp < 0) \
COMPARISON(ge, type, PG_RETURN_BOOL, cmp >= 0, cmp <= 0) \
COMPARISON(cmp, type, PG_RETURN_INT32, (cmp > 0) - (cmp < 0), (cmp < 0) - (cmp > 0))

COMPARISONS(int4)
COMPARISONS(int8)
COMPARISONS(float8)
COMPARISONS(numeric)
COMPARISONS(text)
COMPARISONS(boolean)
COMPARISONS(timestamptz)
COMPARISONS(uuid)

/*
 * Compare two native values in the order of bson, for types whose own order is
 * different: NaN comes first, and text is compared bytewise in UTF-8.
 */

PGBSON_FUNCTION(pgbson_order_float8)
{
	uint8		room[NATIVE_ROOM];
	PgBsonValue value = float8_value(PG_GETARG_DATUM(0), room);

	PG_RETURN_INT32(compare_float8(fcinfo, &value, PG_GETARG_DATUM(1)));
}

PGBSON_FUNCTION(pgbson_order_numeric)
{
	Numeric		a = PG_GETARG_NUMERIC(0);
	Numeric		b = PG_GETARG_NUMERIC(1);

	if (numeric_is_nan(a) || numeric_is_nan(b))
		PG_RETURN_INT32(numeric_is_nan(b) - numeric_is_nan(a));
	PG_RETURN_INT32(compare_as_numerics(a, b));
}

PGBSON_FUNCTION(pgbson_order_text)
{
	PgBsonValue value = text_value(PG_GETARG_TEXT_PP(0));

	PG_RETURN_INT32(compare_text(fcinfo, &value, PG_GETARG_DATUM(1)));
}

/* --- hashes of SQL's types: the hash of the bson value that is equal --- */

static uint64
native_hash_text(Datum native, uint64 seed)
{
	text	   *t = DatumGetTextPP(native);
	PgBsonValue value = text_value(t);
	uint64		hash = PgBsonHash(&value, seed);

	pfree(unconstify(uint8 *, value.data));
	if (PointerGetDatum(t) != native)
		pfree(t);
	return hash;
}

static uint64
native_hash_timestamptz(Datum native, uint64 seed)
{
	TimestampTz ts = DatumGetTimestampTz(native);
	uint8		bytes[8];
	PgBsonValue value;
	int64		us;

	/* no date is equal to an infinite time, or to one with microseconds */
	if (TIMESTAMP_NOT_FINITE(ts))
		return 0;
	PgBsonWriteU64(bytes, (uint64) PgBsonTimestampFloor(ts, &us));
	value = (PgBsonValue) {PGBSON_DATE, sizeof(bytes), bytes};
	return PgBsonHash(&value, seed);
}

static uint64
native_hash_numeric(Datum native, uint64 seed)
{
	Numeric		num = DatumGetNumeric(native);
	uint8		bytes[PGBSON_DECIMAL128_SIZE];
	PgBsonValue value = {PGBSON_DECIMAL128, sizeof(bytes), bytes};
	uint64		hash;

	/* no bson equals what a decimal128 cannot hold */
	if (PgBsonDecimalFromNumeric(num, bytes))
		hash = PgBsonHash(&value, seed);
	else
		hash = DatumGetUInt64(DirectFunctionCall2(hash_numeric_extended, NumericGetDatum(num), UInt64GetDatum(seed)));
	if (NumericGetDatum(num) != native)
		pfree(num);
	return hash;
}

/*
 * SQL: bson_hash_TYPE(TYPE) and bson_hash_extended_TYPE(TYPE, seed bigint): for values of TYPE,
 * bson_hash and bson_hash_extended
 */
#define HASH(type) \
PGBSON_DOOR(pgbson_hash_##type, Int32GetDatum((int32) native_hash_##type(PG_GETARG_DATUM(0), 0))); \
PGBSON_DOOR(pgbson_hash_extended_##type, \
			Int64GetDatum((int64) native_hash_##type(PG_GETARG_DATUM(0), (uint64) PG_GETARG_INT64(1))))

HASH(int4);
HASH(int8);
HASH(float8);
HASH(numeric);
HASH(text);
HASH(boolean);
HASH(timestamptz);
HASH(uuid);
