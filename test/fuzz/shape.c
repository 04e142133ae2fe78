/*
 * shape.c
 *	  Projections, schemas and deltas, made of the words they know: results are
 *	  valid documents, and a schema that does not hold names a fault.
 */
#include "fuzz.h"

#include "core/write/from_value.h"
#include "mongo/delta/diff.h"
#include "mongo/project/project.h"
#include "mongo/query/schema.h"

static PgBsonValue doc;
static PgBsonValue other;
static PgBsonValue projection;
static PgBsonValue schema;
static PgBsonValue delta;

typedef struct Words
{
	const char *const *keys;
	int			nkeys;
	const char *const *strings;
	int			nstrings;
} Words;

static const char *const projection_keys[] = {
	"a", "b", "a.b", "a.b.c", "_id", "b.0", "a.$", "$slice", "$elemMatch", "$add", "$literal", "$concat", "$filter", "$meta"
};
static const char *const projection_strings[] = {"$a", "$a.b", "$$ROOT", "$$REMOVE", "x"};
static const char *const schema_keys[] = {
	"bsonType", "type", "properties", "required", "items", "additionalItems", "additionalProperties", "patternProperties", "minimum",
	"maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems",
	"uniqueItems", "minProperties", "maxProperties", "dependencies", "enum", "allOf", "anyOf", "oneOf", "not", "title", "description",
	"$jsonSchema", "a", "b", "c"
};
static const char *const schema_strings[] = {"int", "string", "object", "array", "number", "a", "b", "^a", "[0-9]+"};
static const char *const delta_keys[] = {"$v", "diff", "u", "i", "d", "a", "l", "s0", "u0", "u1", "sa", "sb", "b", "0"};
static const char *const delta_strings[] = {"x"};

#define WORDS(name) {name##_keys, lengthof(name##_keys), name##_strings, lengthof(name##_strings)}

static const Words projection_words = WORDS(projection);
static const Words schema_words = WORDS(schema);
static const Words delta_words = WORDS(delta);

static void put_any(PgBsonBuilder *b, FuzzInput *in, const Words *words, int level);

static void
put_document(PgBsonBuilder *b, FuzzInput *in, const Words *words, int level)
{
	PgBsonBuilderOpenDocument(b);
	for (int n = FuzzByte(in) % 5; n > 0; n--)
	{
		FuzzPutKey(b, words->keys[FuzzByte(in) % words->nkeys]);
		put_any(b, in, words, level + 1);
	}
	PgBsonBuilderClose(b);
}

static void
put_any(PgBsonBuilder *b, FuzzInput *in, const Words *words, int level)
{
	const char *s;

	switch (level < 6 ? FuzzByte(in) % 8 : 0)
	{
		case 0:
			FuzzPutValue(b, in);
			break;
		case 1:
			s = words->strings[FuzzByte(in) % words->nstrings];
			PgBsonBuilderString(b, s, strlen(s));
			break;
		case 2:
			PgBsonBuilderInt32(b, FuzzByte(in) % 4);
			break;
		case 3:
			PgBsonBuilderBool(b, FuzzByte(in) % 2 != 0);
			break;
		case 4:
			PgBsonBuilderOpenArray(b);
			for (int n = FuzzByte(in) % 4; n > 0; n--)
				put_any(b, in, words, level + 1);
			PgBsonBuilderClose(b);
			break;
		default:
			put_document(b, in, words, level);
			break;
	}
}

static PgBsonValue
made_of(FuzzInput *in, const Words *words)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();

	put_document(b, in, words, 0);
	return PgBsonRoot(PgBsonBuilderFinish(b));
}

static void
make(void *arg)
{
	FuzzInput  *in = arg;

	projection = made_of(in, &projection_words);
	schema = made_of(in, &schema_words);
	delta = made_of(in, &delta_words);
	doc = PgBsonRoot(FuzzMake(in));
	other = PgBsonRoot(FuzzMake(in));
}

static void
project(void *arg)
{
	FuzzCheckDatum(PgBsonProject(PgBsonProjectionParse(&projection, NULL), PgBsonValueView(&doc)));
}

static void
project_stage(void *arg)
{
	PgBsonExprUse use = {false};
	PgBsonValue value = PgBsonProjectValue(PgBsonProjectionParseStage(&projection, &use), &doc, NULL);

	FuzzCheckDatum(PgBsonFromValue(&value));
}

static void
count_fault(const PgBsonStep *path, int npath, const char *keyword, const PgBsonValue *operand, void *arg)
{
	++*(int *) arg;
}

static void
check_schema(void *arg)
{
	PgBsonSchema *parsed = PgBsonSchemaParse(&schema);
	int			faults = 0;

	PgBsonSchemaReport(parsed, &doc, count_fault, &faults);
	FuzzCheck(PgBsonSchemaHolds(parsed, &doc) == (faults == 0));
}

static void
patch(void *arg)
{
	PgBson	   *result = PgBsonPatch(PgBsonValueView(&doc), PgBsonValueView(&delta));

	/* NULL: the delta itself */
	if (result != NULL)
		FuzzCheckDatum(result);
}

/* A delta takes one document to the other, to the byte */
static void
diff(void *arg)
{
	PgBson	   *changes = PgBsonDiff(PgBsonValueView(&doc), PgBsonValueView(&other));
	PgBson	   *there;
	PgBsonValue root;

	/* NULL: the other document itself is the delta, and what a delta makes */
	if (changes == NULL)
		return;
	there = PgBsonPatch(PgBsonValueView(&doc), PgBsonViewOf(changes));
	if (there == NULL)
		there = changes;
	root = PgBsonRoot(there);
	FuzzCheckDatum(there);
	FuzzCheck(root.len == other.len && memcmp(root.data, other.data, root.len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};

	if (FuzzTry(make, &in))
	{
		FuzzTryValid(check_schema, NULL);
		if (doc.type == PGBSON_DOCUMENT)
		{
			FuzzTryValid(project, NULL);
			FuzzTryValid(project_stage, NULL);
			FuzzTryValid(patch, NULL);
			if (other.type == PGBSON_DOCUMENT)
				FuzzTryValid(diff, NULL);
		}
	}
	FuzzReset();
	return 0;
}
