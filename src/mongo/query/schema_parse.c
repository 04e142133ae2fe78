/*
 * schema_parse.c
 *	  Parsing a schema.
 *
 * The authority for what is refused is MongoDB's src/mongo/db/matcher/schema/json_schema_parser.cpp.
 */
#include "mongo/query/schema_node.h"

#include "core/bytes/memory.h"
#include "core/bytes/names.h"
#include "core/bytes/recode.h"
#include "core/number/decimal.h"
#include "core/order/compare.h"

/* Raise 22023 about a keyword; "detail" is a whole sentence */
pg_noreturn static void
wrong_operand(PgBsonSchemaKeyword keyword, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid keyword \"%s\" in a bson schema", PgBsonSchemaKeywordNames[keyword]),
						errdetail_internal("%s", _(detail)));
}

/* Refuse an unknown keyword: 0A000 if JSON Schema has it and MongoDB does not, else 22023 */
pg_noreturn static void
unknown_keyword(const PgBsonIter *iter)
{
	if (PgBsonNameAmong("$ref $schema default definitions format id encrypt encryptMetadata", iter->key,
						iter->key_len) >= 0)
		PgBsonReportUnsupported(errmsg("keyword \"%s\" is not supported in a bson schema", iter->key));
	PgBsonReportInvalid(errmsg("unknown keyword \"%.200s\" in a bson schema",
							   PgBsonNameInMessage(iter->key, iter->key_len)));
}

/* The keywords of a schema that is being parsed, each with its operand */
static void
read_keywords(PgBsonSchema *schema, const PgBsonValue *value)
{
	if (value->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("a bson schema must be a document"),
							errdetail("It is of type %s.", PgBsonTypeName(value->type)));
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		const char *const *name = PgBsonRowAmong(PgBsonSchemaKeywordNames, PGBSON_SCHEMA_NKEYWORDS, sizeof(char *),
												 iter.key, iter.key_len);
		PgBsonSchemaKeyword keyword;

		if (name == NULL)
			unknown_keyword(&iter);
		keyword = name - PgBsonSchemaKeywordNames;
		if (PgBsonSchemaHas(schema, keyword))
			wrong_operand(keyword, gettext_noop("It occurs twice."));
		schema->operands[keyword] = iter.value;
	}
}

/* The operand of a keyword, which must have this type; if it is not given, a value without fields of type EOD */
static const PgBsonValue *
operand_of(const PgBsonSchema *schema, PgBsonSchemaKeyword keyword, PgBsonType type,
		   const char *detail)
{
	static const PgBsonValue not_given = {PGBSON_EOD, PGBSON_MIN_SIZE, (const uint8 *) "\5\0\0\0"};
	const PgBsonValue *operand = &schema->operands[keyword];

	if (operand->type == PGBSON_EOD)
		return &not_given;
	if (operand->type != type)
		wrong_operand(keyword, detail);
	return operand;
}

static const PgBsonValue *
keyword_document(const PgBsonSchema *schema, PgBsonSchemaKeyword keyword)
{
	return operand_of(schema, keyword, PGBSON_DOCUMENT, gettext_noop("A document is expected."));
}

static const PgBsonValue *
array_of(const PgBsonSchema *schema, PgBsonSchemaKeyword keyword)
{
	const PgBsonValue *operand = operand_of(schema, keyword, PGBSON_ARRAY,
											gettext_noop("An array is expected."));

	if (operand->type != PGBSON_EOD && operand->len == PGBSON_MIN_SIZE)
		wrong_operand(keyword, gettext_noop("The array must not be empty."));
	return operand;
}

static bool
bool_of(const PgBsonSchema *schema, PgBsonSchemaKeyword keyword)
{
	const PgBsonValue *operand = operand_of(schema, keyword, PGBSON_BOOL,
											gettext_noop("A boolean is expected."));

	return operand->type != PGBSON_EOD && operand->data[0] != 0;
}

