/*
 * memory.c
 *	  How much memory the values that a statement makes may take.
 */
#include "core/bytes/memory.h"

#include "core/bytes/view.h"
#include "miscadmin.h"
#include "utils/memutils.h"

int			PgBsonMemoryLimit = 100;

/* This many values of the greatest size may be there at once, those of rows on their way through a plan included */
#define MOST_VALUES		5

/* A plan that may use more memory for sorts and hashes than for such values is not stopped because of these */
#define MOST_HASHES		16

void
PgBsonCheckMemory(MemoryContext context, const char *where)
{
	uint64		most = (uint64) MOST_VALUES * PgBsonMostBytes();

	most = Max(most, (uint64) (MOST_HASHES * hash_mem_multiplier * work_mem) * 1024);
	if (MemoryContextMemAllocated(context, true) > most)
		PgBsonReportLimit(*where == '\0' ? errmsg("bson values of a statement take too much memory") :
						  errmsg("bson values of a statement take too much memory at \"%s\"", where),
						  errdetail("They may take %d megabytes at once.", (int) (most / 1024 / 1024)),
						  errhint("Increase \"bson.memory_limit\", or have the statement read fewer or smaller documents."));
}
