/*
 * upsert.c
 *	  The document that an upsert inserts.
 *
 * Before the update is applied, the document has the values that the query's conditions of
 * equality demand: {"a.b": 1} makes {"a": {"b": 1}}.  These conditions are $eq, $all, and $in with one
 * value, also below $and, and below $or with one branch; equal values of $in, or equal branches,
 * count as one.  Two values for one path, for example those of $all, are an error.  A
 * replacement takes nothing but the _id from the query.
 *
 * The authority is MongoDB's src/mongo/db/update/update_util.cpp and
 * src/mongo/db/query/write_ops/parsed_update.cpp's use of path_support.cpp.
 */

#include "core/order/compare.h"
#include "mongo/common/match_path.h"
#include "mongo/update/update_tree.h"

/* The equalities as the operand of a $set, {path: value, ...}, which makes the document */
typedef struct Equalities
{
	PgBsonWriter set;
	bool		only_id;
} Equalities;

/* Add the equality of a path, the field's name, with a value; for a replacement only that of _id */
static void
add_equality(Equalities *e, const PgBsonIter *field, const PgBsonValue *value)
{
	bool		below_id = field->key_len > 4 && memcmp(field->key, "_id.", 4) == 0;

	if (e->only_id && below_id)
		PgBsonReportInvalid(errmsg("cannot determine the \"_id\" of the bson document to insert"),
							errdetail("The query asks for \"%s\" instead of all of \"_id\".",
									   PgBsonNameInMessage(field->key, field->key_len)));
	if (!e->only_id || PgBsonIterIs(field, "_id"))
		PgBsonWriterField(&e->set, field->key, field->key_len, value);
}

/* The only element of an array, which may be repeated; NULL if there are different ones */
static bool
single_element(const PgBsonValue *array, PgBsonValue *element)
{
	PgBsonIter	iter;

	if (array->type != PGBSON_ARRAY || !PgBsonFirst(array, &iter))
		return false;
	*element = iter.value;
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (PgBsonCompare(element, &iter.value) != 0)
			return false;
	}
	return true;
}

/* Does the document begin with an operator?  A reference (DBRef) does not. */
static bool
is_operator(const PgBsonValue *value)
{
	PgBsonIter	iter;

	return value->type == PGBSON_DOCUMENT && PgBsonFirst(value, &iter) && iter.key[0] == '$' &&
		!PgBsonKeyIsReference(iter.key, iter.key_len);
}

/* Add the equality unless the value is an operator, or a regular expression, which is a pattern without $eq */
static void
add_unless_pattern(Equalities *e, const PgBsonIter *field, const PgBsonValue *value)
{
	if (value->type != PGBSON_REGEX && !is_operator(value))
		add_equality(e, field, value);
}

/* Collect the equalities of the operators on one path: $eq, $all, $in of one value */
static void
add_operators(Equalities *e, const PgBsonIter *field)
{
	PgBsonValue element;

	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		if (PgBsonIterIs(&iter, "$eq"))
			add_equality(e, field, &iter.value);
		else if (PgBsonIterIs(&iter, "$all"))
		{
			PgBsonForEach(value, PgBsonValueView(&iter.value))
				add_unless_pattern(e, field, &value.value);
		}
		else if (PgBsonIterIs(&iter, "$in") && single_element(&iter.value, &element))
			add_unless_pattern(e, field, &element);
	}
}

/* Collect all equalities of the query */
static void
add_query(Equalities *e, PgBsonView query)
{
	PgBsonValue branch;

	check_stack_depth();
	PgBsonForEach(iter, query)
	{
		if (PgBsonIterIs(&iter, "$and"))
		{
			PgBsonForEach(part, PgBsonValueView(&iter.value))
				add_query(e, PgBsonValueView(&part.value));
		}
		else if (PgBsonIterIs(&iter, "$or"))
		{
			if (single_element(&iter.value, &branch))
				add_query(e, PgBsonValueView(&branch));
		}
		else if (iter.key[0] == '$')
			continue;
		else if (is_operator(&iter.value))
			add_operators(e, &iter);
		else
			add_unless_pattern(e, &iter, &iter.value);
	}
}

/* The document of the query's equalities, palloc'd */
static PgBson *
document_of_query(const PgBsonValue *query, bool only_id)
{
	const PgBsonUpdateInput input = {0};
	Equalities	e = {.only_id = only_id};
	PgBson	   *result = NULL;
	PgBsonValue known = PgBsonQueryKnown(query);
	PgBsonValue update;

	/* errors of the query come first */
	if (PgBsonQueryHas(PgBsonQueryParse(&known), PGBSON_QUERY_EXPR))
		PgBsonReportInvalid(errmsg("operator \"$expr\" is not allowed in the query of a bson upsert"));
	PgBsonWriterBegin(&e.set, known.len);
	add_query(&e, PgBsonValueView(&known));
	update = PgBsonWriterEnd(&e.set, PGBSON_DOCUMENT);
	update = PgBsonMakePair("$set", 4, &update);
	if (e.set.count > 0)
		result = PgBsonUpdateApply(PgBsonUpdateParse(&update, NULL, true), PgBsonEmpty, &input);
	return result != NULL ? result : PgBsonEmptyOf(PGBSON_DOCUMENT);
}

/* Refuse an _id that MongoDB cannot store */
static void
check_id_value(const PgBsonValue *id)
{
	if (id->type == PGBSON_ARRAY || id->type == PGBSON_REGEX || id->type == PGBSON_UNDEFINED)
		PgBsonReportInvalid(errmsg("invalid \"_id\" of a bson document"),
							errdetail("It is neither an array nor a regular expression nor undefined."));
	if (id->type != PGBSON_DOCUMENT)
		return;
	PgBsonForEach(iter, PgBsonValueView(id))
	{
		if (iter.key[0] == '$')
			PgBsonReportInvalid(errmsg("invalid \"_id\" of a bson document"),
								errdetail("A field in it does not begin with a dollar."));
	}
}

PgBson *
PgBsonWithId(PgBson *doc)
{
	PgBsonView	view = PgBsonViewOf(doc);
	PgBsonIter	iter = PgBsonIterBegin(view);
	bool		is_first = PgBsonIterNext(&iter) && PgBsonIterIs(&iter, "_id");
	PgBsonValue id = iter.value;
	uint8		oid[PGBSON_OBJECTID_SIZE];

	if (!is_first && !PgBsonFindKey(view, "_id", 3, &id))
	{
		PgBsonObjectIdMake(oid);
		id = (PgBsonValue) {PGBSON_OBJECTID, sizeof(oid), oid};
	}
	check_id_value(&id);
	return is_first ? doc : PgBsonUpdateWithId(view, &id);
}

PgBson *
PgBsonUpsert(const PgBsonUpdate *update, const PgBsonValue *query, const PgBsonUpdateInput *input)
{
	PgBson	   *doc = document_of_query(query, update->root == NULL && update->pipeline == NULL);
	PgBson	   *updated;

	Assert(update->insert);
	updated = PgBsonUpdateApply(update, PgBsonViewOf(doc), input);
	return PgBsonWithId(updated != NULL ? updated : doc);
}

bool
PgBsonUpsertId(const PgBsonValue *filter, PgBsonValue *id)
{
	PgBsonIter	iter;

	if (filter->type != PGBSON_DOCUMENT || !PgBsonFirst(filter, &iter) || !PgBsonIterIs(&iter, "_id") ||
		iter.value.type == PGBSON_REGEX || is_operator(&iter.value))
		return false;
	*id = iter.value;
	if (PgBsonIterNext(&iter))
		return false;
	check_id_value(id);
	return true;
}
