/*
 * gin_jsonpath.c
 *	  What a jsonpath demands of a row's keys.
 *
 * Comparisons with a literal, at the end of a path of names, become keys; so
 * do and, or and filters.  A path that goes where keys do not reach, such as
 * into a method or a wildcard, still demands that it gets so far: every step
 * makes nothing of nothing.  What remains demands nothing.
 *
 * Not: "not p" is true where p is false, and no key tells false from unknown.
 * So it demands something only if it ends at another not.
 *
 * A key is a proof, and not just a demand, in lax mode, on a path of names and
 * [*], up to one array.  There is one trap: a filter opens the array, and then
 * looks at one element at a time, so that two conditions on the element itself
 * may be met by two elements.
 */
#include "index/gin.h"

#include "catalog/pg_type.h"
#include "core/value.h"
#include "json/jsonpath_exec.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

typedef struct Context
{
	const PgBsonGinClass *class;
	PgBsonGinKeys *keys;
} Context;

/* Where in a document the path is, and what keys can prove there */
typedef struct Place
{
	PgBsonGinPath path;
	bool		proves;
	bool		in_filter;
	uint32		filter_nkeys;	/* the names before the filter */
	bool		joined;			/* the filter has another condition that must be met by the same item */
} Place;

static PgBsonGinNode *predicate(Context *cx, const Place *at, JsonPathItem *item, bool negated);

static PgBsonGinNode *
two(PgBsonGinNode *(*join) (List *), PgBsonGinNode *a, PgBsonGinNode *b)
{
	return join(list_make2(a, b));
}

/* There is something at the place; "whole": an array counts, and not its elements */
static PgBsonGinNode *
existence(Context *cx, const Place *at, bool whole)
{
	/* a filter opens arrays */
	bool		proves = at->proves && whole &&
		(!at->in_filter || at->path.nkeys > at->filter_nkeys);

	return PgBsonGinExists(cx->class, cx->keys, &at->path, proves);
}

/* Some item at the place satisfies the comparison */
static PgBsonGinNode *
comparison_at(Context *cx, const Place *at, const PgBsonGinComparison *comparison)
{
	PgBsonGinComparison c = *comparison;

	c.plain_proves = c.plain_proves && at->proves;
	c.element_proves = c.plain_proves &&
		(!at->in_filter || !at->joined || at->path.nkeys > at->filter_nkeys);
	return cx->class->compare(cx->keys, &at->path, &c);
}

/* What a path is found to demand, so far */
typedef struct Demand
{
	Place		here;			/* where it has come */
	List	   *nodes;
	bool		elements;		/* the last step was [*] */
	bool		filtered;		/* there was a filter, and keys say that something passes it */
} Demand;

static void
filter_step(Context *cx, Demand *d, JsonPathItem *step)
{
	Place		inside = d->here;
	JsonPathItem arg;
	PgBsonGinNode *node;

	inside.joined = d->here.joined || d->filtered;
	inside.in_filter = true;
	inside.filter_nkeys = d->here.path.nkeys;
	jspGetArg(step, &arg);
	node = predicate(cx, &inside, &arg, false);
	d->nodes = lappend(d->nodes, node);
	d->filtered = d->filtered || node != NULL;
}

/* One step more; false if keys do not reach that far */
static bool
take_step(Context *cx, Demand *d, JsonPathItem *step)
{
	const char *key;
	uint32		len;

	switch (step->type)
	{
		case jpiKey:
			key = PgBsonJpStepString(step, &len);
			PgBsonGinPathAddKey(&d->here.path, key, len);
			d->elements = d->filtered = false;
			return true;
		case jpiIndexArray:
			/* no key tells whether there is an element of that number */
			d->nodes = lappend(d->nodes, NULL);
			d->here.proves = false;
			return true;
		case jpiAnyArray:
			d->elements = true;
			return true;
		case jpiFilter:
			filter_step(cx, d, step);
			return true;
		default:
			return false;
	}
}

/*
 * A path, beginning at "at" where it says @: it finds some item that satisfies
 * the comparison or, if that is NULL, some item.
 */
static PgBsonGinNode *
path_condition(Context *cx, const Place *at, JsonPathItem *item,
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
		/* it says nothing about the item that is filtered */
		d.here.proves = d.here.proves && !at->in_filter;
	}
	else if (step.type != jpiCurrent)
		return NULL;

	while (understood && jspGetNext(&step, &next))
	{
		step = next;
		understood = take_step(cx, &d, &step);
	}
	if (d.filtered)
	{
		/* what follows must be true of the item that passed */
		d.here.joined = d.here.in_filter = true;
		d.here.filter_nkeys = d.here.path.nkeys;
	}

	if (understood && comparison != NULL)
		node = comparison_at(cx, &d.here, comparison);
	if (node != NULL)
		d.nodes = lappend(d.nodes, node);
	else if (comparison != NULL || !d.filtered || !understood)
	{
		d.nodes = lappend(d.nodes, existence(cx, &d.here, !d.elements));
		if (comparison != NULL || !understood)
			d.nodes = lappend(d.nodes, NULL);
	}
	return PgBsonGinAll(d.nodes);
}

