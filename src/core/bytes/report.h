/*
 * report.h
 *	  Raising errors: errmsg, errdetail and so on, as ereport takes them.
 */
#ifndef PGBSON_REPORT_H
#define PGBSON_REPORT_H

#include "pgbson.h"

#define PgBsonReport(code, ...) \
	ereport(ERROR, (errcode(code), __VA_ARGS__))

/*
 * Raise 22023 for what a user gave, 22003 for a number out of range, 0A000 for what is
 * not supported, 54000 beyond a limit
 */
#define PgBsonReportInvalid(...)		PgBsonReport(ERRCODE_INVALID_PARAMETER_VALUE, __VA_ARGS__)
#define PgBsonReportOutOfRange(...)		PgBsonReport(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, __VA_ARGS__)
#define PgBsonReportUnsupported(...)	PgBsonReport(ERRCODE_FEATURE_NOT_SUPPORTED, __VA_ARGS__)
#define PgBsonReportLimit(...)			PgBsonReport(ERRCODE_PROGRAM_LIMIT_EXCEEDED, __VA_ARGS__)

#endif							/* PGBSON_REPORT_H */
