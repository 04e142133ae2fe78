/*
 * view.c
 *	  Reading BSON in place: one header per element, bounded by its document.
 */
#include "core/bytes/view.h"

#include "core/bytes/skip.h"

const PgBsonView PgBsonEmpty = {(const uint8 *) "\5\0\0\0", PGBSON_MIN_SIZE};
const PgBsonValue PgBsonNull = {PGBSON_NULL, 0, (const uint8 *) ""};
const PgBsonValue PgBsonZero = {PGBSON_INT32, 4, (const uint8 *) "\0\0\0"};
const PgBsonValue PgBsonOne = {PGBSON_INT32, 4, (const uint8 *) "\1\0\0"};

const uint8 PgBsonSizeClass[256] = {
	[PGBSON_EOD] = PGBSON_SIZE_UNKNOWN,
	[PGBSON_DOUBLE] = 8,
	[PGBSON_STRING] = PGBSON_SIZED | 4,
	[PGBSON_DOCUMENT] = PGBSON_SIZED,
	[PGBSON_ARRAY] = PGBSON_SIZED,
	[PGBSON_BINARY] = PGBSON_SIZED | 5,
	[PGBSON_UNDEFINED] = 0,
	[PGBSON_OBJECTID] = 12,
	[PGBSON_BOOL] = 1,
	[PGBSON_DATE] = 8,
	[PGBSON_NULL] = 0,
	[PGBSON_REGEX] = PGBSON_SIZE_REGEX,
	[PGBSON_DBPOINTER] = PGBSON_SIZED | 16,
	[PGBSON_CODE] = PGBSON_SIZED | 4,
	[PGBSON_SYMBOL] = PGBSON_SIZED | 4,
	[PGBSON_CODE_W_SCOPE] = PGBSON_SIZED,
	[PGBSON_INT32] = 4,
	[PGBSON_TIMESTAMP] = 8,
	[PGBSON_INT64] = 8,
	[PGBSON_DECIMAL128] = 16,
	[PGBSON_DECIMAL128 + 1 ... PGBSON_MAXKEY - 1] = PGBSON_SIZE_UNKNOWN,
	[PGBSON_MAXKEY] = 0,
	[PGBSON_MAXKEY + 1 ... PGBSON_MINKEY - 1] = PGBSON_SIZE_UNKNOWN,
	[PGBSON_MINKEY] = 0,
};

void
PgBsonReportDamaged(Size offset)
{
	PgBsonReport(ERRCODE_DATA_CORRUPTED, errmsg("bson value is damaged at byte %zu", offset));
}

bool
PgBsonIsEnvelope(PgBsonView view)
{
	while (view.len >= 9 && PgBsonBeginsEnvelope(view.data) &&
		   PgBsonValueSize(view.data[6], view.data + 8, view.len - 9) == view.len - 9)
	{
		if (view.data[6] != PGBSON_DOCUMENT)
			return true;
		/* a document is in an envelope only if it looks like one itself */
		view.data += 8;
		view.len -= 9;
	}
	return false;
}

/* The least size of a value that has a length word, with that word */
static uint32
smallest_size(PgBsonType type, const uint8 *data)
{
	switch (type)
	{
		case PGBSON_BINARY:
			return data[4] == 0x02 ? 9 : 5;
		case PGBSON_DBPOINTER:
			return 17;
		case PGBSON_CODE_W_SCOPE:
			return 14;
		default:				/* a length, and the zero byte of a string or document */
			return 5;
	}
}

uint32
PgBsonValueSize(PgBsonType type, const uint8 *data, Size avail)
{
	uint8		class = PgBsonSizeClass[(uint8) type];
	uint64		size;

	if (class < PGBSON_SIZED)
		return class <= avail ? class : PGBSON_BAD_SIZE;
	if (class == PGBSON_SIZE_UNKNOWN)
		return PGBSON_BAD_SIZE;
	if (class == PGBSON_SIZE_REGEX)
	{
		uint32		pattern = PgBsonKeyLength(data, data + avail);
		uint32		options;

		if (pattern == PGBSON_BAD_SIZE)
			return PGBSON_BAD_SIZE;
		options = PgBsonKeyLength(data + pattern + 1, data + avail);
		if (options == PGBSON_BAD_SIZE)
			return PGBSON_BAD_SIZE;
		return pattern + 1 + options + 1;
	}

	if (avail < 5)
		return PGBSON_BAD_SIZE;
	size = (uint64) PgBsonReadU32(data) + (class & ~PGBSON_SIZED);
	if (size > avail || size < smallest_size(type, data))
		return PGBSON_BAD_SIZE;
	return size;
}

