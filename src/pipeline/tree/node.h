/*
 * node.h
 *	  A pipeline as a tree: a source of documents, and the steps that they go through.
 *
 * The files of parse make the tree of operands, and check these.  The files of rules make another tree with the same
 * documents, of copies of the nodes.  The files of deparse write the tree as SQL.  Nodes have values of BSON, and no
 * text of SQL.
 */
#ifndef PGBSON_NODE_H
#define PGBSON_NODE_H

#include "mongo/sort/sort_key.h"
#include "mongo/stage/nested.h"
#include "pipeline/tree/shape.h"

/* below the first, which includes postgres.h */
#include "nodes/pg_list.h"

/* A field with a btree index */
typedef struct PgBsonIndexed
{
	PgBsonKeyRef path;			/* as MongoDB writes it, "a.b"; the first member */
	List	   *way;			/* PgBsonIndexStep *: from the column to the value, as the index has it */
	bool		scalar;			/* a CHECK says that no document has an array there, nor on the way */
	bool		present;		/* a CHECK says that all documents have the field */
} PgBsonIndexed;

/* A btree index, and its columns from the first on that are fields in the default order of bson */
typedef struct PgBsonIndex
{
	List	   *columns;		/* PgBsonIndexed *, of which there is one for each path of a table */
	List	   *descends;		/* int, for each column */
	bool		unique;			/* these are all columns, and no two documents have the same values, if none lacks */
	PgBsonValue sort;			/* ... but for one more column, their sort key by this sort; or missing */
	PgBsonValue condition;		/* of a partial index, a query; or missing */
} PgBsonIndex;

/* One operator of an index's expression: column -> 'name', or column #> '{name,name}' */
typedef struct PgBsonIndexStep
{
	bool		is_path;
	const char *operand;		/* the string in the server's encoding */
} PgBsonIndexStep;

/* A field with an index of geometry */
typedef struct PgBsonGeoIndex
{
	PgBsonKeyRef path;			/* the first member */
	bool		sphere;			/* 2dsphere, or else 2d */
} PgBsonGeoIndex;

/* Where documents come from: a table; with "relation" NULL the stage $documents; with "given" set what is around the pipeline */
typedef struct PgBsonSource
{
	bool		given;			/* the documents before a $facet */
	bool		ordered;		/* ... are in a defined order */
	const char *schema;
	const char *relation;
	const char *column;
	List	   *indexed;		/* PgBsonIndexed *: its fields that are the first column of a btree index */
	List	   *indexes;		/* PgBsonIndex * */
	List	   *partial;		/* PgBsonIndex *: those that are partial, which are not among "indexes" */
	List	   *geometry;		/* PgBsonGeoIndex *: all documents have geometry in these fields, or nothing */
	int32		width;			/* of the documents on average, in bytes as they are stored in rows; 0: not known */
	bool		unique_id;		/* there is a unique index on the _id */
	int64		signature;		/* of the table's indexes and CHECKs: which there are, and can be used */
	bool		collated;		/* strings are compared by a collation, and so are those in "indexed" and "indexes" */
	bool		rooted;			/* a CHECK says that no document is an array */
	bool		inherited;		/* other tables inherit from it, which have indexes of their own */
	PgBsonValue documents;		/* the expression of $documents */
} PgBsonSource;

/* A pipeline.  Its documents have the order that the last step which defines one gives them. */
typedef struct PgBsonChain
{
	const PgBsonSource *source;
	List	   *steps;			/* const PgBsonStage * */
} PgBsonChain;

typedef enum PgBsonStageKind
{
	PGBSON_NODE_FILTER,			/* $match */
	PGBSON_NODE_COMPUTE,		/* $set, $project and others that make of a document another one */
	PGBSON_NODE_PROJECT,		/* the projection of a find */
	PGBSON_NODE_REDACT,			/* $redact */
	PGBSON_NODE_UNWIND,			/* $unwind */
	PGBSON_NODE_SORT,			/* $sort */
	PGBSON_NODE_NEAR,			/* $geoNear, and the order of $near */
	PGBSON_NODE_CUT,			/* $limit, $skip */
	PGBSON_NODE_SAMPLE,			/* $sample */
	PGBSON_NODE_GROUP,			/* $group, $bucket, $bucketAuto */
	PGBSON_NODE_COUNT,			/* $count */
	PGBSON_NODE_WINDOW,			/* $setWindowFields */
	PGBSON_NODE_DENSIFY,		/* $densify */
	PGBSON_NODE_LOOKUP,			/* $lookup */
	PGBSON_NODE_GRAPH,			/* $graphLookup */
	PGBSON_NODE_UNION,			/* $unionWith */
	PGBSON_NODE_FACET,			/* $facet */
	PGBSON_NODE_SCORE,			/* the score of $text as a field; the operand is as in PGBSON_CONDITION_TEXT */
} PgBsonStageKind;

