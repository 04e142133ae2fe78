/*
 * update.c
 *	  bson_update: MongoDB's updates.
 */
#include "pgbson.h"

#include "access/xact.h"
#include "core/fetch.h"
#include "core/value.h"
#include "json/update.h"

/* SQL: bson_update(doc bson, update bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_update);
Datum
pgbson_update(PG_FUNCTION_ARGS)
{
	PgBsonValue update = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	PgBsonView	doc = PgBsonFetchWhole(PG_GETARG_DATUM(0));
	int64		now = 0;
	PgBson	   *result;

	/* the transaction's time is always finite */
	PgBsonTimestampToDate(GetCurrentTransactionStartTimestamp(), &now);
	result = PgBsonUpdate(doc, &update, now);

	/* unchanged: the datum as it came, still toasted */
	if (result == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	PG_RETURN_PGBSON_P(result);
}
