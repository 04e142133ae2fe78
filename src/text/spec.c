/*
 * spec.c
 *	  The strings that a text index is on, and how they are compared.
 */
#include "text/spec.h"

#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "common/unicode_norm.h"
#include "core/find/path.h"
#include "core/bytes/recode.h"
#include "core/number/number.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "mongo/common/options.h"
#include "nodes/value.h"
#include "utils/formatting.h"

/* below those, as it declares nodes */
#include "nodes/pg_list.h"

/* A weight is less than this, and there are at most so many paths */
#define MAX_WEIGHT	100000
#define MAX_PATHS	1000

pg_noreturn static void
text_index_wrong(const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid specification of a text index of bson documents"), errdetail("%s", _(detail)));
}

Oid
PgBsonTextConfig(const PgBsonValue *language)
{
	/* names of MongoDB's, each with its code; the server has configurations of the same names */
	static const char *const languages[][2] = {
		{"none", "none"}, {"danish", "da"}, {"dutch", "nl"}, {"english", "en"}, {"finnish", "fi"}, {"french", "fr"},
		{"german", "de"}, {"hungarian", "hu"}, {"italian", "it"}, {"norwegian", "nb"}, {"portuguese", "pt"},
		{"romanian", "ro"}, {"russian", "ru"}, {"spanish", "es"}, {"swedish", "sv"}, {"turkish", "tr"},
	};
	uint32		len;
	const char *s = language->type == PGBSON_STRING ? PgBsonValueString(language, &len) : NULL;

	for (int i = 0; s != NULL && i < lengthof(languages); i++)
	{
		for (int j = 0; j < 2; j++)
		{
			if (strlen(languages[i][j]) == len && pg_strncasecmp(languages[i][j], s, len) == 0)
			{
				const char *name = i == 0 ? "simple" : languages[i][0];

				return get_ts_config_oid(list_make2(makeString("pg_catalog"), makeString(pstrdup(name))), false);
			}
		}
	}
	return InvalidOid;
}

/* A path of "weights", which may not be one of operators */
static void
check_path(const PgBsonIter *path)
{
	bool		begins = true;

	if (PgBsonIterIs(path, "$**"))
		return;
	for (uint32 i = 0; i <= path->key_len; i++)
	{
		if (begins && (i == path->key_len || path->key[i] == '.' || path->key[i] == '$'))
			text_index_wrong(gettext_noop("A path of the \"weights\" is empty, or begins with a dollar sign."));
		begins = i < path->key_len && path->key[i] == '.';
	}
}

/* Add a path with its weight (PgBsonIter *) in the order of bytes; one that is there gets the new weight */
static List *
add_weight(List *weights, const PgBsonIter *path)
{
	PgBsonIter *made = palloc_object(PgBsonIter);
	int			at = 0;

	*made = *path;
	for (; at < list_length(weights); at++)
	{
		PgBsonIter *other = list_nth(weights, at);
		int			cmp = memcmp(other->key, path->key, Min(other->key_len, path->key_len));

		cmp = cmp != 0 ? cmp : (int) other->key_len - (int) path->key_len;
		if (cmp == 0)
		{
			*other = *path;
			return weights;
		}
		if (cmp > 0)
			break;
	}
	if (list_length(weights) == MAX_PATHS)
		text_index_wrong(gettext_noop("There are too many paths."));
	return list_insert_nth(weights, at, made);
}

PgBsonValue
PgBsonTextSpecOf(const PgBsonValue *index)
{
	PgBsonValue key;
	PgBsonValue given;
	PgBsonValue language = PgBsonMakeString("english", 7);
	PgBsonValue override = PgBsonMakeString("language", 8);
	PgBsonWriter writer;
	List	   *weights = NIL;

	(void) PgBsonFindField(index, "key", &key);
	PgBsonForEach(iter, PgBsonValueView(&key))
	{
		if (PgBsonOptionIs(&iter.value, "text") && !PgBsonIterIs(&iter, "_fts"))
		{
			iter.value = PgBsonOne;
			weights = add_weight(weights, &iter);
		}
	}
	if (PgBsonFindField(index, "weights", &given))
	{
		if (PgBsonOptionIs(&given, "$**"))
			given = PgBsonMakeDocument("$**", &PgBsonOne, NULL);
		if (given.type != PGBSON_DOCUMENT)
			text_index_wrong(gettext_noop("The \"weights\" must be a document."));
		PgBsonForEach(iter, PgBsonValueView(&given))
		{
			/* as in MongoDB, a weight is cut to an integer */
			if (PgBsonIsNumber(iter.value.type))
			{
				double		weight = PgBsonNumberToDouble(&iter.value, NULL);

				iter.value = PgBsonMakeInteger(weight > 0 && weight < MAX_WEIGHT ? (int64) weight : 0);
			}
			weights = add_weight(weights, &iter);
		}
	}
	(void) PgBsonFindField(index, "default_language", &language);
	(void) PgBsonFindField(index, "language_override", &override);
	PgBsonWriterBegin(&writer, 64);
	foreach_ptr(const PgBsonIter, weight, weights)
	{
		PgBsonWriterField(&writer, weight->key, weight->key_len, &weight->value);
	}
	given = PgBsonWriterEnd(&writer, PGBSON_DOCUMENT);
	given = PgBsonMakeDocument("weights", &given, "default_language", &language, "language_override", &override, NULL);
	(void) PgBsonTextSpecParse(&given);
	return given;
}

