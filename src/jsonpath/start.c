/*
 * start.c
 *	  What a call site remembers of a jsonpath that is always the same.
 *
 * Many paths begin with steps that are plain: $.a.b, $.a[3].  What these lead
 * to is looked up as the operators -> do it, which reads no more of a toasted
 * document than it must.  Only what comes after them, if anything does, is evaluated.
 * That is right if each step finds something, because a step then was applied to what
 * it is for, and no array was unwrapped.  Where a member is not found, in anything but
 * an array, which would be unwrapped, the path yields nothing.
 */
#include "jsonpath/exec.h"

#include "core/number/number_text.h"
#include "jsonpath/literal.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* The most steps of a path that are looked up before the rest is executed */
#define MAX_STEPS	8

typedef struct Prefix
{
	PgBsonStep	steps[MAX_STEPS];
	int			nsteps;
	bool		members;		/* all of them are members */
	bool		whole;			/* they are all of the path */
	JsonPathItem rest;			/* else what comes after them */
	JsonPathItem first;			/* of the whole path */
} Prefix;

struct PgBsonJpSite
{
	JsonPath   *path;
	Prefix		prefix;
	PgBsonReadHint hint;
	PgBsonShapes shapes;		/* of the documents on the way of the prefix */
	PgBsonJpMemory memory;
};

static bool mentions_root(JsonPathItem *item);

/* Does a subscript mention it? */
static bool
subscripts_mention_root(JsonPathItem *item)
{
	for (int i = 0; i < item->content.array.nelems; i++)
	{
		JsonPathItem from;
		JsonPathItem to;
		bool		range = jspGetArraySubscript(item, &from, &to, i);

		if (mentions_root(&from) || (range && mentions_root(&to)))
			return true;
	}
	return false;
}

/* Does one item with its operands? */
static bool
operands_mention_root(JsonPathItem *item)
{
	JsonPathItem part;

	switch (item->type)
	{
		case jpiNull:
		case jpiBool:
		case jpiNumeric:
		case jpiString:
		case jpiCurrent:
		case jpiKey:
		case jpiAnyKey:
		case jpiAnyArray:
		case jpiAny:
		case jpiLast:
		case jpiType:
		case jpiSize:
		case jpiAbs:
		case jpiFloor:
		case jpiCeiling:
		case jpiDouble:
			return false;
		case jpiAnd:
		case jpiOr:
		case jpiEqual:
		case jpiNotEqual:
		case jpiLess:
		case jpiGreater:
		case jpiLessOrEqual:
		case jpiGreaterOrEqual:
		case jpiStartsWith:
		case jpiAdd:
		case jpiSub:
		case jpiMul:
		case jpiDiv:
		case jpiMod:
			jspGetLeftArg(item, &part);
			if (mentions_root(&part))
				return true;
			jspGetRightArg(item, &part);
			return mentions_root(&part);
		case jpiNot:
		case jpiIsUnknown:
		case jpiPlus:
		case jpiMinus:
		case jpiExists:
		case jpiFilter:
			jspGetArg(item, &part);
			return mentions_root(&part);
		case jpiLikeRegex:
			jspInitByBuffer(&part, item->base, item->content.like_regex.expr);
			return mentions_root(&part);
		case jpiIndexArray:
			return subscripts_mention_root(item);
		default:
			return true;
	}
}

/*
 * Does the path, from this item on, depend on what $ is, or on where in it an item
 * lies?  True, to be on the safe side, of any method that is not known not to.
 */
static bool
mentions_root(JsonPathItem *item)
{
	JsonPathItem at = *item;
	JsonPathItem next;

	check_stack_depth();
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (operands_mention_root(&at))
			return true;
		if (!jspGetNext(&at, &next))
			return false;
		at = next;
	}
}

/* The number of a subscript, which is written in the path; false if it is not an integer from 0 on */
static bool
plain_index(JsonPathItem *item, int32 *index)
{
	char	   *text;
	bool		ok;

	if (item->type != jpiNumeric || jspHasNext(item))
		return false;
	text = PgBsonNumericText(jspGetNumeric(item));
	ok = PgBsonStepAsIndex(text, strlen(text), index) && *index >= 0;
	pfree(text);
	return ok;
}

/* Is this step of the path a plain one? */
static bool
plain_step(JsonPathItem *item, PgBsonStep *step)
{
	JsonPathItem from;
	JsonPathItem to;

	memset(step, 0, sizeof(*step));
	if (item->type == jpiKey)
	{
		step->kind = PGBSON_STEP_KEY;
		step->key = PgBsonJsonpathString(item, &step->key_len);
		return true;
	}
	step->kind = PGBSON_STEP_INDEX;
	if (item->type != jpiIndexArray || item->content.array.nelems != 1 ||
		jspGetArraySubscript(item, &from, &to, 0))
		return false;
	if (from.type == jpiLast && !jspHasNext(&from))
	{
		step->index = -1;
		return true;
	}
	return plain_index(&from, &step->index);
}

