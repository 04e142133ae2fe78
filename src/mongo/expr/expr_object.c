/*
 * expr_object.c
 *	  Expressions: documents by their fields; sizes.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_bson.cpp, and
 * for the conversions between arrays and documents evaluate_array.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/write/elements.h"

/* A document of the fields: of several with one name the last value, in the place of the first */
static PgBsonValue
make_document(const PgBsonElements *elements)
{
	PgBsonView	view = PgBsonViewOf(PgBsonElementsToDocument(elements, false));
	PgBsonValue value = {PGBSON_DOCUMENT, view.len, view.data};

	return value;
}

/* The fields of a document that is made of others: of those with one name the last value, in the place of the first */
typedef struct Merged
{
	const char *name;			/* of the operator */
	Size		size;			/* bytes of the fields */
	int			count;
	struct
	{
		const char *key;
		uint32		key_len;
		PgBsonValue value;
	}			fields[32];
	PgBsonElements *many;		/* if there are more, all of them; or NULL */
} Merged;

static void
add_merged(Merged *merged, const char *key, uint32 key_len, const PgBsonValue *value)
{
	int			i = 0;

	if (merged->many == NULL)
	{
		while (i < merged->count && (merged->fields[i].key_len != key_len ||
									 memcmp(merged->fields[i].key, key, key_len) != 0))
			i++;
		if (i < lengthof(merged->fields))
		{
			merged->size += i < merged->count ? 0 : key_len + 2;
			merged->size += value->len - (i < merged->count ? merged->fields[i].value.len : 0);
			merged->count = Max(merged->count, i + 1);
			merged->fields[i].key = key;
			merged->fields[i].key_len = key_len;
			merged->fields[i].value = PgBsonCopyFresh(value);
			return;
		}
		merged->many = PgBsonElementsBegin(CurrentMemoryContext);
		merged->many->w.made_by = merged->name;
		for (i = 0; i < merged->count; i++)
			PgBsonElementsAppend(merged->many, merged->fields[i].key, merged->fields[i].key_len,
								 &merged->fields[i].value);
	}
	PgBsonElementsAppend(merged->many, key, key_len, value);
}

/* Add the fields of a document; null or a missing value adds nothing */
static void
merge_fields(const PgBsonExpr *e, Merged *merged, const PgBsonValue *doc)
{
	if (PgBsonIsNothing(doc))
		return;
	PgBsonExprNeed(e, doc, 'd');
	PgBsonForEach(iter, PgBsonValueView(doc))
		add_merged(merged, iter.key, iter.key_len, &iter.value);
}

/* Add the fields of an argument that is a document of expressions, without making the document; false if it is none */
static bool
merge_expressions(PgBsonExprRun *run, const PgBsonExpr *arg, Merged *merged)
{
	if (arg == NULL || arg->eval != PgBsonExprEvalContainer || arg->names == NULL)
		return false;
	for (int i = 0; i < arg->nargs; i++)
	{
		PgBsonValue value = PgBsonExprArg(run, arg, i);

		CHECK_FOR_INTERRUPTS();
		PgBsonCheckDepth(&value, 1);
		if (value.type != PGBSON_MISSING)
			add_merged(merged, arg->names[i].key, arg->names[i].key_len, &value);
	}
	return true;
}

