/*
 * get.c
 *	  The accessors: -> ->> #> #>> -#> -&> and the functions behind them.
 *
 * Every accessor has a source, which finds a value by key, by index or by
 * path, and a sink, which returns it as bson, text, int4, bool and so on.  If
 * there is no value, or the sink cannot return it, the result is SQL NULL;
 * accessors raise no errors.
 */
#include "door.h"

#include "catalog/pg_type.h"
#include "core/number/number.h"
#include "core/write/from_value.h"
#include "json/print.h"
#include "sql/convert/text_cast.h"
#include "sql/get.h"

bool
PgBsonAsBson(const PgBsonValue *value, Datum *result)
{
	*result = PointerGetDatum(PgBsonFromValue(value));
	return true;
}

bool
PgBsonAsText(const PgBsonValue *value, Datum *result)
{
	text	   *t = PgBsonValueToText(value);

	*result = PointerGetDatum(t);
	return t != NULL;
}

bool
PgBsonAsInt4(const PgBsonValue *value, Datum *result)
{
	int32		n;

	if (!PgBsonNumberToInt32(value, &n))
		return false;
	*result = Int32GetDatum(n);
	return true;
}

bool
PgBsonAsBool(const PgBsonValue *value, Datum *result)
{
	if (value->type != PGBSON_BOOL)
		return false;
	*result = BoolGetDatum(value->data[0] != 0);
	return true;
}

Datum
PgBsonGet(FunctionCallInfo fcinfo, const PgBsonStep *steps, int nsteps, PgBsonSink sink)
{
	PgBsonGetSite *site = PgBsonSite(fcinfo->flinfo, sizeof(PgBsonGetSite));
	PgBsonValue value;
	Datum		result;

	if (!PgBsonFetchPath(PG_GETARG_DATUM(0), steps, nsteps, site == NULL ? NULL : &site->hint, &value) ||
		!sink(&value, &result))
		PG_RETURN_NULL();
	return result;
}

/* The shared worker: pass that value to the sink */
static inline Datum
get(FunctionCallInfo fcinfo, PgBsonMakeSteps make, PgBsonSink sink)
{
	PgBsonValue value;
	Datum		result;

	if (!PgBsonFindSteps(fcinfo, NULL, 0, make, &value) || !sink(&value, &result))
		PG_RETURN_NULL();
	return result;
}

static void
add_step(PgBsonSteps *steps, PgBsonStep step, bool copy)
{
	if (copy && step.key != NULL)
		step.key = pnstrdup(step.key, step.key_len);
	steps->steps[steps->count++] = step;
}

static void
make_key(FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps)
{
	add_step(steps, PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_KEY), copy);
}

static void
make_index(FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps)
{
	add_step(steps, PgBsonStepFromIndex(PG_GETARG_INT32(1)), copy);
}

static void
make_path(FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps)
{
	*steps = PgBsonStepsFromArray(copy ? PG_GETARG_ARRAYTYPE_P_COPY(1) : PG_GETARG_ARRAYTYPE_P(1));
}

/* Each argument is a text key, an int4 index or a text[] path */
static void
make_steps(FunctionCallInfo fcinfo, int end, bool copy, PgBsonSteps *steps)
{
	steps->steps = palloc_array(PgBsonStep, PG_NARGS());
	for (int i = 1; i < end; i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (type == INT4OID)
			add_step(steps, PgBsonStepFromIndex(PG_GETARG_INT32(i)), copy);
		else if (type == TEXTOID)
			add_step(steps, PgBsonStepFromText(PG_GETARG_TEXT_PP(i), PGBSON_STEP_KEY), copy);
		else if (type == TEXTARRAYOID)
		{
			PgBsonSteps path = PgBsonStepsFromArray(PG_GETARG_ARRAYTYPE_P(i));

			steps->has_null |= path.has_null;
			steps->steps = repalloc(steps->steps, (steps->count + path.count + PG_NARGS()) * sizeof(PgBsonStep));
			for (int j = 0; j < path.count; j++)
				add_step(steps, path.steps[j], copy);
		}
		else
			PgBsonReportInvalid(errmsg("a step into a bson value must be of type text, integer or text[]"));
	}
}

