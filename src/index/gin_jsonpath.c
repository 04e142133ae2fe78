/*
 * gin_jsonpath.c
 *	  The conditions that a jsonpath sets on a row's keys.
 *
 * Comparisons with a literal, at the end of a path of names, become keys;
 * "and", "or" and filters become conditions on these.  Where a path goes on with what keys do not tell,
 * such as a method or a wildcard, there must still be a value at the place before, because a step
 * without an item to start from finds none.  All other parts of a path set no condition.
 *
 * Negation: "not p" is true where p is false, but no key can distinguish false
 * from unknown.  So a negation requires something only if another negation is
 * inside it.
 *
 * A key is sufficient, and not just necessary, in lax mode, on a path of names
 * and [*], with at most one array.  There is one trap: a filter unwraps the
 * array, and then looks at one element at a time, whereas keys for two
 * conditions on the element itself may come from two elements.
 */
#include "index/gin.h"

#include "jsonpath/jsonpath.h"

/* The place in a document that the path has reached, and whether keys can prove that there is an item */
typedef struct Reached
{
	PgBsonGinPath path;
	bool		proves;
	bool		in_filter;
	uint32		filter_nkeys;	/* the number of names before the filter */
	bool		joined;			/* the filter also has another condition, which the same item must satisfy */
} Reached;

static PgBsonGinNode *predicate(PgBsonGinKeys *keys, const Reached *at, JsonPathItem *item, bool negated);

/*
 * The condition that there is a value at the place.  With "whole" an array counts as one value;
 * otherwise its elements do.
 */
static PgBsonGinNode *
existence(PgBsonGinKeys *keys, const Reached *at, bool whole)
{
	/* a filter unwraps arrays */
	bool		proves = at->proves && whole &&
		(!at->in_filter || at->path.nkeys > at->filter_nkeys);

	return PgBsonGinExists(keys, &at->path, proves);
}

/* The condition that some item at the place satisfies the comparison */
static PgBsonGinNode *
comparison_at(PgBsonGinKeys *keys, const Reached *at, const PgBsonGinComparison *comparison)
{
	PgBsonGinComparison c = *comparison;

	c.plain_proves = c.plain_proves && at->proves;
	c.element_proves = c.plain_proves &&
		(!at->in_filter || !at->joined || at->path.nkeys > at->filter_nkeys);
	return keys->class->compare(keys, &at->path, &c);
}

/* The conditions found for a path so far */
typedef struct Demand
{
	Reached		here;			/* the place it has reached */
	List	   *nodes;
	bool		elements;		/* the last step was [*] */
	bool		filtered;		/* there was a filter, and keys say that some item passes it */
} Demand;

static void
filter_step(PgBsonGinKeys *keys, Demand *d, JsonPathItem *step)
{
	Reached		inside = d->here;
	JsonPathItem arg;
	PgBsonGinNode *node;

	inside.joined = d->here.joined || d->filtered;
	inside.in_filter = true;
	inside.filter_nkeys = d->here.path.nkeys;
	jspGetArg(step, &arg);
	node = predicate(keys, &inside, &arg, false);
	d->nodes = lappend(d->nodes, node);
	d->filtered = d->filtered || node != NULL;
}

/* Follow one more step of the path; false if keys do not tell what the step finds */
static bool
take_step(PgBsonGinKeys *keys, Demand *d, JsonPathItem *step)
{
	const char *key;
	uint32		len;

	switch (step->type)
	{
		case jpiKey:
			key = PgBsonJsonpathString(step, &len);
			PgBsonGinPathAddKey(&d->here.path, key, len);
			d->elements = d->filtered = false;
			return true;
		case jpiIndexArray:
			/* keys tell nothing about positions in arrays */
			d->nodes = lappend(d->nodes, NULL);
			d->here.proves = false;
			return true;
		case jpiAnyArray:
			d->elements = true;
			return true;
		case jpiFilter:
			filter_step(keys, d, step);
			return true;
		default:
			return false;
	}
}

/*
 * The condition that a path finds an item that satisfies the comparison or, if that is NULL, any
 * item.  @ in the path stands for the place "at".
 */
static PgBsonGinNode *
path_condition(PgBsonGinKeys *keys, const Reached *at, JsonPathItem *item,
			   const PgBsonGinComparison *comparison)
{
	Demand		d = {*at, NIL, false, false};
	PgBsonGinNode *node = NULL;
	bool		understood = true;
	JsonPathItem step = *item;
	JsonPathItem next;

	if (step.type == jpiRoot)
	{
		PgBsonGinPathInit(&d.here.path);
		/* the path begins at $ or a variable, so it does not depend on the item that is filtered */
		d.here.proves = d.here.proves && !at->in_filter;
	}
	else if (step.type != jpiCurrent)
		return NULL;

	while (understood && jspGetNext(&step, &next))
	{
		step = next;
		understood = take_step(keys, &d, &step);
	}
	if (d.filtered)
	{
		/* the steps that follow are applied to the item that passed the filter */
		d.here.joined = d.here.in_filter = true;
		d.here.filter_nkeys = d.here.path.nkeys;
	}

	if (understood && comparison != NULL)
		node = comparison_at(keys, &d.here, comparison);
	if (node != NULL)
		d.nodes = lappend(d.nodes, node);
	else if (comparison != NULL || !d.filtered || !understood)
	{
		d.nodes = lappend(d.nodes, existence(keys, &d.here, !d.elements));
		if (comparison != NULL || !understood)
			d.nodes = lappend(d.nodes, NULL);
	}
	return PgBsonGinAll(d.nodes);
}