void
PgBsonIterInit(PgBsonIter *iter, PgBsonView view)
{
	iter->start = view.data;
	iter->next = view.data + 4;
	iter->end = view.data + view.len - 1;
	iter->element = NULL;
	iter->key = NULL;
	iter->key_len = 0;
}

bool
PgBsonIterNext(PgBsonIter *iter)
{
	const uint8 *p = iter->next;
	uint32		len;

	if (p >= iter->end)
		return false;

	iter->element = p;
	iter->value.type = *p++;
	len = PgBsonKeyLength(p, iter->end);
	if (len == PGBSON_BAD_SIZE)
		PgBsonReportDamaged(iter->element - iter->start);
	iter->key = (const char *) p;
	iter->key_len = len;
	p += len + 1;

	len = PgBsonValueSize(iter->value.type, p, iter->end - p);
	if (len == PGBSON_BAD_SIZE)
		PgBsonReportDamaged(iter->element - iter->start);
	iter->value.data = p;
	iter->value.len = len;
	iter->next = p + len;
	return true;
}

uint32
PgBsonViewCount(PgBsonView view)
{
	PgBsonIter	iter;
	uint32		n;

	PgBsonIterInit(&iter, view);
	iter.next = view.len <= PGBSON_SHORT_ARRAY ? PgBsonSkipShort(view, &n)
		: PgBsonSkipElements(iter.next, iter.end, 0, PG_UINT32_MAX, &n);
	while (PgBsonIterNext(&iter))
	{
		if (++n % 0x100000 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return n;
}

bool
PgBsonOnlyField(const PgBsonValue *value, PgBsonIter *field)
{
	PgBsonIter	only;
	PgBsonIter	next;

	if (value->type != PGBSON_DOCUMENT || !PgBsonFirst(value, &only))
		return false;
	next = only;
	if (PgBsonIterNext(&next))
		return false;
	*field = only;
	return true;
}

PgBsonView
PgBsonValueScope(const PgBsonValue *value)
{
	PgBsonView	scope;
	uint32		code_len = PgBsonReadU32(value->data + 4);

	/*
	 * the lengths of the whole and of the code, and the code, are before it; the scope has at least
	 * PGBSON_MIN_SIZE bytes
	 */
	if (code_len < 1 || code_len > value->len - 8 - PGBSON_MIN_SIZE)
		PgBsonReportDamaged(4);
	scope.data = value->data + 8 + code_len;
	scope.len = value->len - 8 - code_len;
	if (PgBsonReadU32(scope.data) != scope.len)
		PgBsonReportDamaged(8 + code_len);
	return scope;
}

int
PgBsonDepth(const PgBsonValue *value)
{
	PgBsonIter	iter;
	int			deepest = 0;

	if (value->type == PGBSON_CODE_W_SCOPE)
		PgBsonIterInit(&iter, PgBsonValueScope(value));
	else if (PgBsonIsContainer(value->type))
		PgBsonIterInit(&iter, PgBsonValueView(value));
	else
		return 0;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	while (PgBsonIterNext(&iter))
	{
		int			depth = PgBsonDepth(&iter.value);

		/* not inside Max(), which evaluates its arguments twice */
		deepest = Max(deepest, depth);
	}
	return deepest + 1;
}

bool
PgBsonRefuseTooDeep(Node *escontext)
{
	ereturn(escontext, false,
			(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
			 errmsg("bson document is nested too deeply"),
			 errdetail("Documents and arrays may nest %d levels deep.", PGBSON_MAX_DEPTH)));
}

void
PgBsonReportTooDeep(void)
{
	(void) PgBsonRefuseTooDeep(NULL);
	pg_unreachable();
}

void
PgBsonCheckDepthOf(const PgBsonValue *value, int outer_levels)
{
	if (PgBsonDepth(value) + outer_levels > PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
}

bool
PgBsonKeyAsPosition(const char *key, uint32 key_len, uint32 *index)
{
	uint64		n = 0;

	if (key_len == 0)
		return false;
	for (uint32 i = 0; i < key_len; i++)
	{
		if (key[i] < '0' || key[i] > '9')
			return false;
		n = n * 10 + (key[i] - '0');
		if (n > PG_UINT32_MAX)
			return false;
	}
	*index = (uint32) n;
	return true;
}
