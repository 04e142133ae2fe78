/*
 * rule_inline.c
 *	  $set of fields that only a $group reads, each once.
 *
 * The $group computes their expressions itself, and no document is made with them.
 */
#include "pipeline/rules/rules.h"

/* The expression of $set for this operand, if it is the path of one of its fields; *uses counts how often */
static const PgBsonIter *
computed(const List *fields, int *uses, const PgBsonValue *operand)
{
	ListCell   *lc;
	uint32		len;
	const char *s = operand->type == PGBSON_STRING ? PgBsonValueString(operand, &len) : NULL;

	foreach(lc, s == NULL ? NIL : fields)
	{
		const PgBsonIter *field = lfirst(lc);

		if (len == field->key_len + 1 && s[0] == '$' && memcmp(s + 1, field->key, field->key_len) == 0)
		{
			uses[foreach_current_index(lc)]++;
			return field;
		}
	}
	return NULL;
}

/* The operand with the expression of $set in its place; what another operand reads is noted */
static PgBsonValue
inlined(const List *fields, int *uses, PgBsonReads *reads, const PgBsonValue *operand)
{
	const PgBsonIter *field = computed(fields, uses, operand);

	if (field != NULL)
		return field->value;
	PgBsonReadsExpression(reads, operand);
	return *operand;
}

/* The _id with expressions of $set in the place of their paths: of the whole _id, or of each field if it is a document */
static PgBsonValue
inlined_id(const List *fields, int *uses, PgBsonReads *reads, const PgBsonValue *id)
{
	PgBsonWriter maker;

	if (id->type != PGBSON_DOCUMENT || PgBsonOperandComputes(id))
		return inlined(fields, uses, reads, id);
	PgBsonWriterBegin(&maker, id->len);
	PgBsonForEach(iter, PgBsonValueView(id))
	{
		PgBsonValue value = inlined(fields, uses, reads, &iter.value);

		PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

/* The group with these fields computed by itself; NULL if they cannot be */
static PgBsonGroup *
with_fields(const PgBsonGroup *group, const List *fields)
{
	int		   *uses = palloc0_array(int, list_length(fields));
	PgBsonReads reads = {NIL};
	PgBsonWriter maker;
	PgBsonGroup *result = palloc_object(PgBsonGroup);
	ListCell   *lc;

	*result = *group;
	result->id = inlined_id(fields, uses, &reads, &group->id);
	PgBsonWriterBegin(&maker, group->fields.len);
	PgBsonForEach(iter, PgBsonValueView(&group->fields))
	{
		PgBsonValue value = result->id;
		PgBsonIter	accumulator;

		if (!PgBsonIterIs(&iter, "_id"))
		{
			(void) PgBsonFirst(&iter.value, &accumulator);
			value = inlined(fields, uses, &reads, &accumulator.value);
			value = PgBsonMakePair(accumulator.key, accumulator.key_len, &value);
		}
		PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
	}
	result->fields = result->node.operand = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	foreach(lc, fields)
	{
		const PgBsonIter *field = lfirst(lc);

		/* one that is not used could raise an error, one that is used twice takes longer */
		if (uses[foreach_current_index(lc)] != 1 || reads.all || PgBsonFindNamed(reads.names, field->key, field->key_len) != NULL)
			return NULL;
	}
	return result;
}

/* The fields of $set (PgBsonIter *); NIL if they are not all simple names with an expression */
static List *
fields_of(const PgBsonStage *step)
{
	List	   *fields = NIL;

	if (step->kind != PGBSON_NODE_COMPUTE || PgBsonNameAmong("$set $addFields", step->name, strlen(step->name)) < 0 ||
		PgBsonHasDuplicateKeys(PgBsonValueView(&step->operand)))
		return NIL;
	PgBsonForEach(iter, PgBsonValueView(&step->operand))
	{
		PgBsonIter *field = palloc_object(PgBsonIter);

		if (memchr(iter.key, '.', iter.key_len) != NULL || !PgBsonOperandComputes(&iter.value))
			return NIL;
		*field = iter;
		fields = lappend(fields, field);
	}
	return fields;
}

void
PgBsonRuleInline(PgBsonChain *chain)
{
	for (int i = list_length(chain->steps) - 1; i > 0; i--)
	{
		const PgBsonGroup *group = list_nth(chain->steps, i);
		List	   *fields;
		PgBsonGroup *alone;

		if (group->node.kind != PGBSON_NODE_GROUP)
			continue;
		fields = fields_of(list_nth(chain->steps, i - 1));
		alone = fields == NIL ? NULL : with_fields(group, fields);
		if (alone == NULL)
			continue;
		lfirst(list_nth_cell(chain->steps, i)) = alone;
		/* a $set before that can be the next */
		chain->steps = list_delete_nth_cell(chain->steps, i - 1);
	}
}
