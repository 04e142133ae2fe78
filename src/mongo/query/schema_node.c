/*
 * schema_node.c
 *	  What the parser and the reader of schemas have in common.
 *
 * The order of fields does not count for enum and uniqueItems, as in MongoDB's
 * src/mongo/db/matcher/schema/expression_internal_schema_unique_items.cpp.
 */
#include "mongo/query/schema_node.h"

#include "core/bytes/memory.h"
#include "core/bytes/sort.h"
#include "core/order/compare.h"
#include "core/write/write.h"

const char *const PgBsonSchemaKeywordNames[] = {
	"additionalItems", "additionalProperties", "allOf", "anyOf", "bsonType", "dependencies",
	"description", "enum", "exclusiveMaximum", "exclusiveMinimum", "items", "maxItems",
	"maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum",
	"multipleOf", "not", "oneOf", "pattern", "patternProperties", "properties", "required",
	"title", "type", "uniqueItems"
};

StaticAssertDecl(lengthof(PgBsonSchemaKeywordNames) == PGBSON_SCHEMA_NKEYWORDS,
				 "every keyword has a name");

static int
compare_field_names(const void *a, const void *b)
{
	const PgBsonIter *x = a;
	const PgBsonIter *y = b;
	int			cmp = memcmp(x->key, y->key, Min(x->key_len, y->key_len));

	if (cmp == 0)
		cmp = (x->key_len > y->key_len) - (x->key_len < y->key_len);
	return cmp != 0 ? cmp : PgBsonCompare(&x->value, &y->value);
}

/* Is the value a document, or an array that contains one at any level? */
static bool
has_document(const PgBsonValue *value)
{
	if (value->type != PGBSON_ARRAY)
		return value->type == PGBSON_DOCUMENT;
	check_stack_depth();
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		if (has_document(&iter.value))
			return true;
	}
	return false;
}

/* Write the value with the fields of its documents sorted by name, at all levels */
static void
write_sorted(PgBsonWriter *w, const PgBsonValue *value)
{
	PgBsonIter *fields;
	Size		start;
	uint32		n = 0;

	if (!PgBsonIsContainer(value->type))
	{
		PgBsonWriterValue(w, value);
		return;
	}
	check_stack_depth();
	fields = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(value)), sizeof(PgBsonIter));
	PgBsonForEach(iter, PgBsonValueView(value))
		fields[n++] = iter;
	if (value->type == PGBSON_DOCUMENT)
		PgBsonSort(fields, n, sizeof(PgBsonIter), compare_field_names);
	start = PgBsonWriterOpen(w);
	for (uint32 i = 0; i < n; i++)
	{
		PgBsonWriterKey(w, fields[i].value.type, fields[i].key, fields[i].key_len);
		write_sorted(w, &fields[i].value);
	}
	PgBsonWriterClose(w, start);
	pfree(fields);
}

PgBsonValue
PgBsonSortedFields(const PgBsonValue *value)
{
	PgBsonWriter w;

	if (!has_document(value))
		return *value;
	PgBsonWriterInit(&w, value->len);
	write_sorted(&w, value);
	return PgBsonWriterResult(&w, value->type);
}

void
PgBsonSortedFieldsFree(const PgBsonValue *sorted, const PgBsonValue *within)
{
	/* the writer's memory begins with the header of a varlena */
	if (sorted->data < within->data || sorted->data >= within->data + Max(within->len, 1))
		pfree(unconstify(uint8 *, sorted->data) - VARHDRSZ);
}