/* $mergeObjects: the fields of all documents, which may also be the elements of a single array */
static PgBsonValue
eval_merge(PgBsonExprRun *run, const PgBsonExpr *e)
{
	Merged		merged;
	PgBsonWriter maker;

	merged.name = e->op->name;
	merged.size = merged.count = 0;
	merged.many = NULL;
	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value;

		if (merge_expressions(run, e->args[i], &merged))
			continue;
		value = PgBsonExprArg(run, e, i);
		if (e->nargs != 1 || value.type != PGBSON_ARRAY)
			merge_fields(e, &merged, &value);
		else
		{
			PgBsonForEach(iter, PgBsonValueView(&value))
				merge_fields(e, &merged, &iter.value);
		}
	}
	if (merged.many != NULL)
		return make_document(merged.many);
	PgBsonExprBegin(&maker, Min(merged.size, PGBSON_LARGE_VALUE) + PGBSON_MIN_SIZE, e);
	for (int i = 0; i < merged.count; i++)
	{
		const char *key = merged.fields[i].key;
		uint32		key_len = merged.fields[i].key_len;
		const PgBsonValue *value = &merged.fields[i].value;

		/* a field of a document has its type, key and value in one piece */
		if (value->data == (const uint8 *) key + key_len + 1)
			PgBsonWriterBytes(&maker, key - 1, (Size) key_len + 2 + value->len);
		else
			PgBsonWriterField(&maker, key, key_len, value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

static PgBsonValue
object_to_array(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonWriter maker;

	PgBsonExprBegin(&maker, args[0].len, e);
	PgBsonForEach(iter, PgBsonValueView(&args[0]))
	{
		PgBsonValue pair = PgBsonMakeString(iter.key, iter.key_len);

		pair = PgBsonMakeDocument("k", &pair, "v", &iter.value, NULL);
		PgBsonWriterPush(&maker, &pair);
	}
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* Read a pair of $arrayToObject: {"k": ..., "v": ...} or [key, value] */
static void
read_pair(const PgBsonExpr *e, const PgBsonValue *pair, PgBsonValue *key, PgBsonValue *value)
{
	bool		ok = PgBsonViewCount(PgBsonValueView(pair)) == 2;

	if (pair->type == PGBSON_ARRAY)
		ok = ok && PgBsonFindIndex(PgBsonValueView(pair), 0, key) &&
			PgBsonFindIndex(PgBsonValueView(pair), 1, value);
	else
		ok = ok && PgBsonFindField(pair, "k", key) && PgBsonFindField(pair, "v", value);
	if (!ok)
		PgBsonExprWrongValue(e, gettext_noop("The elements must be pairs, documents with \"k\" and \"v\" or arrays of two."));
}

/* $arrayToObject: 22023 if elements are not pairs, or some have one form and some the other */
static PgBsonValue
array_to_object(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonElements *fields = PgBsonElementsBegin(CurrentMemoryContext);
	PgBsonType	form = PGBSON_EOD;

	PgBsonForEach(iter, PgBsonValueView(&args[0]))
	{
		PgBsonValue key;
		PgBsonValue value;
		const char *s;
		uint32		len;

		if (!PgBsonIsContainer(iter.value.type) || (form != PGBSON_EOD && form != iter.value.type))
			PgBsonExprWrongType(e, &iter.value, gettext_noop("The elements must all be documents, or all arrays."));
		form = iter.value.type;
		read_pair(e, &iter.value, &key, &value);
		s = PgBsonExprToString(e, &key, &len);
		if (memchr(s, '\0', len) != NULL)
			PgBsonExprWrongValue(e, gettext_noop("A field's name must not contain U+0000."));
		PgBsonElementsAppend(fields, s, len, &value);
	}
	return make_document(fields);
}

/* Parse $getField, of a field's name or named arguments: argument 0 is the name, 1 the document */
static void
parse_get_field(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	static const char current_bytes[] = "\012\0\0\0$$CURRENT";
	const PgBsonValue current = {PGBSON_STRING, sizeof(current_bytes), (const uint8 *) current_bytes};

	if (PgBsonExprIsNamed(operand))
	{
		PgBsonExprParseNamed(parser, e, operand);
		if (e->args[1] == NULL)
			PgBsonExprBadOperand(e, gettext_noop("The arguments \"field\" and \"input\" are needed."));
	}
	else
	{
		e->nargs = 2;
		e->args = palloc(2 * sizeof(PgBsonExpr *));
		e->args[0] = PgBsonExprParseOperand(parser, operand);
		e->args[1] = PgBsonExprParseOperand(parser, &current);
	}
	if (PgBsonExprIsConstant(e->args[0]) && e->op->code == 0 && e->args[0]->op == NULL &&
		e->args[0]->nargs == 0 && e->args[0]->constant.type != PGBSON_STRING)
		PgBsonExprBadOperand(e, gettext_noop("\"field\" must be a string."));
}

/* $getField: missing without such a field, or if "input" is no document; null if that is null */
static PgBsonValue
eval_get_field(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue field = PgBsonExprArg(run, e, 0);
	PgBsonValue doc = PgBsonExprArg(run, e, 1);
	PgBsonValue value;
	const char *name;
	uint32		len;

	name = PgBsonExprToString(e, &field, &len);
	if (PgBsonIsNothing(&doc))
		return doc.type == PGBSON_MISSING ? PgBsonMissing : PgBsonNull;
	/* no field has a zero byte in its name, but the search would go on in the document after one */
	if (doc.type != PGBSON_DOCUMENT || memchr(name, '\0', len) != NULL ||
		!PgBsonFindKey(PgBsonValueView(&doc), name, len, &value))
		return PgBsonMissing;
	return value;
}

/* $setField and $unsetField: the arguments are field, input and value; a missing value removes the field */
static PgBsonValue
eval_set_field(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue field = PgBsonExprArg(run, e, 0);
	PgBsonValue doc = PgBsonExprArg(run, e, 1);
	PgBsonValue value = PgBsonExprArg(run, e, 2);
	PgBsonWriter maker;
	const char *name;
	uint32		len;
	bool		done = false;

	name = PgBsonExprToString(e, &field, &len);
	if (memchr(name, '\0', len) != NULL)
		PgBsonExprWrongValue(e, gettext_noop("A field's name must not contain U+0000."));
	if (PgBsonIsNothing(&doc))
		return PgBsonNull;
	PgBsonExprNeed(e, &doc, 'd');
	PgBsonExprBegin(&maker, (Size) doc.len + Min(value.len, PGBSON_LARGE_VALUE) + len, e);
	PgBsonForEach(iter, PgBsonValueView(&doc))
	{
		if (PgBsonSameKey(iter.key, iter.key_len, name, len))
		{
			if (!done)
				PgBsonWriterField(&maker, name, len, &value);
			done = true;
		}
		else
			PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
	}
	if (!done)
		PgBsonWriterField(&maker, name, len, &value);
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

/* Parse $setField and the like: the field's name must be a constant */
static void
parse_set_field(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonExprParseNamed(parser, e, operand);
	/* an expression is refused, too, even if it could be evaluated now */
	if (e->args[0]->eval != PgBsonExprEvalConstant || e->args[0]->constant.type != PGBSON_STRING)
		PgBsonExprBadOperand(e, gettext_noop("\"field\" must be a constant string."));
}

static PgBsonValue
bson_size(const PgBsonExpr *e, const PgBsonValue *args)
{
	return PgBsonMakeInt32(args[0].len);
}

static PgBsonValue
binary_size(const PgBsonExpr *e, const PgBsonValue *args)
{
	if (args[0].type != PGBSON_STRING && args[0].type != PGBSON_BINARY)
		PgBsonExprWrongType(e, &args[0], gettext_noop("A string or a binary value is expected."));
	/* without a string's length and terminator, or binary data's length and subtype, as in MongoDB */
	return PgBsonMakeInt32(args[0].len - 5);
}

const PgBsonExprOp PgBsonExprObject[] = {
	{"$mergeObjects", 0, -1, eval_merge},
	PGBSON_EXPR_SIMPLE("$objectToArray", "d", object_to_array, 0),
	PGBSON_EXPR_SIMPLE("$arrayToObject", "a", array_to_object, 0),
	{"$getField", 0, 0, eval_get_field, 0, "field! input", parse_get_field},
	{"$setField", 0, 0, eval_set_field, 1, "field! input! value!", parse_set_field},
	{"$unsetField", 0, 0, eval_set_field, 1, "field! input!", parse_set_field},
	PGBSON_EXPR_SIMPLE("$bsonSize", "d", bson_size, 0),
	PGBSON_EXPR_SIMPLE("$binarySize", "v", binary_size, 0),
	{NULL}
};
