/*
 * match_operator.h
 *	  The operators of one path in a MongoDB query: {path: {operator: operand, ...}}.
 *
 * For the files that parse a query (match_parse.c).
 * The authority is MongoDB's src/mongo/db/matcher/expression_parser.cpp.
 */
#ifndef PGBSON_MATCH_OPERATOR_H
#define PGBSON_MATCH_OPERATOR_H

#include "mongo/query/match.h"

/* The operators that are being parsed, and the path that they test */
typedef struct PgBsonOperators
{
	PgBsonView	doc;
	const PgBsonStep *path;
	int			npath;
	bool		regex_done;		/* $regex and $options, all of them, have been read */
	bool		in_element;		/* they are in the query of an $elemMatch */
} PgBsonOperators;

/* Parse the operand of the operator of this name into a test of this kind */
typedef PgBsonQuery *PgBsonOperatorParser(PgBsonOperators *ops, PgBsonQueryKind kind,
										  const char *name, const PgBsonValue *operand);

extern PgBsonOperatorParser PgBsonParseComparison;
extern PgBsonOperatorParser PgBsonParseIn;
extern PgBsonOperatorParser PgBsonParseExists;
extern PgBsonOperatorParser PgBsonParseType;
extern PgBsonOperatorParser PgBsonParseMod;
extern PgBsonOperatorParser PgBsonParseSize;
extern PgBsonOperatorParser PgBsonParseBits;

/* Parse $regex with $options; NULL if they have been read already */
extern PgBsonOperatorParser PgBsonParseRegex;

/* Make the test of a value that is a regular expression; and the test of $all */
extern PgBsonQuery *PgBsonParseRegexValue(PgBsonOperators *ops, const PgBsonValue *regex);
extern PgBsonQuery *PgBsonParseAllValues(PgBsonOperators *ops, const PgBsonValue *operand);

/* Make a test of this kind of the operators' path (NULL: of none), add one below another, negate one; all palloc'd */
extern PgBsonQuery *PgBsonQueryNew(PgBsonQueryKind kind, const PgBsonOperators *ops);
extern void PgBsonQueryAdd(PgBsonQuery *node, PgBsonQuery *child);
extern PgBsonQuery *PgBsonQueryNot(PgBsonQuery *child);

/* Is it a document of operators such as $gt, not a reference (DBRef) or, with "incomplete_reference", a part of one? */
extern bool PgBsonIsOperators(const PgBsonValue *value, bool incomplete_reference);

/* Raise 22023; "detail" is a whole sentence */
pg_noreturn extern void PgBsonWrongOperand(const char *operator, const char *detail);

#endif							/* PGBSON_MATCH_OPERATOR_H */
