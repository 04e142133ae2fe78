/*
 * make.c
 *	  Valid values by the bytes of an input, so that mutations of it stay valid.
 */
#include "fuzz.h"

#define MAX_LEVELS	40

PgBson *
FuzzDatum(const uint8 *data, Size len)
{
	PgBson	   *bson = palloc(len + VARHDRSZ);

	SET_VARSIZE(bson, len + VARHDRSZ);
	if (len > 0)
		memcpy(VARDATA(bson), data, len);
	return bson;
}

void
FuzzCheckDatum(const PgBson *bson)
{
	PgBsonFault fault;

	if (!PgBsonCheck((const uint8 *) VARDATA(bson), VARSIZE(bson) - VARHDRSZ, &fault))
		FuzzFail("not valid: %s, byte %zu", fault.reason, fault.offset);
}

const char *
FuzzKey(FuzzInput *in, uint32 *len)
{
	static const char *const keys[] = {
		"a", "b", "c", "ab", "", "0", "1", "2", "10", "-1", "a.b", "$set", "$oid", "$date", "\303\244",
		"a key of more than sixteen bytes", "a key of more than sixteen bytes!",
		/* around the lengths of words, beginning alike */
		"abcdef", "abcdefg", "abcdefgh", "abcdefghijklm", "abcdefghijklmn", "abcdefghijklmo", "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopqrstuv"
	};
	const char *key = keys[FuzzByte(in) % lengthof(keys)];

	*len = strlen(key);
	return key;
}

static uint64
number_of(FuzzInput *in)
{
	static const uint64 edges[] = {
		0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x001fffffffffffff, 0x0020000000000001,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
		0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0x4340000000000001, 0x43e0000000000000, 0x3fb999999999999a, 0x3040000000000000, 0xb040000000000000, 0x303e000000000000,
		0x7800000000000000, 0x7c00000000000000, 0x5fffed09bead87c0
	};
	uint8		kind = FuzzByte(in);
	uint64		v = 0;

	if (kind < 128)
		return edges[kind % lengthof(edges)];
	if (kind < 192)
		return (uint64) (int64) (int8) FuzzByte(in);
	for (int i = 0; i < 8; i++)
		v = v << 8 | FuzzByte(in);
	return v;
}

static const char *
string_of(FuzzInput *in, uint32 *len)
{
	static const char *const strings[] = {"", "a", "b", "ab", "\"\\\n", "\303\244\342\202\254", "x\0y", "0123456789012345678901234567890123456789"};
	int			i = FuzzByte(in) % lengthof(strings);

	*len = i == 6 ? 3 : strlen(strings[i]);
	return strings[i];
}

/* Add a value of these bytes */
static void
put_bytes(PgBsonBuilder *b, PgBsonType type, PgBsonWriter *w)
{
	PgBsonBuilderValue(b, &(PgBsonValue) {type, w->len, w->data});
	pfree(w->data - VARHDRSZ);
}

static void
put_scoped_code(PgBsonBuilder *b, const char *s, uint32 len, PgBsonView scope)
{
	PgBsonWriter w;

	PgBsonWriterInit(&w, 0);
	(void) PgBsonWriterOpen(&w);
	PgBsonWriterString(&w, s, len);
	PgBsonWriterBytes(&w, scope.data, scope.len);
	PgBsonWriteU32(w.data, w.len);
	put_bytes(b, PGBSON_CODE_W_SCOPE, &w);
}

