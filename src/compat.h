/*
 * compat.h
 *	  Differences between PostgreSQL 14 to 18.
 *
 * The only file that tests PG_VERSION_NUM; core/libbson.h does the like for
 * libbson.  Each entry says which version ends it.
 */
#ifndef PGBSON_COMPAT_H
#define PGBSON_COMPAT_H

#include "postgres.h"

#include "common/jsonapi.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"

/* until 15 is dropped: varlena macros have a header of their own since 16 */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * until 15 is dropped: soft errors came with 16.  Before, "escontext" is always
 * NULL and a soft error is a hard one.
 */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#else
#define ereturn_domain(context, dummy_value, domain, ...) \
	do { \
		(void) (context); \
		ereport_domain(ERROR, domain, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#define ereturn(context, dummy_value, ...) \
	ereturn_domain(context, dummy_value, TEXTDOMAIN, __VA_ARGS__)
#define errsave(context, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
	} while (0)
#define SOFT_ERROR_OCCURRED(context) ((void) (context), false)
#endif

/* until 14 is dropped: strtol of 64 bits got its name in 15 */
#if PG_VERSION_NUM < 150000
#define strtoi64(str, endptr, base) ((int64) strtoll(str, endptr, base))
#endif

/* The error context of a call: where soft errors go, or NULL */
#if PG_VERSION_NUM >= 160000
#define PG_ESCONTEXT()	(fcinfo->context)
#else
#define PG_ESCONTEXT()	((Node *) NULL)
#endif

/*
 * until 15 is dropped: callbacks of the JSON parser return a result since 16;
 * before, a callback that fails raises
 */
#if PG_VERSION_NUM >= 160000
#define PGBSON_JSON_CALLBACK	static JsonParseErrorType
#define PGBSON_JSON_CONTINUE	return JSON_SUCCESS
#define PGBSON_JSON_STOP		return JSON_SEM_ACTION_FAILED
#else
#define PGBSON_JSON_CALLBACK	static void
#define PGBSON_JSON_CONTINUE	return
#define PGBSON_JSON_STOP		return
#endif

/* until 16 is dropped: a lexer can be told where to live since 17 */
static inline JsonLexContext *
PgBsonMakeJsonLexer(const char *utf8, Size len)
{
#if PG_VERSION_NUM >= 170000
	return makeJsonLexContextCstringLen(NULL, utf8, len, PG_UTF8, false);
#else
	return makeJsonLexContextCstringLen(unconstify(char *, utf8), len, PG_UTF8, false);
#endif
}

static inline void
PgBsonFreeJsonLexer(JsonLexContext *lexer)
{
#if PG_VERSION_NUM >= 170000
	freeJsonLexContext(lexer);
#else
	pfree(lexer);
#endif
}

/* until 15 is dropped: a place for one soft error of a server function, which was a bool before */
#if PG_VERSION_NUM >= 160000
typedef ErrorSaveContext PgBsonSoftError;
#define PGBSON_SOFT_ERROR_INIT		{T_ErrorSaveContext}
#define PGBSON_SOFT_ERROR(s)		((Node *) (s))
#define PGBSON_SOFT_ERROR_RAISED(s)	((s)->error_occurred)
#define PGBSON_FLOAT8IN(s, soft) \
	float8in_internal(s, NULL, "double precision", s, PGBSON_SOFT_ERROR(soft))
#else
typedef bool PgBsonSoftError;
#define PGBSON_SOFT_ERROR_INIT		false
#define PGBSON_SOFT_ERROR(s)		(s)
#define PGBSON_SOFT_ERROR_RAISED(s)	(*(s))
#define PGBSON_FLOAT8IN(s, soft) \
	float8in_internal_opt_error(s, NULL, "double precision", s, PGBSON_SOFT_ERROR(soft))
#endif

/* until 15 is dropped: jsonpath's regular expression flags as regcomp's */
#if PG_VERSION_NUM >= 160000
#define PGBSON_REGEX_FLAGS(xflags, result)	((void) jspConvertRegexFlags(xflags, result, NULL))
#else
#define PGBSON_REGEX_FLAGS(xflags, result)	(*(result) = jspConvertRegexFlags(xflags))
#endif

/* until 16 is dropped: the zone formats of .datetime(); 17 also knows names, and has more item methods */
#if PG_VERSION_NUM >= 170000
#define PGBSON_DATETIME_ZONES		"TZ"
#define PGBSON_JSONPATH_CONVERSIONS
#else
#define PGBSON_DATETIME_ZONES		"TZH:TZM", "TZH"
#endif

/* until 17 is dropped: the module's name and version in its magic block came with 18 */
#if PG_VERSION_NUM >= 180000
#define PGBSON_MODULE_MAGIC(modname, modversion) \
	PG_MODULE_MAGIC_EXT(.name = modname, .version = modversion)
#else
#define PGBSON_MODULE_MAGIC(modname, modversion) \
	PG_MODULE_MAGIC
#endif

/* until 14 is dropped: sorts know this comparator of their own since 15 */
#if PG_VERSION_NUM < 150000
#include "utils/sortsupport.h"

static inline int
ssup_datum_unsigned_cmp(Datum x, Datum y, SortSupport ssup)
{
	return x < y ? -1 : x > y;
}
#endif

/* until 15 is dropped: not in its earlier minor releases */
#ifndef palloc_object
#define palloc_object(type) ((type *) palloc(sizeof(type)))
#define palloc0_object(type) ((type *) palloc0(sizeof(type)))
#endif
#ifndef palloc_array
#define palloc_array(type, count) ((type *) palloc(sizeof(type) * (Size) (count)))
#define palloc0_array(type, count) ((type *) palloc0(sizeof(type) * (Size) (count)))
#endif

/* until 16 is dropped: ANALYZE had a column's statistics target in its row of pg_attribute */
#if PG_VERSION_NUM >= 170000
#define PGBSON_STATISTICS_TARGET(stats)	((stats)->attstattarget)
#else
#define PGBSON_STATISTICS_TARGET(stats)	((stats)->attr->attstattarget)
#endif

/* until 17 is dropped: since 18 the pauses of ANALYZE are told from those of VACUUM */
#if PG_VERSION_NUM >= 180000
#define PGBSON_ANALYZE_DELAY()	vacuum_delay_point(true)
#else
#define PGBSON_ANALYZE_DELAY()	vacuum_delay_point()
#endif

/* until 14 is dropped: renamed in 15 */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* until 17 is dropped: 18 says pg_noreturn, and says it first */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

#endif							/* PGBSON_COMPAT_H */
