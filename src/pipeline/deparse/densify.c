/*
 * densify.c
 *	  $densify: documents for what is missing in a series of numbers or dates.
 *
 * bson_series makes the values that should be there, from the least to the greatest
 * of all documents or of a partition, or between given bounds.  An anti-join leaves
 * those that no document has, and each of these becomes a document.
 */
#include "pipeline/deparse/step.h"

#include "core/order/compare.h"

/*
 * The sorted values of all documents, or of a partition, for bson_series: from a value that a document has, the
 * series goes on in that value's type.  NULL if all are of one type.
 */
static const char *
known_sql(const PgBsonDensify *densify, const PgBsonTranslation *all, const char *level)
{
	const char *type = PgBsonSql(all, "#bson_typeof(%s.value)", level);
	const char *several = densify->bounds == PGBSON_BOUNDS_GIVEN ?
		psprintf("pg_catalog.bool_or(%s OPERATOR(pg_catalog.<>) %s)", type,
				 PgBsonSqlString(PgBsonTypeName(densify->lower.type))) :
		psprintf("pg_catalog.min(%s) OPERATOR(pg_catalog.<>) pg_catalog.max(%s)", type, type);

	return psprintf("pg_catalog.array_agg(%s.value ORDER BY %s.value) FILTER (WHERE (SELECT %s FROM %s))", level, level,
					several, level);
}

/*
 * The ranges as an entry of FROM named r, with the column "part" if there are partitions, the columns "low" and
 * "high" unless the bounds are given, and of numbers the column "known"; NULL if there is just one range of dates
 * with given bounds
 */
static const char *
ranges_sql(const PgBsonDensify *densify, const PgBsonTranslation *all, const char *level)
{
	const char *part = densify->partition.type == PGBSON_MISSING ? NULL : psprintf("%s.part", level);
	const char *low = PgBsonSql(all, "#bson_min(%s.value)", level);
	const char *high = PgBsonSql(all, "#bson_max(%s.value)", level);
	const char *key = PgBsonCollatedSql(all, part);
	const char *columns = "";
	const char *otherwise = "";

	if (part != NULL)
		columns = psprintf(", %s AS part", all->collation == NULL ? part : PgBsonSql(all, "#bson_uncollated(%s)", key));
	if (densify->bounds == PGBSON_BOUNDS_ALL && part != NULL)
	{
		low = PgBsonSql(all, "#bson_min(%s) OVER ()", low);
		high = PgBsonSql(all, "#bson_max(%s) OVER ()", high);
	}
	if (densify->bounds != PGBSON_BOUNDS_GIVEN)
		columns = psprintf("%s, %s AS low, %s AS high", columns, low, high);
	if (densify->unit == NULL)
		columns = psprintf("%s, %s AS known", columns, known_sql(densify, all, level));
	if (*columns == '\0')
		return NULL;
	/* MongoDB knows the partitions from the first document with the field on: if there is none, the series has none */
	if (part != NULL && densify->bounds == PGBSON_BOUNDS_GIVEN)
		otherwise = psprintf(" UNION ALL SELECT %s%s WHERE NOT EXISTS (SELECT 1 FROM %s WHERE %s.value IS NOT NULL)",
							 PgBsonSql(all, "#bson '{}'"), densify->unit == NULL ? ", NULL" : "", level, level);
	return psprintf("(SELECT %s FROM %s%s%s) AS r", columns + 2, level,
					part == NULL ? "" : psprintf(" WHERE %s.value IS NOT NULL GROUP BY %s", level, key), otherwise);
}

/* SELECT of the documents that are missing from a level with the columns "data", "value" and "part" */
static const char *
missing_sql(const PgBsonDensify *densify, const PgBsonTranslation *all, const char *level)
{
	const char *ranges = ranges_sql(densify, all, level);
	bool		parted = densify->partition.type != PGBSON_MISSING;
	bool		given = densify->bounds == PGBSON_BOUNDS_GIVEN;
	const char *low = given ? PgBsonSqlArgument(all, &densify->lower) : "r.low";
	const char *high = given ? PgBsonSqlArgument(all, &densify->upper) : "r.high";
	const char *before = "";
	const char *same_part = "";

	/* the upper bound itself does not belong to the range, unless it equals the lower one */
	if (given && PgBsonCompare(&densify->lower, &densify->upper) != 0)
		before = PgBsonSql(all, "v.value OPERATOR(#<>) %s AND ", high);
	if (parted)
		same_part = PgBsonSql(all, " AND %s OPERATOR(#=) %s", PgBsonCollatedSql(all, psprintf("%s.part", level)),
							  PgBsonCollatedConstant(all, "r.part"));
	return PgBsonSql(all, "SELECT #bson_put(%s, %s, v.value) AS data\n"
					 "FROM %s%s#bson_series(%s, %s, %s, %s%s) AS v(value)\n"
					 "WHERE %sNOT EXISTS (SELECT 1 FROM %s WHERE %s.value OPERATOR(#=) v.value%s)",
					 parted ? "r.part" : PgBsonSql(all, "#bson '{}'"), PgBsonSqlTextOf(&densify->field),
					 ranges == NULL ? "" : ranges, ranges == NULL ? "" : " CROSS JOIN LATERAL ",
					 low, high, PgBsonSqlArgument(all, &densify->step), PgBsonOperandUnitSql(densify->unit),
					 densify->unit == NULL ? ", r.known" : "", before, level, level, same_part);
}

void
PgBsonDeparseDensify(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonTranslation *all = select->all;
	const PgBsonDensify *densify = (const PgBsonDensify *) node;
	const char *columns;
	const char *level;
	const char *united;

	PgBsonSelectForgetOrder(select);
	PgBsonSelectPlain(select);
	PgBsonSelectOrder(select, NULL);
	columns = PgBsonSql(all, "#bson_range_value(%s, %s) AS value", PgBsonOperandSql(select, &densify->value),
						PgBsonOperandUnitSql(densify->unit));
	if (densify->partition.type != PGBSON_MISSING)
		columns = psprintf("%s, %s AS part", columns, PgBsonOperandSql(select, &densify->partition));
	level = PgBsonSelectLevel(select, columns);

	united = psprintf("s%d", ++select->all->nlevels);
	PgBsonSelectEntry(select, united, psprintf("SELECT %s.data AS data\nFROM %s\nUNION ALL\n%s", level, level,
											   missing_sql(densify, all, level)), true);
	select->clauses = (PgBsonClauses) {.from = united, .limit = -1};
	select->document = (PgBsonDocument) {.base = psprintf("%s.data", united)};
}
