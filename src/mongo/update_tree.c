/*
 * update_tree.c
 *	  An update document as a tree of paths.
 *
 * The paths of all operators are sorted, so that the tree grows at its right
 * edge and two paths that conflict are neighbours.
 */
#include "mongo/update_tree.h"

#include "core/compare.h"
#include "core/recode.h"
#include "core/sort.h"
#include "core/value.h"
#include "miscadmin.h"

/* A path of the update, before it is in the tree */
typedef struct Entry
{
	PgBsonStep *steps;
	int			nsteps;
	PgBsonUpdateOp *op;
} Entry;

/* What $[name] stands for */
typedef struct Filter
{
	const char *name;
	uint32		name_len;
	const PgBsonQuery *query;
	bool		used;
} Filter;

typedef struct Parsing
{
	PgBsonUpdate *update;
	Entry	   *entries;
	Size		nentries;
	Size		capacity;
	Filter	   *filters;		/* sorted by name */
	int			nfilters;
} Parsing;

const char *
PgBsonUpdateName(const char *utf8, uint32 len)
{
	const uint32 longest = 200;
	bool		cut = len > longest;
	const char *text;

	if (cut)
	{
		/* not within a character */
		for (len = longest; len > 0 && ((uint8) utf8[len] & 0xC0) == 0x80;)
			len--;
	}
	text = PgBsonTryServerText(utf8, &len);
	return text == NULL ? "?" : psprintf(cut ? "%.*s..." : "%.*s", (int) len, text);
}

void
PgBsonUpdateWrongOperand(const PgBsonUpdateOp *op, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid operand of \"%s\" for \"%s\" in a bson update",
					op->operator->name, PgBsonUpdateName(op->path, op->path_len)),
			 errdetail_internal("%s", _(detail))));
}

void
PgBsonUpdateWrongTarget(const PgBsonUpdateOp *op, PgBsonType found, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot apply \"%s\" to the bson value of type %s at \"%s\"",
					op->operator->name, PgBsonTypeName(found), PgBsonUpdateName(op->path, op->path_len)),
			 errdetail_internal("%s", _(detail))));
}

pg_noreturn static void
invalid_path(const PgBsonUpdateOp *op, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid path in a bson update: \"%s\"", PgBsonUpdateName(op->path, op->path_len)),
			 errdetail_internal("%s", _(detail))));
}

/* --- operators that are one line each --- */

static bool
change_set(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	*new = op->operand;
	return true;
}

static bool
change_set_on_insert(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old,
					 PgBsonValue *new)
{
	*new = op->operand;
	return run->update->insert;
}

static bool
change_unset(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	new->type = PGBSON_EOD;
	return old != NULL;
}

static bool
change_min(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	*new = op->operand;
	return old == NULL || PgBsonCompare(new, old) < 0;
}

static bool
change_max(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	*new = op->operand;
	return old == NULL || PgBsonCompare(new, old) > 0;
}

static void
prepare_current_date(PgBsonUpdateOp *op)
{
	PgBsonIter	iter;
	bool		valid = op->operand.type == PGBSON_BOOL;

	if (op->operand.type == PGBSON_DOCUMENT)
	{
		PgBsonIterInit(&iter, PgBsonValueView(&op->operand));
		while (PgBsonIterNext(&iter))
		{
			uint32		len;
			const char *name;

			valid = PgBsonIterIs(&iter, "$type") && iter.value.type == PGBSON_STRING;
			if (!valid)
				break;
			name = PgBsonValueString(&iter.value, &len);
			op->flag = PgBsonKeyIs(name, len, "timestamp");
			valid = op->flag || PgBsonKeyIs(name, len, "date");
			if (!valid)
				break;
		}
	}
	if (!valid)
		PgBsonUpdateWrongOperand(op, gettext_noop("true, {\"$type\": \"date\"} or {\"$type\": \"timestamp\"} is expected."));
}

