/*
 * start.c
 *	  Where an evaluation begins, and what a call site remembers of its jsonpath.
 *
 * Many paths begin with steps that are plain: $.a.b, $.a[3].  Their value is
 * looked up as -> looks it up, which reads no more of a toasted document than it
 * must, and only the rest of the path is evaluated.  That is right because a
 * plain step that finds something was applied to what it is for, so no array was
 * unwrapped on the way.  If a member is not found in something that is no array,
 * the path yields nothing; in an array it would be looked for in the elements, so
 * then all of the path is evaluated.
 */
#include "jsonpath/exec.h"

#include "core/number/number_text.h"
#include "jsonpath/literal.h"

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

/* Find the plain steps that the path begins with; none in strict mode, which wants to know why nothing is found */
static void
find_plain_steps(JsonPath *path, PgBsonJpStart *start)
{
	JsonPathItem next;

	start->nsteps = 0;
	start->members = true;
	start->whole = false;
	jspInit(&start->first, path);
	start->rest = start->first;
	if ((path->header & JSONPATH_LAX) == 0 || start->first.type != jpiRoot)
		return;
	while (!(start->whole = !jspGetNext(&start->rest, &next)))
	{
		start->rest = next;
		if (start->nsteps == PGBSON_JP_PLAIN_STEPS || !plain_step(&next, &start->steps[start->nsteps]))
			return;
		start->members = start->members && next.type == jpiKey;
		start->nsteps++;
	}
}

PgBsonJpSite *
PgBsonJpSiteMake(const JsonPath *path, MemoryContext context)
{
	MemoryContext saved = MemoryContextSwitchTo(context);
	PgBsonJpSite *site = palloc0(sizeof(PgBsonJpSite));
	PgBsonJpStart *start = &site->start;

	site->path = memcpy(palloc(VARSIZE(path)), path, VARSIZE(path));
	find_plain_steps(site->path, start);
	site->filters_root = start->nsteps == 0 && start->first.type == jpiRoot &&
		start->rest.type == jpiFilter && !jspHasNext(&start->rest);
	site->shapes.context = context;
	site->memory.context = context;
	site->memory.lasting = true;
	MemoryContextSwitchTo(saved);
	return site;
}

void
PgBsonJpAim(PgBsonJpCall *call, Datum datum)
{
	PgBsonJpSite *site = call->site;
	PgBsonJpStart made;
	PgBsonJpStart *start = &made;

	if (site != NULL)
	{
		call->path = site->path;
		start = &site->start;
	}
	else
		find_plain_steps(call->path, start);

	PgBsonOpen(&call->reader, datum, site != NULL ? &site->hint : NULL);
	call->target = call->reader.root;
	call->step = start->first;
	call->reached = call->nothing = false;
	if (start->nsteps == 0)
		return;
	if (PgBsonFindIn(&call->reader, &call->target, site != NULL ? &site->shapes : NULL, start->steps, start->nsteps))
	{
		call->reached = start->whole;
		call->step = start->rest;
		return;
	}
	call->nothing = start->members && call->target.type != PGBSON_ARRAY;
	call->target = call->reader.root;
}
