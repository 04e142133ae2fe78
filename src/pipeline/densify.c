/*
 * densify.c
 *	  $densify: documents for what is missing in a series of numbers or dates.
 *
 * See src/mongo/db/pipeline/document_source_densify.cpp of MongoDB.
 *
 * bson_series makes the values that should be there, from the least to the greatest
 * of all documents or of a partition, or between given bounds.  An anti-join leaves
 * those that no document has, and each of these becomes a document.
 */
#include "pipeline/stage.h"

#include "core/order/compare.h"
#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

typedef enum Bounds
{
	OF_ALL, OF_PARTITION, GIVEN
} Bounds;

typedef struct Densify
{
	const char *name;			/* of the stage */
	PgBsonValue field;
	PgBsonValue partition;		/* {a: "$a", b: {c: "$b.c"}}; missing: there is none */
	PgBsonValue sort;
	Bounds		bounds;
	PgBsonValue lower;
	PgBsonValue upper;
	PgBsonValue step;
	const char *unit;			/* in SQL */
	bool		is_of_numbers;
} Densify;

/* The names of a path */
static PgBsonNames
names_of(const Densify *densify, const PgBsonValue *path)
{
	uint32		len;
	const char *s;

	if (path->type != PGBSON_STRING)
		PgBsonStageWrong(densify->name, gettext_noop("The names of fields must be strings."));
	s = PgBsonValueString(path, &len);
	return PgBsonNestedSplit(s, len, "a field of stage \"$densify\"");
}

/* Are two paths the same, or does one begin with the other? */
static bool
overlap(const PgBsonNames *a, const PgBsonNames *b)
{
	for (int i = 0; i < Min(a->count, b->count); i++)
	{
		if (a->names[i].key_len != b->names[i].key_len || memcmp(a->names[i].key, b->names[i].key, a->names[i].key_len) != 0)
			return false;
	}
	return true;
}

static void
parse_partition(Densify *densify, const PgBsonValue *fields, PgBsonWriter *sort)
{
	PgBsonValue one = PgBsonMakeInt32(1);

	if (PgBsonViewCount(PgBsonValueView(fields)) == 0)
		return;
	densify->partition = PgBsonMakeDocument(NULL);
	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonNames names = names_of(densify, &iter.value);
		PgBsonNames field = names_of(densify, &densify->field);
		uint32		len;
		const char *s = PgBsonValueString(&iter.value, &len);
		PgBsonValue path = PgBsonOperandField(s, len);

		if (overlap(&names, &field))
			PgBsonStageWrong(densify->name, gettext_noop("\"field\" must not be among \"partitionByFields\", nor within one or around one."));
		densify->partition = PgBsonNestedPut(&densify->partition, &names, &path);
		if (densify->bounds != OF_ALL)
			PgBsonWriterField(sort, s, len, &one);
	}
}

static void
parse_bounds(Densify *densify, const PgBsonValue *bounds)
{
	PgBsonValue *ends;
	int			count;

	densify->lower = densify->upper = PgBsonMissing;
	densify->bounds = PgBsonOptionIs(bounds, "full") ? OF_ALL : OF_PARTITION;
	if (densify->bounds == OF_ALL || PgBsonOptionIs(bounds, "partition"))
		return;
	if (bounds->type == PGBSON_ARRAY)
	{
		ends = PgBsonValuesOf(bounds, &count);
		if (count == 2 && PgBsonCompare(&ends[0], &ends[1]) <= 0)
		{
			densify->bounds = GIVEN;
			densify->lower = ends[0];
			densify->upper = ends[1];
			return;
		}
	}
	PgBsonStageWrong(densify->name, gettext_noop("\"bounds\" must be \"full\", \"partition\", or an array of two numbers or dates, the lower one first."));
}

