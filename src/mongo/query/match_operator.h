/*
 * match_operator.h
 *	  The operators of one path in a MongoDB query: {path: {operator: operand, ...}}.
 *
 * For the files that parse a query (match_parse.c).
 */
#ifndef PGBSON_MATCH_OPERATOR_H
#define PGBSON_MATCH_OPERATOR_H

#include "mongo/query/match.h"

/* The operators that are being parsed, and the path that they are about */
typedef struct PgBsonOperators
{
	PgBsonView	doc;
	const PgBsonStep *path;
	int			npath;
	bool		regex_done;		/* $regex and $options were read, all of them */
} PgBsonOperators;

/* What an operator and its operand demand; the operator's kind of node and name are given */
typedef PgBsonQuery *PgBsonOperatorParser(PgBsonOperators *ops, PgBsonQueryKind kind,
										  const char *name, const PgBsonValue *operand);

extern PgBsonOperatorParser PgBsonParseComparison;
extern PgBsonOperatorParser PgBsonParseIn;
extern PgBsonOperatorParser PgBsonParseExists;
extern PgBsonOperatorParser PgBsonParseType;
extern PgBsonOperatorParser PgBsonParseMod;
extern PgBsonOperatorParser PgBsonParseSize;
extern PgBsonOperatorParser PgBsonParseBits;

/* $regex with $options: NULL where they were read before */
extern PgBsonOperatorParser PgBsonParseRegex;

/* A regular expression as a value; and $all of values */
extern PgBsonQuery *PgBsonParseRegexValue(PgBsonOperators *ops, const PgBsonValue *regex);
extern PgBsonQuery *PgBsonParseAllValues(PgBsonOperators *ops, const PgBsonValue *operand);

/* Making nodes of the tree */
extern PgBsonQuery *PgBsonQueryNew(PgBsonQueryKind kind, const PgBsonOperators *ops);
extern void PgBsonQueryAdd(PgBsonQuery *node, PgBsonQuery *child);
extern PgBsonQuery *PgBsonQueryNot(PgBsonQuery *child);

/* Does the document begin with an operator such as $gt, and is no reference of DBRef? */
extern bool PgBsonIsOperators(const PgBsonValue *value, bool incomplete_reference);

/* 22023; the detail is a whole sentence */
pg_noreturn extern void PgBsonWrongOperand(const char *operator, const char *detail);

#endif							/* PGBSON_MATCH_OPERATOR_H */
