/*
 * occurs.h
 *	  Does a key occur anywhere among the bytes of a document?
 */
#ifndef PGBSON_OCCURS_H
#define PGBSON_OCCURS_H

#include "core/bytes/view.h"

/*
 * False if the key with its zero byte is nowhere between "from" and "limit", so that no element there has it; damage
 * is not noticed.  True says little: the bytes may be those of a value or of what lies deeper, or this processor cannot
 * search fast.
 */
extern bool PgBsonKeyMayOccur(const uint8 *from, const uint8 *limit, const char *key, uint32 key_len);

#endif							/* PGBSON_OCCURS_H */
