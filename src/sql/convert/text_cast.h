/*
 * text_cast.h
 *	  (document ->> 'key')::type without the text in between.
 */
#ifndef PGBSON_TEXT_CAST_H
#define PGBSON_TEXT_CAST_H

#include "core/bytes/view.h"

/* A type that text is cast to by its input function.  Zero-initialised; kept at the call site. */
typedef struct PgBsonTextCast
{
	Oid			typid;
	Oid			ioparam;
	bool		reads_in_place; /* the input function neither changes nor keeps the text */
	FmgrInfo	input;
} PgBsonTextCast;

/* Look the type's input function up; the memory is that of "context" */
extern void PgBsonTextCastInit(PgBsonTextCast *cast, Oid typid, MemoryContext context);

/*
 * What the cast makes of the text of ->>: the same result, or the same error of the
 * input function.  False for SQL NULL.
 */
extern bool PgBsonCastText(PgBsonTextCast *cast, const PgBsonValue *value, Datum *result);

#endif							/* PGBSON_TEXT_CAST_H */
