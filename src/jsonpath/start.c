/*
 * start.c
 *	  Where an evaluation begins, and what a call site remembers of its jsonpath.
 *
 * Many paths begin with steps that are plain: $.a.b, $.a[3].  Their value is
 * looked up as -> looks it up, which reads no more of a toasted document than it
 * must, and only the rest of the path is evaluated.  The result is the same: if a plain step finds
 * something, it was applied to a document (or a subscript to an array), so no array was unwrapped.
 * If a member is missing from a value that is not an array, the path yields nothing.  If the value
 * is an array, lax mode looks for the member in its elements; then the whole path is evaluated the
 * general way.
 */
#include "jsonpath/exec.h"

#include "core/number/number_text.h"

/* The constant subscript of a step; false if it is not an integer, or negative */
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

/* Is this step a plain one?  If so, make it a step of a path (core/find/path.h). */
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

/*
 * Find the plain steps that the path begins with.  In strict mode there are none, because a missing
 * member must be reported as an error.
 */
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
	site->memory.context = context;
	site->memory.lasting = true;
	MemoryContextSwitchTo(saved);
	return site;
}

void
PgBsonJpAim(PgBsonJpCall *call, Datum datum, PgBsonReadHint *hint)
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

	PgBsonOpen(&call->reader, datum, hint);
	call->target = call->reader.root;
	call->step = start->first;
	call->reached = call->nothing = false;
	if (start->nsteps == 0)
		return;
	if (PgBsonFindIn(&call->reader, &call->target, site != NULL ? &site->find : NULL, start->steps, start->nsteps))
	{
		call->reached = start->whole;
		call->step = start->rest;
		return;
	}
	call->nothing = start->members && call->target.type != PGBSON_ARRAY;
	call->target = call->reader.root;
}
