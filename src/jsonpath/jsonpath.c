/*
 * jsonpath.c
 *	  Evaluating a jsonpath: the entry points.
 */
#include "jsonpath/jsonpath.h"

#include "jsonpath/exec.h"

static void
begin_jsonpath(PgBsonJpState *st, PgBsonJpCall *call)
{
	st->call = call;
	st->root = PgBsonJpValueItem(call->reader.root);
	st->partial = call->reader.source != NULL;
	st->current = &st->root;
	st->mark = NULL;
	st->lax = st->ignore_structure = (call->path->header & JSONPATH_LAX) != 0;
	st->raise = !call->silent;
	st->base = call->reader.root.data;
	st->base_id = 0;
	st->next_base_id = call->has_vars ? 2 : 1;
	st->context = CurrentMemoryContext;
	st->scratch = NULL;
	st->filters = 0;
	st->in_filter = false;
	st->memory = call->site != NULL ? &call->site->memory : &st->own;
	memset(&st->own, 0, sizeof(st->own));
	st->own.context = st->context;
}

/* Evaluate the whole path into "out" */
static PgBsonJpOutcome
evaluate_jsonpath(PgBsonJpState *st, PgBsonJpCall *call, PgBsonJpSequence *out)
{
	PgBsonJpItem target = PgBsonJpValueItem(call->target);
	JsonPathItem step = call->step;

	begin_jsonpath(st, call);
	if (call->nothing)
		return PGBSON_JP_EMPTY;
	if (call->reached)
		return PgBsonJpEmit(&target, out);
	return PgBsonJpRun(st, &step, &target, out, st->lax);
}

static void
finish(PgBsonJpState *st)
{
	if (st->scratch != NULL)
		MemoryContextDelete(st->scratch);
}

PgBsonJpOutcome
PgBsonJsonpathExists(PgBsonJpCall *call)
{
	PgBsonJpState st;
	PgBsonJpOutcome outcome;

	if (call->nothing || call->reached)
		return call->reached ? PGBSON_JP_FOUND : PGBSON_JP_EMPTY;
	/* unless $ is an array, which would be unwrapped, its filter may be decided before all of the document is read */
	if (call->site != NULL && call->site->filters_root && call->target.type != PGBSON_ARRAY)
	{
		JsonPathItem *filter = &call->site->start.rest;
		PgBsonJpTruth truth;

		begin_jsonpath(&st, call);
		truth = PgBsonJpTest(&st, filter->base, filter->content.arg, &st.root);
		finish(&st);
		return truth == PGBSON_JP_TRUE ? PGBSON_JP_FOUND : PGBSON_JP_EMPTY;
	}
	if ((call->path->header & JSONPATH_LAX) != 0)
		outcome = evaluate_jsonpath(&st, call, NULL);
	else
	{
		PgBsonJpSequence found;

		/* in strict mode an error anywhere makes the answer unknown, so evaluate everything */
		PgBsonJpSequenceInit(&found);
		outcome = evaluate_jsonpath(&st, call, &found);
		if (outcome != PGBSON_JP_FAILED)
			outcome = found.count > 0 ? PGBSON_JP_FOUND : PGBSON_JP_EMPTY;
		PgBsonJpSequenceFree(&found);
	}
	finish(&st);
	return outcome;
}

bool
PgBsonJsonpathSingle(PgBsonJpCall *call, PgBsonValue *value)
{
	PgBsonJpState st;
	PgBsonJpSequence found;
	uint32		count = 0;

	if (!call->nothing && !call->reached && PgBsonJpIsPredicate(&call->step) && !jspHasNext(&call->step))
	{
		begin_jsonpath(&st, call);
		*value = PgBsonJpTruthValue(PgBsonJpTest(&st, call->step.base, 0, &st.root));
		finish(&st);
		return true;
	}

	PgBsonJpSequenceInit(&found);
	(void) evaluate_jsonpath(&st, call, &found);
	/* convert all of them, also where one is enough: some numerics cannot become BSON values, which may be an error */
	while (count < found.count)
	{
		PgBsonValue other;

		if (!PgBsonJpItemValue(&st, &found.items[count], count == 0 ? value : &other))
			break;
		count++;
	}
	PgBsonJpSequenceFree(&found);
	finish(&st);
	return count == 1;
}

PgBsonJpResult
PgBsonJsonpathQuery(PgBsonJpCall *call)
{
	PgBsonJpState st;
	PgBsonJpSequence found;
	PgBsonJpResult result;

	PgBsonJpSequenceInit(&found);
	(void) evaluate_jsonpath(&st, call, &found);
	result.values = palloc_extended(Max(found.count, 1) * sizeof(PgBsonValue), MCXT_ALLOC_HUGE);
	for (result.count = 0; result.count < found.count; result.count++)
	{
		if (!PgBsonJpItemValue(&st, &found.items[result.count], &result.values[result.count]))
			break;
	}
	PgBsonJpSequenceFree(&found);
	finish(&st);
	return result;
}