/* The plain steps that the path begins with; none if they cannot be looked up apart from the rest */
static void
find_prefix(JsonPath *path, Prefix *prefix)
{
	JsonPathItem item;
	JsonPathItem next;

	prefix->nsteps = 0;
	prefix->members = true;
	prefix->whole = false;
	jspInit(&item, path);
	prefix->first = item;
	/* strict mode wants to know why nothing is found */
	if ((path->header & JSONPATH_LAX) == 0 || item.type != jpiRoot)
		return;
	for (;;)
	{
		if (!jspGetNext(&item, &next))
		{
			prefix->whole = true;
			return;
		}
		if (prefix->nsteps == MAX_STEPS || !plain_step(&next, &prefix->steps[prefix->nsteps]))
			break;
		prefix->members = prefix->members && next.type == jpiKey;
		prefix->nsteps++;
		item = next;
	}
	prefix->rest = next;
	if (prefix->nsteps > 0 && mentions_root(&next))
		prefix->nsteps = 0;
}

/* Is the path that begins with this item a predicate, or $ with a filter? */
static void
find_predicate(JsonPathItem *first, bool lax, PgBsonJpMemory *memory)
{
	JsonPathItem next;

	if (lax && PgBsonJpIsPredicate(first) && !jspHasNext(first))
	{
		memory->is_predicate = true;
		memory->predicate = *first;
	}
	else if (lax && first->type == jpiRoot && jspGetNext(first, &next) && next.type == jpiFilter && !jspHasNext(&next))
	{
		memory->is_filter = true;
		jspGetArg(&next, &memory->predicate);
	}
}

PgBsonJpSite *
PgBsonJpSiteMake(const JsonPath *path, MemoryContext context)
{
	MemoryContext saved = MemoryContextSwitchTo(context);
	PgBsonJpSite *site = palloc0(sizeof(PgBsonJpSite));

	site->path = memcpy(palloc(VARSIZE(path)), path, VARSIZE(path));
	find_prefix(site->path, &site->prefix);
	find_predicate(&site->prefix.first, (path->header & JSONPATH_LAX) != 0, &site->memory);
	site->shapes.context = context;
	site->memory.context = context;
	site->memory.lasting = true;
	MemoryContextSwitchTo(saved);
	return site;
}

/* Sites that are lent, and the longest path of one, in bytes */
#define LENT_SITES		4
#define MAX_LENT_PATH	256

static struct
{
	MemoryContext context;
	PgBsonJpSite *site;			/* NULL: none yet */
	bool		out;			/* it is lent */
}			lent[LENT_SITES];

PgBsonJpSite *
PgBsonJpSiteBorrow(const JsonPath *path)
{
	static uint32 next = 0;
	int			i;

	if (VARSIZE(path) > MAX_LENT_PATH)
		return NULL;
	for (i = 0; i < LENT_SITES; i++)
	{
		if (lent[i].site != NULL && !lent[i].out &&
			VARSIZE(lent[i].site->path) == VARSIZE(path) &&
			memcmp(lent[i].site->path, path, VARSIZE(path)) == 0)
		{
			lent[i].out = true;
			return lent[i].site;
		}
	}

	/* no evaluation runs within another one, so none of them is in use */
	i = next++ % LENT_SITES;
	lent[i].site = NULL;
	lent[i].out = true;
	if (lent[i].context == NULL)
		lent[i].context = AllocSetContextCreate(TopMemoryContext, "bson jsonpath", ALLOCSET_SMALL_SIZES);
	else
		MemoryContextReset(lent[i].context);
	return lent[i].site = PgBsonJpSiteMake(path, lent[i].context);
}

void
PgBsonJpSiteReturn(PgBsonJpSite *site)
{
	for (int i = 0; i < LENT_SITES; i++)
	{
		if (lent[i].site == site)
			lent[i].out = false;
	}
}

PgBsonJpMemory *
PgBsonJpSiteMemory(PgBsonJpSite *site)
{
	return &site->memory;
}

void
PgBsonJpAim(PgBsonJpCall *call, Datum datum)
{
	Prefix		made;
	Prefix	   *prefix = &made;

	if (call->site != NULL)
	{
		call->path = call->site->path;
		prefix = &call->site->prefix;
	}
	else
		find_prefix(call->path, prefix);

	PgBsonOpen(&call->reader, datum, call->site != NULL ? &call->site->hint : NULL);
	call->target = call->reader.root;
	call->start = prefix->first;
	call->reached = call->nothing = false;
	call->partial = !PgBsonIsThere(&call->reader, &call->target);
	if (prefix->nsteps == 0)
		return;
	if (PgBsonFindIn(&call->reader, &call->target, call->site != NULL ? &call->site->shapes : NULL,
					 prefix->steps, prefix->nsteps))
	{
		call->partial = false;
		call->reached = prefix->whole;
		if (!call->reached)
			call->start = prefix->rest;
		return;
	}
	call->nothing = prefix->members && call->target.type != PGBSON_ARRAY;
	call->target = call->nothing ? PgBsonJpMakeNull() : call->reader.root;
}
