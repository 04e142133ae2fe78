/*
 * rule_lookup.c
 *	  $lookup by an _id that is unique.
 *
 * It becomes a join of the tables, which need not search the other table once for each document.  If $set then takes the
 * first document found, that belongs to the step: the field is a document and no array.  A join may change the order of the
 * documents, so it is for documents whose order is not defined.
 */
#include "pipeline/rules/rules.h"

#include "mongo/common/options.h"

/* Is it {$set: {as: {$first: "$as"}}}, or the same with $arrayElemAt? */
static bool
takes_first(const PgBsonStage *step, const PgBsonValue *as)
{
	PgBsonValue zero = PgBsonMakeInt32(0);
	PgBsonIter	field;
	PgBsonIter	operator;
	PgBsonValue operand;
	PgBsonValue *items;
	uint32		len;
	const char *name = PgBsonValueString(as, &len);
	int			count;

	if (step->kind != PGBSON_NODE_COMPUTE || PgBsonNameAmong("$set $addFields", step->name, strlen(step->name)) < 0 ||
		PgBsonViewCount(PgBsonValueView(&step->operand)) != 1 || !PgBsonFirst(&step->operand, &field) ||
		field.key_len != len || memcmp(field.key, name, len) != 0 || field.value.type != PGBSON_DOCUMENT ||
		PgBsonViewCount(PgBsonValueView(&field.value)) != 1 || !PgBsonFirst(&field.value, &operator))
		return false;
	operand = operator.value;
	if (PgBsonIterIs(&operator, "$arrayElemAt") && operand.type == PGBSON_ARRAY)
	{
		items = PgBsonValuesOf(&operand, &count);
		if (count != 2 || items[1].type != PGBSON_INT32 || memcmp(items[1].data, zero.data, 4) != 0)
			return false;
		operand = items[0];
	}
	else if (!PgBsonIterIs(&operator, "$first"))
		return false;
	return PgBsonOptionIs(&operand, psprintf("$%s", pnstrdup(name, len)));
}

void
PgBsonRuleLookup(PgBsonChain *chain)
{
	for (int i = 0; i < list_length(chain->steps); i++)
	{
		const PgBsonLookup *lookup = list_nth(chain->steps, i);
		PgBsonLookup *join;
		uint32		len;
		const char *as;

		if (lookup->node.kind != PGBSON_NODE_LOOKUP || lookup->unwind != NULL || lookup->piped || !lookup->other.source->unique_id || lookup->other.source->collated ||
			lookup->other.source->inherited ||
			!PgBsonOptionIs(&lookup->foreign, "_id") || PgBsonChainIsOrdered(chain, i))
			continue;
		as = PgBsonValueString(&lookup->as, &len);
		if (memchr(as, '.', len) != NULL)
			continue;
		join = PgBsonRuleCopy(list_nth_cell(chain->steps, i), sizeof(PgBsonLookup));
		join->by_id = true;
		if (i + 1 < list_length(chain->steps) && takes_first(list_nth(chain->steps, i + 1), &lookup->as))
		{
			join->first = true;
			join->node.stage = ((const PgBsonStage *) list_nth(chain->steps, i + 1))->stage;
			chain->steps = list_delete_nth_cell(chain->steps, i + 1);
		}
	}
}