static bool
change_current_date(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old,
					PgBsonValue *new)
{
	if (!run->input->has_now)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"$currentDate\" in a bson update needs the current time"),
				 errdetail("The function bson_apply is immutable and does not look at the clock."),
				 errhint("Pass the time as the argument \"at\", or use the function bson_update.")));
	new->type = op->flag ? PGBSON_TIMESTAMP : PGBSON_DATE;
	new->len = 8;
	new->data = run->number;
	if (op->flag)
	{
		/* increment 1, then seconds */
		PgBsonWriteU32(run->number, 1);
		PgBsonWriteU32(run->number + 4, (uint32) (run->input->now / 1000));
	}
	else
		PgBsonWriteU64(run->number, (uint64) run->input->now);
	return true;
}

/* The destination of a $rename */
static bool
change_rename(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	*new = run->renamed[op->rename];
	return new->type != PGBSON_EOD;
}

/* The source of a $rename */
static bool
change_renamed(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	new->type = PGBSON_EOD;
	return old != NULL && run->renamed[op->rename].type != PGBSON_EOD;
}

static const PgBsonUpdateOperator rename_operator = {"$rename", false, false, NULL, change_rename};
static const PgBsonUpdateOperator renamed_operator = {"$rename", false, false, NULL, change_renamed};

static const PgBsonUpdateOperator operators[] =
{
	{"$set", true, false, NULL, change_set},
	{"$unset", false, false, NULL, change_unset},
	{"$inc", true, false, PgBsonPrepareNumber, PgBsonChangeInc},
	{"$mul", true, false, PgBsonPrepareNumber, PgBsonChangeMul},
	{"$bit", true, false, PgBsonPrepareBit, PgBsonChangeBit},
	{"$min", true, false, NULL, change_min},
	{"$max", true, false, NULL, change_max},
	{"$push", true, false, PgBsonPreparePush, PgBsonChangePush},
	{"$addToSet", true, false, PgBsonPrepareAddToSet, PgBsonChangeAddToSet},
	{"$pull", false, true, PgBsonPreparePull, PgBsonChangePull},
	{"$pullAll", false, true, PgBsonPreparePullAll, PgBsonChangePullAll},
	{"$pop", false, true, PgBsonPreparePop, PgBsonChangePop},
	{"$currentDate", true, false, prepare_current_date, change_current_date},
	{"$setOnInsert", true, false, NULL, change_set_on_insert},
};

static const PgBsonUpdateOperator *
find_operator(const PgBsonIter *iter)
{
	if (PgBsonIterIs(iter, "$rename"))
		return &rename_operator;
	for (int i = 0; i < lengthof(operators); i++)
	{
		if (PgBsonIterIs(iter, operators[i].name))
			return &operators[i];
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown operator in a bson update: \"%s\"",
					PgBsonUpdateName(iter->key, iter->key_len)),
			 iter->key_len == 0 || iter->key[0] != '$'
			 ? errdetail("An update has operators only, or none.") : 0));
	return NULL;				/* keep compiler quiet */
}

/* --- names --- */

static bool
begins_with_digit(const char *key, uint32 len)
{
	return len > 0 && key[0] >= '0' && key[0] <= '9' && (key[0] != '0' || len == 1);
}

int
PgBsonUpdateCompareKeys(const char *a, uint32 a_len, const char *b, uint32 b_len)
{
	int			cmp;

	if (begins_with_digit(a, a_len) && begins_with_digit(b, b_len) && a_len != b_len)
		return a_len < b_len ? -1 : 1;
	cmp = memcmp(a, b, Min(a_len, b_len));
	return cmp != 0 ? cmp : a_len < b_len ? -1 : a_len > b_len;
}

bool
PgBsonUpdateKeyAsIndex(const char *key, uint32 key_len, uint32 *index)
{
	uint64		n = 0;

	if (key_len == 0)
		return false;
	for (uint32 i = 0; i < key_len; i++)
	{
		if (key[i] < '0' || key[i] > '9')
			return false;
		n = n * 10 + (key[i] - '0');
		if (n > PG_UINT32_MAX)
			return false;
	}
	*index = (uint32) n;
	return true;
}

