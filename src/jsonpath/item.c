/*
 * item.c
 *	  The items of a jsonpath evaluation: lists of them, literals, making values.
 */
#include "jsonpath/exec.h"

#include "catalog/pg_type.h"
#include "core/bytes/memory.h"
#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/number/number_text.h"
#include "core/write/write.h"
#include "json/print.h"
#include "utils/builtins.h"

void
PgBsonJpSequenceInit(PgBsonJpSequence *seq)
{
	seq->count = 0;
	seq->room = PGBSON_JP_INLINE_ITEMS;
	seq->items = seq->first;
}

PgBsonJpItem *
PgBsonJpSequenceNew(PgBsonJpSequence *seq)
{
	if (seq->count == seq->room)
	{
		if (seq->room > PG_UINT32_MAX / 2)
			PgBsonReportLimit(errmsg("jsonpath yields too many bson values"));
		seq->items = PgBsonDoubleList(seq->items, seq->first, (Size) seq->room * sizeof(PgBsonJpItem));
		seq->room *= 2;
	}
	return &seq->items[seq->count++];
}

void
PgBsonJpSequenceFree(PgBsonJpSequence *seq)
{
	if (seq->items != seq->first)
		pfree(seq->items);
}

PgBsonJpLiteral *
PgBsonJpLiteralAt(PgBsonJpState *st, const void *key)
{
	PgBsonJpMemory *m = st->memory;
	PgBsonJpLiteral **chain;

	if (m->chains == NULL)
	{
		/*
		 * items of a path are aligned as integers, so with one chain for each integer of the path
		 * no two addresses share a chain
		 */
		m->nchains = pg_nextpower2_32(VARSIZE(st->call->path) / sizeof(int32) + 1);
		m->chains = MemoryContextAllocExtended(m->context, (Size) m->nchains * sizeof(PgBsonJpLiteral *),
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
	chain = &m->chains[((uintptr_t) key / sizeof(int32)) & (m->nchains - 1)];
	while (*chain != NULL && (*chain)->key != key)
		chain = &(*chain)->next;
	if (*chain == NULL)
	{
		*chain = MemoryContextAllocZero(m->context, sizeof(PgBsonJpLiteral));
		(*chain)->key = key;
	}
	return *chain;
}

char *
PgBsonJpServerString(const PgBsonJpItem *item)
{
	uint32		len;
	const char *s = PgBsonValueString(&item->u.value, &len);

	if (memchr(s, '\0', len) != NULL)
		return NULL;
	s = PgBsonToServerText(s, &len);
	return pnstrdup(s, len);
}

char *
PgBsonJpScalarText(PgBsonJpState *st, const PgBsonJpItem *item)
{
	text	   *t;
	char	   *result;

	if (PgBsonJpIsString(item))
		return PgBsonJpServerString(item);
	if (item->kind == PGBSON_JP_DATETIME)
		return PgBsonJpDatetimeText(&item->u.datetime);
	if (item->kind == PGBSON_JP_NUMERAL)
		return PgBsonNumericText(PgBsonJpNumeralNumeric(&item->u.numeral));
	if (PgBsonIsContainer(item->u.value.type))
		return NULL;
	t = PgBsonValueToText(&item->u.value);
	if (t == NULL)
		return NULL;
	result = text_to_cstring(t);
	pfree(t);
	return result;
}

PgBsonValue
PgBsonJpLiteralString(PgBsonJpState *st, const void *key, const char *s, uint32 len)
{
	PgBsonJpLiteral *literal = PgBsonJpLiteralAt(st, key);

	if (!literal->fits)
	{
		MemoryContext saved = MemoryContextSwitchTo(st->memory->context);

		literal->value = PgBsonMakeString(s, len);
		literal->fits = true;
		MemoryContextSwitchTo(saved);
	}
	return literal->value;
}

static PgBsonValue
variable_value(PgBsonJpState *st, JsonPathItem *step)
{
	const PgBsonJpCall *call = st->call;
	uint32		len;
	const char *name = PgBsonJsonpathString(step, &len);
	PgBsonValue value;

	if (!call->has_vars || !PgBsonFindKey(call->vars, name, len, &value))
		PgBsonReport(ERRCODE_UNDEFINED_OBJECT,
					 errmsg("could not find jsonpath variable \"%s\"",
							pnstrdup(jspGetString(step, NULL), step->content.value.datalen)));
	return value;
}

PgBsonJpItem
PgBsonJpLiteralItem(PgBsonJpState *st, JsonPathItem *step)
{
	const char *s;
	uint32		len;

	switch (step->type)
	{
		case jpiNull:
			return PgBsonJpValueItem(PgBsonNull);
		case jpiBool:
			return PgBsonJpValueItem(PgBsonMakeBool(jspGetBool(step)));
		case jpiString:
			s = PgBsonJsonpathString(step, &len);
			return PgBsonJpValueItem(PgBsonJpLiteralString(st, step->content.value.data, s, len));
		case jpiVariable:
			return PgBsonJpValueItem(variable_value(st, step));
		case jpiNumeric:
			return (PgBsonJpItem) {PGBSON_JP_NUMERAL,
				.u.numeral = {.num = jspGetNumeric(step), .width = PGBSON_JP_INTEGER, .literal = true}};
		default:
			elog(ERROR, "unexpected jsonpath literal: %d", (int) step->type);
	}
}

bool
PgBsonJpItemValue(PgBsonJpState *st, const PgBsonJpItem *item, PgBsonValue *value)
{
	char	   *text;

	switch (item->kind)
	{
		case PGBSON_JP_VALUE:
			*value = item->u.value;
			break;
		case PGBSON_JP_NUMERAL:
			return PgBsonJpNumeralValue(st, &item->u.numeral, value);
		case PGBSON_JP_DATETIME:
			text = PgBsonJpDatetimeText(&item->u.datetime);
			*value = PgBsonMakeString(text, strlen(text));
			break;
	}
	return true;
}

const char *
PgBsonJpTypeName(const PgBsonJpItem *item)
{
	PgBsonJpDatetime dt;

	if (PgBsonJpIsNumber(item))
		return "number";
	if (PgBsonJpAsDatetime(item, &dt))
	{
		switch (dt.type)
		{
			case DATEOID:
				return "date";
			case TIMEOID:
				return "time without time zone";
			case TIMETZOID:
				return "time with time zone";
			case TIMESTAMPOID:
				return "timestamp without time zone";
			default:
				return "timestamp with time zone";
		}
	}
	if (item->u.value.type == PGBSON_BOOL)
		return "boolean";
	return PgBsonTypeName(item->u.value.type);
}
