/*
 * update_operator.c
 *	  The table of update operators by name, and those operators that need just a line.
 *
 * The authority is MongoDB's src/mongo/db/update/modifier_table.cpp and the nodes
 * that it names.
 */
#include "mongo/update/update_tree.h"

#include "core/order/compare.h"
#include "mongo/common/options.h"

void
PgBsonUpdateWrongOperand(const PgBsonUpdateOp *op, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of \"%s\" for \"%s\" in a bson update",
								op->operator->name, PgBsonNameInMessage(op->path, op->path_len)),
						errdetail_internal("%s", _(detail)));
}

void
PgBsonUpdateWrongPlace(const PgBsonUpdateOp *op, PgBsonType found, const char *detail)
{
	PgBsonReportInvalid(errmsg("cannot apply \"%s\" to the bson value of type %s at \"%s\"",
								op->operator->name, PgBsonTypeName(found), PgBsonNameInMessage(op->path, op->path_len)),
						errdetail_internal("%s", _(detail)));
}

/* $set and $setOnInsert, whose code is 1 */
static bool
change_set(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	*new = op->operand;
	return op->operator->code == 0 || run->update->insert;
}

static bool
change_unset(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	new->type = PGBSON_EOD;
	return old != NULL;
}

/* $min and $max, whose code is the sign of the comparison for which the operand replaces the old value */
static bool
change_extreme(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	*new = op->operand;
	return old == NULL || PgBsonCompare(new, old) * op->operator->code > 0;
}

static void
prepare_current_date(PgBsonUpdateOp *op)
{
	bool		valid = op->operand.type == PGBSON_BOOL;

	if (op->operand.type == PGBSON_DOCUMENT)
	{
		PgBsonForEach(iter, PgBsonValueView(&op->operand))
		{
			op->flag = PgBsonOptionIs(&iter.value, "timestamp");
			valid = PgBsonIterIs(&iter, "$type") && (op->flag || PgBsonOptionIs(&iter.value, "date"));
			if (!valid)
				break;
		}
	}
	if (!valid)
		PgBsonUpdateWrongOperand(op, gettext_noop("true, {\"$type\": \"date\"} or {\"$type\": \"timestamp\"} is expected."));
}

static bool
change_current_date(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	int64		now = 0;

	if (!run->input->has_now)
		PgBsonReportInvalid(errmsg("\"$currentDate\" in a bson update needs the current time"),
							errdetail("The function bson_apply is immutable and does not look at the clock."),
							errhint("Pass the time as the argument \"at\", or use the function bson_update."));
	(void) PgBsonTimestampToDate(run->input->now, &now);
	new->type = op->flag ? PGBSON_TIMESTAMP : PGBSON_DATE;
	new->len = 8;
	new->data = run->number;
	if (op->flag)
	{
		/* a timestamp is stored as the increment, then the seconds */
		PgBsonWriteU32(run->number, 1);
		PgBsonWriteU32(run->number + 4, (uint32) (now / 1000));
	}
	else
		PgBsonWriteU64(run->number, (uint64) now);
	return true;
}

static const PgBsonUpdateOperator operators[] =
{
	{"$set", true, false, NULL, change_set},
	{"$unset", false, false, NULL, change_unset},
	{"$inc", true, false, PgBsonPrepareNumber, PgBsonChangeNumber, 0},
	{"$mul", true, false, PgBsonPrepareNumber, PgBsonChangeNumber, 1},
	{"$bit", true, false, PgBsonPrepareBit, PgBsonChangeBit},
	{"$min", true, false, NULL, change_extreme, -1},
	{"$max", true, false, NULL, change_extreme, 1},
	{"$push", true, false, PgBsonPreparePush, PgBsonChangePush},
	{"$addToSet", true, false, PgBsonPrepareAddToSet, PgBsonChangeAddToSet},
	{"$pull", false, true, PgBsonPreparePull, PgBsonChangePull},
	{"$pullAll", false, true, PgBsonPreparePullAll, PgBsonChangePull},
	{"$pop", false, true, PgBsonPreparePop, PgBsonChangePull, 1},
	{"$currentDate", true, false, prepare_current_date, change_current_date},
	{"$setOnInsert", true, false, NULL, change_set, 1},
};

const PgBsonUpdateOperator *
PgBsonUpdateFindOperator(const PgBsonIter *iter)
{
	const PgBsonUpdateOperator *found = PgBsonRowNamed(operators, iter->key, iter->key_len);

	if (PgBsonIterIs(iter, "$rename"))
		return &PgBsonUpdateRename;
	if (found == NULL)
		PgBsonReportInvalid(errmsg("unknown operator in a bson update: \"%s\"",
									PgBsonNameInMessage(iter->key, iter->key_len)),
							iter->key_len == 0 || iter->key[0] != '$'
							? errdetail("An update must have operators only, or none.") : 0);
	return found;
}

bool
PgBsonUpdateCreates(const PgBsonUpdateOperator *operator, bool insert)
{
	return operator->creates && (insert || operator->change != change_set || operator->code == 0);
}