/* A step; the first member of the structs below */
typedef struct PgBsonStage
{
	PgBsonStageKind kind;
	Size		size;			/* of the whole struct */
	const char *name;			/* of the stage */
	PgBsonValue operand;		/* of the stage */
	int			stage;			/* its number in the whole pipeline, from 1; of several the last */
} PgBsonStage;

/* --- conditions --- */

typedef enum PgBsonConditionKind
{
	PGBSON_CONDITION_QUERY,		/* document @~ value */
	PGBSON_CONDITION_AND,		/* all of "parts"; true if there are none */
	PGBSON_CONDITION_OR,		/* one of "parts" */
	PGBSON_CONDITION_NOR,		/* none of "parts" */
	PGBSON_CONDITION_EXPRESSION,	/* value, an expression with variables, is true */
	PGBSON_CONDITION_COMPUTED,	/* what the expression "computed" makes of the document meets value, a query */
	/* the field "name" equals value, an expression of variables; or it may equal it, if an array is there */
	PGBSON_CONDITION_EQUALS,
	PGBSON_CONDITION_INDEXED,	/* all of "parts" hold for the field's value, or it meets an array and "value", a query, holds */
	PGBSON_CONDITION_COMPOUND,	/* all of "parts", which are INDEXED, on the first columns of one index */
	PGBSON_CONDITION_COMPARE,	/* the indexed field's value or a number of $rank: operator, value */
	PGBSON_CONDITION_ANY,		/* the indexed field's value is one of an array, "value" */
	PGBSON_CONDITION_TEXT,		/* $text: value is {spec: what the text index is on, search: the operand} */
	PGBSON_CONDITION_GEOMETRY,	/* "geo" */
} PgBsonConditionKind;

/* What the geometry of a field is compared with */
typedef enum PgBsonGeoShape
{
	PGBSON_GEO_COVERS,			/* the field's lies in it */
	PGBSON_GEO_MEETS,			/* they have a point in common */
	PGBSON_GEO_CIRCLE,			/* a point in the field is at most as far away */
	PGBSON_GEO_NEAR				/* the same of any geometry, and the nearest come first */
} PgBsonGeoShape;

typedef struct PgBsonGeo
{
	PgBsonGeoShape shape;
	bool		sphere;
	PgBsonKeyRef path;
	/* a geometry, of which CIRCLE and NEAR measure the distance; in the plane for COVERS corners: two of a box */
	PgBsonValue value;
	double		least;			/* distance, in degrees of the plane or in radians */
	double		most;
	double		unit;			/* this distance times this is what MongoDB tells */
} PgBsonGeo;

typedef struct PgBsonCondition
{
	PgBsonConditionKind kind;
	PgBsonValue value;
	PgBsonValue computed;
	List	   *parts;			/* PgBsonCondition * */
	PgBsonKeyRef name;
	const PgBsonIndexed *field;
	const PgBsonIndexed *array;	/* a field without a value where "field" could meet an array; NULL: it meets none */
	bool		only_arrays;	/* ... and where there is no value in "field", there is none in "array", either */
	const char *operator;
	const PgBsonGeo *geo;
} PgBsonCondition;

/* --- steps --- */

/* The field that PGBSON_NODE_SCORE makes */
#define PGBSON_SCORE_FIELD	"{textScore}"

typedef struct PgBsonFilter
{
	PgBsonStage	node;
	List	   *conditions;		/* PgBsonCondition *, of which all must hold */
	List	   *numbers;		/* the same as comparisons with the number that the window before gave; or NIL */
} PgBsonFilter;

/* A step that makes of a document another one; and $redact */
typedef struct PgBsonCompute
{
	PgBsonStage	node;
	PgBsonValue stage;			/* {name: operand}; not of $redact */
	bool		varies;			/* it uses variables */
} PgBsonCompute;

typedef struct PgBsonProjectStep
{
	PgBsonStage	node;			/* the operand is the projection */
	PgBsonValue query;			/* for its positional operator; or missing */
} PgBsonProjectStep;

typedef struct PgBsonUnwindStep
{
	PgBsonStage	node;
	const PgBsonUnwind *unwind;
	PgBsonValue kept;			/* a projection that is applied before; or missing */
	bool		divided;		/* the elements become a column beside the documents */
	List	   *carried;		/* const PgBsonValue *: paths beside the array, which become columns, too */
} PgBsonUnwindStep;

