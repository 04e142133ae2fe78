/*
 * extjson.h
 *	  Extended JSON: the wrapper objects that spell what JSON has no syntax for.
 *
 * {"$oid": "..."} and its like.  Read are Extended JSON v2, canonical and
 * relaxed, and the spellings mongoexport wrote before it: $binary with $type,
 * $regex with $options, a number for $date.
 *
 * An object is a wrapper if it has any of the keys
 *
 *		$binary $code $date $dbPointer $maxKey $minKey $numberDecimal
 *		$numberDouble $numberInt $numberLong $oid $regularExpression $symbol
 *		$timestamp $undefined $uuid
 *
 * whatever else it holds: a wrong value or another key beside them is an
 * error, never an ordinary document.  Two strings under just $regex and
 * $options are a wrapper too; any other use of these two is a MongoDB query,
 * and stays a document, as does every other key with a dollar: {"$set": ...},
 * {"$type": ...}, a DBRef, $scope without $code.
 */
#ifndef PGBSON_EXTJSON_H
#define PGBSON_EXTJSON_H

#include "core/build.h"

/*
 * Would this document, printed as an ordinary JSON object, be read as a
 * wrapper or refused?  Looks at the document's own keys, not into its values.
 */
extern bool PgBsonExtJsonClaims(PgBsonView doc);

#endif							/* PGBSON_EXTJSON_H */