static bool
is_positional(const PgBsonStep *step)
{
	return step->key_len == 1 && step->key[0] == '$';
}

/* $[] or $[name] */
static bool
is_filter(const PgBsonStep *step)
{
	return step->key_len >= 3 && step->key[0] == '$' && step->key[1] == '[' &&
		step->key[step->key_len - 1] == ']';
}

static int
compare_entries(const void *a, const void *b)
{
	const Entry *x = (const Entry *) a;
	const Entry *y = (const Entry *) b;

	for (int i = 0; i < Min(x->nsteps, y->nsteps); i++)
	{
		int			cmp = PgBsonUpdateCompareKeys(x->steps[i].key, x->steps[i].key_len,
												  y->steps[i].key, y->steps[i].key_len);

		if (cmp != 0)
			return cmp;
	}
	return x->nsteps < y->nsteps ? -1 : x->nsteps > y->nsteps;
}

PgBsonValue
PgBsonUpdateWrap(const char *key, uint32 key_len, const PgBsonValue *value)
{
	Size		len = (Size) value->len + key_len + 7;
	uint8	   *bytes = palloc_extended(len, MCXT_ALLOC_HUGE);
	PgBsonValue document = {PGBSON_DOCUMENT, (uint32) len, bytes};

	PgBsonWriteU32(bytes, (uint32) len);
	bytes[4] = value->type;
	memcpy(bytes + 5, key, key_len);
	bytes[5 + key_len] = 0;
	if (value->len > 0)
		memcpy(bytes + 6 + key_len, value->data, value->len);
	bytes[len - 1] = 0;
	return document;
}

/* --- array filters --- */

pg_noreturn static void
invalid_filter(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid array filter in a bson update"),
			 errdetail_internal("%s", _(detail))));
}

/* All fields of a filter begin with one name */
static void
find_filter_name(PgBsonView query, Filter *filter)
{
	PgBsonIter	iter;

	check_stack_depth();
	PgBsonIterInit(&iter, query);
	while (PgBsonIterNext(&iter))
	{
		const char *dot = memchr(iter.key, '.', iter.key_len);
		uint32		len = dot == NULL ? iter.key_len : dot - iter.key;
		PgBsonIter	part;

		CHECK_FOR_INTERRUPTS();
		if (PgBsonIterIs(&iter, "$and") || PgBsonIterIs(&iter, "$or") || PgBsonIterIs(&iter, "$nor"))
		{
			if (iter.value.type != PGBSON_ARRAY)
				continue;		/* the query's parser will refuse it */
			PgBsonIterInit(&part, PgBsonValueView(&iter.value));
			while (PgBsonIterNext(&part))
			{
				if (part.value.type == PGBSON_DOCUMENT)
					find_filter_name(PgBsonValueView(&part.value), filter);
			}
			continue;
		}
		if (PgBsonIterIs(&iter, "$comment"))
			continue;
		if (iter.key_len > 0 && iter.key[0] == '$')
			invalid_filter(gettext_noop("A filter is about the elements of an array: its operators, but for \"$and\", \"$or\" and \"$nor\", follow a name."));
		if (filter->name != NULL &&
			(filter->name_len != len || memcmp(filter->name, iter.key, len) != 0))
			invalid_filter(gettext_noop("All paths of a filter begin with the same name."));
		filter->name = iter.key;
		filter->name_len = len;
	}
}

static int
compare_filters(const void *a, const void *b)
{
	const Filter *x = (const Filter *) a;
	const Filter *y = (const Filter *) b;

	return PgBsonUpdateCompareKeys(x->name, x->name_len, y->name, y->name_len);
}

static bool
is_filter_name(const Filter *filter)
{
	if (filter->name_len == 0 || filter->name[0] < 'a' || filter->name[0] > 'z')
		return false;
	for (uint32 i = 1; i < filter->name_len; i++)
	{
		if (!isalnum((unsigned char) filter->name[i]) || (filter->name[i] & 0x80) != 0)
			return false;
	}
	return true;
}

