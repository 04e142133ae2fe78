/*
 * io.h
 *	  The output function, by which the type is known.
 */
#ifndef PGBSON_IO_H
#define PGBSON_IO_H

#include "pgbson.h"

extern Datum pgbson_out(FunctionCallInfo fcinfo);

#endif							/* PGBSON_IO_H */
