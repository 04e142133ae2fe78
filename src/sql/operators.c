/*
 * operators.c
 *	  Equality, order and hash: the operators, and what the btree and hash
 *	  operator classes call.
 */
#include "pgbson.h"

#include "access/detoast.h"
#include "core/compare.h"

PG_FUNCTION_INFO_V1(pgbson_eq);
PG_FUNCTION_INFO_V1(pgbson_ne);
PG_FUNCTION_INFO_V1(pgbson_lt);
PG_FUNCTION_INFO_V1(pgbson_le);
PG_FUNCTION_INFO_V1(pgbson_gt);
PG_FUNCTION_INFO_V1(pgbson_ge);
PG_FUNCTION_INFO_V1(pgbson_cmp);
PG_FUNCTION_INFO_V1(pgbson_hash);
PG_FUNCTION_INFO_V1(pgbson_hash_extended);
PG_FUNCTION_INFO_V1(pgbson_identical);

static int
compare_args(FunctionCallInfo fcinfo)
{
	PgBson	   *a = PG_GETARG_PGBSON_PP(0);
	PgBson	   *b = PG_GETARG_PGBSON_PP(1);
	PgBsonValue x = PgBsonRoot(a);
	PgBsonValue y = PgBsonRoot(b);
	int			cmp = PgBsonCompare(&x, &y);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return cmp;
}

static bool
equal_args(FunctionCallInfo fcinfo)
{
	PgBson	   *a = PG_GETARG_PGBSON_PP(0);
	PgBson	   *b = PG_GETARG_PGBSON_PP(1);
	PgBsonValue x = PgBsonRoot(a);
	PgBsonValue y = PgBsonRoot(b);
	bool		equal = PgBsonEqual(&x, &y);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return equal;
}

/* SQL: bson_eq(bson, bson) returns boolean; and so on */
Datum
pgbson_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(equal_args(fcinfo));
}

Datum
pgbson_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!equal_args(fcinfo));
}

Datum
pgbson_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) < 0);
}

Datum
pgbson_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) <= 0);
}

Datum
pgbson_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) > 0);
}

Datum
pgbson_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_args(fcinfo) >= 0);
}

/* SQL: bson_cmp(bson, bson) returns integer: -1, 0 or 1 */
Datum
pgbson_cmp(PG_FUNCTION_ARGS)
{
	int			cmp = compare_args(fcinfo);

	PG_RETURN_INT32(cmp < 0 ? -1 : cmp > 0);
}

static uint64
hash_arg(FunctionCallInfo fcinfo, uint64 seed)
{
	PgBson	   *bson = PG_GETARG_PGBSON_PP(0);
	PgBsonValue value = PgBsonRoot(bson);
	uint64		hash = PgBsonHash(&value, seed);

	PG_FREE_IF_COPY(bson, 0);
	return hash;
}

/* SQL: bson_hash(bson) returns integer: the low half of the extended one, seed 0 */
Datum
pgbson_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) hash_arg(fcinfo, 0));
}

/* SQL: bson_hash_extended(bson, seed bigint) returns bigint */
Datum
pgbson_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) hash_arg(fcinfo, (uint64) PG_GETARG_INT64(1)));
}

/* SQL: bson_identical(bson, bson) returns boolean */
Datum
pgbson_identical(PG_FUNCTION_ARGS)
{
	PgBson	   *a;
	PgBson	   *b;
	bool		identical;

	/* the sizes are known without detoasting, and decide most cases */
	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1)))
		PG_RETURN_BOOL(false);

	a = PG_GETARG_PGBSON_PP(0);
	b = PG_GETARG_PGBSON_PP(1);
	identical = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	PG_RETURN_BOOL(identical);
}