static void
parse_filters(Parsing *p, const PgBsonValue *array_filters)
{
	PgBsonIter	iter;

	if (array_filters->type != PGBSON_ARRAY)
		invalid_filter(gettext_noop("An array of queries is expected."));
	p->filters = palloc0_array(Filter, PgBsonViewCount(PgBsonValueView(array_filters)) + 1);
	PgBsonIterInit(&iter, PgBsonValueView(array_filters));
	while (PgBsonIterNext(&iter))
	{
		Filter	   *filter = &p->filters[p->nfilters++];

		if (iter.value.type != PGBSON_DOCUMENT)
			invalid_filter(gettext_noop("An array of queries is expected."));
		find_filter_name(PgBsonValueView(&iter.value), filter);
		if (filter->name == NULL)
			invalid_filter(gettext_noop("A filter has at least one path."));
		if (!is_filter_name(filter))
			invalid_filter(gettext_noop("A filter's name begins with a lower-case letter and has ASCII letters and digits only."));
		filter->query = PgBsonQueryParse(&iter.value);
	}
	PgBsonSort(p->filters, p->nfilters, sizeof(Filter), compare_filters);
	for (int i = 1; i < p->nfilters; i++)
	{
		if (compare_filters(&p->filters[i - 1], &p->filters[i]) == 0)
			invalid_filter(gettext_noop("Each filter has a name of its own."));
	}
}

static Filter *
find_filter(Parsing *p, const PgBsonUpdateOp *op, const char *name, uint32 len)
{
	Filter		key = {name, len, NULL, false};
	Filter	   *filter = NULL;

	if (p->nfilters > 0)
		filter = bsearch(&key, p->filters, p->nfilters, sizeof(Filter), compare_filters);
	if (filter == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no array filter \"%s\" for a bson update", PgBsonUpdateName(name, len)),
				 errdetail("The path \"%s\" needs it.", PgBsonUpdateName(op->path, op->path_len))));
	filter->used = true;
	return filter;
}

static void
check_filters_used(const Parsing *p)
{
	for (int i = 0; i < p->nfilters; i++)
	{
		if (!p->filters[i].used)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the array filter \"%s\" is not used in the bson update",
							PgBsonUpdateName(p->filters[i].name, p->filters[i].name_len))));
	}
}

/* --- the list of paths --- */

static void
check_steps(Parsing *p, const Entry *e)
{
	bool		positional = false;

	for (int i = 0; i < e->nsteps; i++)
	{
		const PgBsonStep *step = &e->steps[i];

		if (step->key_len == 0)
			invalid_path(e->op, gettext_noop("A name in a path is not empty."));
		if (!is_positional(step) && !is_filter(step))
			continue;
		if (i == 0)
			invalid_path(e->op, gettext_noop("A path begins with a name."));
		if (e->op->operator == &rename_operator || e->op->operator == &renamed_operator)
			invalid_path(e->op, gettext_noop("\"$rename\" takes paths of names only."));
		if (!is_positional(step))
			continue;
		if (positional)
			invalid_path(e->op, gettext_noop("\"$\" occurs at most once in a path."));
		positional = true;
		p->update->positional = true;
	}
	/* the document of an upsert may have such fields, as MongoDB has it */
	if (e->steps[0].key[0] == '$' && !p->update->insert &&
		(e->op->operator->creates || e->op->operator == &rename_operator) &&
		e->op->operator->change != change_set_on_insert)
		invalid_path(e->op, gettext_noop("The name of a field of the document itself does not begin with a dollar."));
}

