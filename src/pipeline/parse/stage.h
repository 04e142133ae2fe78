/*
 * stage.h
 *	  Stages of a pipeline, parsed to steps of a chain.  Some have files of their own.
 */
#ifndef PGBSON_STAGE_H
#define PGBSON_STAGE_H

#include "core/bytes/recode.h"
#include "mongo/common/options.h"
#include "pipeline/tree/node.h"
#include "utils/rel.h"

/* What is common to all parts of a statement while it is parsed */
typedef struct PgBsonParse
{
	Oid			type;			/* OID of bson */
	Oid			collation;		/* by which strings are compared, or InvalidOid; and the type of such values */
	Oid			collated;
	const char *column;			/* the name that the caller gave, or NULL */
	List	   *names;			/* PgBsonKeyRef *: variables in scope, all but NOW */
	int			nstages;
	int			naccumulators;
	int			stage;			/* the number of the current stage of the whole pipeline, from 1 */
	int			depth;			/* how deeply the current pipeline is nested in others' stages */
	bool		in_facet;
	PgBsonShape *shape;			/* or NULL */
} PgBsonParse;

/* Append the steps of all stages of an array to the chain; error 22023 if the value is no array (pipelines.c) */
extern void PgBsonParseStages(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *pipeline);

/* Parse the stage "name" with its operand, and append its steps to the chain */
typedef void PgBsonStageParser(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand);

/* Append a step of this kind and size, all of whose members but those of PgBsonStage are 0; the stage sets them */
extern void *PgBsonParseStep(PgBsonParse *parse, PgBsonChain *chain, PgBsonStageKind kind, Size size, const char *name,
							 const PgBsonValue *operand);

/* Count a stage, or an accumulator; error 54000 if there are too many in the whole pipeline */
extern void PgBsonParseCount(PgBsonParse *parse);
extern void PgBsonParseCountAccumulator(PgBsonParse *parse);

/* $sort, or the sort that another stage ends with */
extern void PgBsonParseSort(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *sort);

/* Leave out the first documents, and those after "limit" others, unless that is negative */
extern void PgBsonParseCut(PgBsonParse *parse, PgBsonChain *chain, int64 skip, int64 limit);

/* $sort, $limit and $skip, $sample; and stages that make of a document others */
extern PgBsonStageParser PgBsonParseSortStage, PgBsonParseCutStage, PgBsonParseSample;
extern PgBsonStageParser PgBsonParseCompute, PgBsonParseUnwind, PgBsonParseRedact;

/* --- source.c: where the documents of a pipeline come from, a table or the stage $documents --- */

/*
 * The relation, and the column that the caller named or, if none, its only one of type bson; InvalidOid is a collection
 * that does not exist, which has no documents.  Raises 42809, 42703, 42804, 42702.
 */
extern const PgBsonSource *PgBsonParseRelation(PgBsonParse *parse, Oid relation);

/* The setting bson.missing_collections */
extern bool PgBsonMissingCollections;

/* A name as bson-copy shortens one that is too long for the server: its begin, and a hash; palloc'd */
extern char *PgBsonShortName(const char *name);

/*
 * The same for a relation that a stage names: by its name alone, which is looked up in the caller's
 * search_path, or by schema, dot and name.  If it has a column with the name that the caller gave, that
 * column is read.  A relation that does not exist is error 42P01, or has no documents if it need not exist; a name of
 * these does not say a schema, as in MongoDB.
 */
extern const PgBsonSource *PgBsonParseNamed(PgBsonParse *parse, const PgBsonValue *name, bool must_exist);

/* The relation itself; InvalidOid if there is none */
extern Oid	PgBsonParseFind(const PgBsonValue *name);

/*
 * The documents that the first stage of a pipeline makes, which must be $documents, else 22023; *rest is set to a
 * pipeline of the other stages.
 */
extern const PgBsonSource *PgBsonParseDocuments(PgBsonParse *parse, const PgBsonValue *pipeline, PgBsonValue *rest);

/* --- index.c: the fields of a table's column that have a btree index --- */

