/*
 * collation.h
 *	  MongoDB's collations as those of PostgreSQL that ICU provides.
 *
 * The authority is MongoDB's src/mongo/db/query/collation/collator_factory_icu.cpp and collation_spec.idl.
 */
#ifndef PGBSON_COLLATION_H
#define PGBSON_COLLATION_H

#include "core/bytes/view.h"

/*
 * The locale that a specification, {locale: ..., strength: ...}, asks for, as a language tag of BCP 47 in ICU's normal
 * form, such as en-US-u-ks-level2, palloc'd; NULL for the locale "simple", which compares bytes.  Error 22023 if it is
 * no specification.
 */
extern char *PgBsonCollationTag(const PgBsonValue *spec);

/*
 * A specification with the options that it does not give, as MongoDB lists them and dumps have them, palloc'd;
 * PGBSON_EOD for the locale "simple".  Where a locale has other defaults than most, MongoDB lists those.
 */
extern PgBsonValue PgBsonCollationListed(const PgBsonValue *spec);

#endif							/* PGBSON_COLLATION_H */
