/*
 * expr_parse.c
 *	  An expression document as a tree of nodes.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/expression.cpp, and for names of
 * variables src/mongo/db/pipeline/variable_validation.cpp.
 */
#include "mongo/expr/expr.h"

#include "mongo/common/match_path.h"
#include "mongo/common/options.h"

static const PgBsonExprOp *const tables[] = {
	PgBsonExprLogic, PgBsonExprArith, PgBsonExprArray, PgBsonExprLoop, PgBsonExprString, PgBsonExprObject,
	PgBsonExprSet, PgBsonExprDate, PgBsonExprDateText, PgBsonExprConvert, PgBsonExprMath, PgBsonExprAccumulate,
	PgBsonExprDateMath, PgBsonExprRegex, PgBsonExprRefused
};

bool
PgBsonExprIsConstant(const PgBsonExpr *e)
{
	return e->eval == PgBsonExprEvalConstant || e->eval == PgBsonExprEvalOnce;
}

static PgBsonExpr *
make_node(PgBsonExprFunction eval)
{
	PgBsonExpr *e = palloc0(sizeof(PgBsonExpr));

	e->eval = eval;
	return e;
}

static PgBsonExpr *
make_constant(const PgBsonValue *value)
{
	PgBsonExpr *e = make_node(PgBsonExprEvalConstant);

	e->constant = *value;
	return e;
}

void
PgBsonExprBadOperand(const PgBsonExpr *e, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of bson operator \"%s\"", e->op->name),
						errdetail("%s", _(detail)));
}

/* Names */

/* Raise 22023 unless a field can have this name */
static void
check_name_of_field(const char *name, uint32 len)
{
	PgBsonStep	step = {PGBSON_STEP_KEY, 0, name, len};
	const char *detail = PgBsonPathProblem(&step, 1);

	if (detail == NULL && memchr(name, '.', len) != NULL)
		detail = gettext_noop("A field's name must not have a dot.");
	if (detail != NULL)
		PgBsonReportInvalid(errmsg("invalid field name in a bson expression: \"%.*s\"", (int) len, name),
							errdetail("%s", _(detail)));
}

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
		(c & 0x80) != 0;
}

const char *
PgBsonVariableNameProblem(const char *name, uint32 len)
{
	if (len == 0 || !((name[0] >= 'a' && name[0] <= 'z') || (name[0] & 0x80) != 0))
		return gettext_noop("A variable's name must begin with a small letter.");
	for (uint32 i = 1; i < len; i++)
	{
		if (!is_name_byte(name[i]))
			return gettext_noop("A variable's name may have letters, digits and underscores.");
	}
	return NULL;
}

/* Raise 22023 unless an operator can define a variable of this name; CURRENT can be defined, too */
void
PgBsonExprCheckVariable(const PgBsonExpr *e, const char *name, uint32 len)
{
	const char *problem = PgBsonVariableNameProblem(name, len);

	if (problem != NULL && !PgBsonKeyIs(name, len, "CURRENT"))
		PgBsonExprBadOperand(e, problem);
}

/* Variables */

pg_noreturn static void
report_too_many_variables(void)
{
	PgBsonReportLimit(errmsg("too many variables in a bson expression"),
					  errdetail("At most %d may be defined at one place.", PGBSON_EXPR_MAX_VARIABLES));
}

int
PgBsonExprDefine(PgBsonExprParser *parser, const char *name, uint32 len)
{
	if (parser->nscope == PGBSON_EXPR_MAX_VARIABLES)
		report_too_many_variables();
	parser->scope[parser->nscope].name = (PgBsonKeyRef) {name, len};
	parser->scope[parser->nscope++].slot = parser->expression->nslots;
	return parser->expression->nslots++;
}

/* The slot of a variable in scope; -1 if there is none of this name */
static int
find_variable(const PgBsonExprParser *parser, const char *name, uint32 len)
{
	for (int i = parser->nscope - 1; i >= 0; i--)
	{
		const PgBsonKeyRef *other = &parser->scope[i].name;

		if (PgBsonSameKey(other->key, other->len, name, len))
			return parser->scope[i].slot;
	}
	return -1;
}