/* A number that changes when an index of the table is made, dropped, or becomes valid; 0: there is no such table */
extern int64 PgBsonIndexesSignature(Oid relation);

/* Add the fields to the source, whose column has this name.  Returns all fields of its indexes (PgBsonIndexed *). */
extern List *PgBsonParseIndexes(PgBsonParse *parse, PgBsonSource *source, Relation rel);

/* Read column -> 'a' -> 'b', or column #> '{a,b}', into the field, which is empty; false for other expressions */
extern bool PgBsonParseField(Oid type, Node *node, AttrNumber column, PgBsonIndexed *field);

/* Are the arguments the column itself and a constant of this type?  If so, set *value to that. */
extern bool PgBsonParseConstant(Oid type, const List *args, AttrNumber column, PgBsonValue *value);

/* --- check.c: note in the source, and in these fields (PgBsonIndexed *), what the table's CHECKs say --- */
extern void PgBsonParseChecks(PgBsonSource *source, Oid type, Relation rel, List *fields);

/* --- match.c: $match --- */

/*
 * The conditions of a query on the documents of this source, of which all must hold, PgBsonCondition *.  Without a
 * source they are about what stages made.
 */
extern List *PgBsonParseConditions(const PgBsonParse *parse, const PgBsonSource *source, const PgBsonValue *query);

/* Append a step with these conditions, and one for the order of $near */
extern void PgBsonParseFilter(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *query);

extern PgBsonStageParser PgBsonParseMatch;

/* --- match_text.c: $text --- */

/* The value of the condition that a search is; error 42704 if the source has no text index, 22023 if there is none */
extern PgBsonValue PgBsonParseText(const PgBsonParse *parse, const PgBsonSource *source, const PgBsonValue *search);

/*
 * Have the documents have their score, if the last step of the chain is a filter with $text, and an element of "uses",
 * an array of stages or other values, mentions {$meta: "textScore"}.  Returns the number of the last that does, from 1;
 * 0 if none does.
 */
extern int	PgBsonParseScore(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *uses);

/* The value with that field in the place of {$meta: "textScore"}; "sorts": it is a sort */
extern PgBsonValue PgBsonScoreIn(const PgBsonValue *value, bool sorts);

/* Append a step that removes the score */
extern void PgBsonParseScoreEnd(PgBsonParse *parse, PgBsonChain *chain);

/* Append a step that sets the fields of a projection which are {$meta: "textScore"}; returns the projection that is left */
extern PgBsonValue PgBsonParseScoreFields(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *projection);

/* --- geometry.c: $geoWithin, $geoIntersects, $near and $nearSphere --- */

/* Parse such an operator of a query's field, palloc'd; NULL for one that belongs to another operator beside it */
extern const PgBsonGeo *PgBsonParseGeoOperator(const PgBsonIter *field, const PgBsonIter *iter);

extern PgBsonCondition *PgBsonParseGeoCondition(const PgBsonGeo *geo);

/* A distance that is an option, in its unit; "otherwise" if it is missing */
extern double PgBsonParseDistance(const char *name, const PgBsonValue *value, double otherwise);

/* A point from which distances are measured, and limits of these, which are meters for GeoJSON */
extern void PgBsonParseNear(PgBsonGeo *geo, const char *name, const PgBsonValue *point, const PgBsonValue *most,
							const PgBsonValue *least);

/*
 * The only condition that the documents are near to something; NULL if there is none.  Error 22023 if it need not hold,
 * or there are two.
 */
extern const PgBsonGeo *PgBsonParseNearest(const List *conditions, bool must_hold);

/* $geoNear (near.c) */
extern PgBsonStageParser PgBsonParseGeoNear;

/* $group and other stages that make one document of many (group.c) */
extern PgBsonStageParser PgBsonParseGroup, PgBsonParseCountStage, PgBsonParseSortByCount;
extern PgBsonStageParser PgBsonParseBucket, PgBsonParseBucketAuto;

/* $setWindowFields and $fill (window.c), $densify (densify.c) */
extern PgBsonStageParser PgBsonParseWindow, PgBsonParseFill, PgBsonParseDensify;

#endif							/* PGBSON_STAGE_H */
