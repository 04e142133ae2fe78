/*
 * make.h
 *	  Values of numbers, strings and the like.
 *
 * Each is palloc'd, but for the booleans, which are constants.
 */
#ifndef PGBSON_MAKE_H
#define PGBSON_MAKE_H

#include "core/bytes/view.h"

extern PgBsonValue PgBsonMakeBool(bool b);
extern PgBsonValue PgBsonMakeInt32(int32 n);
extern PgBsonValue PgBsonMakeInt64(int64 n);
extern PgBsonValue PgBsonMakeInteger(int64 n);	/* int32 where it fits */
extern PgBsonValue PgBsonMakeDouble(double d);
extern PgBsonValue PgBsonMakeDecimal(const uint8 *bytes);
extern PgBsonValue PgBsonMakeDate(int64 ms);
extern PgBsonValue PgBsonMakeString(const char *s, Size len);	/* UTF-8 */
extern PgBsonValue PgBsonMakeBytes(PgBsonType type, const uint8 *bytes, Size len);

#endif							/* PGBSON_MAKE_H */
