/*
 * reads.h
 *	  Which fields of the documents expressions and stages read.
 */
#ifndef PGBSON_READS_H
#define PGBSON_READS_H

#include "mongo/expr/expr.h"

typedef struct PgBsonReads
{
	List	   *names;			/* PgBsonKeyRef *, of fields of the document, each once */
	bool		all;			/* perhaps all fields are read */
} PgBsonReads;

/* Note what an expression, or all expressions of an operand, read */
extern void PgBsonReadsExpression(PgBsonReads *reads, const PgBsonValue *expression);

/* Note the fields that are the keys of an operand, which are paths; all fields if one has an operator's name */
extern void PgBsonReadsKeys(PgBsonReads *reads, const PgBsonValue *operand);

/* Note what the stages after this one read, until one makes new documents */
extern void PgBsonReadsStages(PgBsonReads *reads, PgBsonIter stages);

/* {field: 1, ...} as the operand of $project that keeps what is read; a missing value if that is perhaps all */
extern PgBsonValue PgBsonReadsProjection(const PgBsonReads *reads);

#endif							/* PGBSON_READS_H */