/* Read {step, bounds, unit}. A series is begun with them, only to raise the errors of an invalid range now. */
static void
parse_range(Densify *densify, const PgBsonValue *range)
{
	PgBsonEqualSteps steps = {0};
	PgBsonValue bounds;
	PgBsonValue unit;

	densify->unit = "NULL";
	PgBsonStageOptions(densify->name, range, "step bounds unit:s", &densify->step, &bounds, &unit);
	if (unit.type != PGBSON_MISSING)
	{
		steps.unit = PgBsonOperandUnit(&unit);
		densify->unit = PgBsonSqlString(steps.unit->name);
	}
	parse_bounds(densify, &bounds);
	densify->is_of_numbers = unit.type == PGBSON_MISSING;
	steps.step = densify->step;
	steps.next = densify->lower;
	steps.last = densify->upper;
	if (densify->bounds != GIVEN)
		steps.next = steps.last = steps.unit == NULL ? PgBsonMakeInt32(0) : PgBsonMakeDate(0);
	else if (steps.unit == NULL && (densify->lower.type != densify->upper.type || densify->lower.type != densify->step.type))
		PgBsonStageWrong(densify->name, gettext_noop("\"step\" and \"bounds\" must be numbers of one type, or \"bounds\" be dates and have a \"unit\"."));
	PgBsonStepsBegin(&steps);
}

static void
parse_densify(Densify *densify, const PgBsonValue *operand)
{
	PgBsonValue range;
	PgBsonValue partition;
	PgBsonValue one = PgBsonMakeInt32(1);
	PgBsonWriter sort;
	uint32		len;
	const char *s;

	PgBsonStageOptions(densify->name, operand, "field! range:d! partitionByFields:a", &densify->field, &range, &partition);
	(void) names_of(densify, &densify->field);
	parse_range(densify, &range);
	PgBsonWriterBegin(&sort, 0);
	if (partition.type != PGBSON_MISSING)
		parse_partition(densify, &partition, &sort);
	if (densify->bounds == OF_PARTITION && densify->partition.type == PGBSON_MISSING)
		PgBsonStageWrong(densify->name, gettext_noop("The bounds \"partition\" need \"partitionByFields\"."));
	s = PgBsonValueString(&densify->field, &len);
	PgBsonWriterField(&sort, s, len, &one);
	densify->sort = PgBsonWriterEnd(&sort, PGBSON_DOCUMENT);
}

/* The expression for the field's value.  Arrays are not entered, and null counts as missing. */
static PgBsonValue
value_expression(const Densify *densify)
{
	PgBsonNames names = names_of(densify, &densify->field);
	PgBsonValue remove = PgBsonMakeString("$$REMOVE", strlen("$$REMOVE"));
	PgBsonValue value = PgBsonOperandField(names.names[0].key, names.names[0].key_len);

	for (int i = 1; i < names.count; i++)
	{
		PgBsonValue field = PgBsonMakeString(names.names[i].key, names.names[i].key_len);

		value = PgBsonMakeDocument("field", &field, "input", &value, NULL);
		value = PgBsonMakeDocument("$getField", &value, NULL);
	}
	value = PgBsonMakeArray((PgBsonValue[]) {value, remove}, 2);
	return PgBsonMakeDocument("$ifNull", &value, NULL);
}

/*
 * The sorted values of all documents, or of a partition, for bson_series: from a value that a document has, the
 * series goes on in that value's type.  NULL if all are of one type.
 */
static const char *
known_sql(const Densify *densify, const PgBsonTranslation *all, const char *level)
{
	const char *type = PgBsonSql(all, "#bson_typeof(%s.value)", level);
	const char *several = densify->bounds == GIVEN ?
		psprintf("pg_catalog.bool_or(%s OPERATOR(pg_catalog.<>) %s)", type, PgBsonSqlString(PgBsonTypeName(densify->lower.type))) :
		psprintf("pg_catalog.min(%s) OPERATOR(pg_catalog.<>) pg_catalog.max(%s)", type, type);

	return psprintf("pg_catalog.array_agg(%s.value ORDER BY %s.value) FILTER (WHERE (SELECT %s FROM %s))", level, level, several, level);
}

/*
 * The ranges as an entry of FROM named r, with the column "part" if there are partitions, the columns "low" and
 * "high" unless the bounds are given, and of numbers the column "known"; NULL if there is just one range of dates
 * with given bounds
 */
