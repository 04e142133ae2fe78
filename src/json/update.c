/*
 * update.c
 *	  MongoDB's update language.
 *
 * Every operator is a list of paths with operands.  Each is applied to the
 * document as it stands, through core/modify.h, so what does not change keeps
 * its bytes and its place.  As in MongoDB no two operators may touch the same
 * path, so their order does not matter.  Those of arrays are in
 * update_array.c.
 */
#include "json/update.h"

#include "common/int.h"
#include "core/build.h"
#include "core/compare.h"
#include "core/modify.h"
#include "core/number.h"
#include "core/value.h"
#include "json/update_op.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"

/* An operator: "operand" is what is written for this path */
typedef void (*Apply) (PgBsonUpdating *u, const PgBsonValue *operand);

static const PgBsonValue null_value = {PGBSON_NULL, 0, (const uint8 *) ""};

void
PgBsonUpdateWrongOperand(const PgBsonUpdating *u, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid operand of \"%s\" in a bson update", u->operator),
			 errdetail("%s is expected for \"%s\".", expected, u->path_text)));
}

void
PgBsonUpdateWrongTarget(const PgBsonUpdating *u, PgBsonType found, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot apply \"%s\" to a bson value of type %s",
					u->operator, PgBsonTypeName(found)),
			 errdetail("%s is expected at \"%s\".", expected, u->path_text)));
}

/* The steps between the dots; positional operators such as a.$.b are not understood */
static void
set_path(PgBsonUpdating *u, const char *text, uint32 len)
{
	u->path_text = text;
	u->path = PgBsonSplitDotted(text, len, &u->npath);
	for (int i = 0; i < u->npath; i++)
	{
		if (u->path[i].key_len == 0 || u->path[i].key[0] == '$')
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid path in a bson update: \"%s\"", text),
					 errdetail("A name in a path is neither empty nor begins with a dollar.")));
	}
}

static PgBsonValue
root_of(const PgBsonUpdating *u)
{
	PgBsonValue root = {PGBSON_DOCUMENT, u->doc.len, u->doc.data};

	return root;
}

bool
PgBsonUpdateFind(const PgBsonUpdating *u, int nsteps, PgBsonValue *value)
{
	return PgBsonFind(root_of(u), u->path, nsteps, value);
}

/* Go on from this datum; NULL: nothing has changed */
static void
go_on(PgBsonUpdating *u, PgBson *changed)
{
	if (changed == NULL)
		return;
	/* "u->path" and operands point into the update, never into the document */
	if (u->changed != NULL)
		pfree(u->changed);
	u->changed = changed;
	u->doc = PgBsonViewOf(changed);
}

/* The value in documents named by the steps from "first" on */
static PgBson *
nest(const PgBsonUpdating *u, int first, const PgBsonValue *value)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();

	for (int i = first; i < u->npath; i++)
	{
		PgBsonBuilderOpenDocument(b);
		PgBsonBuilderKey(b, u->path[i].key, u->path[i].key_len);
	}
	PgBsonBuilderValue(b, value);
	for (int i = first; i < u->npath; i++)
		PgBsonBuilderClose(b);
	return PgBsonBuilderFinish(b);
}

void
PgBsonUpdatePut(PgBsonUpdating *u, const PgBsonValue *value)
{
	PgBsonValue parent;
	PgBsonValue nested = *value;
	PgBson	   *holder = NULL;
	int			there = u->npath - 1;	/* steps that lead to something already */
	int32		index;

	while (there > 0 && !PgBsonUpdateFind(u, there, &parent))
		there--;
	if (there == 0)
		parent = root_of(u);
	if (!PgBsonIsContainer(parent.type))
		PgBsonUpdateWrongTarget(u, parent.type, "A document or array on the way");
	if (parent.type == PGBSON_ARRAY &&
		!(PgBsonStepAsIndex(u->path[there].key, u->path[there].key_len, &index) && index >= 0))
		PgBsonUpdateWrongTarget(u, parent.type, "A document on the way, or a position in the array,");
	if (parent.type == PGBSON_ARRAY && index > 1500000)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid path in a bson update: \"%s\"", u->path_text),
				 errdetail("A position in an array is at most 1500000.")));

	if (there < u->npath - 1)
	{
		holder = nest(u, there + 1, value);
		nested = PgBsonRoot(holder);
	}
	go_on(u, PgBsonChangePath(u->doc, u->path, there + 1, PGBSON_ASSIGN, &nested));
	if (holder != NULL)
		pfree(holder);
}

