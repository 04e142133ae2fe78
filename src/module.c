/*
 * module.c
 *	  The loadable module: its magic block, its settings, its initialization.
 */
#include "pgbson.h"

#include "commands/extension.h"
#include "core/bytes/memory.h"
#include "core/stored/reader.h"
#include "json/transcode.h"
#include "libraries/libraries.h"
#include "mongo/common/regex.h"
#include "pipeline/parse/stage.h"
#include "pipeline/rules/rules.h"
#include "planner/chain.h"
#include "sql/mongo/statement.h"
#include "utils/guc.h"

PGBSON_MODULE_MAGIC("bson", PGBSON_RELEASE);

static const struct config_enum_entry json_parsers[] =
{
	{"auto", PGBSON_PARSER_AUTO, false},
	{"json-c", PGBSON_PARSER_JSON_C, false},
	{NULL, 0, false}
};

static void
define_pipeline_settings(void)
{
	DefineCustomBoolVariable("bson.missing_collections",
							 "Lets $lookup, $graphLookup and $unionWith name collections that do not exist, as in MongoDB.",
							 "Such a collection has no documents. If off, it is an error.",
							 &PgBsonMissingCollections,
							 false,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	/* for tests: the documents of a pipeline are the same without a rule */
	DefineCustomIntVariable("bson.pipeline_rules_off",
							"Leaves out rules that make the statements of pipelines faster.",
							"Each bit is a rule, in the order of src/pipeline/rules/rules.c.",
							&PgBsonRulesOff,
							0,
							0,
							PG_UINT16_MAX,
							PGC_USERSET,
							GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
}

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	/*
	 * If the server loads bson when it starts, load the libraries once for all backends.  When the
	 * extension is created, or the server upgraded, a missing library is reported at once.  This comes
	 * first, because the server calls this function again after an error, and a setting must not be
	 * defined twice.
	 */
	if (process_shared_preload_libraries_in_progress || creating_extension || IsBinaryUpgrade)
		(void) PgBsonGetLibraries();

	DefineCustomIntVariable("bson.detoast_cache_size",
							"Sets how much detoasted bson a session keeps for reuse within a transaction.",
							"Zero turns the cache off.",
							&PgBsonDetoastCacheSize,
							16384,	/* kB */
							0,
							256 * 1024,
							PGC_USERSET,
							GUC_UNIT_KB,
							NULL, NULL, NULL);

	DefineCustomBoolVariable("bson.fuse_casts",
							 "Makes the cast of the text of a field, (data ->> 'key')::type, or its comparison with a constant or a parameter, one call.",
							 "If off, plans have these as they were written. Plans that a session keeps do not change.",
							 &PgBsonFuseCasts,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomBoolVariable("bson.narrow_scans",
							 "Asks an index of bson_ops only for the conditions of a query that it can prove.",
							 "If off, plans have the query as it was written. Plans that a session keeps do not change.",
							 &PgBsonNarrowScans,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("bson.memory_limit",
							"Sets how large a document, array or string may get that an expression, a pipeline's stage or an accumulator makes.",
							"All such values that a statement has at once may take five times as much.",
							&PgBsonMemoryLimit,
							100,	/* MB */
							1,
							1023,
							PGC_USERSET,
							GUC_UNIT_MB,
							NULL, NULL, NULL);

	DefineCustomBoolVariable("bson.predict_toast",
							 "Looks for the chunks of out-of-line values where they are predicted to be.",
							 "If off, the server finds them by the TOAST table's index, as for other types.",
							 &PgBsonPredictToast,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomEnumVariable("bson.json_parser",
							 "Sets the parser that reads JSON text as bson.",
							 "Both give the same values: auto reads most texts in one pass and leaves the others to json-c.",
							 &PgBsonJsonParserSetting,
							 PGBSON_PARSER_AUTO,
							 json_parsers,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	/* executable memory is the administrator's to allow */
	DefineCustomBoolVariable("bson.regex_jit",
							 "Lets PCRE2 compile regular expressions that are used often to machine code.",
							 "If off, no memory of a session that the extension asks for is executable, and such expressions are slower.",
							 &PgBsonRegexJit,
							 true,
							 PGC_SUSET,
							 0,
							 NULL, NULL, NULL);

	define_pipeline_settings();
	MarkGUCPrefixReserved("bson");
#ifdef PGBSON_INLINES_IN_FROM
	PgBsonInstallFuse(NULL);
#else
	PgBsonInstallFuse(PgBsonInlineCalls);
#endif
}
