/*
 * gin_path.c
 *	  GIN class bson_path_ops: paths with values, hashed.
 *
 * A key is a 64-bit hash (PgBsonGinHash) of a value and the path to it (gin.c); arrays on the
 * way leave no trace.  It is passed by value and always takes eight bytes.
 * Hashes may collide, at least if a user intends it, so every row found is
 * tested again.
 */
#include "index/gin.h"

#include "core/bytes/sort.h"
#include "door.h"
#include "lib/qunique.h"

static Datum
value_key_of_path(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value, PgBsonGinStrength *strength)
{
	*strength = PGBSON_GIN_HINT;
	return Int64GetDatum((int64) PgBsonGinHash(value, path->hash));
}

static inline int
order(const void *a, const void *b)
{
	int64		x = DatumGetInt64(*(const Datum *) a);
	int64		y = DatumGetInt64(*(const Datum *) b);

	return (x > y) - (x < y);
}

static int
sort_path_keys(Datum *keys, int n)
{
	PgBsonSortInline(keys, n, sizeof(Datum), order);
	return qunique(keys, n, sizeof(Datum), order);
}

static PgBsonGinNode *
compare_by_path(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	List	   *nodes = NIL;

	if (comparison->op != jpiEqual)
		return NULL;
	for (int i = 0; i < comparison->nforms; i++)
	{
		PgBsonGinStrength strength;
		Datum		key = value_key_of_path(keys, path, &comparison->forms[i], &strength);

		nodes = lappend(nodes, PgBsonGinKeyNode(key, false));
	}
	return PgBsonGinAny(nodes);
}

static const PgBsonGinClass bson_path_ops = {sort_path_keys, value_key_of_path, NULL, compare_by_path};

PGBSON_DOOR(pgbson_gin_extract_value_path, PgBsonGinExtractValue(fcinfo, &bson_path_ops));
PGBSON_DOOR(pgbson_gin_extract_query_path, PgBsonGinExtractQuery(fcinfo, &bson_path_ops));
