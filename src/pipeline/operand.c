/*
 * operand.c
 *	  Expressions of a stage as SQL.
 */
#include "pipeline/operand.h"

#include "miscadmin.h"
#include "mongo/common/options.h"
#include "mongo/stage/steps.h"
#include "pipeline/sql_text.h"
#include "pipeline/stage.h"

static bool
in_scope(const PgBsonScope *scope, const PgBsonKeyRef *name)
{
	ListCell   *lc;

	foreach(lc, scope->names)
	{
		const PgBsonKeyRef *known = lfirst(lc);

		if (known->len == name->len && memcmp(known->key, name->key, name->len) == 0)
			return true;
	}
	return false;
}

bool
PgBsonOperandVaries(const PgBsonScope *scope, const PgBsonExpression *expression)
{
	for (int i = 0; i < expression->nvariables; i++)
	{
		const PgBsonKeyRef *name = &expression->variables[i];

		if (!PgBsonKeyIs(name->key, name->len, "NOW") && !in_scope(scope, name))
			PgBsonReportInvalid(errmsg("undefined variable in a bson pipeline: \"%s\"", PgBsonMessageText(name->key, name->len)));
	}
	return expression->nvariables > 0;
}

const char *
PgBsonOperandVariables(const PgBsonSelect *select)
{
	if (select->scope->variables != NULL)
		return psprintf(", %s", select->scope->variables);
	return PgBsonSql(select->all, ", #bson_build_object('NOW', pg_catalog.now())");
}

PgBsonValue
PgBsonOperandField(const char *path, uint32 len)
{
	return PgBsonExprText(psprintf("$%s", pnstrdup(path, len)), len + 1);
}

const char *
PgBsonOperandPath(const PgBsonValue *path, const char *what)
{
	uint32		len;
	const char *s = PgBsonValueString(path, &len);

	(void) PgBsonNestedSplit(s, len, what);
	return PgBsonSqlText(s, len);
}

const PgBsonUnit *
PgBsonOperandUnit(const char *stage, const PgBsonValue *option)
{
	uint32		len;
	const char *s;

	if (option->type != PGBSON_STRING)
		PgBsonStageWrong(stage, gettext_noop("\"unit\" must be a string."));
	s = PgBsonValueString(option, &len);
	return PgBsonRangeUnit(s, len);
}

bool
PgBsonOperandConstant(const PgBsonValue *expression, PgBsonValue *value)
{
	PgBsonExpression *parsed = PgBsonExpressionParse(expression, NULL);

	if (!PgBsonExprIsConstant(parsed->root))
		return false;
	*value = PgBsonExpressionEvaluate(parsed, &(PgBsonValue) {PGBSON_NULL, 0, NULL}, NULL, NULL);
	return true;
}

/*
 * "$name" or "$name.name" as a chain of -> operators, which read a document once for several
 * expressions of a row; NULL for other expressions.  Unlike a path, -> does not look into arrays, so
 * for a path of several names bson_eval is called where the chain finds nothing.
 */
static const char *
path_chain(const PgBsonSelect *select, const PgBsonValue *expression)
{
	const PgBsonKeyRef *part = &select->part_name;
	const char *s;
	const char *name;
	const char *end;
	StringInfoData buf;
	uint32		len;

	if (expression->type != PGBSON_STRING)
		return NULL;
	s = PgBsonValueString(expression, &len);
	if (len < 2 || s[0] != '$' || s[1] == '$' || memchr(s, '\0', len) != NULL)
		return NULL;
	initStringInfo(&buf);
	appendStringInfoString(&buf, select->part == NULL ? select->base : select->rest);
	end = s + len;
	for (name = s + 1; name <= end; name += len + 1)
	{
		const char *dot = memchr(name, '.', end - name);

		len = (dot == NULL ? end : dot) - name;
		if (name == s + 1 && select->part != NULL && len == part->len && memcmp(name, part->key, len) == 0)
		{
			resetStringInfo(&buf);
			appendStringInfoString(&buf, select->part);
		}
		else
			appendStringInfoString(&buf, PgBsonSql(select->all, " OPERATOR(#->) %s", PgBsonSqlText(name, len)));
	}
	return select->part != NULL && strcmp(buf.data, select->part) == 0 ? select->part : psprintf("(%s)", buf.data);
}

