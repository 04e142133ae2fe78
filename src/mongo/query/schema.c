/*
 * schema.c
 *	  Testing values by a parsed schema.
 *
 * One pass over a document or array checks each field or element once.  Unless
 * all faults are to be reported, the test ends at the first one.
 *
 * The authority is MongoDB's src/mongo/db/matcher/schema, the files
 * expression_internal_schema_*.cpp.
 */
#include "mongo/query/schema_node.h"

#include <math.h>

#include "core/bytes/memory.h"
#include "core/number/decimal.h"
#include "core/order/compare.h"
#include "mongo/expr/expr.h"

/* A value being checked */
typedef struct SchemaRun
{
	PgBsonSchemaReporter report;	/* called for each fault; NULL if only the answer is wanted */
	void	   *arg;
	PgBsonStep *path;			/* if faults are reported: the path to the value */
	int			npath;
} SchemaRun;

static bool check_value(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value);

/* Report a fault; returns false */
static bool
fault_with(SchemaRun *run, PgBsonSchemaKeyword keyword, const PgBsonValue *operand)
{
	if (run->report != NULL)
		run->report(run->path, run->npath, PgBsonSchemaKeywordNames[keyword], operand, run->arg);
	return false;
}

/* Report that the value does not satisfy a keyword; returns false */
static bool
fault(SchemaRun *run, const PgBsonSchema *schema, PgBsonSchemaKeyword keyword)
{
	return fault_with(run, keyword, &schema->operands[keyword]);
}

/* Is there more to check after a fault?  A report has all faults. */
static inline bool
goes_on_checking(const SchemaRun *run, bool holds)
{
	return holds || run->report != NULL;
}

/* Add a step to the path */
static inline void
enter_step(SchemaRun *run, PgBsonStep step)
{
	if (run->report != NULL)
	{
		run->path = PgBsonRoomForOne(run->path, run->npath, sizeof(PgBsonStep));
		run->path[run->npath++] = step;
	}
}

static inline void
leave(SchemaRun *run)
{
	if (run->report != NULL)
		run->npath--;
}

/* The answer alone, also for anyOf, oneOf and not, each of which is one fault, whatever is wrong within it */
bool
PgBsonSchemaHolds(const PgBsonSchema *schema, const PgBsonValue *value)
{
	SchemaRun	quiet = {0};

	return check_value(&quiet, schema, value);
}

/* ---- scalars ---- */

/* Is the number within the limit, which is a maximum if "sign" is 1 and a minimum if it is -1? */
static bool
within_limit(const PgBsonValue *number, const PgBsonValue *limit, int sign, bool exclusive)
{
	int			cmp;

	if (isnan(PgBsonDoubleOf(number)) != isnan(PgBsonDoubleOf(limit)))
		return false;
	cmp = PgBsonNumberCompare(number, limit) * sign;
	return exclusive ? cmp < 0 : cmp <= 0;
}

static bool
is_multiple(const PgBsonSchema *schema, const PgBsonValue *number)
{
	uint8		remainder[16];
	PgBsonValue value = {PGBSON_DECIMAL128, sizeof(remainder), remainder};

	PgBsonNumberToDecimal(number, remainder);
	PgBsonDecimalRemainder(remainder, schema->multiple_of, remainder);
	return PgBsonNumberCompare(&value, &PgBsonZero) == 0;
}

static bool
check_number(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value)
{
	bool		holds = true;

	if (PgBsonSchemaHas(schema, PGBSON_SCHEMA_MAXIMUM) &&
		!within_limit(value, &schema->operands[PGBSON_SCHEMA_MAXIMUM], 1, schema->exclusive_maximum))
		holds = fault(run, schema, PGBSON_SCHEMA_MAXIMUM);
	if (PgBsonSchemaHas(schema, PGBSON_SCHEMA_MINIMUM) &&
		!within_limit(value, &schema->operands[PGBSON_SCHEMA_MINIMUM], -1, schema->exclusive_minimum))
		holds = fault(run, schema, PGBSON_SCHEMA_MINIMUM);
	if (PgBsonSchemaHas(schema, PGBSON_SCHEMA_MULTIPLE_OF) && !is_multiple(schema, value))
		holds = fault(run, schema, PGBSON_SCHEMA_MULTIPLE_OF);
	return holds;
}

