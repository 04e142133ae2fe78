/*
 * rule_group.c
 *	  $group whose accumulators read columns, or need no sort.
 */
#include "pipeline/rules/rules.h"

#define MOST	16				/* fields: the document is made by as many calls */

/* Is the id a document of several fields, each with its own name and an expression?  For one field see group.c. */
static bool
has_fields(const PgBsonValue *id)
{
	int			count = 0;
	int			paths = 0;

	if (id->type != PGBSON_DOCUMENT || PgBsonHasDuplicateKeys(PgBsonValueView(id)))
		return false;
	PgBsonForEach(iter, PgBsonValueView(id))
	{
		if (iter.key_len == 0 || iter.key[0] == '$' || memchr(iter.key, '.', iter.key_len) != NULL ||
			!PgBsonOperandComputes(&iter.value))
			return false;
		count++;
		paths += iter.value.type == PGBSON_STRING;
	}
	return count >= 2 && count <= MOST && paths > 0;
}

/*
 * To group by each field's value gives the same groups, as documents are equal if their fields are, and the document
 * need be made once for a group only.  If none of the fields is a path, to evaluate them one by one takes longer.
 */
void
PgBsonRuleFields(PgBsonChain *chain, int step)
{
	PgBsonGroup *group = list_nth(chain->steps, step);

	group->by_fields = group->nboundaries == 0 && group->buckets == 0 && has_fields(&group->id);
}

/*
 * The value with the least or greatest sort key is found without a sort.  Other accumulators see equal documents in the
 * order of a sort, and the first and last must be the first and last of these.
 */
void
PgBsonRuleEnds(PgBsonChain *chain, int step)
{
	PgBsonGroup *group = list_nth(chain->steps, step);

	group->only_ends = true;
	PgBsonForEach(iter, PgBsonValueView(&group->fields))
	{
		PgBsonIter	accumulator;

		if (!PgBsonIterIs(&iter, "_id") && PgBsonFirst(&iter.value, &accumulator))
			group->only_ends &= PgBsonIterIs(&accumulator, "$first") || PgBsonIterIs(&accumulator, "$last") ||
				!PgBsonAccumulatorIsOrdered(accumulator.key, accumulator.key_len);
	}
}

/* Is it a path, "$name.name", that does not begin with a field that $unwind makes? */
static bool
is_beside(const PgBsonValue *expression, const PgBsonUnwind *unwind)
{
	PgBsonKeyRef path;
	uint32		len;

	if (!PgBsonOperandIsPath(expression, &path))
		return false;
	len = PgBsonFirstNameLength(path.key, path.len);
	return !PgBsonStepIs(&unwind->path.names[0], path.key, len) &&
		!(unwind->with_index && PgBsonStepIs(&unwind->index.names[0], path.key, len));
}

static bool
is_among(const PgBsonValue *expression, const List *carried)
{
	foreach_ptr(const PgBsonValue, other, carried)
	{
		if (PgBsonSameBytes(expression, other))
			return true;
	}
	return false;
}

/* The paths beside the array that are operands of the group's accumulators, or its _id */
static List *
carried_paths(const PgBsonUnwindStep *unwind, const PgBsonValue *fields)
{
	List	   *carried = NIL;

	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonIter	operand = iter;

		if (!PgBsonIterIs(&iter, "_id"))
			(void) PgBsonFirst(&iter.value, &operand);
		else
			(void) PgBsonOperandIsPair(&iter.value, &operand);
		if (is_beside(&operand.value, unwind->unwind) && !is_among(&operand.value, carried))
			carried = PgBsonAppendValue(carried, &operand.value);
	}
	return carried;
}

/*
 * The elements become a column, and so do the paths beside the array that the group reads, as they are the same for all
 * elements.  Unlike other expressions a path raises no errors, which a document without elements must not do.
 */
void
PgBsonRuleCarry(PgBsonChain *chain, int step)
{
	const PgBsonStage *node = list_nth(chain->steps, step);
	const PgBsonGroup *group = node->kind == PGBSON_NODE_GROUP ? (const PgBsonGroup *) node : NULL;
	PgBsonUnwindStep *unwind = step == 0 ? NULL : list_nth(chain->steps, step - 1);

	if (unwind == NULL || unwind->node.kind != PGBSON_NODE_UNWIND || !PgBsonUnwindDivides(&unwind->node) ||
		(group != NULL && group->ordered))
		return;
	unwind->divided = true;
	if (group != NULL)
		unwind->carried = carried_paths(unwind, &group->fields);
}
