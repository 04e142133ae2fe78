/*
 * known.c
 *	  The parts of a query that one document decides, without those that only a statement does.
 *
 * $text needs the words of an index, and geometry PostGIS.
 */
#include "mongo/query/match.h"

#include "core/bytes/names.h"

bool
PgBsonQueryIsLogical(const PgBsonIter *field)
{
	return field->value.type == PGBSON_ARRAY && PgBsonNameAmong("$and $or $nor", field->key, field->key_len) >= 0;
}

/* Has the condition of a path, or the operand of $not, such an operator? */
static bool
condition_is_beyond(const PgBsonValue *condition)
{
	check_stack_depth();
	if (condition->type != PGBSON_DOCUMENT)
		return false;
	PgBsonForEach(iter, PgBsonValueView(condition))
	{
		if (PgBsonQueryOperatorIsBeyond(&iter))
			return true;
	}
	return false;
}

bool
PgBsonQueryOperatorIsBeyond(const PgBsonIter *operator)
{
	if (PgBsonIterIs(operator, "$not"))
		return condition_is_beyond(&operator->value);
	return PgBsonNameAmong("$geoWithin $within $geoIntersects $near $nearSphere $geoNear $maxDistance $minDistance",
						   operator->key, operator->key_len) >= 0;
}

bool
PgBsonQueryFieldIsBeyond(const PgBsonIter *field)
{
	if (!PgBsonQueryIsLogical(field))
		return PgBsonIterIs(field, "$text") || (field->key[0] != '$' && condition_is_beyond(&field->value));
	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		if (PgBsonQueryIsBeyond(&iter.value))
			return true;
	}
	return false;
}

bool
PgBsonQueryIsBeyond(const PgBsonValue *query)
{
	check_stack_depth();
	if (query->type != PGBSON_DOCUMENT)
		return false;
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		if (PgBsonQueryFieldIsBeyond(&iter))
			return true;
	}
	return false;
}

void
PgBsonQueryAddKnown(PgBsonWriter *query, const PgBsonIter *field)
{
	PgBsonWriter known;
	PgBsonValue value = field->value;

	if (PgBsonQueryFieldIsBeyond(field))
	{
		/* of $or and $nor nothing is left, as the part that is not known may decide */
		if (field->key[0] == '$' && !PgBsonIterIs(field, "$and"))
			return;
		PgBsonWriterBegin(&known, value.len);
		PgBsonForEach(iter, PgBsonValueView(&value))
		{
			PgBsonValue part = value.type == PGBSON_ARRAY ? PgBsonQueryKnown(&iter.value) : iter.value;

			if (value.type == PGBSON_ARRAY)
				PgBsonWriterPush(&known, &part);
			else if (!PgBsonQueryOperatorIsBeyond(&iter))
				PgBsonWriterField(&known, iter.key, iter.key_len, &part);
		}
		if (known.count == 0)
			return;
		value = PgBsonWriterEnd(&known, value.type);
	}
	PgBsonWriterField(query, field->key, field->key_len, &value);
}

PgBsonValue
PgBsonQueryKnown(const PgBsonValue *query)
{
	PgBsonWriter known;

	if (!PgBsonQueryIsBeyond(query))
		return *query;
	PgBsonWriterBegin(&known, query->len);
	PgBsonForEach(iter, PgBsonValueView(query))
		PgBsonQueryAddKnown(&known, &iter);
	return PgBsonWriterEnd(&known, PGBSON_DOCUMENT);
}