static void
apply_set(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonUpdatePut(u, operand);
}

/* $setOnInsert is for upserts, which an update of a document is not */
static void
apply_nothing(PgBsonUpdating *u, const PgBsonValue *operand)
{
}

/* A field goes; an array element becomes null, so that its fellows keep their positions */
static void
apply_unset(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonValue value;
	PgBsonValue parent;

	if (!PgBsonUpdateFind(u, u->npath, &value) || !PgBsonUpdateFind(u, u->npath - 1, &parent))
		return;
	if (parent.type == PGBSON_ARRAY)
		go_on(u, PgBsonChangePath(u->doc, u->path, u->npath, PGBSON_REPLACE, &null_value));
	else
		go_on(u, PgBsonChangePath(u->doc, u->path, u->npath, PGBSON_DELETE, NULL));
}

/* Put a number: an int32 where both operands were and it fits, as MongoDB */
static void
put_int(PgBsonUpdating *u, int64 n, bool narrow)
{
	uint8		bytes[8];
	PgBsonValue value = {PGBSON_INT64, 8, bytes};

	if (narrow && n >= PG_INT32_MIN && n <= PG_INT32_MAX)
	{
		value.type = PGBSON_INT32;
		value.len = 4;
		PgBsonWriteU32(bytes, (uint32) n);
	}
	else
		PgBsonWriteU64(bytes, (uint64) n);
	PgBsonUpdatePut(u, &value);
}

pg_noreturn static void
out_of_range(const PgBsonUpdating *u)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("bson value at \"%s\" is out of range after \"%s\"", u->path_text, u->operator)));
}

/* What $inc and $mul do to the number at the path */
static void
calculate(PgBsonUpdating *u, const PgBsonValue *operand, bool multiply)
{
	static const uint8 zero_bytes[4] = {0, 0, 0, 0};
	PgBsonValue number = {PGBSON_INT32, 4, zero_bytes};
	int64		a;
	int64		b;
	int64		n;

	if (!PgBsonIsNumber(operand->type))
		PgBsonUpdateWrongOperand(u, "A number");
	if (PgBsonUpdateFind(u, u->npath, &number) && !PgBsonIsNumber(number.type))
		PgBsonUpdateWrongTarget(u, number.type, "A number");

	if (number.type == PGBSON_DECIMAL128 || operand->type == PGBSON_DECIMAL128)
	{
		uint8		bytes[PGBSON_DECIMAL128_SIZE];
		PgBsonValue value = {PGBSON_DECIMAL128, sizeof(bytes), bytes};
		Datum		result = DirectFunctionCall2(multiply ? numeric_mul : numeric_add,
												 NumericGetDatum(PgBsonNumberToNumeric(&number)),
												 NumericGetDatum(PgBsonNumberToNumeric(operand)));

		if (!PgBsonDecimalFromNumeric(DatumGetNumeric(result), bytes))
			out_of_range(u);
		PgBsonUpdatePut(u, &value);
	}
	else if (number.type == PGBSON_DOUBLE || operand->type == PGBSON_DOUBLE)
	{
		bool		exact;
		double		x = PgBsonNumberToDouble(&number, &exact);
		double		y = PgBsonNumberToDouble(operand, &exact);
		double		d = multiply ? x * y : x + y;
		uint64		bits;
		uint8		bytes[8];
		PgBsonValue value = {PGBSON_DOUBLE, sizeof(bytes), bytes};

		memcpy(&bits, &d, sizeof(bits));
		PgBsonWriteU64(bytes, bits);
		PgBsonUpdatePut(u, &value);
	}
	else
	{
		if (!PgBsonNumberToInt64(&number, &a) || !PgBsonNumberToInt64(operand, &b) ||
			(multiply ? pg_mul_s64_overflow(a, b, &n) : pg_add_s64_overflow(a, b, &n)))
			out_of_range(u);
		put_int(u, n, number.type == PGBSON_INT32 && operand->type == PGBSON_INT32);
	}
}

static void
apply_inc(PgBsonUpdating *u, const PgBsonValue *operand)
{
	calculate(u, operand, false);
}

static void
apply_mul(PgBsonUpdating *u, const PgBsonValue *operand)
{
	calculate(u, operand, true);
}

