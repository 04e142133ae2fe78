/*
 * rule_carry.c
 *	  $unwind before a $group that does not depend on the order of documents.
 *
 * Its elements become a column, and so do the paths beside the array that the group reads, as they are the same for all
 * elements.  Unlike other expressions a path raises no errors, which a document without elements must not do.
 */
#include "pipeline/rules/rules.h"

/* Is it a path, "$name.name", that does not begin with a field that $unwind makes? */
static bool
is_beside(const PgBsonValue *expression, const PgBsonUnwind *unwind)
{
	uint32		len;
	const char *s;

	if (expression->type != PGBSON_STRING)
		return false;
	s = PgBsonValueString(expression, &len);
	if (len < 2 || s[0] != '$' || s[1] == '$' || memchr(s, '\0', len) != NULL)
		return false;
	len = strcspn(s + 1, ".");
	return !PgBsonStepIs(&unwind->path.names[0], s + 1, len) &&
		!(unwind->with_index && PgBsonStepIs(&unwind->index.names[0], s + 1, len));
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

void
PgBsonRuleCarry(PgBsonChain *chain)
{
	for (int i = 1; i < list_length(chain->steps); i++)
	{
		const PgBsonStage *node = list_nth(chain->steps, i);
		ListCell   *before = list_nth_cell(chain->steps, i - 1);
		const PgBsonGroup *group = node->kind == PGBSON_NODE_GROUP ? (const PgBsonGroup *) node : NULL;
		PgBsonUnwindStep *unwind;

		if ((group == NULL && node->kind != PGBSON_NODE_COUNT) || (group != NULL && group->ordered) ||
			((const PgBsonStage *) lfirst(before))->kind != PGBSON_NODE_UNWIND || !PgBsonUnwindDivides(lfirst(before)))
			continue;
		unwind = PgBsonRuleCopy(before, sizeof(PgBsonUnwindStep));
		unwind->divided = true;
		if (group != NULL)
			unwind->carried = carried_paths(unwind, &group->fields);
	}
}
