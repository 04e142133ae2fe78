/*
 * view.c
 *	  Reading BSON in place: one header per element, bounded by its document.
 */
#include "core/view.h"

#include "miscadmin.h"

/*
 * Length of a C string that must end before "end"; PGBSON_BAD_SIZE if it does
 * not.  Keys are short, so a plain loop beats memchr's set-up.
 */
static inline uint32
cstring_len(const uint8 *s, const uint8 *end)
{
	const uint8 *p = s;

	while (p < end)
	{
		if (*p == 0)
			return p - s;
		p++;
	}
	return PGBSON_BAD_SIZE;
}

void
PgBsonReportDamaged(Size offset)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("bson value is damaged at byte %zu", offset)));
}

PgBsonView
PgBsonViewOf(const PgBson *bson)
{
	PgBsonView	view;

	view.data = (const uint8 *) VARDATA_ANY(bson);
	view.len = VARSIZE_ANY_EXHDR(bson);
	if (view.len < PGBSON_MIN_SIZE || PgBsonReadU32(view.data) != view.len)
		PgBsonReportDamaged(0);
	if (view.data[view.len - 1] != 0)
		PgBsonReportDamaged(view.len - 1);
	return view;
}

PgBsonValue
PgBsonRootOf(PgBsonView view)
{
	const uint8 *p = view.data;
	PgBsonValue root = {PGBSON_DOCUMENT, view.len, view.data};

	/* the wrapper's first bytes, see pgbson.h */
	if (view.len >= 9 && p[4] == PGBSON_MINKEY && p[5] == 0 &&
		p[6] != PGBSON_DOCUMENT && p[7] == 0)
	{
		uint32		size = PgBsonValueSize(p[6], p + 8, view.len - 9);

		if (size == view.len - 9)
		{
			root.type = p[6];
			root.len = size;
			root.data = p + 8;
		}
	}
	return root;
}

uint32
PgBsonValueSize(PgBsonType type, const uint8 *data, Size avail)
{
	uint32		size;
	uint32		len;

	switch (type)
	{
		case PGBSON_UNDEFINED:
		case PGBSON_NULL:
		case PGBSON_MINKEY:
		case PGBSON_MAXKEY:
			return 0;
		case PGBSON_BOOL:
			size = 1;
			break;
		case PGBSON_INT32:
			size = 4;
			break;
		case PGBSON_DOUBLE:
		case PGBSON_DATE:
		case PGBSON_TIMESTAMP:
		case PGBSON_INT64:
			size = 8;
			break;
		case PGBSON_OBJECTID:
			size = 12;
			break;
		case PGBSON_DECIMAL128:
			size = 16;
			break;
		case PGBSON_STRING:
		case PGBSON_CODE:
		case PGBSON_SYMBOL:
			if (avail < 5)
				return PGBSON_BAD_SIZE;
			len = PgBsonReadU32(data);
			if (len < 1 || len > avail - 4)
				return PGBSON_BAD_SIZE;
			return len + 4;
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
			if (avail < PGBSON_MIN_SIZE)
				return PGBSON_BAD_SIZE;
			len = PgBsonReadU32(data);
			if (len < PGBSON_MIN_SIZE || len > avail)
				return PGBSON_BAD_SIZE;
			return len;
		case PGBSON_CODE_W_SCOPE:
			/* lengths of the whole, of the code, of the scope */
			if (avail < 14)
				return PGBSON_BAD_SIZE;
			len = PgBsonReadU32(data);
			if (len < 14 || len > avail)
				return PGBSON_BAD_SIZE;
			return len;
		case PGBSON_BINARY:
			if (avail < 5)
				return PGBSON_BAD_SIZE;
			len = PgBsonReadU32(data);
			if (len > avail - 5)
				return PGBSON_BAD_SIZE;
			if (data[4] == 0x02 && len < 4)
				return PGBSON_BAD_SIZE;
			return len + 5;
		case PGBSON_DBPOINTER:
			if (avail < 17)
				return PGBSON_BAD_SIZE;
			len = PgBsonReadU32(data);
			if (len < 1 || len > avail - 16)
				return PGBSON_BAD_SIZE;
			return len + 16;
		case PGBSON_REGEX:
			len = cstring_len(data, data + avail);
			if (len == PGBSON_BAD_SIZE)
				return PGBSON_BAD_SIZE;
			size = cstring_len(data + len + 1, data + avail);
			if (size == PGBSON_BAD_SIZE)
				return PGBSON_BAD_SIZE;
			return len + 1 + size + 1;
		default:
			return PGBSON_BAD_SIZE;
	}
	return size <= avail ? size : PGBSON_BAD_SIZE;
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
	len = cstring_len(p, iter->end);
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
	uint32		n = 0;

	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
		n++;
	return n;
}

/* The document within a code-with-scope value */
PgBsonView
PgBsonValueScope(const PgBsonValue *value)
{
	PgBsonView	scope;
	uint32		code_len = PgBsonReadU32(value->data + 4);

	/* whole length, code length, code; the scope has at least PGBSON_MIN_SIZE bytes */
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
		if (PgBsonIsContainer(iter.value.type) || iter.value.type == PGBSON_CODE_W_SCOPE)
			deepest = Max(deepest, PgBsonDepth(&iter.value));
	}
	return deepest + 1;
}

void
PgBsonReportTooDeep(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
			 errmsg("bson document is nested too deeply"),
			 errdetail("Documents and arrays may nest %d levels deep.", PGBSON_MAX_DEPTH)));
}

void
PgBsonCheckDepth(const PgBsonValue *value, int outer_levels)
{
	/* a level takes seven bytes at least: length, type, empty key, terminator */
	if (value->len / 7 + outer_levels < PGBSON_MAX_DEPTH)
		return;
	if (PgBsonDepth(value) + outer_levels > PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
}