/* The slot of a variable that the expression does not define, so the caller must give it */
static int
free_variable(PgBsonExprParser *parser, const char *name, uint32 len)
{
	PgBsonExpression *expression = parser->expression;
	int			n = expression->nvariables;

	for (int i = 0; i < n; i++)
	{
		if (expression->variables[i].len == len &&
			memcmp(expression->variables[i].key, name, len) == 0)
			return expression->variable_slots[i];
	}
	if (n == PGBSON_EXPR_MAX_VARIABLES)
		report_too_many_variables();
	if (expression->variables == NULL)
	{
		expression->variables = palloc(PGBSON_EXPR_MAX_VARIABLES * sizeof(PgBsonKeyRef));
		expression->variable_slots = palloc(PGBSON_EXPR_MAX_VARIABLES * sizeof(int));
	}
	expression->variables[n] = (PgBsonKeyRef) {name, len};
	expression->variable_slots[n] = expression->nslots++;
	expression->nvariables++;
	return expression->variable_slots[n];
}

/* The slot of a variable.  $$REMOVE has no slot: it is always a missing value. */
static int
resolve_variable(PgBsonExprParser *parser, const char *name, uint32 len)
{
	int			slot = find_variable(parser, name, len);

	if (slot >= 0)
		return slot;
	if (PgBsonKeyIs(name, len, "ROOT") || PgBsonKeyIs(name, len, "CURRENT"))
		return 0;
	if (PgBsonKeyIs(name, len, "REMOVE"))
		return -1;
	if (PgBsonNameAmong("CLUSTER_TIME USER_ROLES SEARCH_META JS_SCOPE IS_MR DESCEND PRUNE KEEP", name, len) >= 0)
		PgBsonReportUnsupported(errmsg("variable \"%.*s\" is not supported in a bson expression", (int) len, name));
	if (len == 0 || !(((name[0] >= 'a' && name[0] <= 'z') || (name[0] & 0x80) != 0) ||
					  PgBsonKeyIs(name, len, "NOW")))
		PgBsonReportInvalid(errmsg("invalid variable name in a bson expression: \"%.*s\"", (int) len, name));
	return free_variable(parser, name, len);
}

/* Paths */

/* Split a path at its dots; a number is the name of a field, too */
static void
split_path(PgBsonExpr *e, const char *path, uint32 len)
{
	e->names = PgBsonSplitDotted(path, len, &e->nnames);
	for (int i = 0; i < e->nnames; i++)
	{
		check_name_of_field(e->names[i].key, e->names[i].key_len);
		e->names[i].kind = PGBSON_STEP_KEY;
	}
	e->hint = palloc0_object(PgBsonFindHint);
}

/* The field of $$ROOT that another path begins with; NULL if there are too many others */
static PgBsonRootField *
root_field(PgBsonExprParser *parser, const PgBsonStep *name)
{
	PgBsonRootField *field;

	foreach_ptr(PgBsonRootField, other, parser->fields)
	{
		if (!PgBsonSameKey(other->name.key, other->name.key_len, name->key, name->key_len))
			continue;
		other->shared = true;
		return other;
	}
	if (list_length(parser->fields) == PGBSON_MAX_FIELDS)
		return NULL;
	field = palloc0_object(PgBsonRootField);
	field->name = *name;
	field->number = list_length(parser->fields);
	parser->fields = lappend(parser->fields, field);
	return field;
}

/* Parse a string that begins with a dollar sign: "$field.field" or "$$variable.field" */
static PgBsonExpr *
parse_path(PgBsonExprParser *parser, const char *s, uint32 len)
{
	PgBsonExpr *e = make_node(PgBsonExprEvalPath);

	if (len == 1)
		PgBsonReportInvalid(errmsg("invalid field path in a bson expression: \"$\""),
							errdetail("A field's name is expected after the dollar sign."));
	if (s[1] != '$')
	{
		e->slot = resolve_variable(parser, "CURRENT", strlen("CURRENT"));
		split_path(e, s + 1, len - 1);
	}
	else
	{
		const char *name = s + 2;
		const char *dot = memchr(name, '.', len - 2);
		uint32		name_len = dot == NULL ? len - 2 : dot - name;

		e->slot = resolve_variable(parser, name, name_len);
		if (dot != NULL)
			split_path(e, dot + 1, len - 2 - name_len - 1);
		if (e->slot < 0)
			return make_constant(&PgBsonMissing);
	}
	if (e->slot == 0 && e->nnames > 0)
		e->field = root_field(parser, &e->names[0]);
	return e;
}

/* Have a constant part evaluated once: not here, as it may raise an error, but when it is first needed */

static PgBsonExpr *
fold(PgBsonExpr *e)
{
	for (int i = 0; i < e->nargs; i++)
	{
		if (e->args[i] != NULL && !PgBsonExprIsConstant(e->args[i]))
			return e;
	}
	e->once = e->eval;
	e->eval = PgBsonExprEvalOnce;
	return e;
}