static void
add_entry(Parsing *p, PgBsonUpdateOp *op)
{
	Entry	   *e;
	int			dots = 0;

	for (uint32 i = 0; i < op->path_len && dots < PGBSON_MAX_DEPTH; i++)
		dots += op->path[i] == '.';
	if (dots >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();

	if (p->nentries == p->capacity)
	{
		p->capacity = Max(p->capacity * 2, 8);
		p->entries = p->entries == NULL ? palloc_array(Entry, p->capacity)
			: repalloc_huge(p->entries, sizeof(Entry) * p->capacity);
	}
	e = &p->entries[p->nentries++];
	e->op = op;
	e->steps = PgBsonSplitDotted(op->path, op->path_len, &e->nsteps);
	check_steps(p, e);
}

static void
add_rename(Parsing *p, PgBsonUpdateOp *source)
{
	PgBsonUpdateOp *op = palloc0_object(PgBsonUpdateOp);

	source->operator = &renamed_operator;
	source->rename = p->update->nrenames++;
	add_entry(p, source);

	*op = *source;
	op->operator = &rename_operator;
	if (source->operand.type != PGBSON_STRING)
		PgBsonUpdateWrongOperand(source, gettext_noop("A string, the new path, is expected."));
	op->path = PgBsonValueString(&source->operand, &op->path_len);
	if (memchr(op->path, 0, op->path_len) != NULL)
		PgBsonUpdateWrongOperand(source, gettext_noop("A path has no U+0000."));
	add_entry(p, op);
}

static void
collect_entries(Parsing *p, PgBsonView update)
{
	PgBsonIter	iter;
	PgBsonIter	path;

	PgBsonIterInit(&iter, update);
	while (PgBsonIterNext(&iter))
	{
		const PgBsonUpdateOperator *operator = find_operator(&iter);

		if (iter.value.type != PGBSON_DOCUMENT)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid operand of \"%s\" in a bson update", iter.key),
					 errdetail("A document of paths and operands is expected.")));
		PgBsonIterInit(&path, PgBsonValueView(&iter.value));
		while (PgBsonIterNext(&path))
		{
			PgBsonUpdateOp *op = palloc0_object(PgBsonUpdateOp);

			CHECK_FOR_INTERRUPTS();
			op->operator = operator;
			op->path = path.key;
			op->path_len = path.key_len;
			op->operand = path.value;
			if (operator == &rename_operator)
			{
				add_rename(p, op);
				continue;
			}
			add_entry(p, op);
			if (operator->prepare != NULL)
				operator->prepare(op);
		}
	}
}

/* --- the tree --- */

pg_noreturn static void
report_conflict(const PgBsonUpdateOp *op)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a bson update changes \"%s\" twice", PgBsonUpdateName(op->path, op->path_len)),
			 errdetail("Its operators, or for an upsert the conditions of its query, must not touch the same path, or one inside the other.")));
}

static PgBsonUpdateNode *
new_node(PgBsonUpdateNodeKind kind)
{
	PgBsonUpdateNode *node = palloc0_object(PgBsonUpdateNode);

	node->kind = kind;
	return node;
}

/* The child of this name, which if it is there came last; "filter" if the node is one of ELEMENTS */
static PgBsonUpdateNode *
last_child(const PgBsonUpdateNode *node, const PgBsonStep *step)
{
	const PgBsonUpdateChild *last;

	if (node->kind == PGBSON_UPDATE_FIELDS && is_positional(step))
		return node->positional;
	if (node->nchildren == 0)
		return NULL;
	last = &node->children[node->nchildren - 1];
	return last->key_len == step->key_len && memcmp(last->key, step->key, step->key_len) == 0
		? last->node : NULL;
}

static void
add_child(PgBsonUpdateNode *node, const PgBsonStep *step, PgBsonUpdateNode *child)
{
	PgBsonUpdateChild *place;

	if (node->kind == PGBSON_UPDATE_FIELDS && is_positional(step))
	{
		node->positional = child;
		return;
	}
	/* doubled at powers of two */
	if ((node->nchildren & (node->nchildren - 1)) == 0)
	{
		Size		size = sizeof(PgBsonUpdateChild) * Max((Size) node->nchildren * 2, 1);

		node->children = node->children == NULL ? palloc(size) : repalloc_huge(node->children, size);
	}
	place = &node->children[node->nchildren++];
	place->key = step->key;
	place->key_len = step->key_len;
	place->node = child;
}

