/*
 * operand.c
 *	  Expressions of a step as SQL.
 */
#include "pipeline/deparse/step.h"

#include "mongo/common/options.h"

const char *
PgBsonOperandUnitSql(const PgBsonUnit *unit)
{
	return unit == NULL ? "NULL::pg_catalog.text" : PgBsonSqlText(unit->name, strlen(unit->name));
}

/* A path, "$name.name" */
typedef struct Path
{
	const char *root;			/* in SQL: the value in which the names are looked for */
	const char *names;			/* of the path, but for the first one if that is a part of the SELECT, which is "root" then */
	const char *end;
	bool		in_document;	/* the value in which the last name is looked for cannot be an array */
	bool		present;		/* each document has a value there */
} Path;

/* Is the expression a path? */
static bool
find_path(const PgBsonSelect *select, const PgBsonValue *expression, Path *path)
{
	const PgBsonDocument *document = &select->document;
	const PgBsonSelectField *field;
	const PgBsonDocumentPart *part;
	PgBsonKeyRef whole;
	const char *dot;
	bool		is_document;
	uint32		len;

	if (!PgBsonOperandIsPath(expression, &whole))
		return false;
	path->names = whole.key;
	path->end = whole.key + whole.len;
	len = PgBsonFirstNameLength(whole.key, whole.len);
	dot = len == whole.len ? NULL : whole.key + len;
	path->root = document->parts == NIL ? document->base : document->rest;
	field = PgBsonFindNamed(document->fields, path->names, len);
	is_document = field != NULL && field->is_document;
	path->present = field != NULL;
	part = PgBsonFindNamed(document->parts, path->names, len);
	if (part != NULL)
	{
		path->root = part->sql;
		path->names = dot == NULL ? path->end : dot + 1;
		path->present = !part->optional;
		is_document = part->is_document;
	}
	path->present &= dot == NULL;
	path->in_document = dot == NULL || (is_document && memchr(dot + 1, '.', path->end - dot - 1) == NULL);
	return true;
}

/* A path's root, and its names added one by one in this format */
static const char *
path_chain(const PgBsonSelect *select, const Path *path, const char *format)
{
	List	   *parts = list_make1(unconstify(char *, path->root));
	uint32		len;

	for (const char *name = path->names; name < path->end; name += len + 1)
	{
		len = PgBsonFirstNameLength(name, path->end - name);
		parts = lappend(parts, PgBsonSql(select->all, format, PgBsonSqlText(name, len)));
	}
	return PgBsonSqlJoin(parts, "");
}

/* A smaller document with all that is read: other fields with the parts that are read, or those alone; or NULL */
static const char *
part_read(const PgBsonSelect *select, const PgBsonReads *reads)
{
	List	   *parts = NIL;

	if (reads->all)
		return NULL;
	foreach_ptr(const PgBsonKeyRef, name, reads->names)
	{
		void	   *part = PgBsonFindNamed(select->document.parts, name->key, name->len);

		if (part != NULL)
			parts = lappend(parts, part);
	}
	return PgBsonSqlPut(select->all, parts != NIL && list_length(parts) == list_length(reads->names) ?
						PgBsonSql(select->all, "#bson '{}'") : select->document.rest, parts);
}

/* The document, or the part of it that the expression reads */
static const char *
document_for(PgBsonSelect *select, const PgBsonValue *expression)
{
	const char *whole = PgBsonSelectDocument(select);
	const char *document = NULL;
	PgBsonReads reads = {NIL};

	if (select->document.parts != NIL)
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

	if (select->document.parts == NIL)
		return NULL;
	PgBsonReadsQuery(&reads, query);
	return part_read(select, &reads);
}

/* The column of this expression; NULL if it has none */
static const PgBsonCarried *
find_carried(const PgBsonSelect *select, const PgBsonValue *expression)
{
	foreach_ptr(const PgBsonCarried, carried, select->document.carried)
	{
		if (PgBsonSameBytes(carried->expression, expression))
			return carried;
	}
	return NULL;
}

