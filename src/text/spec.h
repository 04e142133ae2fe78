/*
 * spec.h
 *	  The strings that a text index is on, and how they are compared.  Private to this room.
 */
#ifndef PGBSON_SPEC_H
#define PGBSON_SPEC_H

#include "core/bytes/keys.h"
#include "text/search.h"

/* The server has four classes of words: so many different weights can be */
#define PGBSON_TEXT_CLASSES	4

struct PgBsonTextSpec
{
	PgBsonKeyRef *paths;		/* those with a weight of their own */
	int		   *classes;		/* of these: 0 for the greatest weight, A */
	int			npaths;
	bool		wildcard;		/* all strings count, */
	int			other;			/* the others with this class */
	double		weights[PGBSON_TEXT_CLASSES];	/* descending; 0: not used */
	Oid			config;			/* of the default language */
	PgBsonKeyRef override;		/* the field that names the language of a document */
};

/* The server's configuration for a language of MongoDB's, by its name or code; InvalidOid if it is not known */
extern Oid	PgBsonTextConfig(const PgBsonValue *language);

/* Call the function for each string that is searched, with its class and the configuration of its language */
typedef void PgBsonTextVisitor(const PgBsonValue *string, Oid config, int class, void *arg);
extern void PgBsonTextWalk(const PgBsonTextSpec *spec, const PgBsonValue *document, PgBsonTextVisitor *visit,
						   void *arg);

/* How a text is prepared to be compared: without diacritics, without upper case, with spaces for punctuation */
#define PGBSON_TEXT_FOLD	0x01
#define PGBSON_TEXT_LOWER	0x02
#define PGBSON_TEXT_SPLIT	0x04

/* The text, from UTF-8, in the server's encoding, palloc'd and with a zero at its end */
extern char *PgBsonTextPrepare(const char *s, uint32 len, int how);

#endif							/* PGBSON_SPEC_H */
