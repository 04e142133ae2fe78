/*
 * group.h
 *	  Stages that make one document of many: $group, $count, $sortByCount, $bucket.
 */
#ifndef PGBSON_GROUP_H
#define PGBSON_GROUP_H

#include "pipeline/select.h"

extern void PgBsonGroupAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonGroupAddCount(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonGroupAddSortByCount(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonGroupAddBucket(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonGroupAddBucketAuto(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

#endif							/* PGBSON_GROUP_H */
