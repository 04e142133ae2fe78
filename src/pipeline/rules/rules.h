/*
 * rules.h
 *	  Rules that change the steps of a pipeline without changing its documents.
 *
 * A rule is for steps of some kinds, and is called for each of these, the last one first.  It may change the step and
 * those around it, which are copies, remove the next one or the one before, and put others before it.
 */
#ifndef PGBSON_RULES_H
#define PGBSON_RULES_H

#include "pipeline/tree/node.h"

typedef void PgBsonRule(PgBsonChain *chain, int step);

/* $lookup and $unwind of what it found: one step, a join (rule_lookup.c) */
extern PgBsonRule PgBsonRuleJoin;

/* $lookup by an _id that is unique: a join; also with $set of the first document that it found */
extern PgBsonRule PgBsonRuleLookup;

/* $set or $project of fields that only a $match reads, or only a $group: it computes them itself (rule_inline.c) */
extern PgBsonRule PgBsonRuleTest, PgBsonRuleInline;

/* $group by a document of several fields: these are columns (rule_group.c) */
extern PgBsonRule PgBsonRuleFields;

/* Fields that no later step reads are left out of what $set makes, and of large documents that are copied or sorted */
extern PgBsonRule PgBsonRuleReads;

/* $unwind before $group: the elements, and the paths beside them, are columns (rule_group.c) */
extern PgBsonRule PgBsonRuleCarry;

/* $group that wants no more of an order than its first and last documents (rule_group.c) */
extern PgBsonRule PgBsonRuleEnds;

/* Conditions on the number that $rank and its like give are comparisons of integers */
extern PgBsonRule PgBsonRuleNumber;

/* Partial indexes whose condition the filter implies; before the rules that use them */
extern PgBsonRule PgBsonRulePartial;

/* Conditions and an order that one index on several fields serves; also the first documents that an index finds */
extern PgBsonRule PgBsonRuleCompound;

/* Conditions and orders that a btree index on a field serves */
extern PgBsonRule PgBsonRuleIndex;

/* Conditions and orders of fields that never meet an array, as a CHECK of the table says (rule_index.c) */
extern PgBsonRule PgBsonRuleSure;

/* The setting bson.pipeline_rules_off: bits of rules, by their place in the table of rules.c, that are left out */
extern int	PgBsonRulesOff;

/* The chain, and those within its steps, after all rules, palloc'd; "is_old": see PgBsonTarget */
extern PgBsonChain *PgBsonRulesApply(const PgBsonChain *chain, bool is_old);

/* The condition on one field of a query as one on an indexed field; NULL if it cannot be (rule_index.c) */
extern PgBsonCondition *PgBsonServeField(const PgBsonSource *source, const PgBsonIndexed *field,
										 const PgBsonIter *iter);

/*
 * Add conditions for those fields of a query that an index serves, but those decided already (PgBsonKeyRef *).
 * Returns a query of the fields that are left.  The conditions have the query's own values, by which shapes know them;
 * the query has copies, in which no index is to be looked for (rule_index.c).
 */
extern PgBsonValue PgBsonServeQuery(const PgBsonSource *source, const PgBsonValue *whole, const List *decided,
									List **conditions);

/* The least value of the types that compare with this, and of the next types; false if it has none (rule_index.c) */
extern bool PgBsonBracketOf(const PgBsonValue *value, PgBsonValue *least, PgBsonValue *above);

#endif							/* PGBSON_RULES_H */