/* The order in which an index has documents */
typedef struct PgBsonIndexOrder
{
	List	   *fields;			/* PgBsonIndexed *; NIL: there is no such index */
	List	   *descends;		/* int, for each of them */
	List	   *sure;			/* those of "fields" that have a value in all documents, and never an array */
} PgBsonIndexOrder;

typedef struct PgBsonSortStep
{
	PgBsonStage	node;			/* the operand is the sort */
	PgBsonIndexOrder index;		/* which has the documents in this order */
} PgBsonSortStep;

typedef struct PgBsonNearStep
{
	PgBsonStage	node;
	const PgBsonGeo *geo;
	PgBsonValue stage;			/* $addFields with the variable $$distance, and $$location if "locates"; or missing */
	bool		locates;
} PgBsonNearStep;

typedef struct PgBsonCut
{
	PgBsonStage	node;
	int64		skip;
	int64		limit;			/* -1: none; of $sample how many */
} PgBsonCut;

typedef struct PgBsonGroup
{
	PgBsonStage	node;
	PgBsonValue id;
	PgBsonValue fields;			/* {field: {accumulator: operand}}; "_id" among them is the id */
	bool		ordered;		/* an accumulator depends on the order of the documents */
	bool		by_fields;		/* the id is a document, by whose fields to group; see rule_group.c */
	bool		only_ends;		/* ... but only $first and $last do, and may find the least sort key themselves */
	int			nboundaries;	/* of $bucket; or 0 */
	const PgBsonValue *boundaries;
	PgBsonValue otherwise;		/* of $bucket */
	int32		buckets;		/* of $bucketAuto; or 0 */
	PgBsonValue granularity;	/* of $bucketAuto */
} PgBsonGroup;

typedef struct PgBsonWindow
{
	PgBsonStage	node;
	PgBsonValue partition;
	PgBsonValue sort;
	PgBsonValue output;
	const PgBsonSortOrder *order;	/* the sort; NULL: there is none */
	PgBsonValue kept;			/* a projection that is applied before; or missing */
	bool		divided;		/* ... and what the functions read becomes columns beside the documents */
	List	   *carried;		/* const PgBsonValue *: the expressions of these columns, besides the sort's key */
} PgBsonWindow;

typedef enum PgBsonBounds
{
	PGBSON_BOUNDS_ALL, PGBSON_BOUNDS_PARTITION, PGBSON_BOUNDS_GIVEN
} PgBsonBounds;

typedef struct PgBsonDensify
{
	PgBsonStage	node;
	PgBsonValue field;
	PgBsonValue value;			/* the expression for its value; arrays are not entered, and null counts as missing */
	PgBsonValue partition;		/* {a: "$a", b: {c: "$b.c"}}; missing: there is none */
	PgBsonBounds bounds;
	PgBsonValue lower;
	PgBsonValue upper;
	PgBsonValue step;
	const PgBsonUnit *unit;		/* NULL: numbers */
} PgBsonDensify;

typedef struct PgBsonLookup
{
	PgBsonStage	node;
	PgBsonChain other;
	PgBsonValue local;			/* missing: there are only conditions of the pipeline */
	PgBsonValue foreign;
	PgBsonValue let;
	List	   *names;			/* PgBsonKeyRef *: of the variables in "other", if there is "let" */
	bool		piped;			/* there is a pipeline */
	PgBsonValue as;
	const PgBsonUnwind *unwind;	/* a document for each that is found; or NULL */
	bool		by_id;			/* mostly one document is found, by its _id: a join that keeps all documents */
	bool		first;			/* ... and the field is the first one that is found, no array */
} PgBsonLookup;

typedef struct PgBsonGraph
{
	PgBsonStage	node;
	const PgBsonSource *source;
	List	   *conditions;		/* of restrictSearchWithMatch */
	PgBsonValue start;
	PgBsonValue connect_from;
	PgBsonValue connect_to;
	PgBsonValue as;
	PgBsonValue depth;
	int64		most;			/* -1: without end */
} PgBsonGraph;

typedef struct PgBsonUnion
{
	PgBsonStage	node;
	PgBsonChain other;
} PgBsonUnion;

typedef struct PgBsonFacet
{
	PgBsonStage	node;
	List	   *names;			/* PgBsonKeyRef * */
	List	   *branches;		/* PgBsonChain *, one for each name */
} PgBsonFacet;

/* --- node.c --- */