/* A schema within a keyword */
static PgBsonSchema *
parse_within(PgBsonSchemaKeyword keyword, const PgBsonValue *value)
{
	if (value->type != PGBSON_DOCUMENT)
		wrong_operand(keyword, gettext_noop("A schema, which is a document, is expected."));
	return PgBsonSchemaParse(value);
}

/* The list of schemas of allOf and the like; empty if the keyword is not given */
static PgBsonSchemaList
parse_list(PgBsonSchemaKeyword keyword, const PgBsonValue *array)
{
	PgBsonSchemaList list = {0};

	list.schemas = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(array)), sizeof(PgBsonSchema *));
	PgBsonForEach(iter, PgBsonValueView(array))
		list.schemas[list.count++] = parse_within(keyword, &iter.value);
	return list;
}

/* ---- types ---- */

/* Read a type by its name in JSON Schema or its alias in BSON */
static bool
add_named_type(PgBsonSchema *schema, PgBsonSchemaKeyword keyword, const char *alias, uint32 len)
{
	if (keyword == PGBSON_SCHEMA_BSON_TYPE)
		return PgBsonTypeSetAddName(&schema->types, alias, len);
	if (PgBsonKeyIs(alias, len, "boolean"))
	{
		PgBsonTypeSetAdd(&schema->types, PGBSON_BOOL);
		return true;
	}
	return PgBsonNameAmong("array null object string number", alias, len) >= 0 &&
		PgBsonTypeSetAddName(&schema->types, alias, len);
}

static void
add_schema_type(PgBsonSchema *schema, PgBsonSchemaKeyword keyword, const PgBsonValue *value,
		 PgBsonKeySet *seen)
{
	const char *alias;
	uint32		len;
	bool		found;

	if (value->type != PGBSON_STRING)
		wrong_operand(keyword, gettext_noop("A type's name or an array of such names is expected."));
	alias = PgBsonValueString(value, &len);
	(void) PgBsonKeySetEnter(seen, alias, len, &found);
	if (found)
		wrong_operand(keyword, gettext_noop("A type is named twice."));
	if (PgBsonKeyIs(alias, len, "integer"))
		wrong_operand(keyword, gettext_noop("There is no type \"integer\"; the BSON types are \"int\" and \"long\"."));
	if (!add_named_type(schema, keyword, alias, len))
		wrong_operand(keyword, gettext_noop("There is no type of that name."));
}

static void
parse_types(PgBsonSchema *schema, PgBsonSchemaKeyword keyword)
{
	const PgBsonValue *operand = &schema->operands[keyword];
	PgBsonKeySet seen;

	if (operand->type == PGBSON_EOD)
		return;
	PgBsonKeySetInit(&seen);
	if (operand->type == PGBSON_ARRAY)
	{
		operand = array_of(schema, keyword);
		PgBsonForEach(iter, PgBsonValueView(operand))
			add_schema_type(schema, keyword, &iter.value, &seen);
	}
	else
		add_schema_type(schema, keyword, operand, &seen);
	PgBsonKeySetFree(&seen);
}

/* ---- numbers and strings ---- */

/* Read the operand of minLength and the like, a number of things; false if the keyword is not given */
static bool
parse_count(PgBsonSchema *schema, PgBsonSchemaKeyword keyword)
{
	if (!PgBsonSchemaHas(schema, keyword))
		return false;
	if (!PgBsonNumberToInt64(&schema->operands[keyword], &schema->counts[keyword]) ||
		schema->counts[keyword] < 0)
		wrong_operand(keyword, gettext_noop("An integer that is not negative is expected."));
	return true;
}

/* Read maximum or minimum, with the keyword that excludes the limit itself; false if it is not given */
static bool
parse_limit(PgBsonSchema *schema, PgBsonSchemaKeyword keyword, PgBsonSchemaKeyword exclusive,
			bool *excludes)
{
	*excludes = bool_of(schema, exclusive);
	if (!PgBsonSchemaHas(schema, keyword))
	{
		if (PgBsonSchemaHas(schema, exclusive))
			wrong_operand(exclusive, gettext_noop("It needs the keyword of the limit, too."));
		return false;
	}
	if (!PgBsonIsNumber(schema->operands[keyword].type))
		wrong_operand(keyword, gettext_noop("A number is expected."));
	return true;
}

