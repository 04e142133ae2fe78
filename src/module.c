/*
 * module.c
 *	  The loadable module: its magic block and start-up.
 */
#include "pgbson.h"

PGBSON_MODULE_MAGIC("bson", "1.0");
