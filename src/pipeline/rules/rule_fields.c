/*
 * rule_fields.c
 *	  $group by a document of several fields.
 *
 * To group by each field's value gives the same groups, as documents are equal if their fields are, and the document
 * need be made once for a group only.  If none of the fields is a path, to evaluate them one by one takes longer.
 */
#include "pipeline/rules/rules.h"

#include "core/bytes/view.h"

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

void
PgBsonRuleFields(PgBsonChain *chain)
{
	ListCell   *lc;

	foreach(lc, chain->steps)
	{
		const PgBsonGroup *group = lfirst(lc);

		if (group->node.kind == PGBSON_NODE_GROUP && group->nboundaries == 0 && group->buckets == 0 &&
			has_fields(&group->id))
			((PgBsonGroup *) PgBsonRuleCopy(lc, sizeof(PgBsonGroup)))->by_fields = true;
	}
}