static void
apply_min(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonValue value;

	if (!PgBsonUpdateFind(u, u->npath, &value) || PgBsonCompare(operand, &value) < 0)
		PgBsonUpdatePut(u, operand);
}

static void
apply_max(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonValue value;

	if (!PgBsonUpdateFind(u, u->npath, &value) || PgBsonCompare(operand, &value) > 0)
		PgBsonUpdatePut(u, operand);
}

static void
apply_rename(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonValue value;
	PgBson	   *held;
	const char *name;
	uint32		len;

	if (operand->type != PGBSON_STRING)
		PgBsonUpdateWrongOperand(u, "The new path, a string,");
	name = PgBsonValueString(operand, &len);
	if (memchr(name, 0, len) != NULL)
		PgBsonUpdateWrongOperand(u, "A path without U+0000");
	if (!PgBsonUpdateFind(u, u->npath, &value))
		return;
	held = PgBsonFromValue(&value);
	value = PgBsonRoot(held);
	go_on(u, PgBsonChangePath(u->doc, u->path, u->npath, PGBSON_DELETE, NULL));
	set_path(u, name, len);
	PgBsonUpdatePut(u, &value);
	pfree(held);
}

static void
apply_current_date(PgBsonUpdating *u, const PgBsonValue *operand)
{
	uint8		bytes[8];
	PgBsonValue value = {PGBSON_DATE, sizeof(bytes), bytes};
	PgBsonValue type;
	const char *name;
	uint32		len;

	PgBsonWriteU64(bytes, (uint64) u->now);
	if (operand->type == PGBSON_DOCUMENT &&
		PgBsonFindKey(PgBsonValueView(operand), "$type", 5, &type) && type.type == PGBSON_STRING)
	{
		name = PgBsonValueString(&type, &len);
		if (PgBsonKeyIs(name, len, "timestamp"))
		{
			/* increment 1, then seconds */
			value.type = PGBSON_TIMESTAMP;
			PgBsonWriteU32(bytes, 1);
			PgBsonWriteU32(bytes + 4, (uint32) (u->now / 1000));
		}
		else if (!PgBsonKeyIs(name, len, "date"))
			PgBsonUpdateWrongOperand(u, "true, {\"$type\": \"date\"} or {\"$type\": \"timestamp\"}");
	}
	else if (operand->type != PGBSON_BOOL)
		PgBsonUpdateWrongOperand(u, "true, {\"$type\": \"date\"} or {\"$type\": \"timestamp\"}");
	PgBsonUpdatePut(u, &value);
}

static const struct
{
	const char *name;
	Apply		apply;
}			operators[] =
{
	{"$set", apply_set},
	{"$unset", apply_unset},
	{"$inc", apply_inc},
	{"$mul", apply_mul},
	{"$min", apply_min},
	{"$max", apply_max},
	{"$rename", apply_rename},
	{"$push", PgBsonApplyPush},
	{"$pull", PgBsonApplyPull},
	{"$pullAll", PgBsonApplyPullAll},
	{"$addToSet", PgBsonApplyAddToSet},
	{"$pop", PgBsonApplyPop},
	{"$currentDate", apply_current_date},
	{"$setOnInsert", apply_nothing},
};

static Apply
find_operator(const PgBsonIter *iter)
{
	for (int i = 0; i < lengthof(operators); i++)
	{
		if (PgBsonIterIs(iter, operators[i].name))
			return operators[i].apply;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown operator in a bson update: \"%s\"", iter->key)));
	return NULL;				/* keep compiler quiet */
}

/* A path some operator changes */
typedef struct Touched
{
	const char *path;
	uint32		len;
} Touched;

/* Bytewise, but a dot before all, so that a.b follows a at once */
static int
compare_touched(const void *a, const void *b)
{
	const Touched *x = (const Touched *) a;
	const Touched *y = (const Touched *) b;

	for (uint32 i = 0; i < Min(x->len, y->len); i++)
	{
		uint8		cx = x->path[i] == '.' ? 0 : x->path[i];
		uint8		cy = y->path[i] == '.' ? 0 : y->path[i];

		if (cx != cy)
			return cx < cy ? -1 : 1;
	}
	return x->len < y->len ? -1 : x->len > y->len;
}

static void
touch(Touched **list, int *count, int *capacity, const char *path, uint32 len)
{
	if (*count == *capacity)
	{
		*capacity = Max(*capacity * 2, 8);
		*list = *list == NULL ? palloc_array(Touched, *capacity)
			: repalloc(*list, sizeof(Touched) * *capacity);
	}
	(*list)[*count].path = path;
	(*list)[*count].len = len;
	(*count)++;
}

