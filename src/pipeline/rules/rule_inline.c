/*
 * rule_inline.c
 *	  Fields that $set or $project computes, and that only the next step reads.
 *
 * A $group computes those that it reads once itself, and so does a $match.  No document is made with them.
 */
#include "pipeline/rules/rules.h"

#include "mongo/expr/expr.h"

/* A field that a step computes */
typedef struct MadeField
{
	PgBsonKeyRef name;			/* the first member */
	PgBsonValue value;			/* the expression */
	int			uses;			/* how often the next step reads it as an operand */
} MadeField;

/* What a step makes of documents */
typedef struct Made
{
	List	   *fields;			/* MadeField * */
	List	   *kept;			/* PgBsonKeyRef *: of $project, the fields that it keeps as they are */
	bool		keeps_others;
} Made;

/* The fields of $set or $project; false if they are not all simple names, or none has an expression */
static bool
find_made(const PgBsonStage *step, Made *made)
{
	static const PgBsonKeyRef id = {"_id", 3};
	bool		names_id = false;

	*made = (Made) {.keeps_others = strcmp(step->name, "$project") != 0};
	if (step->kind != PGBSON_NODE_COMPUTE || PgBsonNameAmong("$set $addFields $project", step->name, strlen(step->name)) < 0 ||
		PgBsonHasDuplicateKeys(PgBsonValueView(&step->operand)))
		return false;
	PgBsonForEach(iter, PgBsonValueView(&step->operand))
	{
		MadeField  *field = palloc0_object(MadeField);
		bool		is_id = PgBsonIterIs(&iter, "_id");

		field->name = (PgBsonKeyRef) {iter.key, iter.key_len};
		field->value = iter.value;
		names_id |= is_id;
		if (memchr(iter.key, '.', iter.key_len) != NULL)
			return false;
		if (PgBsonOperandComputes(&iter.value))
			made->fields = lappend(made->fields, field);
		else if (made->keeps_others || !(PgBsonIsNumber(iter.value.type) || iter.value.type == PGBSON_BOOL))
			return false;
		else if (PgBsonExprIsTrue(&iter.value))
			made->kept = lappend(made->kept, field);
		else if (!is_id)
			return false;
	}
	if (!names_id)
		made->kept = lappend(made->kept, unconstify(PgBsonKeyRef *, &id));
	return made->fields != NIL;
}

/* Are all of these fields the same before the step? */
static bool
keeps_all(const Made *made, const PgBsonReads *reads)
{
	foreach_ptr(const PgBsonKeyRef, name, reads->names)
	{
		if ((PgBsonFindNamed(made->keeps_others ? made->fields : made->kept, name->key, name->len) != NULL) ==
			made->keeps_others)
			return false;
	}
	return !reads->all && !reads->shown;
}

/* The operand, or the expression of the field whose path it is; what another operand reads is noted */
static PgBsonValue
inlined(Made *made, PgBsonReads *reads, const PgBsonValue *operand)
{
	PgBsonKeyRef path;
	MadeField  *field = PgBsonOperandIsPath(operand, &path) ? PgBsonFindNamed(made->fields, path.key, path.len) : NULL;

	if (field == NULL)
	{
		PgBsonReadsExpression(reads, operand);
		return *operand;
	}
	field->uses++;
	return field->value;
}