/* Is the number of characters, elements or fields within the limits of these keywords? */
static bool
check_count(SchemaRun *run, const PgBsonSchema *schema, int64 count, PgBsonSchemaKeyword least,
			PgBsonSchemaKeyword most)
{
	bool		holds = true;

	if (PgBsonSchemaHas(schema, least) && count < schema->counts[least])
		holds = fault(run, schema, least);
	if (PgBsonSchemaHas(schema, most) && count > schema->counts[most])
		holds = fault(run, schema, most);
	return holds;
}

static bool
check_schema_string(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value)
{
	uint32		len;
	const char *s = PgBsonValueString(value, &len);
	int64		characters = 0;
	bool		holds = true;

	if (PgBsonSchemaHas(schema, PGBSON_SCHEMA_MIN_LENGTH) ||
		PgBsonSchemaHas(schema, PGBSON_SCHEMA_MAX_LENGTH))
	{
		for (uint32 i = 0; i < len; i++)
			characters += ((uint8) s[i] & 0xC0) != 0x80;
		holds = check_count(run, schema, characters, PGBSON_SCHEMA_MIN_LENGTH, PGBSON_SCHEMA_MAX_LENGTH);
	}
	if (goes_on_checking(run, holds) && schema->pattern != NULL && !PgBsonRegexMatches(schema->pattern, s, len))
		holds = fault(run, schema, PGBSON_SCHEMA_PATTERN);
	return holds;
}

/* ---- arrays ---- */

/* uniqueItems: are all elements different, not regarding the order of fields? */
static bool
is_unique(const PgBsonValue *array, int64 count)
{
	PgBsonValue *values = PgBsonAllocList(count, sizeof(PgBsonValue));
	bool		unique = true;
	int64		n = 0;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(array));

	while (n < count && PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		values[n++] = PgBsonSortedFields(&iter.value);
	}
	PgBsonSortValues(values, n);
	for (int64 i = 1; i < n && unique; i++)
	{
		CHECK_FOR_INTERRUPTS();
		unique = !PgBsonEqual(&values[i - 1], &values[i]);
	}
	for (int64 i = 0; i < n; i++)
		PgBsonSortedFieldsFree(&values[i], array);
	pfree(values);
	return unique;
}

/* Check an element by the schema for its position */
static bool
check_element(SchemaRun *run, const PgBsonSchema *schema, int64 position, const PgBsonValue *value)
{
	if (schema->every_item != NULL)
		return check_value(run, schema->every_item, value);
	if (position < schema->items.count)
		return check_value(run, schema->items.schemas[position], value);
	if (schema->operands[PGBSON_SCHEMA_ITEMS].type != PGBSON_ARRAY)
		return true;
	if (schema->no_more_items)
		return fault(run, schema, PGBSON_SCHEMA_ADDITIONAL_ITEMS);
	return schema->more_items == NULL || check_value(run, schema->more_items, value);
}

static bool
check_schema_array(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *array)
{
	bool		holds = true;
	int64		count = 0;

	PgBsonForEach(iter, PgBsonValueView(array))
	{
		enter_step(run, (PgBsonStep) {PGBSON_STEP_INDEX, count});
		holds &= check_element(run, schema, count++, &iter.value);
		leave(run);
		if (!goes_on_checking(run, holds))
			return false;
	}
	holds &= check_count(run, schema, count, PGBSON_SCHEMA_MIN_ITEMS, PGBSON_SCHEMA_MAX_ITEMS);
	if (goes_on_checking(run, holds) && schema->unique_items && !is_unique(array, count))
		holds = fault(run, schema, PGBSON_SCHEMA_UNIQUE_ITEMS);
	return holds;
}

/* ---- documents ---- */

