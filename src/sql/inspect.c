/*
 * inspect.c
 *	  Properties of a value: its type, its length, its size, its validity.
 */
#include "door.h"

#include "access/detoast.h"
#include "core/bytes/value.h"
#include "sql/get.h"
#include "utils/builtins.h"

/* SQL: bson_typeof(bson) returns text */
PGBSON_DOOR(pgbson_typeof, PointerGetDatum(cstring_to_text(PgBsonTypeName(PgBsonReadType(PG_GETARG_DATUM(0))))));

static int32
length_in_bytes(const PgBsonValue *value)
{
	if (value->type != PGBSON_ARRAY)
		PgBsonReportInvalid(value->type == PGBSON_DOCUMENT
							? errmsg("cannot get array length of a non-array")
							: errmsg("cannot get array length of a scalar"),
							errdetail("The bson value is of type %s.", PgBsonTypeName(value->type)));
	return PgBsonViewCount(PgBsonValueView(value));
}

/* SQL: bson_array_length(bson) returns int4 */
PGBSON_FUNCTION(pgbson_array_length)
{
	PgBsonReader reader;
	int32		length;

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	length = length_in_bytes(&reader.root);
	PgBsonClose(&reader);
	PG_RETURN_INT32(length);
}

/* SQL: bson_walk_array_length(bson, VARIADIC "any") returns int4 */
PGBSON_FUNCTION(pgbson_walk_array_length)
{
	PgBsonValue value;

	if (!PgBsonFindWalk(fcinfo, &value))
		PG_RETURN_NULL();
	PG_RETURN_INT32(length_in_bytes(&value));
}

/*
 * SQL: bson_size(bson) returns int4: bytes of BSON, as MongoDB's $bsonSize.  The header has the size,
 * so the value need not be detoasted.
 */
PGBSON_DOOR(pgbson_size, Int32GetDatum(toast_raw_datum_size(PG_GETARG_DATUM(0)) - VARHDRSZ));

/* SQL: bson_depth(bson) returns int4: 0 for a scalar, 1 for a flat document */
PGBSON_FUNCTION(pgbson_depth)
{
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));

	PG_RETURN_INT32(PgBsonDepth(&root));
}

/* SQL: bson_is_valid(bytea) returns bool */
PGBSON_FUNCTION(pgbson_is_valid)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	PgBsonFault fault;

	PG_RETURN_BOOL(PgBsonCheck((const uint8 *) VARDATA_ANY(bytes),
							   VARSIZE_ANY_EXHDR(bytes), &fault));
}