/* Arrays and documents that are no operators */

/* Parse each element of an array as an argument of its own */
static void
parse_elements(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *array)
{
	e->args = palloc_extended(PgBsonViewCount(PgBsonValueView(array)) * sizeof(PgBsonExpr *),
							  MCXT_ALLOC_HUGE);
	PgBsonForEach(iter, PgBsonValueView(array))
		e->args[e->nargs++] = PgBsonExprParseOperand(parser, &iter.value);
}

/* A document that is no operator: its fields are expressions */
static PgBsonExpr *
parse_fields(PgBsonExprParser *parser, const PgBsonValue *doc)
{
	PgBsonExpr *e = make_node(PgBsonExprEvalContainer);
	int			count = PgBsonViewCount(PgBsonValueView(doc));

	if (PgBsonHasDuplicateKeys(PgBsonValueView(doc)))
		PgBsonReportInvalid(errmsg("a document in a bson expression has a field twice"));
	e->args = palloc_extended(count * sizeof(PgBsonExpr *), MCXT_ALLOC_HUGE);
	e->names = palloc_extended(count * sizeof(PgBsonStep), MCXT_ALLOC_HUGE);
	PgBsonForEach(iter, PgBsonValueView(doc))
	{
		check_name_of_field(iter.key, iter.key_len);
		e->names[e->nargs] = (PgBsonStep) {PGBSON_STEP_KEY, 0, iter.key, iter.key_len};
		e->args[e->nargs++] = PgBsonExprParseOperand(parser, &iter.value);
	}
	return fold(e);
}

/* Operators */

/* Is the operand a document of named arguments?  A document that begins with an operator is an expression. */
bool
PgBsonExprIsNamed(const PgBsonValue *operand)
{
	PgBsonIter	iter;

	return operand->type == PGBSON_DOCUMENT && (!PgBsonFirst(operand, &iter) || iter.key[0] != '$');
}

void
PgBsonExprReadNamed(const PgBsonExpr *e, const PgBsonValue *operand, const char *names, PgBsonValue *values)
{
	PgBsonIter	unknown;
	char	   *lacking;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonExprBadOperand(e, gettext_noop("A document of named arguments is expected."));
	if (!PgBsonOptionsRead(operand, names, values, &unknown))
		PgBsonReportInvalid(errmsg("bson operator \"%s\" has no argument \"%s\"", e->op->name, unknown.key));
	lacking = PgBsonOptionsLacking(names, values);
	if (lacking != NULL)
		PgBsonReportInvalid(errmsg("bson operator \"%s\" needs the argument \"%s\"", e->op->name, lacking));
}

void
PgBsonExprParseNamed(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	const char *fields = e->op->fields;
	PgBsonValue values[PGBSON_MAX_OPTIONS];

	PgBsonExprReadNamed(e, operand, fields, values);
	e->nargs = PgBsonOptionsCount(fields);
	e->args = palloc0(e->nargs * sizeof(PgBsonExpr *));
	for (int i = 0; i < e->nargs; i++)
	{
		if (values[i].type != PGBSON_MISSING)
			e->args[i] = PgBsonExprParseOperand(parser, &values[i]);
	}
}

void
PgBsonExprParseSingle(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	e->args = palloc(sizeof(PgBsonExpr *));
	e->args[e->nargs++] = PgBsonExprParseOperand(parser, operand);
}

/* Parse the operand as an array of arguments, or as the only argument */
static void
parse_arguments(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	const PgBsonExprOp *op = e->op;

	if (operand->type == PGBSON_ARRAY)
		parse_elements(parser, e, operand);
	else
		PgBsonExprParseSingle(parser, e, operand);
	if (e->nargs >= op->min && (op->max < 0 || e->nargs <= op->max))
		return;
	PgBsonReportInvalid(errmsg("wrong number of arguments of bson operator \"%s\": %d", op->name, e->nargs),
						op->max < 0 ? errdetail("At least %d are expected.", op->min) :
						op->min == op->max ? errdetail("Exactly %d are expected.", op->min) :
						errdetail("From %d to %d are expected.", op->min, op->max));
}

static const PgBsonExprOp *
find_operator(const PgBsonIter *iter)
{
	for (int t = 0; t < lengthof(tables); t++)
	{
		for (const PgBsonExprOp *op = tables[t]; op->name != NULL; op++)
		{
			if (PgBsonIterIs(iter, op->name))
				return op;
		}
	}
	PgBsonReportInvalid(errmsg("unknown operator in a bson expression: \"%s\"", iter->key));
}