/* The struct in this list that has this name, which is the first member of each, a PgBsonKeyRef; or NULL */
extern void *PgBsonFindNamed(const List *list, const char *name, uint32 len);

/* The list with one more name (PgBsonKeyRef *), or value (PgBsonValue *), at its end */
extern List *PgBsonAppendName(List *names, const char *name, uint32 len);
extern List *PgBsonAppendValue(List *values, const PgBsonValue *value);

/* A condition of this kind, whose other members are empty; without a value that is missing */
extern PgBsonCondition *PgBsonConditionNew(PgBsonConditionKind kind, const PgBsonValue *value, List *parts);

/* Has the step this name? */
extern bool PgBsonStepIs(const PgBsonStep *step, const char *name, uint32 len);

/* Are the documents in a defined order behind the first "count" steps? */
extern bool PgBsonChainIsOrdered(const PgBsonChain *chain, int count);

/* The query that is the first condition of the first step, if this is a filter with one; else NULL */
extern const PgBsonValue *PgBsonChainQuery(const PgBsonChain *chain);

/* Are the documents those of the source, of which only some may be left out, before this step? */
extern bool PgBsonChainReadsSource(const PgBsonChain *chain, int step);

/* Can the elements of this $unwind become a column, if nothing is computed before it? */
extern bool PgBsonUnwindDivides(const PgBsonStage *node);

/* Does the result of an accumulator depend on the order of documents? */
extern bool PgBsonAccumulatorIsOrdered(const char *name, uint32 len);

/* Does a function of $setWindowFields give each document its number, as SQL's do? */
extern bool PgBsonWindowCounts(const PgBsonValue *field);

/* Is it a path, or a document with an operator? Only these can be missing. */
extern bool PgBsonOperandComputes(const PgBsonValue *expression);

/* Is it a path of the document, "$name.name"?  Set *path to it, without the dollar sign. */
extern bool PgBsonOperandIsPath(const PgBsonValue *expression, PgBsonKeyRef *path);

/* The length of the first name of a path */
static inline uint32
PgBsonFirstNameLength(const char *path, uint32 len)
{
	const char *dot = memchr(path, '.', len);

	return dot == NULL ? len : dot - path;
}

/* The operator of SQL for $eq, $gt and so on, "="; NULL for another one */
extern const char *PgBsonComparisonSign(const PgBsonIter *operator);

/* Is the expression a constant?  If so, set *value to its value. */
extern bool PgBsonOperandConstant(const PgBsonValue *expression, PgBsonValue *value);

/* The expression of a field by its path, "$path" */
extern PgBsonValue PgBsonOperandField(const char *path, uint32 len);

/* Is it a document of one field, which is no operator?  Set *field to it. */
extern bool PgBsonOperandIsPair(const PgBsonValue *id, PgBsonIter *field);

/* Do the expressions use variables?  Raises 22023 for one that is not among these names (PgBsonKeyRef *), nor NOW. */
extern bool PgBsonOperandVaries(const List *names, const PgBsonExpression *expression);

/* Split a path that a stage names; "what" is the subject of the error message if it is not a path of fields */
extern PgBsonNames PgBsonOperandPath(const PgBsonValue *path, const char *what);

/* The unit of time that an option of a stage, a string, names; error 22023 if there is no such unit */
extern const PgBsonUnit *PgBsonOperandUnit(const PgBsonValue *option);

/* --- reads.c: which fields of the documents expressions and steps read; it is never wrong to say more --- */

typedef struct PgBsonReads
{
	List	   *names;			/* PgBsonKeyRef *, of fields of the document, each once */
	bool		all;			/* perhaps all fields are read */
	bool		shown;			/* some in the order that they have in the document */
} PgBsonReads;

/* Note what an expression, or all expressions of an operand, read */
extern void PgBsonReadsExpression(PgBsonReads *reads, const PgBsonValue *expression);

/* Note the fields that are the keys of an operand, which are paths; all fields if one has an operator's name */
extern void PgBsonReadsKeys(PgBsonReads *reads, const PgBsonValue *operand);

/* Note the fields that a query reads */
extern void PgBsonReadsQuery(PgBsonReads *reads, const PgBsonValue *query);

/* Note what the steps from this one on read, until one makes new documents */
extern void PgBsonReadsSteps(PgBsonReads *reads, const List *steps, int step);

/* {field: 1, ...} and these fields, the operand of $project that keeps what is read; missing if that may be all */
extern PgBsonValue PgBsonReadsProjection(const PgBsonReads *reads, PgBsonView fields);

#endif							/* PGBSON_NODE_H */
