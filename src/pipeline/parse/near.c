/*
 * near.c
 *	  The stage $geoNear.
 *
 * See src/mongo/db/pipeline/document_source_geo_near.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include "mongo/update/update.h"

/* The field with the only index of geometry; as in MongoDB, one in the plane goes first */
static PgBsonKeyRef
only_indexed(const PgBsonSource *source)
{
	for (int sphere = 0; sphere <= 1; sphere++)
	{
		const PgBsonGeoIndex *only = NULL;

		foreach_ptr(const PgBsonGeoIndex, index, source->geometry)
		{
			if (index->sphere != sphere)
				continue;
			if (only != NULL)
				PgBsonStageWrong("$geoNear", gettext_noop("There are several indexes of geometry, so the option \"key\" must name the field."));
			only = index;
		}
		if (only != NULL)
			return only->path;
	}
	PgBsonReport(ERRCODE_UNDEFINED_OBJECT, errmsg("$geoNear requires a 2d or 2dsphere index, but none were found"),
				 errhint("Make such an index, or name the field by the option \"key\"."));
}

void
PgBsonParseGeoNear(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue near, field, spherical, most, least, query, multiplier, location, key;
	PgBsonValue variable = PgBsonMakeString("$$distance", 10);
	PgBsonGeo  *geo = palloc0_object(PgBsonGeo);
	PgBsonFilter *filter;
	PgBsonNearStep *step;
	PgBsonWriter fields;
	uint32		len;
	const char *s;

	PgBsonStageOptions(name, operand, "near! distanceField:s! spherical maxDistance minDistance query:d distanceMultiplier includeLocs:s key:s", &near,
					   &field, &spherical, &most, &least, &query, &multiplier, &location, &key);
	/* MongoDB leaves out a $match of all documents before it looks */
	while (chain->steps != NIL && ((const PgBsonStage *) linitial(chain->steps))->kind == PGBSON_NODE_FILTER &&
		   ((const PgBsonFilter *) linitial(chain->steps))->conditions == NIL)
		chain->steps = list_delete_first(chain->steps);
	if (chain->steps != NIL || chain->source->given)
		PgBsonStageWrong(name, gettext_noop("It must be the first stage of a pipeline."));
	if (key.type == PGBSON_MISSING)
		geo->path = only_indexed(chain->source);
	else
		geo->path.key = PgBsonValueString(&key, &geo->path.len);
	geo->sphere = spherical.type != PGBSON_MISSING && PgBsonExprIsTrue(&spherical);
	PgBsonParseNear(geo, name, &near, &most, &least);
	geo->unit *= PgBsonParseDistance(name, &multiplier, 1);
	if (query.type == PGBSON_MISSING)
		query = PgBsonMakeDocument(NULL);
	filter = PgBsonParseStep(parse, chain, PGBSON_NODE_FILTER, sizeof(PgBsonFilter), name, &query);
	filter->conditions = lappend(PgBsonParseConditions(parse, chain->source, &query), PgBsonParseGeoCondition(geo));
	step = PgBsonParseStep(parse, chain, PGBSON_NODE_NEAR, sizeof(PgBsonNearStep), name, operand);
	step->geo = PgBsonParseNearest(filter->conditions, true);
	PgBsonWriterBegin(&fields, 0);
	s = PgBsonValueString(&field, &len);
	PgBsonWriterField(&fields, s, len, &variable);
	if (location.type != PGBSON_MISSING)
	{
		step->locates = true;
		variable = PgBsonMakeString("$$location", 10);
		s = PgBsonValueString(&location, &len);
		PgBsonWriterField(&fields, s, len, &variable);
	}
	variable = PgBsonWriterEnd(&fields, PGBSON_DOCUMENT);
	variable = PgBsonMakeDocument("$addFields", &variable, NULL);
	step->stage = PgBsonMakeArray(&variable, 1);
	/* are these paths of fields? */
	(void) PgBsonPipelineParse(&step->stage, true);
}