static PgBsonExpr *
parse_operator(PgBsonExprParser *parser, const PgBsonIter *iter)
{
	const PgBsonExprOp *op;
	PgBsonExpr *e;

	/* as in a query, $expr says that its operand is an expression, which is so here without it */
	if (PgBsonIterIs(iter, "$expr"))
		return PgBsonExprParseOperand(parser, &iter->value);
	op = find_operator(iter);
	if (op->eval == NULL)
		PgBsonReportUnsupported(errmsg("operator \"%s\" is not supported in a bson expression", op->name),
								errhint("%s", _(op->hint)));
	e = make_node(op->eval);
	e->op = op;
	if (op->parse != NULL)
	{
		op->parse(parser, e, &iter->value);
		return e;
	}
	if (op->fields != NULL)
		PgBsonExprParseNamed(parser, e, &iter->value);
	else
		parse_arguments(parser, e, &iter->value);
	return fold(e);
}

/* Parse a document: an operator if its first name begins with a dollar sign, else expressions */
static PgBsonExpr *
parse_document(PgBsonExprParser *parser, const PgBsonValue *operand)
{
	PgBsonIter	iter;
	PgBsonIter	next;

	if (!PgBsonFirst(operand, &iter) || iter.key[0] != '$')
		return parse_fields(parser, operand);
	next = iter;
	if (PgBsonIterNext(&next))
		PgBsonReportInvalid(errmsg("operator \"%s\" in a bson expression is not the only field of its document",
								   iter.key),
							errdetail("A document with an operator must have no other field."));
	return parse_operator(parser, &iter);
}

PgBsonExpr *
PgBsonExprParseOperand(PgBsonExprParser *parser, const PgBsonValue *operand)
{
	const char *s;
	uint32		len;
	PgBsonExpr *e;

	check_stack_depth();
	switch (operand->type)
	{
		case PGBSON_STRING:
			s = PgBsonValueString(operand, &len);
			if (len > 0 && s[0] == '$')
				return parse_path(parser, s, len);
			break;
		case PGBSON_ARRAY:
			e = make_node(PgBsonExprEvalContainer);
			parse_elements(parser, e, operand);
			return fold(e);
		case PGBSON_DOCUMENT:
			return parse_document(parser, operand);
		default:
			break;
	}
	return make_constant(operand);
}

PgBsonExpression *
PgBsonExpressionParse(const PgBsonValue *value, const char *names)
{
	PgBsonExpression *expression = palloc0(sizeof(PgBsonExpression));
	PgBsonExprParser parser;

	expression->nslots = 1;
	/* its lists are long, and mostly empty: they are not made zeroes */
	parser.expression = expression;
	parser.nscope = 0;
	parser.fields = NIL;
	while (names != NULL && *names != '\0')
	{
		uint32		len = strcspn(names, " ");

		(void) PgBsonExprDefine(&parser, names, len);
		expression->ndefined++;
		names += len;
		names += strspn(names, " ");
	}
	expression->root = PgBsonExprParseOperand(&parser, value);
	/* one walk finds all, but one or two are found sooner one by one */
	if (list_length(parser.fields) <= 2)
		return expression;
	expression->fields = palloc0_object(PgBsonFields);
	foreach_ptr(PgBsonRootField, field, parser.fields)
	{
		PgBsonFieldsAdd(expression->fields, field->name.key, field->name.key_len);
		field->shared = true;
	}
	return expression;
}

pg_noreturn static void
report_undefined(const PgBsonKeyRef *name)
{
	if (PgBsonKeyIs(name->key, name->len, "NOW"))
		PgBsonReportUnsupported(errmsg("variable \"NOW\" is not supported in this bson expression"),
								errdetail("The result depends on the arguments alone, and not on the clock."),
								errhint("Put the time into the argument, for example with bson_build_object."));
	PgBsonReportInvalid(errmsg("undefined variable in a bson expression: \"%.*s\"", (int) name->len, name->key));
}

PgBsonExpression *
PgBsonExpressionParseFor(const PgBsonValue *value, PgBsonExprUse *use)
{
	PgBsonExpression *expression = PgBsonExpressionParse(value, NULL);
	bool		open = use != NULL && use->open;

	if (open)
		use->expressions = lappend(use->expressions, expression);
	for (int i = 0; !open && i < expression->nvariables; i++)
	{
		const PgBsonKeyRef *name = &expression->variables[i];

		if (use == NULL || !PgBsonKeyIs(name->key, name->len, "NOW"))
			report_undefined(name);
		use->uses_now = true;
	}
	return expression;
}
