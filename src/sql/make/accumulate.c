/*
 * accumulate.c
 *	  bson_first, bson_last, bson_min and bson_max: accumulators of MongoDB's $group.
 *
 * A state is a bson, NULL before the first row that counts.
 */
#include "door.h"

#include "core/order/compare.h"
#include "core/write/from_value.h"

/* An argument; NULL is the value null */
static Datum
value_or_null(FunctionCallInfo fcinfo, int argno)
{
	if (!PG_ARGISNULL(argno))
		return PG_GETARG_DATUM(argno);
	return PointerGetDatum(PgBsonFromValue(&PgBsonNull));
}

/* SQL: bson_first_transfn(bson, bson) returns bson */
PGBSON_DOOR(pgbson_first_transfn, PG_ARGISNULL(0) ? value_or_null(fcinfo, 1) : PG_GETARG_DATUM(0));

/* SQL: bson_first_combine(bson, bson) returns bson */
PGBSON_DOOR(pgbson_first_combine, PG_GETARG_DATUM(0));

/* SQL: bson_last_transfn(bson, bson), bson_last_combine(bson, bson) returns bson */
PGBSON_DOOR(pgbson_last_transfn, value_or_null(fcinfo, 1));

/* Does an argument count?  Not if it is NULL, or null. */
static bool
counts(FunctionCallInfo fcinfo, int argno, PgBsonValue *value)
{
	if (PG_ARGISNULL(argno))
		return false;
	*value = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	return !PgBsonIsNullish(value->type);
}

/* The lesser argument if "sign" is 1, the greater one if it is -1; of equal ones the first */
static Datum
extreme(FunctionCallInfo fcinfo, int sign)
{
	PgBsonValue a;
	PgBsonValue b;
	bool		has_a = counts(fcinfo, 0, &a);
	bool		has_b = counts(fcinfo, 1, &b);

	if (!has_a && !has_b)
		PG_RETURN_NULL();
	if (!has_b || (has_a && PgBsonCompare(&a, &b) * sign <= 0))
		return PG_GETARG_DATUM(0);
	return PG_GETARG_DATUM(1);
}

/* SQL: bson_min_transfn(bson, bson) and bson_max_transfn(bson, bson) return bson */
PGBSON_DOOR(pgbson_min_transfn, extreme(fcinfo, 1));
PGBSON_DOOR(pgbson_max_transfn, extreme(fcinfo, -1));