static void
grow(Parsing *p, const Entry *e)
{
	PgBsonUpdateNode *node = p->update->root;

	for (int i = 0; i < e->nsteps; i++)
	{
		bool		last = i == e->nsteps - 1;
		PgBsonUpdateNodeKind kind = last ? PGBSON_UPDATE_LEAF
			: is_filter(&e->steps[i + 1]) ? PGBSON_UPDATE_ELEMENTS : PGBSON_UPDATE_FIELDS;
		PgBsonStep	step = e->steps[i];
		const PgBsonQuery *filter = NULL;
		PgBsonUpdateNode *child;

		if (node->kind == PGBSON_UPDATE_ELEMENTS)
		{
			step.key += 2;
			step.key_len -= 3;
			if (step.key_len > 0)
				filter = find_filter(p, e->op, step.key, step.key_len)->query;
		}
		child = last_child(node, &step);
		if (child != NULL && (last || child->kind != kind))
			report_conflict(e->op);
		if (child == NULL)
		{
			child = new_node(kind);
			child->filter = filter;
			add_child(node, &step, child);
		}
		node = child;
	}
	node->op = e->op;
}

/* What is below each node */
static void
sum_up(PgBsonUpdateNode *node, bool insert)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (node->kind == PGBSON_UPDATE_LEAF)
	{
		const PgBsonUpdateOperator *operator = node->op->operator;

		node->creates = operator->creates && (insert || operator->change != change_set_on_insert);
		node->strict = operator->strict;
		node->renames = operator == &rename_operator;
		node->sources = operator == &renamed_operator;
		return;
	}
	node->creates = node->kind == PGBSON_UPDATE_ELEMENTS;
	for (int i = node->positional != NULL ? -1 : 0; i < node->nchildren; i++)
	{
		PgBsonUpdateNode *child = i < 0 ? node->positional : node->children[i].node;

		sum_up(child, insert);
		node->creates |= child->creates;
		node->strict |= child->strict;
		node->renames |= child->renames;
		node->sources |= child->sources;
	}
}

static void
check_replacement(PgBsonView document)
{
	PgBsonIter	iter;

	PgBsonIterInit(&iter, document);
	while (PgBsonIterNext(&iter))
	{
		if (iter.key_len > 0 && iter.key[0] == '$')
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a bson update mixes operators and fields"),
					 errdetail("\"%s\" follows a field.", PgBsonUpdateName(iter.key, iter.key_len))));
	}
}

PgBsonUpdate *
PgBsonUpdateParse(const PgBsonValue *update, const PgBsonValue *array_filters, bool insert)
{
	PgBsonUpdate *result = palloc0_object(PgBsonUpdate);
	Parsing		p = {result, NULL, 0, 0, NULL, 0};
	PgBsonIter	iter;

	result->insert = insert;
	if (update->type != PGBSON_DOCUMENT && update->type != PGBSON_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bson update must be a document, or an array of stages"),
				 errdetail("It is of type %s.", PgBsonTypeName(update->type))));

	if (array_filters != NULL)
		parse_filters(&p, array_filters);
	if (update->type == PGBSON_ARRAY)
	{
		if (p.nfilters > 0)
			invalid_filter(gettext_noop("An update by a pipeline takes none."));
		result->pipeline = PgBsonPipelineParse(update);
		return result;
	}
	PgBsonIterInit(&iter, PgBsonValueView(update));
	if (!PgBsonIterNext(&iter) || iter.key_len == 0 || iter.key[0] != '$')
	{
		check_replacement(PgBsonValueView(update));
		result->replacement = *update;
	}
	else
	{
		collect_entries(&p, PgBsonValueView(update));
		PgBsonSort(p.entries, p.nentries, sizeof(Entry), compare_entries);
		result->root = new_node(PGBSON_UPDATE_FIELDS);
		for (Size i = 0; i < p.nentries; i++)
		{
			CHECK_FOR_INTERRUPTS();
			grow(&p, &p.entries[i]);
		}
		sum_up(result->root, insert);
	}
	check_filters_used(&p);
	return result;
}

bool
PgBsonUpdateIsPositional(const PgBsonUpdate *update)
{
	return update->positional;
}