/* Read multipleOf; false if it is not given */
static bool
parse_multiple(PgBsonSchema *schema)
{
	const PgBsonValue *operand = &schema->operands[PGBSON_SCHEMA_MULTIPLE_OF];

	if (operand->type == PGBSON_EOD)
		return false;
	if (!PgBsonIsNumber(operand->type) || PgBsonNumberCompare(operand, &PgBsonZero) <= 0)
		wrong_operand(PGBSON_SCHEMA_MULTIPLE_OF, gettext_noop("A number that is greater than zero is expected."));
	PgBsonNumberToDecimal(operand, schema->multiple_of);
	return true;
}

static void
parse_scalars(PgBsonSchema *schema)
{
	const PgBsonValue *pattern = operand_of(schema, PGBSON_SCHEMA_PATTERN, PGBSON_STRING,
											gettext_noop("A string is expected."));

	if (pattern->type != PGBSON_EOD)
	{
		schema->pattern = PgBsonRegexMake(PgBsonStringBytes(pattern), PgBsonStringLength(pattern), "", 0);
		schema->about_strings = true;
	}
	schema->about_strings |= parse_count(schema, PGBSON_SCHEMA_MAX_LENGTH);
	schema->about_strings |= parse_count(schema, PGBSON_SCHEMA_MIN_LENGTH);
	schema->about_numbers |= parse_limit(schema, PGBSON_SCHEMA_MAXIMUM, PGBSON_SCHEMA_EXCLUSIVE_MAXIMUM,
										 &schema->exclusive_maximum);
	schema->about_numbers |= parse_limit(schema, PGBSON_SCHEMA_MINIMUM, PGBSON_SCHEMA_EXCLUSIVE_MINIMUM,
										 &schema->exclusive_minimum);
	schema->about_numbers |= parse_multiple(schema);
}

/* ---- arrays ---- */

/* Read a schema, or a boolean that says whether there may be more; returns whether it restricts anything */
static bool
parse_more(const PgBsonSchema *schema, PgBsonSchemaKeyword keyword, PgBsonSchema **more, bool *none)
{
	const PgBsonValue *operand = &schema->operands[keyword];

	if (operand->type == PGBSON_EOD)
		return false;
	if (operand->type == PGBSON_DOCUMENT)
		*more = PgBsonSchemaParse(operand);
	else if (operand->type == PGBSON_BOOL)
		*none = operand->data[0] == 0;
	else
		wrong_operand(keyword, gettext_noop("A schema or a boolean is expected."));
	return true;
}

static void
parse_arrays(PgBsonSchema *schema)
{
	const PgBsonValue *items = &schema->operands[PGBSON_SCHEMA_ITEMS];

	schema->about_arrays |= parse_count(schema, PGBSON_SCHEMA_MIN_ITEMS);
	schema->about_arrays |= parse_count(schema, PGBSON_SCHEMA_MAX_ITEMS);
	schema->unique_items = bool_of(schema, PGBSON_SCHEMA_UNIQUE_ITEMS);
	schema->about_arrays |= schema->unique_items;
	(void) parse_more(schema, PGBSON_SCHEMA_ADDITIONAL_ITEMS, &schema->more_items,
					  &schema->no_more_items);
	if (items->type == PGBSON_EOD)
		return;
	schema->about_arrays = true;
	if (items->type == PGBSON_DOCUMENT)
		schema->every_item = PgBsonSchemaParse(items);
	else if (items->type == PGBSON_ARRAY)
		schema->items = parse_list(PGBSON_SCHEMA_ITEMS, items);
	else
		wrong_operand(PGBSON_SCHEMA_ITEMS, gettext_noop("A schema or an array of schemas is expected."));
}

/* ---- documents ---- */

