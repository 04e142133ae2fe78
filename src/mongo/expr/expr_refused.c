/*
 * expr_refused.c
 *	  Expressions: operators that MongoDB's server has (src/mongo/db/pipeline/expression.cpp) but
 *	  bson does not offer.  Each has a hint what to use instead.
 */
#include "mongo/expr/expr.h"

#define SERVER_HINT	gettext_noop("The operator asks MongoDB's server for what a document does not hold.")
#define GROUP_HINT	gettext_noop("Use $reduce, or an aggregate function of SQL with GROUP BY or a window.")

const PgBsonExprOp PgBsonExprRefused[] = {
	{"$function", 0, 0, NULL, 0, NULL, NULL, gettext_noop("Use a function of PostgreSQL.")},
	{"$accumulator", 0, 0, NULL, 0, NULL, NULL, gettext_noop("Use an aggregate function of PostgreSQL.")},
	{"$meta", 0, 0, NULL, 0, NULL, NULL, SERVER_HINT},
	{"$testApiVersion", 0, 0, NULL, 0, NULL, NULL, SERVER_HINT},
	{"$toHashedIndexKey", 0, 0, NULL, 0, NULL, NULL,
	 gettext_noop("Use hashtextextended or another hash function of PostgreSQL.")},
	{"$rand", 0, 0, NULL, 0, NULL, NULL, gettext_noop("Use random(), in SQL or as a variable of bson_eval.")},
	{"$createObjectId", 0, 0, NULL, 0, NULL, NULL, gettext_noop("Give an ObjectId as a variable.")},
	{"$sampleRate", 0, 0, NULL, 0, NULL, NULL, gettext_noop("Use TABLESAMPLE or random().")},
	{"$count", 0, 0, NULL, 0, NULL, NULL, GROUP_HINT},
	{"$push", 0, 0, NULL, 0, NULL, NULL, GROUP_HINT},
	{"$addToSet", 0, 0, NULL, 0, NULL, NULL, GROUP_HINT},
	{"$top", 0, 0, NULL, 0, NULL, NULL, GROUP_HINT},
	{"$topN", 0, 0, NULL, 0, NULL, NULL, GROUP_HINT},
	{"$bottom", 0, 0, NULL, 0, NULL, NULL, GROUP_HINT},
	{"$bottomN", 0, 0, NULL, 0, NULL, NULL, GROUP_HINT},
	{NULL}
};
