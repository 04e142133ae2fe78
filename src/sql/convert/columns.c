/*
 * columns.c
 *	  The columns of a row type, and where a document has their values.
 */
#include "sql/convert/populate.h"

#include "core/bytes/recode.h"
#include "utils/typcache.h"

/* Make the set of the columns' names, without dropped columns */
static void
name_columns(PgBsonColumns *row)
{
	int			natts = row->tupdesc->natts;

	PgBsonKeySetInit(&row->names);
	row->by_name = palloc(sizeof(int) * (natts + 1));
	row->columns = palloc0(sizeof(PgBsonColumn) * (natts + 1));
	row->wanted = 0;
	memset(&row->fields, 0, sizeof(row->fields));

	for (int i = 0; i < natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(row->tupdesc, i);
		PgBsonColumn *column = &row->columns[i];
		const char *name = NameStr(att->attname);
		PgBsonKeyEntry *entry;
		bool		found;

		column->same_as = -1;
		if (att->attisdropped)
			continue;
		column->name_len = strlen(name);
		column->name = PgBsonFromServerText(name, &column->name_len);
		entry = PgBsonKeySetEnter(&row->names, column->name, column->name_len, &found);
		/* an anonymous row may have two columns of the same name */
		if (found)
			column->same_as = row->by_name[entry - row->names.entries];
		else
		{
			if (row->wanted < PGBSON_MAX_FIELDS)
				PgBsonFieldsAdd(&row->fields, column->name, column->name_len);
			row->by_name[row->wanted++] = i;
		}
	}
}

PgBsonColumns *
PgBsonColumnsOf(MemoryContext context, PgBsonColumns **kept, Oid typid, int32 typmod)
{
	PgBsonColumns *row = *kept;
	uint64		identifier = assign_record_type_identifier(typid, typmod);
	MemoryContext old;

	if (row == NULL)
	{
		row = *kept = MemoryContextAllocZero(context, sizeof(PgBsonColumns));
		row->context = AllocSetContextCreate(context, "bson columns",
											 ALLOCSET_SMALL_SIZES);
	}
	else if (row->identifier == identifier)
		return row;

	row->identifier = 0;		/* so that it is invalid if an error occurs below */
	MemoryContextReset(row->context);
	old = MemoryContextSwitchTo(row->context);
	row->tupdesc = lookup_rowtype_tupdesc_copy(typid, typmod);
	name_columns(row);
	MemoryContextSwitchTo(old);
	row->identifier = identifier;
	return row;
}

/*
 * Does the column have the current element's name? Dropped columns, and those
 * with the name of an earlier one, do not count.
 */
static inline bool
is_column(const PgBsonColumn *column, const PgBsonIter *iter)
{
	return column->name_len == iter->key_len && column->name != NULL &&
		column->same_as < 0 && memcmp(column->name, iter->key, iter->key_len) == 0;
}

/* The column with the current element's name, or -1 */
static int
column_of_element(PgBsonColumns *row, const PgBsonIter *iter)
{
	PgBsonKeyEntry *entry = PgBsonKeySetFind(&row->names, iter->key, iter->key_len);

	return entry == NULL ? -1 : row->by_name[entry - row->names.entries];
}

/* Find a few columns in one walk, which reads nothing of other fields */
static void
find_few(PgBsonColumns *row, PgBsonReader *reader, PgBsonValue *values)
{
	PgBsonFieldWalk walk;
	PgBsonValue value;
	int			which;

	PgBsonFieldWalkBegin(&walk, &row->fields, reader);
	while (walk.left != 0 && PgBsonNextField(&walk, &which, &value))
	{
		PgBsonFieldRead(&walk, &value);
		values[row->by_name[which]] = value;
	}
}

/* Documents often have their fields in the order of the columns, so the next column is tried first */
static void
find_many(PgBsonColumns *row, PgBsonReader *reader, PgBsonValue *values)
{
	PgBsonView	doc = PgBsonValueView(&reader->root);
	const uint8 *avail = reader->avail;
	int			natts = row->tupdesc->natts;
	PgBsonIter	iter;
	int			next = 0;
	uint32		missing = row->wanted;

	PgBsonIterInit(&iter, doc);
	while (missing > 0)
	{
		int			i;

		CHECK_FOR_INTERRUPTS();
		if (avail < iter.end)
			avail = PgBsonReachElement(reader, iter.next, iter.end, avail, true);
		if (!PgBsonIterNext(&iter))
			break;
		if (next >= natts || !is_column(&row->columns[next], &iter))
			next = column_of_element(row, &iter);
		if (next < 0)
		{
			next = natts;
			continue;
		}
		i = next++;
		if (values[i].type == PGBSON_EOD)
		{
			values[i] = iter.value;
			missing--;
		}
	}
	PgBsonUsed(reader, iter.next);
}

void
PgBsonColumnsFind(PgBsonColumns *row, PgBsonReader *reader, PgBsonValue *values)
{
	int			natts = row->tupdesc->natts;

	memset(values, 0, sizeof(PgBsonValue) * natts);
	if (row->wanted <= PGBSON_MAX_FIELDS)
		find_few(row, reader, values);
	else
		find_many(row, reader, values);
	for (int i = 0; i < natts; i++)
	{
		if (row->columns[i].same_as >= 0)
			values[i] = values[row->columns[i].same_as];
	}
}