static const char *
operand_sql(PgBsonSelect *select, const PgBsonValue *expression, bool or_null)
{
	const PgBsonTranslation *all = select->all;
	PgBsonExpression *parsed = PgBsonExpressionParse(expression, NULL);
	bool		varies = PgBsonOperandVaries(select->scope->names, parsed);
	const char *document = document_for(select, expression);
	PgBsonValue rest = *expression;
	List	   *values = NIL;
	Path		path = {NULL};
	const PgBsonCarried *carried = find_carried(select, expression);

	if (!PgBsonIsContainer(expression->type) && PgBsonExprIsConstant(parsed->root) &&
		parsed->root->constant.type != PGBSON_MISSING)
		return PgBsonSqlConstant(all, &parsed->root->constant);
	if (PgBsonOptionIs(expression, "$$ROOT") || PgBsonOptionIs(expression, "$$CURRENT"))
		values = list_make1(unconstify(char *, document));
	else if (carried != NULL)
		values = list_make1(unconstify(char *, carried->column));
	else if (find_path(select, expression, &path))
	{
		/* such operators read a document once for several expressions of a row */
		values = list_make1(unconstify(char *, path_chain(select, &path, " OPERATOR(#->) %s")));
		/* the rest of the path, below "root" */
		rest = PgBsonOperandField(path.names, path.end - path.names);
		document = path.root;
	}
	/* unlike a path, -> does not look into arrays */
	if (values == NIL || !(path.root == NULL || path.in_document))
		values = lappend(values, PgBsonSql(all, "#bson_eval(%s, %s%s)", document, PgBsonSqlArgument(all, &rest),
										   varies ? PgBsonSelectVariables(select) : ""));
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
	if (find_carried(select, expression) != NULL || !find_path(select, expression, &path) || path.names == path.end)
		return NULL;
	/* a call cannot have more arguments; the document, one name and another one of the caller's are there anyway */
	for (const char *c = path.names; c < path.end; c++)
		nargs += *c == '.';
	return nargs > FUNC_MAX_ARGS ? NULL : path_chain(select, &path, ", %s");
}

const char *
PgBsonOperandEvaluated(PgBsonSelect *select, const PgBsonValue *expression)
{
	const PgBsonTranslation *all = select->all;

	if (expression->type != PGBSON_DOCUMENT || !PgBsonOperandComputes(expression) || all->is_old ||
		all->collation != NULL || find_carried(select, expression) != NULL ||
		PgBsonOperandVaries(select->scope->names, PgBsonExpressionParse(expression, NULL)))
		return NULL;
	return psprintf("%s, %s", document_for(select, expression), PgBsonSqlArgument(all, expression));
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

const char *
PgBsonOperandCarry(PgBsonSelect *select, const List *expressions, const char *document, const char *extra,
				   const char *sorted)
{
	List	   *columns = NIL;
	List	   *carried = NIL;
	const char *level;

	foreach_ptr(const PgBsonValue, expression, expressions)
		columns = lappend(columns, psprintf("%s AS p%d", PgBsonOperandSql(select, expression),
											foreach_current_index(expression) + 1));
	if (extra != NULL)
		columns = lappend(columns, unconstify(char *, extra));
	if (document != NULL)
		PgBsonSelectCompute(select, document);
	extra = columns == NIL ? NULL : PgBsonSqlJoin(columns, ", ");
	level = sorted != NULL ? PgBsonSelectSorted(select, extra, sorted) : PgBsonSelectLevel(select, extra);
	foreach_ptr(const PgBsonValue, expression, expressions)
	{
		PgBsonCarried *column = palloc_object(PgBsonCarried);

		column->expression = expression;
		column->column = psprintf("%s.p%d", level, foreach_current_index(expression) + 1);
		carried = lappend(carried, column);
	}
	select->document.carried = carried;
	return level;
}