/* A chain of accessors that the planner made one call, see planner/chain.c */
static void
make_walk(FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps)
{
	make_steps(fcinfo, PG_NARGS(), copy, steps);
}

/* The last argument, a text or an array of texts, is no step, and need not be text that UTF-8 has */
static void
make_all_but_last(FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps)
{
	int			last = PG_NARGS() - 1;
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, last);

	if (type != TEXTOID && type != TEXTARRAYOID)
		PgBsonReportInvalid(errmsg("the text at the end of a walk must be compared with a value of type text or text[]"));
	make_steps(fcinfo, last, copy, steps);
}

Datum
PgBsonGetPath(FunctionCallInfo fcinfo, PgBsonSink sink)
{
	return get(fcinfo, make_path, sink);
}

bool
PgBsonFindWalk(FunctionCallInfo fcinfo, PgBsonValue *result)
{
	return PgBsonFindSteps(fcinfo, NULL, 0, make_walk, result);
}

/* SQL: bson -> text, bson ->> text, bson -#> text, bson -&> text; bson_object_field and bson_object_field_text */
PGBSON_DOOR(pgbson_object_field, get(fcinfo, make_key, PgBsonAsBson));
PGBSON_DOOR(pgbson_object_field_text, get(fcinfo, make_key, PgBsonAsText));
PGBSON_DOOR(pgbson_object_field_int4, get(fcinfo, make_key, PgBsonAsInt4));
PGBSON_DOOR(pgbson_object_field_bool, get(fcinfo, make_key, PgBsonAsBool));

/* SQL: the same with int4, and bson_array_element(bson, int4), bson_array_element_text(bson, int4) */
PGBSON_DOOR(pgbson_array_element, get(fcinfo, make_index, PgBsonAsBson));
PGBSON_DOOR(pgbson_array_element_text, get(fcinfo, make_index, PgBsonAsText));
PGBSON_DOOR(pgbson_array_element_int4, get(fcinfo, make_index, PgBsonAsInt4));
PGBSON_DOOR(pgbson_array_element_bool, get(fcinfo, make_index, PgBsonAsBool));

/* SQL: bson #> text[], bson #>> text[], bson -#> text[], bson -&> text[]; bson_extract_path, bson_extract_path_text */
PGBSON_DOOR(pgbson_extract_path, PgBsonGetPath(fcinfo, PgBsonAsBson));
PGBSON_DOOR(pgbson_extract_path_text, PgBsonGetPath(fcinfo, PgBsonAsText));
PGBSON_DOOR(pgbson_extract_path_int4, PgBsonGetPath(fcinfo, PgBsonAsInt4));
PGBSON_DOOR(pgbson_extract_path_bool, PgBsonGetPath(fcinfo, PgBsonAsBool));

/* SQL: bson_walk(bson, VARIADIC "any") returns bson, and so on: a chain of the operators above */
PGBSON_DOOR(pgbson_walk, get(fcinfo, make_walk, PgBsonAsBson));
PGBSON_DOOR(pgbson_walk_text, get(fcinfo, make_walk, PgBsonAsText));
PGBSON_DOOR(pgbson_walk_int4, get(fcinfo, make_walk, PgBsonAsInt4));
PGBSON_DOOR(pgbson_walk_bool, get(fcinfo, make_walk, PgBsonAsBool));

typedef struct CastSite
{
	PgBsonGetSite get;			/* the first member, as PgBsonFindSteps takes it for the whole */
	PgBsonTextCast cast;
} CastSite;

