/*
 * match_text.c
 *	  $text, and {$meta: "textScore"} in what follows.
 *
 * See src/mongo/db/matcher/expression_text.cpp of MongoDB.  The score becomes a field of the documents, for as long as
 * steps read it.
 */
#include "pipeline/parse/stage.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_index.h"
#include "mongo/project/project.h"
#include "nodes/nodeFuncs.h"
#include "text/search.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* The field's name, which is none that anybody would choose, as an expression, and as the operand of $unset */
#define SCORE_PATH	"$" PGBSON_SCORE_FIELD

/* Is the index on bson_tsvector(column, constant)?  Then *spec is set to the constant. */
static bool
read_text_index(const PgBsonParse *parse, Oid index, AttrNumber column, PgBsonValue *spec)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	FuncExpr   *call = NULL;
	Datum		expressions;
	bool		isnull = true;

	if (!HeapTupleIsValid(tuple))
		return false;
	expressions = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs, &isnull);
	if (!isnull)
		call = linitial(stringToNode(TextDatumGetCString(expressions)));
	ReleaseSysCache(tuple);
	return call != NULL && IsA(call, FuncExpr) && strcmp(get_func_name(call->funcid), "bson_tsvector") == 0 &&
		PgBsonParseConstant(parse->type, call->args, column, spec);
}

/* The specification of the text index of a table; error 42704 if there is none */
static PgBsonValue
find_text_index(const PgBsonParse *parse, const PgBsonSource *source)
{
	Oid			oid = source->relation == NULL ? InvalidOid :
		get_relname_relid(source->relation, get_namespace_oid(source->schema, false));
	Relation	rel = OidIsValid(oid) ? try_relation_open(oid, AccessShareLock) : NULL;
	PgBsonValue spec = PgBsonMissing;

	if (rel != NULL)
	{
		AttrNumber	column = get_attnum(oid, source->column);

		foreach_oid(index, RelationGetIndexList(rel))
		{
			if (read_text_index(parse, index, column, &spec))
				break;
		}
		relation_close(rel, NoLock);
	}
	if (spec.type == PGBSON_MISSING)
		PgBsonReport(ERRCODE_UNDEFINED_OBJECT, errmsg("text index required for $text query"),
					 errhint("Make one, by the statements of bson_create_index_sql for {\"key\": {\"field\": \"text\"}}."));
	return spec;
}

PgBsonValue
PgBsonParseText(const PgBsonParse *parse, const PgBsonSource *source, const PgBsonValue *search)
{
	PgBsonValue spec;

	if (source == NULL)
		PgBsonReportInvalid(errmsg("$match with $text is only allowed as the first pipeline stage"),
							errdetail("The index knows the words of what is stored, and not of what stages make."));
	spec = find_text_index(parse, source);
	(void) PgBsonTextSearchParse(PgBsonTextSpecParse(&spec), search);
	return PgBsonMakeDocument("spec", &spec, "search", search, NULL);
}

/* The $text among these conditions, of which all hold; NULL if there is none */
static const PgBsonCondition *
text_among(const List *conditions)
{
	const PgBsonCondition *found = NULL;

	foreach_ptr(const PgBsonCondition, condition, conditions)
	{
		if (found == NULL && condition->kind == PGBSON_CONDITION_TEXT)
			found = condition;
		if (found == NULL && condition->kind == PGBSON_CONDITION_AND)
			found = text_among(condition->parts);
	}
	return found;
}

static bool
is_score(const PgBsonValue *value)
{
	PgBsonIter	meta;

	return value->type == PGBSON_DOCUMENT && PgBsonFirst(value, &meta) && PgBsonIterIs(&meta, "$meta") &&
		PgBsonOptionIs(&meta.value, "textScore") && PgBsonViewCount(PgBsonValueView(value)) == 1;
}

static bool
mentions_score(const PgBsonValue *value)
{
	check_stack_depth();
	if (is_score(value) || !PgBsonIsContainer(value->type))
		return PgBsonIsContainer(value->type);
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		if (mentions_score(&iter.value))
			return true;
	}
	return false;
}

int
PgBsonParseScore(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *uses)
{
	const PgBsonFilter *filter = chain->steps == NIL ? NULL : llast(chain->steps);
	const PgBsonCondition *text = filter == NULL || filter->node.kind != PGBSON_NODE_FILTER ? NULL :
		text_among(filter->conditions);
	int			last = 0;
	int			n = 0;

	if (text == NULL || !PgBsonIsContainer(uses->type))
		return 0;
	PgBsonForEach(iter, PgBsonValueView(uses))
	{
		n++;
		if (mentions_score(&iter.value))
			last = n;
	}
	if (last > 0)
		(void) PgBsonParseStep(parse, chain, PGBSON_NODE_SCORE, sizeof(PgBsonStage), "$text", &text->value);
	return last;
}

PgBsonValue
PgBsonScoreIn(const PgBsonValue *value, bool sorts)
{
	const PgBsonValue path = PgBsonMakeString(SCORE_PATH, strlen(SCORE_PATH));
	const PgBsonValue down = PgBsonMakeInt32(-1);
	PgBsonWriter writer;

	check_stack_depth();
	if (is_score(value) || !PgBsonIsContainer(value->type))
		return is_score(value) ? path : *value;
	PgBsonWriterBegin(&writer, value->len + 64);
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		PgBsonValue inner = PgBsonScoreIn(&iter.value, false);

		if (value->type == PGBSON_ARRAY)
			PgBsonWriterPush(&writer, &inner);
		else if (sorts && is_score(&iter.value))
			PgBsonWriterField(&writer, PGBSON_SCORE_FIELD, strlen(PGBSON_SCORE_FIELD), &down);
		else
			PgBsonWriterField(&writer, iter.key, iter.key_len, &inner);
	}
	return PgBsonWriterEnd(&writer, value->type);
}

void
PgBsonParseScoreEnd(PgBsonParse *parse, PgBsonChain *chain)
{
	const PgBsonValue name = PgBsonMakeString(PGBSON_SCORE_FIELD, strlen(PGBSON_SCORE_FIELD));

	PgBsonParseCompute(parse, chain, "$unset", &name);
}

PgBsonValue
PgBsonParseScoreFields(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *projection)
{
	PgBsonWriter rest;
	PgBsonWriter scores;
	PgBsonWriter both;
	PgBsonValue others;
	PgBsonValue fields;

	PgBsonWriterBegin(&rest, projection->len);
	PgBsonWriterBegin(&scores, 64);
	PgBsonWriterBegin(&both, projection->len);
	PgBsonForEach(iter, PgBsonValueView(projection))
	{
		PgBsonWriterField(is_score(&iter.value) ? &scores : &rest, iter.key, iter.key_len, &iter.value);
		PgBsonWriterField(&both, iter.key, iter.key_len, is_score(&iter.value) ? &PgBsonOne : &iter.value);
	}
	fields = PgBsonWriterEnd(&scores, PGBSON_DOCUMENT);
	fields = PgBsonScoreIn(&fields, false);
	if (!PgBsonIsEmpty(&fields))
		PgBsonParseCompute(parse, chain, "$set", &fields);
	others = PgBsonWriterEnd(&rest, PGBSON_DOCUMENT);
	/* the score alone does not leave out other fields */
	if (!PgBsonIsEmpty(&others) && PgBsonProjectionIncludes(PgBsonProjectionParse(&others, NULL)))
		return PgBsonWriterEnd(&both, PGBSON_DOCUMENT);
	return others;
}