/* The class of this weight, which is a new one if there is none yet; classes have no order yet */
static int
class_of(PgBsonTextSpec *spec, double weight)
{
	for (int i = 0; i < PGBSON_TEXT_CLASSES; i++)
	{
		if (spec->weights[i] == 0)
			spec->weights[i] = weight;
		if (spec->weights[i] == weight)
			return i;
	}
	PgBsonReportUnsupported(errmsg("a text index of bson documents has more than %d different weights", PGBSON_TEXT_CLASSES),
							errhint("Give some paths the same weight."));
}

/* Put the classes into descending order of their weights */
static void
order_classes(PgBsonTextSpec *spec)
{
	for (int i = 0; i < PGBSON_TEXT_CLASSES; i++)
	{
		for (int j = i + 1; j < PGBSON_TEXT_CLASSES; j++)
		{
			double		weight = spec->weights[i];

			if (spec->weights[j] <= weight)
				continue;
			spec->weights[i] = spec->weights[j];
			spec->weights[j] = weight;
			for (int k = 0; k < spec->npaths; k++)
				spec->classes[k] = spec->classes[k] == i ? j : spec->classes[k] == j ? i : spec->classes[k];
			spec->other = spec->other == i ? j : spec->other == j ? i : spec->other;
		}
	}
}

PgBsonTextSpec *
PgBsonTextSpecParse(const PgBsonValue *value)
{
	PgBsonTextSpec *spec = palloc0_object(PgBsonTextSpec);
	PgBsonValue values[3];
	PgBsonIter	unknown;
	double		weight;
	int			count;

	if (value->type != PGBSON_DOCUMENT || !PgBsonOptionsRead(value, "weights default_language language_override", values, &unknown) ||
		values[0].type != PGBSON_DOCUMENT)
		text_index_wrong(gettext_noop("It must have \"weights\", a document, and may have \"default_language\" and \"language_override\"."));
	count = PgBsonViewCount(PgBsonValueView(&values[0]));
	spec->paths = palloc_array(PgBsonKeyRef, count + 1);
	spec->classes = palloc_array(int, count + 1);
	PgBsonForEach(iter, PgBsonValueView(&values[0]))
	{
		check_path(&iter);
		weight = PgBsonIsNumber(iter.value.type) ? PgBsonNumberToDouble(&iter.value, NULL) : 0;
		if (!(weight > 0 && weight < MAX_WEIGHT))
			text_index_wrong(gettext_noop("A weight must be a number from 1 to 99999."));
		if (PgBsonIterIs(&iter, "$**"))
			spec->wildcard = true;
		else
		{
			spec->paths[spec->npaths] = (PgBsonKeyRef) {iter.key, iter.key_len};
			spec->classes[spec->npaths++] = class_of(spec, weight);
		}
	}
	/* as in MongoDB, whatever the weight of $** is */
	if (spec->wildcard)
		spec->other = class_of(spec, 1);
	if (count == 0)
		text_index_wrong(gettext_noop("The \"weights\" have no path."));
	order_classes(spec);
	if (values[1].type == PGBSON_EOD)
		values[1] = PgBsonMakeString("english", 7);
	if (values[2].type == PGBSON_EOD)
		values[2] = PgBsonMakeString("language", 8);
	spec->config = PgBsonTextConfig(&values[1]);
	if (!OidIsValid(spec->config))
		text_index_wrong(gettext_noop("The \"default_language\" is not known."));
	if (values[2].type != PGBSON_STRING)
		text_index_wrong(gettext_noop("The \"language_override\" must be a string."));
	spec->override.key = PgBsonValueString(&values[2], &spec->override.len);
	if (spec->override.len == 0 || spec->override.key[0] == '$' ||
		memchr(spec->override.key, '.', spec->override.len) != NULL)
		text_index_wrong(gettext_noop("The \"language_override\" must be the name of a field, without a dot."));
	return spec;
}

/* A walk through a document */
typedef struct TextWalk
{
	const PgBsonTextSpec *spec;
	PgBsonTextVisitor *visit;
	void	   *arg;
	StringInfoData path;
} TextWalk;