/* The number of a name */
static int
number_of_name(PgBsonSchema *schema, const char *key, uint32 len)
{
	bool		found;
	PgBsonKeyEntry *entry = PgBsonKeySetEnter(&schema->names, key, len, &found);
	int			i = entry - schema->names.entries;

	if (!found)
	{
		schema->of_names = PgBsonRoomForOne(schema->of_names, i, sizeof(PgBsonSchemaName));
		memset(&schema->of_names[i], 0, sizeof(PgBsonSchemaName));
	}
	return i;
}

static void
parse_required(PgBsonSchema *schema)
{
	const PgBsonValue *array = array_of(schema, PGBSON_SCHEMA_REQUIRED);

	PgBsonForEach(iter, PgBsonValueView(array))
	{
		int			name;

		if (iter.value.type != PGBSON_STRING)
			wrong_operand(PGBSON_SCHEMA_REQUIRED, gettext_noop("An array of strings is expected."));
		name = number_of_name(schema, PgBsonStringBytes(&iter.value), PgBsonStringLength(&iter.value));
		if (schema->of_names[name].required)
			wrong_operand(PGBSON_SCHEMA_REQUIRED, gettext_noop("A name occurs twice."));
		schema->of_names[name].required = true;
		schema->nrequired++;
	}
}

static void
parse_properties(PgBsonSchema *schema)
{
	const PgBsonValue *properties = keyword_document(schema, PGBSON_SCHEMA_PROPERTIES);

	PgBsonForEach(iter, PgBsonValueView(properties))
	{
		PgBsonSchema *of_name = parse_within(PGBSON_SCHEMA_PROPERTIES, &iter.value);
		int			name = number_of_name(schema, iter.key, iter.key_len);

		if (schema->of_names[name].is_property)
			wrong_operand(PGBSON_SCHEMA_PROPERTIES, gettext_noop("A name occurs twice."));
		schema->of_names[name].is_property = true;
		schema->of_names[name].schema = of_name;
	}
}

static void
parse_patterns(PgBsonSchema *schema)
{
	const PgBsonValue *patterns = keyword_document(schema, PGBSON_SCHEMA_PATTERN_PROPERTIES);

	schema->patterns = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(patterns)), sizeof(PgBsonSchemaPattern));
	PgBsonForEach(iter, PgBsonValueView(patterns))
	{
		PgBsonSchemaPattern *pattern = &schema->patterns[schema->npatterns++];

		pattern->schema = parse_within(PGBSON_SCHEMA_PATTERN_PROPERTIES, &iter.value);
		pattern->regex = PgBsonRegexMake(iter.key, iter.key_len, "", 0);
	}
}

/* The names of the fields that a dependency demands */
static void
parse_demanded(PgBsonSchema *schema, PgBsonSchemaDependency *dependency, const PgBsonValue *array)
{
	PgBsonKeySet seen;

	if (array->len == PGBSON_MIN_SIZE)
		wrong_operand(PGBSON_SCHEMA_DEPENDENCIES, gettext_noop("The array must not be empty."));
	dependency->demanded = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(array)), sizeof(int));
	PgBsonKeySetInit(&seen);
	PgBsonForEach(iter, PgBsonValueView(array))
	{
		uint32		len;
		const char *key;
		bool		found;

		if (iter.value.type != PGBSON_STRING)
			wrong_operand(PGBSON_SCHEMA_DEPENDENCIES, gettext_noop("An array of strings is expected."));
		key = PgBsonValueString(&iter.value, &len);
		(void) PgBsonKeySetEnter(&seen, key, len, &found);
		if (found)
			wrong_operand(PGBSON_SCHEMA_DEPENDENCIES, gettext_noop("A name occurs twice."));
		dependency->demanded[dependency->ndemanded++] = number_of_name(schema, key, len);
	}
	PgBsonKeySetFree(&seen);
}

