/*
 * rule_lookup.c
 *	  $lookup by an _id that is unique.
 *
 * It becomes a join of the tables, which need not search the other table once for each document.  If $set then takes
 * the first document found, that belongs to the step: the field is a document and no array.  A join may change the
 * order of the documents, so it is for those whose order is not defined.  It takes longer to plan than the subqueries
 * of a few documents take to run, so it is for others.
 */
#include "pipeline/rules/rules.h"

#include "mongo/common/options.h"

#define MANY	100				/* documents, for which a join pays */

/* Are there only a few documents before the step, as a limit or a value of the _id says? */
static bool
are_few(const PgBsonChain *chain, int step)
{
	PgBsonValue id;

	for (int i = 0; i < step; i++)
	{
		const PgBsonStage *before = list_nth(chain->steps, i);

		const PgBsonCut *cut = (const PgBsonCut *) before;

		if (before->kind == PGBSON_NODE_CUT && cut->limit >= 0 && cut->limit < MANY)
			return true;
		if (before->kind == PGBSON_NODE_FILTER && PgBsonFindField(&before->operand, "_id", &id) &&
			id.type != PGBSON_DOCUMENT)
			return true;
	}
	return false;
}

/* Is it {$set: {as: {$first: "$as"}}}, or the same with $arrayElemAt? */
static bool
takes_first(const PgBsonStage *step, const PgBsonValue *as)
{
	PgBsonIter	field;
	PgBsonIter	operator;
	PgBsonValue operand;
	PgBsonValue *items;
	uint32		len;
	const char *name = PgBsonValueString(as, &len);
	int			count;

	if (step->kind != PGBSON_NODE_COMPUTE || PgBsonNameAmong("$set $addFields", step->name, strlen(step->name)) < 0 ||
		!PgBsonOnlyField(&step->operand, &field) || !PgBsonSameKey(field.key, field.key_len, name, len) ||
		!PgBsonOnlyField(&field.value, &operator))
		return false;
	operand = operator.value;
	if (PgBsonIterIs(&operator, "$arrayElemAt") && operand.type == PGBSON_ARRAY)
	{
		items = PgBsonValuesOf(&operand, &count);
		if (count != 2 || !PgBsonSameBytes(&items[1], &PgBsonZero))
			return false;
		operand = items[0];
	}
	else if (!PgBsonIterIs(&operator, "$first"))
		return false;
	return PgBsonOptionIs(&operand, psprintf("$%s", pnstrdup(name, len)));
}

/* Is it a $lookup by a unique _id, of many documents in any order? */
static bool
can_join(const PgBsonChain *chain, int step)
{
	const PgBsonLookup *lookup = list_nth(chain->steps, step);
	const PgBsonSource *source;
	uint32		len;
	const char *as;

	if (lookup->node.kind != PGBSON_NODE_LOOKUP || lookup->unwind != NULL || lookup->piped ||
		!PgBsonOptionIs(&lookup->foreign, "_id"))
		return false;
	source = lookup->other.source;
	as = PgBsonValueString(&lookup->as, &len);
	return source->unique_id && !source->collated && !source->inherited && memchr(as, '.', len) == NULL &&
		!PgBsonChainIsOrdered(chain, step) && !are_few(chain, step);
}

void
PgBsonRuleLookup(PgBsonChain *chain)
{
	for (int i = 0; i < list_length(chain->steps); i++)
	{
		PgBsonLookup *join;

		if (!can_join(chain, i))
			continue;
		join = PgBsonRuleCopy(list_nth_cell(chain->steps, i), sizeof(PgBsonLookup));
		join->by_id = true;
		if (i + 1 < list_length(chain->steps) && takes_first(list_nth(chain->steps, i + 1), &join->as))
		{
			join->first = true;
			join->node.stage = ((const PgBsonStage *) list_nth(chain->steps, i + 1))->stage;
			chain->steps = list_delete_nth_cell(chain->steps, i + 1);
		}
	}
}