/* The _id with expressions in the place of paths: of the whole _id, or of each field if it is a document */
static PgBsonValue
inlined_id(Made *made, PgBsonReads *reads, const PgBsonValue *id)
{
	PgBsonWriter maker;

	if (id->type != PGBSON_DOCUMENT || PgBsonOperandComputes(id))
		return inlined(made, reads, id);
	PgBsonWriterBegin(&maker, id->len);
	PgBsonForEach(iter, PgBsonValueView(id))
	{
		PgBsonValue value = inlined(made, reads, &iter.value);

		PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

/* The group with these fields computed by itself; NULL if they cannot be */
static PgBsonGroup *
group_of(const PgBsonGroup *group, Made *made)
{
	PgBsonReads reads = {NIL};
	PgBsonWriter maker;
	PgBsonGroup *result = palloc_object(PgBsonGroup);

	*result = *group;
	result->id = inlined_id(made, &reads, &group->id);
	PgBsonWriterBegin(&maker, group->fields.len);
	PgBsonForEach(iter, PgBsonValueView(&group->fields))
	{
		PgBsonValue value = result->id;
		PgBsonIter	accumulator;

		if (!PgBsonIterIs(&iter, "_id"))
		{
			(void) PgBsonFirst(&iter.value, &accumulator);
			value = inlined(made, &reads, &accumulator.value);
			value = PgBsonMakePair(accumulator.key, accumulator.key_len, &value);
		}
		PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
	}
	result->fields = result->node.operand = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	foreach_ptr(const MadeField, field, made->fields)
	{
		/* one that is not used could raise an error, one that is used twice takes longer */
		if (field->uses != 1)
			return NULL;
	}
	return keeps_all(made, &reads) ? result : NULL;
}

/* The filter with the fields computed by itself; NULL if it does not read all of them, or perhaps others */
static PgBsonFilter *
filter_of(const PgBsonFilter *filter, const Made *made)
{
	PgBsonFilter *result = palloc_object(PgBsonFilter);
	PgBsonCondition *condition = palloc0_object(PgBsonCondition);
	PgBsonReads reads = {NIL};
	PgBsonWriter maker;
	int			found = 0;

	if (list_length(filter->conditions) != 1)
		return NULL;
	*condition = *(const PgBsonCondition *) linitial(filter->conditions);
	PgBsonReadsQuery(&reads, &condition->value);
	if (condition->kind != PGBSON_CONDITION_QUERY || reads.all)
		return NULL;
	PgBsonWriterBegin(&maker, 0);
	foreach_ptr(const PgBsonKeyRef, name, reads.names)
	{
		const MadeField *field = PgBsonFindNamed(made->fields, name->key, name->len);
		PgBsonValue value = PgBsonOperandField(name->key, name->len);

		found += field != NULL;
		if (field != NULL || made->keeps_others || PgBsonFindNamed(made->kept, name->key, name->len) != NULL)
			PgBsonWriterField(&maker, name->key, name->len, field != NULL ? &field->value : &value);
	}
	/* one that is not tested could raise an error */
	if (found < list_length(made->fields))
		return NULL;
	condition->kind = PGBSON_CONDITION_COMPUTED;
	condition->computed = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	*result = *filter;
	result->conditions = list_make1(condition);
	result->node.operand = PgBsonMakeDocument("$expr", &condition->computed, NULL);
	return result;
}

void
PgBsonRuleTest(PgBsonChain *chain, int step)
{
	PgBsonFilter *filter;
	PgBsonReads rest = {NIL};
	Made		made;

	if (step == 0 || !find_made(list_nth(chain->steps, step - 1), &made))
		return;
	filter = filter_of(list_nth(chain->steps, step), &made);
	/* what is read again would be computed twice */
	PgBsonReadsSteps(&rest, chain->steps, step + 1);
	if (filter == NULL || !keeps_all(&made, &rest))
		return;
	lfirst(list_nth_cell(chain->steps, step)) = filter;
	chain->steps = list_delete_nth_cell(chain->steps, step - 1);
}

void
PgBsonRuleInline(PgBsonChain *chain, int step)
{
	PgBsonGroup *alone = NULL;
	Made		made;

	if (step > 0 && find_made(list_nth(chain->steps, step - 1), &made))
		alone = group_of(list_nth(chain->steps, step), &made);
	if (alone == NULL)
		return;
	lfirst(list_nth_cell(chain->steps, step)) = alone;
	/* a $set before that can be the next */
	chain->steps = list_delete_nth_cell(chain->steps, step - 1);
}