/* The number of this path; -1 if it has none, and *above tells whether it begins another one */
static int
path_number(const TextWalk *walk, bool *above)
{
	const PgBsonTextSpec *spec = walk->spec;
	int			len = walk->path.len;
	int			found = -1;

	*above = false;
	for (int i = 0; i < spec->npaths; i++)
	{
		if (spec->paths[i].len < len || memcmp(spec->paths[i].key, walk->path.data, len) != 0)
			continue;
		if (spec->paths[i].len == len)
			found = i;
		else
			*above |= spec->paths[i].key[len] == '.';
	}
	return found;
}

/* The configuration for a document, which may name its language */
static Oid
config_of_document(const TextWalk *walk, const PgBsonValue *document, Oid config)
{
	PgBsonValue language;

	if (!PgBsonFindKey(PgBsonValueView(document), walk->spec->override.key, walk->spec->override.len, &language))
		return config;
	config = PgBsonTextConfig(&language);
	if (!OidIsValid(config))
		PgBsonReportInvalid(errmsg("the language of a bson document is not known to text search"),
							errdetail("The field \"%s\" must have the name or the code of a language.",
									  PgBsonNameInMessage(walk->spec->override.key, walk->spec->override.len)));
	return config;
}

/* Visit the strings of a document or an array at the walk's path */
static void
walk_text(TextWalk *walk, const PgBsonValue *container, Oid config)
{
	const PgBsonTextSpec *spec = walk->spec;
	bool		is_array = container->type == PGBSON_ARRAY;
	int			len = walk->path.len;

	check_stack_depth();
	if (!is_array)
		config = config_of_document(walk, container, config);
	PgBsonForEach(iter, PgBsonValueView(container))
	{
		bool		above;
		int			number;

		CHECK_FOR_INTERRUPTS();
		if (spec->wildcard && iter.key_len == spec->override.len &&
			memcmp(iter.key, spec->override.key, iter.key_len) == 0)
			continue;
		if (!is_array)
		{
			if (len > 0)
				appendStringInfoChar(&walk->path, '.');
			appendBinaryStringInfo(&walk->path, iter.key, iter.key_len);
		}
		number = path_number(walk, &above);
		if (iter.value.type == PGBSON_STRING && (number >= 0 || spec->wildcard))
			walk->visit(&iter.value, config, number >= 0 ? spec->classes[number] : spec->other, walk->arg);
		else if ((iter.value.type == PGBSON_DOCUMENT && (above || spec->wildcard)) ||
				 (iter.value.type == PGBSON_ARRAY && (spec->wildcard || (!is_array && (above || number >= 0)))))
			walk_text(walk, &iter.value, config);
		walk->path.len = len;
	}
}

void
PgBsonTextWalk(const PgBsonTextSpec *spec, const PgBsonValue *document, PgBsonTextVisitor *visit, void *arg)
{
	TextWalk	walk = {spec, visit, arg};

	if (document->type != PGBSON_DOCUMENT)
		return;
	initStringInfo(&walk.path);
	walk_text(&walk, document, spec->config);
	pfree(walk.path.data);
}

static bool
is_mark(pg_wchar c)
{
	return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x1DC0 && c <= 0x1DFF) ||
		(c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE20 && c <= 0xFE2F);
}

/* The text, in UTF-8, without diacritics */
static const char *
without_marks(const char *s, uint32 *len)
{
	pg_wchar   *wide = palloc_array(pg_wchar, *len + 1);
	const unsigned char *p = (const unsigned char *) s;
	unsigned char *folded;
	unsigned char *to;
	int			n = 0;

	for (const unsigned char *end = p + *len; p < end; p += pg_utf_mblen(p))
		wide[n++] = utf8_to_unicode(p);
	wide[n] = 0;
	wide = unicode_normalize(UNICODE_NFD, wide);
	for (n = 0; wide[n] != 0; n++)
		;
	folded = to = palloc(n * 4 + 1);
	for (int i = 0; i < n; i++)
	{
		if (is_mark(wide[i]))
			continue;
		unicode_to_utf8(wide[i], to);
		to += pg_utf_mblen(to);
	}
	*len = to - folded;
	return (const char *) folded;
}

char *
PgBsonTextPrepare(const char *s, uint32 len, int how)
{
	char	   *text = palloc(len + 1);
	bool		ascii = true;
	const char *server;

	for (uint32 i = 0; i < len; i++)
	{
		unsigned char c = s[i];
		bool		word = c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		ascii &= c < 0x80;
		text[i] = c == '\0' || (!word && (how & PGBSON_TEXT_SPLIT) != 0) ? ' ' : c;
	}
	server = text;
	if (!ascii && (how & PGBSON_TEXT_FOLD) != 0)
		server = without_marks(text, &len);
	server = PgBsonToServerText(server, &len);
	if ((how & PGBSON_TEXT_LOWER) != 0)
		return str_tolower(server, len, DEFAULT_COLLATION_OID);
	return pnstrdup(server, len);
}
