/*
 * schema_node.h
 *	  A parsed schema, for the files schema*.c alone.  The authority for the keywords is
 *	  MongoDB's src/mongo/db/matcher/schema/json_schema_parser.cpp.
 */
#ifndef PGBSON_SCHEMA_NODE_H
#define PGBSON_SCHEMA_NODE_H

#include "core/bytes/keyset.h"
#include "core/bytes/value.h"
#include "mongo/common/regex.h"
#include "mongo/query/schema.h"

typedef enum PgBsonSchemaKeyword
{
	PGBSON_SCHEMA_ADDITIONAL_ITEMS,
	PGBSON_SCHEMA_ADDITIONAL_PROPERTIES,
	PGBSON_SCHEMA_ALL_OF,
	PGBSON_SCHEMA_ANY_OF,
	PGBSON_SCHEMA_BSON_TYPE,
	PGBSON_SCHEMA_DEPENDENCIES,
	PGBSON_SCHEMA_DESCRIPTION,
	PGBSON_SCHEMA_ENUM,
	PGBSON_SCHEMA_EXCLUSIVE_MAXIMUM,
	PGBSON_SCHEMA_EXCLUSIVE_MINIMUM,
	PGBSON_SCHEMA_ITEMS,
	PGBSON_SCHEMA_MAX_ITEMS,
	PGBSON_SCHEMA_MAX_LENGTH,
	PGBSON_SCHEMA_MAX_PROPERTIES,
	PGBSON_SCHEMA_MAXIMUM,
	PGBSON_SCHEMA_MIN_ITEMS,
	PGBSON_SCHEMA_MIN_LENGTH,
	PGBSON_SCHEMA_MIN_PROPERTIES,
	PGBSON_SCHEMA_MINIMUM,
	PGBSON_SCHEMA_MULTIPLE_OF,
	PGBSON_SCHEMA_NOT,
	PGBSON_SCHEMA_ONE_OF,
	PGBSON_SCHEMA_PATTERN,
	PGBSON_SCHEMA_PATTERN_PROPERTIES,
	PGBSON_SCHEMA_PROPERTIES,
	PGBSON_SCHEMA_REQUIRED,
	PGBSON_SCHEMA_TITLE,
	PGBSON_SCHEMA_TYPE,
	PGBSON_SCHEMA_UNIQUE_ITEMS,
	PGBSON_SCHEMA_NKEYWORDS
} PgBsonSchemaKeyword;

/* The keywords' names, in the order of the enum */
extern const char *const PgBsonSchemaKeywordNames[];

/* Several schemas */
typedef struct PgBsonSchemaList
{
	int			count;
	PgBsonSchema **schemas;
} PgBsonSchemaList;

/* What the schema says of a field with a given name */
typedef struct PgBsonSchemaName
{
	bool		is_property;	/* the name is one of "properties" */
	PgBsonSchema *schema;		/* if so */
	bool		required;
} PgBsonSchemaName;

/* dependencies: a field that demands other fields, or that the document satisfies a schema */
typedef struct PgBsonSchemaDependency
{
	int			name;			/* the field's number among the names */
	PgBsonSchema *schema;		/* or NULL */
	int			ndemanded;
	int		   *demanded;		/* numbers of names */
} PgBsonSchemaDependency;

/* patternProperties: the schema of the fields whose name matches */
typedef struct PgBsonSchemaPattern
{
	PgBsonRegex *regex;
	PgBsonSchema *schema;
} PgBsonSchemaPattern;

struct PgBsonSchema
{
	PgBsonValue operands[PGBSON_SCHEMA_NKEYWORDS];	/* the operand of each keyword, of type EOD if it is not given */
	bool		about_numbers;	/* a keyword about numbers is given */
	bool		about_strings;
	bool		about_arrays;
	bool		about_documents;
	PgBsonTypeSet types;		/* of type and bsonType */
	int64		counts[PGBSON_SCHEMA_NKEYWORDS];	/* the operands of keywords that limit a number of things */
	bool		exclusive_maximum;
	bool		exclusive_minimum;
	bool		unique_items;
	uint8		multiple_of[16];	/* a decimal */
	PgBsonRegex *pattern;
	PgBsonSchemaList items;		/* of an array of schemas */
	PgBsonSchema *every_item;	/* "items", if it is one schema */
	PgBsonSchema *more_items;	/* additionalItems; NULL if it is true */
	bool		no_more_items;
	PgBsonKeySet names;
	PgBsonSchemaName *of_names;	/* of each */
	int			nrequired;
	int			npatterns;
	PgBsonSchemaPattern *patterns;
	PgBsonSchema *more_properties;	/* additionalProperties; NULL if it is true */
	bool		no_more_properties;
	int			ndependencies;
	PgBsonSchemaDependency *dependencies;
	PgBsonSchemaList all_of;
	PgBsonSchemaList any_of;
	PgBsonSchemaList one_of;
	PgBsonSchema *not;
	int			nvalues;		/* the values of enum, sorted; fields of documents as by PgBsonSortedFields */
	PgBsonValue *values;
};

static inline bool
PgBsonSchemaHas(const PgBsonSchema *schema, PgBsonSchemaKeyword keyword)
{
	return schema->operands[keyword].type != PGBSON_EOD;
}

/*
 * The value with the fields of all its documents sorted by name, because their order does not count
 * for enum and uniqueItems.  It is palloc'd if it differs from the value given.
 */
extern PgBsonValue PgBsonSortedFields(const PgBsonValue *value);

/* Free such a value if it was palloc'd; "within" is the value it was made from, or one that contains that */
extern void PgBsonSortedFieldsFree(const PgBsonValue *sorted, const PgBsonValue *within);

#endif							/* PGBSON_SCHEMA_NODE_H */