static void
make_value(PgBsonBuilder *b, FuzzInput *in, int level)
{
	uint8		what = FuzzByte(in);
	const char *s;
	uint32		len;
	uint8		bytes[16];
	PgBsonWriter w;
	PgBsonValue marker = {PGBSON_EOD, 0, (const uint8 *) ""};

	if (what == 255 && level == 0)
	{
		/* a deep one, to most of the limit */
		int			levels = FuzzByte(in) * 4;

		for (int i = 0; i < levels; i++)
		{
			if (FuzzByte(in) & 1)
				PgBsonBuilderOpenArray(b);
			else
			{
				PgBsonBuilderOpenDocument(b);
				PgBsonBuilderKey(b, "a", 1);
			}
		}
		make_value(b, in, MAX_LEVELS);
		while (levels-- > 0)
			PgBsonBuilderClose(b);
		return;
	}
	switch (what % 24)
	{
		case 0:
		case 1:
		case 22:
		case 23:
			if (level >= MAX_LEVELS)
				break;
			what %= 2;
			if (what == 0)
				PgBsonBuilderOpenDocument(b);
			else
				PgBsonBuilderOpenArray(b);
			for (int n = FuzzByte(in) % 6; n > 0; n--)
			{
				if (what == 0)
				{
					s = FuzzKey(in, &len);
					PgBsonBuilderKey(b, s, len);
				}
				make_value(b, in, level + 1);
			}
			PgBsonBuilderClose(b);
			return;
		case 2:
		case 3:
		case 4:
			marker.type = what % 24 == 2 ? PGBSON_UNDEFINED : what % 24 == 3 ? PGBSON_MINKEY : PGBSON_MAXKEY;
			PgBsonBuilderValue(b, &marker);
			return;
		case 5:
			PgBsonBuilderBool(b, FuzzByte(in) & 1);
			return;
		case 6:
			PgBsonBuilderInt32(b, (int32) number_of(in));
			return;
		case 7:
			PgBsonBuilderInt64(b, (int64) number_of(in));
			return;
		case 8:
		case 9:
			PgBsonWriteU64(bytes, number_of(in));
			PgBsonBuilderDouble(b, PgBsonReadDouble(bytes));
			return;
		case 10:
		case 11:
			PgBsonWriteU64(bytes, number_of(in));
			PgBsonWriteU64(bytes + 8, number_of(in));
			PgBsonBuilderValue(b, &(PgBsonValue) {PGBSON_DECIMAL128, 16, bytes});
			return;
		case 12:
			PgBsonWriteU64(bytes, number_of(in));
			PgBsonBuilderValue(b, &(PgBsonValue) {PGBSON_DATE, 8, bytes});
			return;
		case 13:
			PgBsonWriteU64(bytes, number_of(in) << 32 | FuzzByte(in));
			PgBsonBuilderValue(b, &(PgBsonValue) {PGBSON_TIMESTAMP, 8, bytes});
			return;
		case 14:
			s = string_of(in, &len);
			PgBsonBuilderString(b, s, len);
			return;
		case 15:
		case 16:
			s = string_of(in, &len);
			PgBsonWriterInit(&w, 0);
			PgBsonWriterString(&w, s, len);
			put_bytes(b, what % 24 == 15 ? PGBSON_SYMBOL : PGBSON_CODE, &w);
			return;
		case 17:
			if (level < MAX_LEVELS)
			{
				PgBson	   *scope = FuzzMake(in);
				int			times = FuzzByte(in);

				s = string_of(in, &len);
				/* of a root that is not a document, the wrapper: a document as any other */
				PgBsonCheckDepth(&(PgBsonValue) {PGBSON_DOCUMENT, VARSIZE(scope) - VARHDRSZ, (uint8 *) VARDATA(scope)}, level + 2);
				/* a scope in a scope, often */
				for (times = times > 240 ? times : 0; times > 0; times--)
				{
					PgBsonBuilder *outer = PgBsonBuilderBegin();

					PgBsonBuilderOpenDocument(outer);
					PgBsonBuilderKey(outer, "s", 1);
					put_scoped_code(outer, "\"\n\1", 3, PgBsonViewOf(scope));
					PgBsonBuilderClose(outer);
					scope = PgBsonBuilderFinish(outer);
				}
				put_scoped_code(b, s, len, PgBsonViewOf(scope));
				return;
			}
			break;
		case 18:
			s = string_of(in, &len);
			PgBsonWriterInit(&w, 0);
			what = FuzzByte(in) % 10;
			if (what == 2)
			{
				/* the old subtype has a length within */
				PgBsonWriteU32(bytes, len + 4);
				bytes[4] = 2;
				PgBsonWriteU32(bytes + 5, len);
				PgBsonWriterBytes(&w, bytes, 9);
				PgBsonWriterBytes(&w, s, len);
			}
			else
				PgBsonWriterBinary(&w, what, (const uint8 *) s, len);
			put_bytes(b, PGBSON_BINARY, &w);
			return;
		case 19:
			memset(bytes, FuzzByte(in), sizeof(bytes));
			PgBsonBuilderValue(b, &(PgBsonValue) {PGBSON_OBJECTID, 12, bytes});
			return;
		case 20:
			PgBsonWriterInit(&w, 0);
			PgBsonWriterBytes(&w, "a/b", FuzzByte(in) % 4);
			*PgBsonWriterRoom(&w, 1) = 0;
			PgBsonWriterBytes(&w, "imx", FuzzByte(in) % 4);
			*PgBsonWriterRoom(&w, 1) = 0;
			put_bytes(b, PGBSON_REGEX, &w);
			return;
		case 21:
			memset(bytes, 7, sizeof(bytes));
			PgBsonWriterInit(&w, 0);
			PgBsonWriterString(&w, "db.c", FuzzByte(in) % 5);
			PgBsonWriterBytes(&w, bytes, 12);
			put_bytes(b, PGBSON_DBPOINTER, &w);
			return;
	}
	PgBsonBuilderNull(b);
}

