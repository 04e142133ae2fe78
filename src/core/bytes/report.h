/*
 * report.h
 *	  Errors of which there are many: errmsg, errdetail and so on, as ereport takes them.
 */
#ifndef PGBSON_REPORT_H
#define PGBSON_REPORT_H

#include "pgbson.h"

/*
 * Raise 22023 for what a user gave, 22003 for a number out of range, 0A000 for what is
 * not supported, 54000 beyond a limit
 */
#define PgBsonReportInvalid(...) \
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), __VA_ARGS__))
#define PgBsonReportOutOfRange(...) \
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), __VA_ARGS__))
#define PgBsonReportUnsupported(...) \
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), __VA_ARGS__))
#define PgBsonReportLimit(...) \
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), __VA_ARGS__))

#endif							/* PGBSON_REPORT_H */
