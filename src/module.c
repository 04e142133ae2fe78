/*
 * module.c
 *	  The loadable module: its magic block, its settings, its start-up.
 */
#include "pgbson.h"

#include <limits.h>

#include "core/fetch.h"
#include "utils/guc.h"

PGBSON_MODULE_MAGIC("bson", "1.0");

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	DefineCustomIntVariable("bson.detoast_cache_size",
							"Sets how much detoasted bson a session keeps for reuse within a transaction.",
							"Zero turns the cache off.",
							&PgBsonDetoastCacheSize,
							16384,	/* kB */
							0,
							MAX_KILOBYTES,
							PGC_USERSET,
							GUC_UNIT_KB,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("bson");
}