static void
parse_dependencies(PgBsonSchema *schema)
{
	const PgBsonValue *operand = keyword_document(schema, PGBSON_SCHEMA_DEPENDENCIES);

	schema->dependencies = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(operand)), sizeof(PgBsonSchemaDependency));
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		PgBsonSchemaDependency *dependency = &schema->dependencies[schema->ndependencies++];

		memset(dependency, 0, sizeof(PgBsonSchemaDependency));
		dependency->name = number_of_name(schema, iter.key, iter.key_len);
		if (iter.value.type == PGBSON_DOCUMENT)
			dependency->schema = PgBsonSchemaParse(&iter.value);
		else if (iter.value.type == PGBSON_ARRAY)
			parse_demanded(schema, dependency, &iter.value);
		else
			wrong_operand(PGBSON_SCHEMA_DEPENDENCIES, gettext_noop("Each must be a schema or an array of names."));
	}
}

static void
parse_documents(PgBsonSchema *schema)
{
	PgBsonKeySetInit(&schema->names);
	parse_required(schema);
	parse_properties(schema);
	parse_patterns(schema);
	parse_dependencies(schema);
	schema->about_documents |= parse_more(schema, PGBSON_SCHEMA_ADDITIONAL_PROPERTIES,
										  &schema->more_properties, &schema->no_more_properties);
	schema->about_documents |= parse_count(schema, PGBSON_SCHEMA_MIN_PROPERTIES);
	schema->about_documents |= parse_count(schema, PGBSON_SCHEMA_MAX_PROPERTIES);
	schema->about_documents |= schema->names.count > 0 || schema->npatterns > 0;
}

/* ---- any value ---- */

static void
parse_enum(PgBsonSchema *schema)
{
	const PgBsonValue *array = array_of(schema, PGBSON_SCHEMA_ENUM);

	if (array == NULL)
		return;
	schema->values = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(array)), sizeof(PgBsonValue));
	PgBsonForEach(iter, PgBsonValueView(array))
		schema->values[schema->nvalues++] = PgBsonSortedFields(&iter.value);
	PgBsonSortValues(schema->values, schema->nvalues);
	for (int i = 1; i < schema->nvalues; i++)
	{
		if (PgBsonEqual(&schema->values[i - 1], &schema->values[i]))
			wrong_operand(PGBSON_SCHEMA_ENUM, gettext_noop("A value occurs twice."));
	}
}

PgBsonSchema *
PgBsonSchemaParse(const PgBsonValue *value)
{
	PgBsonSchema *schema = palloc0(sizeof(PgBsonSchema));

	check_stack_depth();
	read_keywords(schema, value);
	(void) operand_of(schema, PGBSON_SCHEMA_TITLE, PGBSON_STRING, gettext_noop("A string is expected."));
	(void) operand_of(schema, PGBSON_SCHEMA_DESCRIPTION, PGBSON_STRING, gettext_noop("A string is expected."));
	if (PgBsonSchemaHas(schema, PGBSON_SCHEMA_TYPE) && PgBsonSchemaHas(schema, PGBSON_SCHEMA_BSON_TYPE))
		wrong_operand(PGBSON_SCHEMA_BSON_TYPE, gettext_noop("It cannot be used together with \"type\"."));
	parse_types(schema, PGBSON_SCHEMA_TYPE);
	parse_types(schema, PGBSON_SCHEMA_BSON_TYPE);
	parse_scalars(schema);
	parse_arrays(schema);
	parse_documents(schema);
	schema->all_of = parse_list(PGBSON_SCHEMA_ALL_OF, array_of(schema, PGBSON_SCHEMA_ALL_OF));
	schema->any_of = parse_list(PGBSON_SCHEMA_ANY_OF, array_of(schema, PGBSON_SCHEMA_ANY_OF));
	schema->one_of = parse_list(PGBSON_SCHEMA_ONE_OF, array_of(schema, PGBSON_SCHEMA_ONE_OF));
	if (keyword_document(schema, PGBSON_SCHEMA_NOT)->type != PGBSON_EOD)
		schema->not = PgBsonSchemaParse(&schema->operands[PGBSON_SCHEMA_NOT]);
	parse_enum(schema);
	return schema;
}