static const char *
ranges_sql(const Densify *densify, const PgBsonTranslation *all, const char *level)
{
	const char *part = densify->partition.type == PGBSON_MISSING ? NULL : psprintf("%s.part", level);
	const char *low = PgBsonSql(all, "#bson_min(%s.value)", level);
	const char *high = PgBsonSql(all, "#bson_max(%s.value)", level);
	const char *columns = "";

	if (part != NULL)
		columns = psprintf(", %s AS part", part);
	if (densify->bounds == OF_ALL && part != NULL)
		columns = psprintf("%s, %s AS low, %s AS high", columns, PgBsonSql(all, "#bson_min(%s) OVER ()", low), PgBsonSql(all, "#bson_max(%s) OVER ()", high));
	else if (densify->bounds != GIVEN)
		columns = psprintf("%s, %s AS low, %s AS high", columns, low, high);
	if (densify->is_of_numbers)
		columns = psprintf("%s, %s AS known", columns, known_sql(densify, all, level));
	if (*columns == '\0')
		return NULL;
	return psprintf("(SELECT %s FROM %s%s) AS r", columns + 2, level,
					part == NULL ? "" : psprintf(" WHERE %s.value IS NOT NULL GROUP BY %s", level, part));
}

/* SELECT of the documents that are missing from a level with the columns "data", "value" and "part" */
static const char *
missing_sql(const Densify *densify, const PgBsonTranslation *all, const char *level)
{
	const char *ranges = ranges_sql(densify, all, level);
	const char *part = densify->partition.type == PGBSON_MISSING ? PgBsonSql(all, "#bson '{}'") : "r.part";
	bool		given = densify->bounds == GIVEN;
	uint32		len;
	const char *field = PgBsonValueString(&densify->field, &len);
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "SELECT %s AS data\nFROM %s%s",
					 PgBsonSql(all, "#bson_put(%s, %s, v.value)", part, PgBsonSqlText(field, len)),
					 ranges == NULL ? "" : ranges, ranges == NULL ? "" : " CROSS JOIN LATERAL ");
	appendStringInfo(&buf, "%s\nWHERE ", PgBsonSql(all, "#bson_series(%s, %s, %s, %s%s) AS v(value)",
												   given ? PgBsonSqlArgument(all->schema, &densify->lower) : "r.low",
												   given ? PgBsonSqlArgument(all->schema, &densify->upper) : "r.high",
												   PgBsonSqlArgument(all->schema, &densify->step), densify->unit,
												   densify->is_of_numbers ? ", r.known" : ""));
	/* the upper bound itself does not belong to the range, unless it equals the lower one */
	if (given && PgBsonCompare(&densify->lower, &densify->upper) != 0)
		appendStringInfoString(&buf, PgBsonSql(all, "v.value OPERATOR(#<>) %s AND ", PgBsonSqlArgument(all->schema, &densify->upper)));
	appendStringInfo(&buf, "NOT EXISTS (SELECT 1 FROM %s WHERE %s", level, PgBsonSql(all, "%s.value OPERATOR(#=) v.value", level));
	if (densify->partition.type != PGBSON_MISSING)
		appendStringInfoString(&buf, PgBsonSql(all, " AND %s.part OPERATOR(#=) r.part", level));
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

void
PgBsonDensifyAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	const PgBsonTranslation *all = select->all;
	Densify		densify = {name};
	PgBsonValue value;
	const char *columns;
	const char *level;
	const char *united;

	parse_densify(&densify, operand);
	PgBsonSelectForgetOrder(select);
	PgBsonSelectPlain(select);
	select->order = NULL;
	value = value_expression(&densify);
	columns = PgBsonSql(all, "#bson_range_value(%s, %s) AS value", PgBsonOperandSql(select, &value), densify.unit);
	if (densify.partition.type != PGBSON_MISSING)
		columns = psprintf("%s, %s AS part", columns, PgBsonOperandSql(select, &densify.partition));
	level = PgBsonSelectLevel(select, columns);

	united = psprintf("s%d", ++select->all->nlevels);
	PgBsonSelectEntry(select, united, psprintf("SELECT %s.data AS data\nFROM %s\nUNION ALL\n%s", level, level,
											   missing_sql(&densify, all, level)), true);
	select->from = united;
	select->base = psprintf("%s.data", united);
	select->fields = NIL;
	PgBsonStageSort(select, &densify.sort);
}