/* A literal: the forms its equals may have.  False if there are none, or it is no literal. */
static bool
literal_forms(JsonPathItem *item, PgBsonGinComparison *c)
{
	PgBsonJpDatetime dt;
	JsonPathItem next;
	const char *s;
	uint32		len;
	int64		ms;
	uint8	   *bytes;

	c->nforms = 1;
	c->plain_proves = true;
	if (jspGetNext(item, &next))
	{
		/* "...".datetime(), with a zone, is compared with dates */
		if (item->type != jpiString || next.type != jpiDatetime ||
			next.content.arg != 0 || jspHasNext(&next) ||
			!PgBsonJpParseDatetime(pstrdup(jspGetString(item, NULL)), &dt) ||
			dt.type != TIMESTAMPTZOID ||
			!PgBsonTimestampToDate(DatumGetTimestampTz(dt.datum), &ms))
			return false;
		bytes = palloc(8);
		PgBsonWriteU64(bytes, (uint64) ms);
		c->forms[0].type = PGBSON_DATE;
		c->forms[0].data = bytes;
		c->forms[0].len = 8;
		c->plain_proves = false;	/* the date is rounded */
		return true;
	}
	switch (item->type)
	{
		case jpiNull:
			c->forms[0] = c->forms[1] = PgBsonJpMakeNull();
			c->forms[1].type = PGBSON_UNDEFINED;
			c->nforms = 2;
			return true;
		case jpiBool:
			c->forms[0] = PgBsonJpMakeBool(jspGetBool(item));
			return true;
		case jpiString:
			s = PgBsonJpStepString(item, &len);
			c->forms[0] = PgBsonJpMakeString(s, len);
			return true;
		case jpiNumeric:
			c->nforms = PgBsonJsonpathNumberForms(jspGetNumeric(item), c->forms);
			/* each of two forms is meant for some types only, keys are for all */
			c->plain_proves = c->nforms == 1;
			return c->nforms > 0;
		default:
			return false;
	}
}

/* The operator with its sides exchanged */
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
comparison_condition(Context *cx, const Place *at, JsonPathItem *item)
{
	PgBsonGinComparison comparison;
	JsonPathItem left;
	JsonPathItem right;

	jspGetLeftArg(item, &left);
	jspGetRightArg(item, &right);
	comparison.op = item->type;
	if (literal_forms(&right, &comparison))
		return path_condition(cx, at, &left, &comparison);
	if (item->type != jpiStartsWith && literal_forms(&left, &comparison))
	{
		comparison.op = mirrored(item->type);
		return path_condition(cx, at, &right, &comparison);
	}

	/* each side must have something, at least */
	return PgBsonGinHint(two(PgBsonGinAll, path_condition(cx, at, &left, NULL),
							 path_condition(cx, at, &right, NULL)));
}

static PgBsonGinNode *
connective(Context *cx, const Place *at, JsonPathItem *item, bool negated)
{
	bool		both = (item->type == jpiAnd) != negated;
	Place		here = *at;
	JsonPathItem left;
	JsonPathItem right;

	if (both && at->in_filter)
		here.joined = true;
	jspGetLeftArg(item, &left);
	jspGetRightArg(item, &right);
	return two(both ? PgBsonGinAll : PgBsonGinAny,
			   predicate(cx, &here, &left, negated),
			   predicate(cx, &here, &right, negated));
}

/* The predicate is true or, if negated, false */
static PgBsonGinNode *
predicate(Context *cx, const Place *at, JsonPathItem *item, bool negated)
{
	PgBsonGinComparison test;
	JsonPathItem arg;

	check_stack_depth();

	/* steps applied to the truth value */
	if (jspHasNext(item))
		return NULL;

	switch (item->type)
	{
		case jpiAnd:
		case jpiOr:
			return connective(cx, at, item, negated);
		case jpiNot:
			jspGetArg(item, &arg);
			return predicate(cx, at, &arg, !negated);
		default:
			break;
	}
	if (negated)
		return PgBsonGinNot(cx->class, predicate(cx, at, item, false));
	switch (item->type)
	{
		case jpiExists:
			jspGetArg(item, &arg);
			return path_condition(cx, at, &arg, NULL);
		case jpiEqual:
		case jpiNotEqual:
		case jpiLess:
		case jpiGreater:
		case jpiLessOrEqual:
		case jpiGreaterOrEqual:
		case jpiStartsWith:
			return comparison_condition(cx, at, item);
		case jpiLikeRegex:
			jspInitByBuffer(&arg, item->base, item->content.like_regex.expr);
			test.op = jpiLikeRegex;
			test.nforms = 0;
			test.plain_proves = false;
			return path_condition(cx, at, &arg, &test);
		default:
			return NULL;
	}
}

PgBsonGinNode *
PgBsonGinFromJsonpath(const PgBsonGinClass *class, PgBsonGinKeys *keys, JsonPath *path, bool match)
{
	Context		cx = {class, keys};
	Place		root;
	JsonPathItem start;

	memset(&root, 0, sizeof(root));
	PgBsonGinPathInit(&root.path);
	root.proves = (path->header & JSONPATH_LAX) != 0;
	jspInit(&start, path);
	if (match)
		return predicate(&cx, &root, &start, false);
	return path_condition(&cx, &root, &start, NULL);
}