/* Is the item a literal?  Then get the values that are equal to it, as they may be stored. */
static bool
literal_forms(JsonPathItem *item, PgBsonGinComparison *c)
{
	c->nforms = PgBsonJsonpathLiteralForms(item, c->forms, &c->plain_proves);
	return c->nforms > 0;
}

/* The operator that means the same after exchanging the sides */
static JsonPathItemType
mirrored(JsonPathItemType op)
{
	switch (op)
	{
		case jpiLess:
			return jpiGreater;
		case jpiLessOrEqual:
			return jpiGreaterOrEqual;
		case jpiGreater:
			return jpiLess;
		case jpiGreaterOrEqual:
			return jpiLessOrEqual;
		default:
			return op;
	}
}

static PgBsonGinNode *
comparison_condition(PgBsonGinKeys *keys, const Reached *at, JsonPathItem *item)
{
	PgBsonGinComparison comparison;
	JsonPathItem left;
	JsonPathItem right;

	jspGetLeftArg(item, &left);
	jspGetRightArg(item, &right);
	comparison.op = item->type;
	if (literal_forms(&right, &comparison))
		return path_condition(keys, at, &left, &comparison);
	if (item->type != jpiStartsWith && literal_forms(&left, &comparison))
	{
		comparison.op = mirrored(item->type);
		return path_condition(keys, at, &right, &comparison);
	}

	/* in a comparison of two paths, each path must yield an item at least */
	return PgBsonGinHint(PgBsonGinAll(list_make2(path_condition(keys, at, &left, NULL),
												 path_condition(keys, at, &right, NULL))));
}

/*
 * Append the conditions that && or || joins, through all levels of a chain like a && b && c; "both"
 * means that they must all hold, after negation.
 */
static List *
operands(PgBsonGinKeys *keys, const Reached *at, JsonPathItem *item, bool negated, bool both, List *nodes)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (!jspHasNext(item))
	{
		JsonPathItem arg;

		if (item->type == jpiNot)
		{
			jspGetArg(item, &arg);
			return operands(keys, at, &arg, !negated, both, nodes);
		}
		if ((item->type == jpiAnd || item->type == jpiOr) &&
			((item->type == jpiAnd) != negated) == both)
		{
			jspGetLeftArg(item, &arg);
			nodes = operands(keys, at, &arg, negated, both, nodes);
			jspGetRightArg(item, &arg);
			return operands(keys, at, &arg, negated, both, nodes);
		}
	}
	return lappend(nodes, predicate(keys, at, item, negated));
}

static PgBsonGinNode *
connective_node(PgBsonGinKeys *keys, const Reached *at, JsonPathItem *item, bool negated)
{
	bool		both = (item->type == jpiAnd) != negated;
	Reached		here = *at;
	List	   *nodes;

	if (both && at->in_filter)
		here.joined = true;
	nodes = operands(keys, &here, item, negated, both, NIL);
	return both ? PgBsonGinAll(nodes) : PgBsonGinAny(nodes);
}

/* The condition that the predicate is true, or with "negated" that it is false */
static PgBsonGinNode *
predicate(PgBsonGinKeys *keys, const Reached *at, JsonPathItem *item, bool negated)
{
	PgBsonGinComparison test;
	JsonPathItem arg;

	check_stack_depth();

	/* the path goes on after the predicate, with its truth as the item */
	if (jspHasNext(item))
		return NULL;

	switch (item->type)
	{
		case jpiAnd:
		case jpiOr:
			return connective_node(keys, at, item, negated);
		case jpiNot:
			jspGetArg(item, &arg);
			return predicate(keys, at, &arg, !negated);
		default:
			break;
	}
	if (negated)
		return PgBsonGinNot(keys, predicate(keys, at, item, false));
	switch (item->type)
	{
		case jpiExists:
			jspGetArg(item, &arg);
			return path_condition(keys, at, &arg, NULL);
		case jpiEqual:
		case jpiNotEqual:
		case jpiLess:
		case jpiGreater:
		case jpiLessOrEqual:
		case jpiGreaterOrEqual:
		case jpiStartsWith:
			return comparison_condition(keys, at, item);
		case jpiLikeRegex:
			jspInitByBuffer(&arg, item->base, item->content.like_regex.expr);
			test.op = jpiLikeRegex;
			test.nforms = 0;
			test.plain_proves = false;
			return path_condition(keys, at, &arg, &test);
		default:
			return NULL;
	}
}

PgBsonGinNode *
PgBsonGinFromJsonpath(PgBsonGinKeys *keys, JsonPath *path, bool match)
{
	Reached		root;
	JsonPathItem start;

	memset(&root, 0, sizeof(root));
	PgBsonGinPathInit(&root.path);
	root.proves = (path->header & JSONPATH_LAX) != 0;
	jspInit(&start, path);
	if (match)
		return predicate(keys, &root, &start, false);
	return path_condition(keys, &root, &start, NULL);
}
