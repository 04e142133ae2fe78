/*
 * operand.c
 *	  Expressions of a stage as SQL.
 */
#include "pipeline/operand.h"

#include "pipeline/sql_text.h"
#include "pipeline/stage.h"

bool
PgBsonOperandVaries(const PgBsonScope *scope, const PgBsonExpression *expression)
{
	for (int i = 0; i < expression->nvariables; i++)
	{
		const PgBsonKeyRef *name = &expression->variables[i];

		if (!PgBsonKeyIs(name->key, name->len, "NOW") && PgBsonFindNamed(scope->names, name->key, name->len) == NULL)
			PgBsonReportInvalid(errmsg("undefined variable in a bson pipeline: \"%s\"", PgBsonNameInMessage(name->key, name->len)));
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
	return PgBsonMakeString(psprintf("$%s", pnstrdup(path, len)), len + 1);
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
PgBsonOperandUnit(const PgBsonValue *option)
{
	uint32		len;
	const char *s = PgBsonValueString(option, &len);

	return PgBsonRangeUnit(s, len);
}

bool
PgBsonOperandConstant(const PgBsonValue *expression, PgBsonValue *value)
{
	PgBsonExpression *parsed = PgBsonExpressionParse(expression, NULL);

	if (!PgBsonExprIsConstant(parsed->root))
		return false;
	*value = PgBsonExpressionEvaluate(parsed, &PgBsonNull, NULL, NULL);
	return true;
}

/* A path, "$name.name" */
typedef struct Path
{
	const char *root;			/* in SQL: the value in which the names are looked for */
	const char *names;			/* of the path, but for the first one if that is the SELECT's part, which is "root" then */
	const char *end;
	bool		in_document;	/* the value in which the last name is looked for cannot be an array */
	bool		present;		/* each document has a value there */
} Path;

/* Is the expression a path? */
static bool
find_path(const PgBsonSelect *select, const PgBsonValue *expression, Path *path)
{
	const PgBsonSelectField *field;
	const char *dot;
	bool		is_document;
	uint32		len;

	if (expression->type != PGBSON_STRING)
		return false;
	path->names = PgBsonValueString(expression, &len);
	if (len < 2 || path->names[0] != '$' || path->names[1] == '$' || memchr(path->names, '\0', len) != NULL)
		return false;
	path->end = path->names++ + len;
	dot = memchr(path->names, '.', len - 1);
	len = (dot == NULL ? path->end : dot) - path->names;
	path->root = select->part == NULL ? select->base : select->rest;
	field = PgBsonFindNamed(select->fields, path->names, len);
	is_document = field != NULL && field->is_document;
	path->present = field != NULL;
	if (select->part != NULL && len == select->part_name.len && memcmp(path->names, select->part_name.key, len) == 0)
	{
		path->root = select->part;
		path->names = dot == NULL ? path->end : dot + 1;
		path->present = true;
		is_document = select->part_is_document;
	}
	path->present &= dot == NULL;
	path->in_document = dot == NULL || (is_document && memchr(dot + 1, '.', path->end - dot - 1) == NULL);
	return true;
}

/* A path's root, and its names added one by one in this format */
static const char *
path_chain(const PgBsonSelect *select, const Path *path, const char *format)
{
	const char *chain = path->root;
	uint32		len;

	for (const char *name = path->names; name < path->end; name += len + 1)
	{
		const char *dot = memchr(name, '.', path->end - name);

		len = (dot == NULL ? path->end : dot) - name;
		chain = PgBsonSql(select->all, format, chain, PgBsonSqlText(name, len));
	}
	return chain;
}

/* A smaller document with all that is read, without the part or with it alone; NULL if there is none */
static const char *
part_read(const PgBsonSelect *select, const PgBsonReads *reads)
{
	const PgBsonKeyRef *part = &select->part_name;
	bool		of_part = PgBsonFindNamed(reads->names, part->key, part->len) != NULL;

	if (reads->all || (of_part && list_length(reads->names) > 1))
		return NULL;
	return !of_part ? select->rest : PgBsonSql(select->all, "#bson_build_object(%s, %s)", PgBsonSqlText(part->key, part->len), select->part);
}

/* The document, or the part of it that the expression reads */
static const char *
document_for(PgBsonSelect *select, const PgBsonValue *expression)
{
	const char *whole = PgBsonSelectDocument(select);
	const char *document = NULL;
	PgBsonReads reads = {NIL};

	if (select->part != NULL)
	{
		PgBsonReadsExpression(&reads, expression);
		document = part_read(select, &reads);
	}
	return document == NULL ? whole : document;
}

const char *
PgBsonOperandQueried(const PgBsonSelect *select, const PgBsonValue *query)
{
	PgBsonReads reads = {NIL};

	if (select->part == NULL)
		return NULL;
	PgBsonReadsKeys(&reads, query);
	return part_read(select, &reads);
}

bool
PgBsonOperandComputes(const PgBsonValue *expression)
{
	PgBsonIter	iter;
	uint32		len;

	if (expression->type == PGBSON_STRING)
		return PgBsonValueString(expression, &len)[0] == '$';
	return expression->type == PGBSON_DOCUMENT && PgBsonFirst(expression, &iter) && iter.key[0] == '$';
}

/* The column of this expression; NULL if it has none */
static const PgBsonCarried *
carried_path(const PgBsonSelect *select, const PgBsonValue *expression)
{
	uint32		len;
	const char *string = expression->type == PGBSON_STRING ? PgBsonValueString(expression, &len) : NULL;

	return string == NULL ? NULL : PgBsonFindNamed(select->carried, string, len);
}

static const char *
operand_sql(PgBsonSelect *select, const PgBsonValue *expression, bool or_null)
{
	const PgBsonTranslation *all = select->all;
	PgBsonExpression *parsed = PgBsonExpressionParse(expression, NULL);
	bool		varies = PgBsonOperandVaries(select->scope, parsed);
	const char *document = document_for(select, expression);
	PgBsonValue rest = *expression;
	List	   *values = NIL;
	Path		path = {NULL};
	const PgBsonCarried *carried = carried_path(select, expression);

	if (!PgBsonIsContainer(expression->type) && PgBsonExprIsConstant(parsed->root) &&
		parsed->root->constant.type != PGBSON_MISSING)
		return PgBsonSqlConstant(all->schema, &parsed->root->constant);
	if (PgBsonOptionIs(expression, "$$ROOT") || PgBsonOptionIs(expression, "$$CURRENT"))
		values = list_make1(unconstify(char *, document));
	else if (carried != NULL)
		values = list_make1(unconstify(char *, carried->column));
	else if (find_path(select, expression, &path))
	{
		/* such operators read a document once for several expressions of a row */
		values = list_make1(unconstify(char *, path_chain(select, &path, "%s OPERATOR(#->) %s")));
		/* the rest of the path, below "root" */
		rest = PgBsonOperandField(path.names, path.end - path.names);
		document = path.root;
	}
	/* unlike a path, -> does not look into arrays */
	if (values == NIL || !(path.root == NULL || path.in_document))
		values = lappend(values, PgBsonSql(all, "#bson_eval(%s, %s%s)", document, PgBsonSqlArgument(all->schema, &rest),
										   varies ? PgBsonOperandVariables(select) : ""));
	if (or_null && !path.present && PgBsonOperandComputes(expression))
		values = lappend(values, PgBsonSql(all, "#bson 'null'"));
	return list_length(values) == 1 ? linitial(values) : psprintf("COALESCE(%s)", PgBsonSqlJoin(values, ", "));
}

const char *
PgBsonOperandNames(PgBsonSelect *select, const PgBsonValue *expression)
{
	Path		path;
	int			nargs = 3;

	(void) PgBsonSelectDocument(select);
	if (carried_path(select, expression) != NULL || !find_path(select, expression, &path) || path.names == path.end)
		return NULL;
	/* a call cannot have more arguments; the document, one name and another one of the caller's are there anyway */
	for (const char *c = path.names; c < path.end; c++)
		nargs += *c == '.';
	return nargs > FUNC_MAX_ARGS ? NULL : path_chain(select, &path, "%s, %s");
}

const char *
PgBsonOperandSql(PgBsonSelect *select, const PgBsonValue *expression)
{
	return operand_sql(select, expression, false);
}

const char *
PgBsonOperandOrNull(PgBsonSelect *select, const PgBsonValue *expression)
{
	return operand_sql(select, expression, true);
}

void
PgBsonOperandCarry(PgBsonSelect *select, const PgBsonValue *expression, StringInfo made)
{
	PgBsonCarried *carried = palloc_object(PgBsonCarried);
	const PgBsonKeyRef *part = &select->part_name;
	Path		path;
	uint32		len;

	if (!find_path(select, expression, &path))
		return;
	len = strcspn(path.names, ".");
	carried->expression.key = PgBsonValueString(expression, &carried->expression.len);
	if ((len == part->len && memcmp(path.names, part->key, len) == 0) ||
		PgBsonFindNamed(select->carried, carried->expression.key, carried->expression.len) != NULL)
		return;
	carried->column = psprintf("p%d", list_length(select->carried) + 1);
	appendStringInfo(made, "%s%s AS %s", made->len == 0 ? "" : ", ", PgBsonOperandSql(select, expression), carried->column);
	select->carried = lappend(select->carried, carried);
}

List *
PgBsonOperandCarriedBy(const List *carried, const char *level)
{
	List	   *owned = NIL;
	ListCell   *lc;

	foreach(lc, carried)
	{
		PgBsonCarried *one = palloc_object(PgBsonCarried);

		*one = *(const PgBsonCarried *) lfirst(lc);
		one->column = psprintf("%s.%s", level, one->column);
		owned = lappend(owned, one);
	}
	return owned;
}
