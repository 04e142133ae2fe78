/*
 * occurs.h
 *	  Does a key occur anywhere among the bytes of a document?
 */
#ifndef PGBSON_OCCURS_H
#define PGBSON_OCCURS_H

#include "core/bytes/view.h"

/*
 * Returns false if the key, followed by a zero byte, occurs nowhere between "from" and "limit", so that no element there
 * has it.  If it returns true the bytes may be part of a value or of a nested document; or the processor has no vector
 * instructions for this search.  Damage is not noticed.
 */
extern bool PgBsonKeyMayOccur(const uint8 *from, const uint8 *limit, const char *key, uint32 key_len);

#endif							/* PGBSON_OCCURS_H */