static bool
is_whole_document(const PgBsonValue *expression)
{
	return PgBsonOptionIs(expression, "$$ROOT") || PgBsonOptionIs(expression, "$$CURRENT");
}

/* Which fields of the document an expression may read: the part, any others */
typedef struct Reads
{
	const PgBsonKeyRef *part;
	bool		of_part;
	bool		of_rest;
} Reads;

/* Note that a path is read */
static void
reads_path(Reads *reads, const char *path, uint32 len)
{
	const char *dot = memchr(path, '.', len);
	bool		is_part = (dot == NULL ? len : dot - path) == reads->part->len && memcmp(path, reads->part->key, reads->part->len) == 0;

	reads->of_part |= is_part;
	reads->of_rest |= !is_part;
}

static void
find_reads(Reads *reads, const PgBsonValue *expression)
{
	uint32		len;

	check_stack_depth();
	if (expression->type == PGBSON_STRING)
	{
		const char *s = PgBsonValueString(expression, &len);
		const char *dot = memchr(s, '.', len);
		uint32		first = dot == NULL ? len : dot - s;

		if (len > 1 && s[0] == '$' && s[1] != '$')
			reads_path(reads, s + 1, len - 1);
		else if (PgBsonKeyIs(s, first, "$$ROOT") || PgBsonKeyIs(s, first, "$$CURRENT"))
			reads->of_part = reads->of_rest = true;
	}
	if (!PgBsonIsContainer(expression->type))
		return;
	PgBsonForEach(iter, PgBsonValueView(expression))
	{
		/* $getField names fields of the document without a dollar sign */
		if (PgBsonIterIs(&iter, "$getField"))
			reads->of_part = reads->of_rest = true;
		find_reads(reads, &iter.value);
	}
}

/* The part of the document that is read; NULL if that is all of it */
static const char *
part_read(const PgBsonSelect *select, const Reads *reads)
{
	if (reads->of_part && reads->of_rest)
		return NULL;
	return !reads->of_part ? select->rest :
		PgBsonSql(select->all, "#bson_build_object(%s, %s)", PgBsonSqlText(select->part_name.key, select->part_name.len), select->part);
}

/* The document, or the part of it that the expression reads */
static const char *
document_for(PgBsonSelect *select, const PgBsonValue *expression)
{
	const char *whole = PgBsonSelectDocument(select);
	const char *document = NULL;
	Reads		reads = {&select->part_name, false, false};

	if (select->part != NULL)
	{
		find_reads(&reads, expression);
		document = part_read(select, &reads);
	}
	return document == NULL ? whole : document;
}

const char *
PgBsonOperandQueried(const PgBsonSelect *select, const PgBsonValue *query)
{
	Reads		reads = {&select->part_name, false, false};

	if (select->part == NULL || query->type != PGBSON_DOCUMENT)
		return NULL;
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		if (iter.key_len > 0 && iter.key[0] == '$')
			return NULL;
		reads_path(&reads, iter.key, iter.key_len);
	}
	return part_read(select, &reads);
}

const char *
PgBsonOperandSql(PgBsonSelect *select, const PgBsonValue *expression)
{
	const PgBsonTranslation *all = select->all;
	PgBsonExpression *parsed = PgBsonExpressionParse(expression, NULL);
	bool		varies = PgBsonOperandVaries(select->scope, parsed);
	const char *document = document_for(select, expression);
	const char *chain;
	char	   *evaluation;
	uint32		len;

	if (!PgBsonIsContainer(expression->type) && PgBsonExprIsConstant(parsed->root) &&
		parsed->root->constant.type != PGBSON_MISSING)
		return PgBsonSqlConstant(all->schema, &parsed->root->constant);
	if (is_whole_document(expression))
		return document;
	chain = path_chain(select, expression);
	if (chain != NULL && memchr(PgBsonValueString(expression, &len), '.', expression->len) == NULL)
		return chain;
	evaluation = PgBsonSql(all, "#bson_eval(%s, %s%s)", document, PgBsonSqlConstant(all->schema, expression),
						   varies ? PgBsonOperandVariables(select) : "");
	return chain == NULL ? evaluation : psprintf("COALESCE(%s, %s)", chain, evaluation);
}
