/*
 * steps.c
 *	  Ranges of numbers, or of dates with a unit of time.
 *
 * See src/mongo/db/pipeline/document_source_densify.cpp of MongoDB.  Each value is
 * calculated from the preceding one, so a month after January 31 is February 28, and
 * the next value is March 28.  If a document has an equal value, the next one is
 * calculated from that, so it has the type of the document's value.
 */
#include "mongo/stage/nested.h"

#include "core/number/number.h"
#include "core/order/compare.h"

const PgBsonUnit *
PgBsonRangeUnit(const char *name, uint32 len)
{
	const PgBsonUnit *unit = PgBsonUnitNamed(name, len);

	if (unit == NULL)
		PgBsonReportInvalid(errmsg("unknown unit of a range of bson dates"),
							errdetail("A unit is year, quarter, month, week, day, hour, minute, second or millisecond."));
	return unit;
}

const PgBsonUnit *
PgBsonFixedUnit(const char *name, uint32 len)
{
	const PgBsonUnit *unit = PgBsonRangeUnit(name, len);

	if (unit->months > 0)
		PgBsonReportInvalid(errmsg("unit of bson dates must be \"week\" or shorter"));
	return unit;
}

void
PgBsonRangeCheck(const PgBsonValue *value, const PgBsonUnit *unit)
{
	if (unit == NULL && !PgBsonIsNumber(value->type))
		PgBsonReportInvalid(errmsg("bson range without a unit needs numbers, not type %s",
								   PgBsonTypeName(value->type)));
	if (unit != NULL && value->type != PGBSON_DATE)
		PgBsonReportInvalid(errmsg("bson range with a unit needs dates, not type %s", PgBsonTypeName(value->type)));
}

void
PgBsonStepsBegin(PgBsonEqualSteps *steps)
{
	PgBsonRangeCheck(&steps->next, steps->unit);
	PgBsonRangeCheck(&steps->last, steps->unit);
	if (!PgBsonIsNumber(steps->step.type) || PgBsonNumberCompare(&steps->step, &PgBsonZero) <= 0)
		PgBsonReportInvalid(errmsg("step of a bson range must be a positive number"));
	if (steps->unit != NULL && !PgBsonNumberToInt64(&steps->step, &steps->units))
		PgBsonReportInvalid(errmsg("step of a range of bson dates must be an integer"));
	if (steps->unit == NULL)
	{
		/* all values have the wider type of the first value and the step */
		PgBsonValue wider = PgBsonExprSubtract(&steps->step, &steps->step);

		wider = PgBsonExprAdd(&steps->next, &wider);
		if (PgBsonCompare(&wider, &steps->next) == 0)
			steps->next = wider;
	}
}

/* Is "value" the last one?  Then the next is not calculated, because it could be out of the range of dates. */
static bool
ends_at(const PgBsonEqualSteps *steps, const PgBsonValue *value)
{
	uint64		left;
	int64		shortest;

	if (steps->unit == NULL)
		return PgBsonCompare(value, &steps->last) == 0;
	left = (uint64) PgBsonReadI64(steps->last.data) - (uint64) PgBsonReadI64(value->data);
	shortest = steps->unit->months > 0 ? steps->unit->months * 28 * PGBSON_MS_PER_DAY : steps->unit->ms;
	return left / shortest < (uint64) steps->units;
}

bool
PgBsonStepsNext(PgBsonEqualSteps *steps, PgBsonValue *value)
{
	PgBsonValue next;
	int			order = -1;

	if (steps->next.type == PGBSON_MISSING || PgBsonCompare(&steps->next, &steps->last) > 0)
		return false;
	for (; steps->nknown > 0 && order < 0; steps->known++, steps->nknown--)
	{
		order = PgBsonCompare(steps->known, &steps->next);
		if (order > 0)
			break;
		if (order == 0)
			steps->next = *steps->known;
	}
	*value = PgBsonMakeBytes(steps->next.type, steps->next.data, steps->next.len);
	if (ends_at(steps, value))
	{
		steps->next.type = PGBSON_MISSING;
		return true;
	}
	if (steps->unit != NULL)
		next = PgBsonMakeDate(PgBsonDateAddUnits(PgBsonReadI64(value->data), steps->unit, steps->units, NULL));
	else
		next = PgBsonExprAdd(value, &steps->step);
	if (PgBsonCompare(&next, value) <= 0)
		PgBsonReportInvalid(errmsg("step of a bson range is too small for the numbers in it"));
	memcpy(steps->room, next.data, next.len);
	steps->next = next;
	steps->next.data = steps->room;
	return true;
}