/* No two operators may change the same value, or one inside the other */
static void
check_conflicts(PgBsonView update)
{
	Touched    *list = NULL;
	int			count = 0;
	int			capacity = 0;
	PgBsonIter	iter;

	PgBsonIterInit(&iter, update);
	while (PgBsonIterNext(&iter))
	{
		PgBsonIter	path;

		find_operator(&iter);	/* or an error, whatever its operand */
		if (iter.value.type != PGBSON_DOCUMENT)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid operand of \"%s\" in a bson update", iter.key),
					 errdetail("A document of paths and operands is expected.")));
		PgBsonIterInit(&path, PgBsonValueView(&iter.value));
		while (PgBsonIterNext(&path))
		{
			touch(&list, &count, &capacity, path.key, path.key_len);
			if (PgBsonIterIs(&iter, "$rename") && path.value.type == PGBSON_STRING)
			{
				uint32		len;
				const char *name = PgBsonValueString(&path.value, &len);

				touch(&list, &count, &capacity, name, len);
			}
		}
	}

	if (count > 0)
		qsort(list, count, sizeof(Touched), compare_touched);
	for (int i = 1; i < count; i++)
	{
		Touched    *a = &list[i - 1];
		Touched    *b = &list[i];

		if (b->len >= a->len && memcmp(a->path, b->path, a->len) == 0 &&
			(b->len == a->len || b->path[a->len] == '.'))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a bson update changes \"%.*s\" twice", (int) b->len, b->path),
					 errdetail("The operators of an update must not touch the same path, or one inside the other.")));
	}
}

static void
apply_operators(PgBsonUpdating *u, PgBsonView update)
{
	PgBsonIter	iter;

	check_conflicts(update);
	PgBsonIterInit(&iter, update);
	while (PgBsonIterNext(&iter))
	{
		Apply		apply = find_operator(&iter);
		PgBsonIter	path;

		PgBsonIterInit(&path, PgBsonValueView(&iter.value));
		while (PgBsonIterNext(&path))
		{
			CHECK_FOR_INTERRUPTS();
			u->operator = iter.key;
			set_path(u, path.key, path.key_len);
			apply(u, &path.value);
		}
	}
}

/* The update is the new document, which keeps the old one's _id if it has none of its own */
static PgBson *
replace(PgBsonView doc, const PgBsonValue *update)
{
	PgBsonView	view = PgBsonValueView(update);
	PgBsonValue id;
	PgBsonValue own;
	PgBsonBuilder *b;
	PgBsonIter	iter;

	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		if (iter.key_len > 0 && iter.key[0] == '$')
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a bson update mixes operators and fields"),
					 errdetail("\"%s\" follows a field.", iter.key)));
	}
	if (view.len == doc.len && memcmp(view.data, doc.data, doc.len) == 0)
		return NULL;
	if (PgBsonFindKey(view, "_id", 3, &own) || !PgBsonFindKey(doc, "_id", 3, &id))
		return PgBsonFromValue(update);

	b = PgBsonBuilderBegin();
	PgBsonBuilderOpenDocument(b);
	PgBsonBuilderKey(b, "_id", 3);
	PgBsonBuilderValue(b, &id);
	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		PgBsonBuilderKey(b, iter.key, iter.key_len);
		PgBsonBuilderValue(b, &iter.value);
	}
	PgBsonBuilderClose(b);
	return PgBsonBuilderFinish(b);
}

PgBson *
PgBsonUpdate(PgBsonView doc, const PgBsonValue *update, int64 now)
{
	PgBsonUpdating u = {doc, NULL, now, NULL, NULL, NULL, 0};
	PgBsonValue root = PgBsonRootOf(doc);
	PgBsonIter	iter;

	if (root.type != PGBSON_DOCUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot update a bson value of type %s", PgBsonTypeName(root.type)),
				 errdetail("A document is expected.")));
	if (update->type != PGBSON_DOCUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bson update must be a document"),
				 errdetail("It is of type %s.", PgBsonTypeName(update->type))));

	PgBsonIterInit(&iter, PgBsonValueView(update));
	if (!PgBsonIterNext(&iter) || iter.key_len == 0 || iter.key[0] != '$')
		return replace(doc, update);
	apply_operators(&u, PgBsonValueView(update));
	return u.changed;
}