PgBson *
FuzzMake(FuzzInput *in)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();
	static int	nested;			/* scopes within scopes */
	PgBson	   *result;

	if (++nested > 4)
		PgBsonBuilderNull(b);
	else
		make_value(b, in, 0);
	nested--;
	result = PgBsonBuilderFinish(b);
	/* in a block of its very size */
	return FuzzDatum((uint8 *) VARDATA(result), VARSIZE(result) - VARHDRSZ);
}

void
FuzzPutKey(PgBsonBuilder *b, const char *key)
{
	PgBsonBuilderKey(b, key, strlen(key));
}

void
FuzzPutValue(PgBsonBuilder *b, FuzzInput *in)
{
	PgBsonValue value = PgBsonRoot(FuzzMake(in));

	PgBsonBuilderValue(b, &value);
}

const char *
FuzzPath(FuzzInput *in)
{
	static const char *const paths[] = {"a", "b", "a.b", "a.0", "a.1.b", "b.c.0", "0", "_id", "a.$", ".", "a.", "ab.10", ""};

	return paths[FuzzByte(in) % lengthof(paths)];
}

/* What an operator of a query, or a path in it, is given */
static void
put_operand(PgBsonBuilder *b, FuzzInput *in, int level)
{
	uint8		what = level < 5 ? FuzzByte(in) % 8 : 0;

	switch (what)
	{
		case 5:
		case 6:
			FuzzPutQuery(b, in, level + 1);
			break;
		case 7:
			PgBsonBuilderOpenArray(b);
			for (int n = FuzzByte(in) % 4; n > 0; n--)
				put_operand(b, in, level + 1);
			PgBsonBuilderClose(b);
			break;
		default:
			FuzzPutValue(b, in);
	}
}

void
FuzzPutQuery(PgBsonBuilder *b, FuzzInput *in, int level)
{
	static const char *const query_operators[] = {
		"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$type", "$all", "$elemMatch", "$size",
		"$regex", "$options", "$mod", "$not", "$and", "$or", "$nor"
	};

	PgBsonBuilderOpenDocument(b);
	for (int n = 1 + FuzzByte(in) % 3; n > 0; n--)
	{
		FuzzPutKey(b, FuzzByte(in) % 2 ? query_operators[FuzzByte(in) % lengthof(query_operators)] : FuzzPath(in));
		put_operand(b, in, level);
	}
	PgBsonBuilderClose(b);
}

/* What an operator of an update is given for a path */
static void
put_change(PgBsonBuilder *b, FuzzInput *in)
{
	static const char *const push_operators[] = {"$each", "$slice", "$position", "$sort"};
	uint8		what = FuzzByte(in) % 8;

	if (what < 4)
		FuzzPutValue(b, in);
	else if (what == 4)
		FuzzPutQuery(b, in, 3);
	else if (what == 5)
	{
		const char *path = FuzzPath(in);

		PgBsonBuilderString(b, path, strlen(path));
	}
	else
	{
		PgBsonBuilderOpenDocument(b);
		for (int n = 1 + FuzzByte(in) % 3; n > 0; n--)
		{
			FuzzPutKey(b, push_operators[FuzzByte(in) % lengthof(push_operators)]);
			FuzzPutValue(b, in);
		}
		PgBsonBuilderClose(b);
	}
}

void
FuzzPutUpdate(PgBsonBuilder *b, FuzzInput *in)
{
	static const char *const update_operators[] = {
		"$set", "$unset", "$inc", "$mul", "$min", "$max", "$rename", "$push", "$pull", "$pullAll", "$addToSet", "$pop",
		"$currentDate", "$setOnInsert", "$bit"
	};

	PgBsonBuilderOpenDocument(b);
	for (int n = 1 + FuzzByte(in) % 2; n > 0; n--)
	{
		FuzzPutKey(b, update_operators[FuzzByte(in) % lengthof(update_operators)]);
		PgBsonBuilderOpenDocument(b);
		for (int m = 1 + FuzzByte(in) % 3; m > 0; m--)
		{
			FuzzPutKey(b, FuzzPath(in));
			put_change(b, in);
		}
		PgBsonBuilderClose(b);
	}
	PgBsonBuilderClose(b);
}