/* The first call at a site: to what type the text is cast, which is the planner's result type of the call */
static pg_noinline void
begin_cast(FunctionCallInfo fcinfo, CastSite *site)
{
	Oid			typid = get_fn_expr_rettype(fcinfo->flinfo);

	if (!OidIsValid(typid) || typid == ANYOID)
		PgBsonReportUnsupported(errmsg("function bson_walk_as cannot be called by a query"),
								errhint("Cast the result of ->> or #>> to the type."));
	PgBsonTextCastInit(&site->cast, typid, fcinfo->flinfo->fn_mcxt);
}

/* The text at the end of a walk, cast to that type */
static Datum
walk_as(FunctionCallInfo fcinfo)
{
	CastSite   *site = PgBsonSite(fcinfo->flinfo, sizeof(CastSite));
	PgBsonValue value;
	Datum		result;

	if (unlikely(site == NULL || !OidIsValid(site->cast.typid)))
		begin_cast(fcinfo, site);
	if (!PgBsonFindSteps(fcinfo, NULL, 0, make_walk, &value) || !PgBsonCastText(&site->cast, &value, &result))
		PG_RETURN_NULL();
	return result;
}

/* SQL: bson_walk_as(bson, VARIADIC "any"): the text of such a chain cast to another type, see planner/fuse.c */
PGBSON_DOOR(pgbson_walk_as, walk_as(fcinfo));

typedef struct EqualsSite
{
	PgBsonGetSite get;			/* the first member, as PgBsonFindSteps takes it for the whole */
	Oid			other;			/* the type of the last argument: text or text[] */
} EqualsSite;

/* Is one of these texts equal to that one? */
static bool
have_equal(ArrayType *array, const char *s, uint32 len)
{
	PgBsonArrayKeys others = PgBsonKeysOf(array);
	const char *other;
	uint32		other_len;

	others.utf8 = true;			/* leave their encoding, which is that of the text */
	while (PgBsonNextKey(&others, &other, &other_len))
	{
		if (PgBsonSameKey(s, len, other, other_len))
			return true;
	}
	return false;
}

/* Is the text at the end of a walk equal to the last argument, or to an element of it?  Mostly it need not be made. */
static Datum
walk_equals(FunctionCallInfo fcinfo)
{
	EqualsSite *site = PgBsonSite(fcinfo->flinfo, sizeof(EqualsSite));
	char		buf[PGBSON_SPELL_SIZE];
	PgBsonValue value;
	Datum		printed;
	ArrayType  *others;
	const char *s;
	uint32		len;

	if (!PgBsonFindSteps(fcinfo, NULL, 0, make_all_but_last, &value))
		PG_RETURN_NULL();
	/* there is a site, as otherwise the steps had no types */
	if (unlikely(!OidIsValid(site->other)))
		site->other = get_fn_expr_argtype(fcinfo->flinfo, PG_NARGS() - 1);
	s = PgBsonValueSpelling(&value, buf, &len);
	if (s == NULL)
	{
		if (!PgBsonAsText(&value, &printed))
			PG_RETURN_NULL();
		s = VARDATA_ANY(DatumGetPointer(printed));
		len = VARSIZE_ANY_EXHDR(DatumGetPointer(printed));
	}
	if (site->other == TEXTOID)
	{
		const text *t = PG_GETARG_TEXT_PP(PG_NARGS() - 1);

		PG_RETURN_BOOL(PgBsonSameKey(s, len, VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t)));
	}
	others = PG_GETARG_ARRAYTYPE_P(PG_NARGS() - 1);
	if (have_equal(others, s, len))
		PG_RETURN_BOOL(true);
	/* as with = ANY: a null could be equal */
	if (array_contains_nulls(others))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(false);
}

/* SQL: bson_walk_equals(bson, VARIADIC "any"): is the text of such a chain equal to the last argument, or in it? */
PGBSON_DOOR(pgbson_walk_equals, walk_equals(fcinfo));
