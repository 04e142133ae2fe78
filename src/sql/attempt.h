/*
 * attempt.h
 *	  Doing what may fail, in a subtransaction.
 */
#ifndef PGBSON_ATTEMPT_H
#define PGBSON_ATTEMPT_H

#include "pgbson.h"

/*
 * Call act(arg) in a subtransaction, because only its end cleans up after an error of any function of
 * the server.  Returns false after an error that is "expected"; any other error is raised again.  What
 * is palloc'd is in the caller's context and stays.
 */
extern bool PgBsonAttempt(void (*act) (void *arg), void *arg, bool (*expected) (const ErrorData *error));

#endif							/* PGBSON_ATTEMPT_H */
