/*
 * operand.c
 *	  Expressions of a stage as SQL.
 */
#include "pipeline/operand.h"

#include "core/bytes/recode.h"
#include "pipeline/sql_text.h"

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
		{
			uint32		len = name->len;
			const char *text = PgBsonTryServerText(name->key, &len);

			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("undefined variable in a bson pipeline: \"%.*s\"",
							text == NULL ? 1 : (int) Min(len, 200), text == NULL ? "?" : text)));
		}
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

bool
PgBsonOperandConstant(const PgBsonValue *expression, PgBsonValue *value)
{
	PgBsonExpression *parsed = PgBsonExpressionParse(expression);

	if (!PgBsonExprIsConstant(parsed->root))
		return false;
	*value = PgBsonExpressionEvaluate(parsed, &(PgBsonValue) {PGBSON_NULL, 0, NULL}, NULL);
	return true;
}

/* "$name", the name of a field; NULL if the string is something else */
static const char *
field_name(const PgBsonValue *expression, uint32 *len)
{
	const char *s;

	if (expression->type != PGBSON_STRING)
		return NULL;
	s = PgBsonValueString(expression, len);
	if (*len < 2 || s[0] != '$' || s[1] == '$' || memchr(s, '.', *len) != NULL)
		return NULL;
	*len -= 1;
	return s + 1;
}

static bool
is_whole_document(const PgBsonValue *expression)
{
	uint32		len;
	const char *s;

	if (expression->type != PGBSON_STRING)
		return false;
	s = PgBsonValueString(expression, &len);
	return PgBsonKeyIs(s, len, "$$ROOT") || PgBsonKeyIs(s, len, "$$CURRENT");
}

const char *
PgBsonOperandSql(PgBsonSelect *select, const PgBsonValue *expression)
{
	const PgBsonTranslation *all = select->all;
	PgBsonExpression *parsed = PgBsonExpressionParse(expression);
	bool		varies = PgBsonOperandVaries(select->scope, parsed);
	const char *document = PgBsonSelectDocument(select);
	const char *name;
	uint32		len;

	if (!PgBsonIsContainer(expression->type) && PgBsonExprIsConstant(parsed->root) &&
		parsed->root->constant.type != PGBSON_MISSING)
		return PgBsonSqlConstant(all->schema, &parsed->root->constant);
	if (is_whole_document(expression))
		return document;
	name = field_name(expression, &len);
	if (name != NULL)
		return PgBsonSql(all, "(%s OPERATOR(#->) %s)", document, PgBsonSqlText(name, len));
	return PgBsonSql(all, "#bson_eval(%s, %s%s)", document, PgBsonSqlConstant(all->schema, expression),
					 varies ? PgBsonOperandVariables(select) : "");
}
