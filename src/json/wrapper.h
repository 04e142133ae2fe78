/*
 * wrapper.h
 *	  Extended JSON wrappers in JSON text, read in place.
 */
#ifndef PGBSON_WRAPPER_H
#define PGBSON_WRAPPER_H

#include "core/bytes/view.h"

/*
 * The value of the object that begins at "s", its brace, if it is a wrapper:
 * its type, and its bytes, which are written to *out and take less room than
 * the text.  Returns the place after the closing brace; or NULL, with *out
 * unchanged, for any other object and for wrappers that are left to the slow
 * way (malformed, with escapes, code with a scope).
 */
extern const uint8 *PgBsonReadWrapper(const uint8 *s, const uint8 *end, PgBsonType *type, uint8 **out);

#endif							/* PGBSON_WRAPPER_H */