/* Check a field by the schemas for its name and for patterns or, without these, that for other fields */
static bool
check_schema_field(SchemaRun *run, const PgBsonSchema *schema, const PgBsonSchemaName *name,
			const PgBsonIter *field)
{
	bool		known = name != NULL && name->is_property;
	bool		holds = true;

	if (known)
		holds = check_value(run, name->schema, &field->value);
	for (int i = 0; i < schema->npatterns && goes_on_checking(run, holds); i++)
	{
		if (!PgBsonRegexMatches(schema->patterns[i].regex, field->key, field->key_len))
			continue;
		known = true;
		holds &= check_value(run, schema->patterns[i].schema, &field->value);
	}
	if (known)
		return holds;
	if (schema->no_more_properties)
		return fault(run, schema, PGBSON_SCHEMA_ADDITIONAL_PROPERTIES);
	return schema->more_properties == NULL ||
		check_value(run, schema->more_properties, &field->value);
}

/*
 * Report that the field which this keyword demands is missing.  The report has just this name: with
 * all names that the keyword demands, n missing fields would take n times their space.
 */
static bool
fault_missing(SchemaRun *run, const PgBsonSchema *schema, int name, PgBsonSchemaKeyword keyword)
{
	const PgBsonKeyEntry *entry = &schema->names.entries[name];
	PgBsonValue demanded;
	PgBsonValue expected;

	if (run->report == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	demanded = PgBsonMakeString(entry->key, entry->key_len);
	expected = PgBsonMakeArray(&demanded, 1);
	enter_step(run, (PgBsonStep) {PGBSON_STEP_KEY, 0, entry->key, entry->key_len});
	(void) fault_with(run, keyword, &expected);
	leave(run);
	return false;
}

/* Was the field with the name of this number seen in the document that is being checked? */
static bool
was_seen(const PgBsonSchema *schema, int name)
{
	return PgBsonKeySetSeen(&schema->names, &schema->names.entries[name]);
}

/* Report required fields that were not seen; returns false */
static bool
check_required(SchemaRun *run, const PgBsonSchema *schema)
{
	for (int i = 0; i < schema->names.count; i++)
	{
		if (!schema->of_names[i].required || was_seen(schema, i))
			continue;
		fault_missing(run, schema, i, PGBSON_SCHEMA_REQUIRED);
		if (run->report == NULL)
			break;
	}
	return false;
}

/* Does the document have the fields that the fields seen demand, and meet the schemas that they demand? */
static bool
check_dependencies(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value)
{
	bool		holds = true;

	for (int i = 0; i < schema->ndependencies && goes_on_checking(run, holds); i++)
	{
		const PgBsonSchemaDependency *dependency = &schema->dependencies[i];

		CHECK_FOR_INTERRUPTS();
		if (!was_seen(schema, dependency->name))
			continue;
		if (dependency->schema != NULL)
			holds &= check_value(run, dependency->schema, value);
		for (int j = 0; j < dependency->ndemanded; j++)
		{
			if (!was_seen(schema, dependency->demanded[j]))
				holds = fault_missing(run, schema, dependency->demanded[j], PGBSON_SCHEMA_DEPENDENCIES);
		}
	}
	return holds;
}

/* Check a document.  A schema is never within itself, so its names' marks serve one document at a time. */
static bool
check_document(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *document)
{
	PgBsonKeySet *names = unconstify(PgBsonKeySet *, &schema->names);
	int			missing = schema->nrequired;
	bool		holds = true;
	int64		count = 0;

	PgBsonKeySetUnmark(names);
	PgBsonForEach(iter, PgBsonValueView(document))
	{
		PgBsonKeyEntry *entry = PgBsonKeySetFind(names, iter.key, iter.key_len);
		PgBsonSchemaName *name = NULL;

		count++;
		if (entry != NULL)
		{
			/* of several fields with one name the first one counts */
			if (PgBsonKeySetSeen(names, entry))
				continue;
			PgBsonKeySetMark(names, entry);
			name = &schema->of_names[entry - names->entries];
			missing -= name->required;
		}
		enter_step(run, (PgBsonStep) {PGBSON_STEP_KEY, 0, iter.key, iter.key_len});
		holds &= check_schema_field(run, schema, name, &iter);
		leave(run);
		if (!goes_on_checking(run, holds))
			return false;
	}
	if (missing > 0)
		holds = check_required(run, schema);
	if (goes_on_checking(run, holds))
		holds &= check_count(run, schema, count, PGBSON_SCHEMA_MIN_PROPERTIES, PGBSON_SCHEMA_MAX_PROPERTIES);
	if (goes_on_checking(run, holds))
		holds &= check_dependencies(run, schema, document);
	return holds;
}

/* ---- any value ---- */

static bool
check_enum(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value)
{
	PgBsonValue sorted;
	bool		among;

	if (schema->nvalues == 0)
		return true;
	sorted = PgBsonSortedFields(value);
	among = PgBsonIsAmong(schema->values, schema->nvalues, &sorted);
	PgBsonSortedFieldsFree(&sorted, value);
	return among || fault(run, schema, PGBSON_SCHEMA_ENUM);
}

/* How many of these schemas the value satisfies; counting ends at "enough" */
static int
count_met(const PgBsonSchemaList *list, const PgBsonValue *value, int enough)
{
	int			met = 0;

	for (int i = 0; i < list->count && met < enough; i++)
		met += PgBsonSchemaHolds(list->schemas[i], value);
	return met;
}

/* The keywords for values of all types: enum, allOf, anyOf, oneOf, not */
static bool
check_combined(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value)
{
	bool		holds = check_enum(run, schema, value);

	for (int i = 0; i < schema->all_of.count && goes_on_checking(run, holds); i++)
		holds &= check_value(run, schema->all_of.schemas[i], value);
	if (goes_on_checking(run, holds) && schema->any_of.count > 0 && count_met(&schema->any_of, value, 1) == 0)
		holds = fault(run, schema, PGBSON_SCHEMA_ANY_OF);
	if (goes_on_checking(run, holds) && schema->one_of.count > 0 && count_met(&schema->one_of, value, 2) != 1)
		holds = fault(run, schema, PGBSON_SCHEMA_ONE_OF);
	if (goes_on_checking(run, holds) && schema->not != NULL && PgBsonSchemaHolds(schema->not, value))
		holds = fault(run, schema, PGBSON_SCHEMA_NOT);
	return holds;
}

static bool
check_schema_type(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value)
{
	PgBsonSchemaKeyword keyword = PgBsonSchemaHas(schema, PGBSON_SCHEMA_TYPE) ?
		PGBSON_SCHEMA_TYPE : PGBSON_SCHEMA_BSON_TYPE;

	if (!PgBsonSchemaHas(schema, keyword) || PgBsonTypeSetHas(&schema->types, value->type))
		return true;
	return fault(run, schema, keyword);
}

/* Does the value satisfy the schema?  If there is a reporter, faults are reported. */
static bool
check_value(SchemaRun *run, const PgBsonSchema *schema, const PgBsonValue *value)
{
	bool		holds = check_schema_type(run, schema, value);

	check_stack_depth();
	if (!goes_on_checking(run, holds))
		return false;
	if (value->type == PGBSON_DOCUMENT && schema->about_documents)
		holds &= check_document(run, schema, value);
	else if (value->type == PGBSON_ARRAY && schema->about_arrays)
		holds &= check_schema_array(run, schema, value);
	else if (value->type == PGBSON_STRING && schema->about_strings)
		holds &= check_schema_string(run, schema, value);
	else if (schema->about_numbers && PgBsonIsNumber(value->type))
		holds &= check_number(run, schema, value);
	return goes_on_checking(run, holds) && check_combined(run, schema, value) && holds;
}

void
PgBsonSchemaReport(const PgBsonSchema *schema, const PgBsonValue *value,
				   PgBsonSchemaReporter report, void *arg)
{
	SchemaRun	run = {report, arg};

	(void) check_value(&run, schema, value);
}
