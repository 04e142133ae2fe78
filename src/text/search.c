/*
 * search.c
 *	  MongoDB's text search by the server's: vectors of documents, and queries.
 *
 * The words of both are made by the server's parser and dictionaries, of texts without diacritics and punctuation.
 * What words cannot say is tested in the documents found: a phrase is a part of a string, as in MongoDB, and so is the
 * beginning of a word, as far as stemming leaves it, if its case or diacritics count.
 */
#include "text/spec.h"

#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/write/from_value.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "mongo/common/options.h"
#include "nodes/pg_list.h"
#include "tsearch/ts_utils.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"

struct PgBsonTextSearch
{
	Oid			config;
	int			how;			/* what a text is compared with: PGBSON_TEXT_FOLD and LOWER */
	StringInfoData wanted;		/* words, each followed by a space; in UTF-8 */
	StringInfoData refused;
	List	   *phrases;		/* char *, prepared */
	List	   *refused_phrases;
};

static bool
is_sensitive(const PgBsonTextSearch *search)
{
	return search->how != (PGBSON_TEXT_FOLD | PGBSON_TEXT_LOWER);
}

/* Add the words of a text in UTF-8 */
static void
add_text(ParsedText *parsed, Oid config, const char *s, uint32 len)
{
	char	   *text = PgBsonTextPrepare(s, len, PGBSON_TEXT_FOLD | PGBSON_TEXT_SPLIT);

	/* an estimate; parsetext makes more room */
	if (parsed->words == NULL)
	{
		parsed->lenwords = 64;
		parsed->words = palloc_array(ParsedWord, parsed->lenwords);
	}
	parsetext(config, parsed, text, strlen(text));
	pfree(text);
	/* no phrase extends from one string into the next */
	parsed->pos++;
}

static void
add_string(const PgBsonValue *string, Oid config, int class, void *arg)
{
	add_text((ParsedText *) arg + class, config, PgBsonStringBytes(string), PgBsonStringLength(string));
}

TSVector
PgBsonTextVector(const PgBsonTextSpec *spec, const PgBsonValue *document)
{
	ParsedText	parsed[PGBSON_TEXT_CLASSES] = {{NULL}};
	Datum		vector = (Datum) 0;

	PgBsonTextWalk(spec, document, add_string, parsed);
	for (int i = 0; i < PGBSON_TEXT_CLASSES; i++)
	{
		Datum		words;

		if (i > 0 && parsed[i].curwords == 0)
			continue;
		words = TSVectorGetDatum(make_tsvector(&parsed[i]));
		words = DirectFunctionCall2(tsvector_setweight, words, CharGetDatum('A' + i));
		vector = i == 0 ? words : DirectFunctionCall2(tsvector_concat, vector, words);
	}
	return DatumGetTSVector(vector);
}

/*
 * Divide a search into words and phrases.  A minus behind white space refuses what follows up to the next white space;
 * the words of a phrase count as words, too, but not of one that is refused.
 */
static void
divide_search(PgBsonTextSearch *search, const char *s, uint32 len)
{
	const char *phrase = NULL;	/* where one begins */
	bool		space = true;	/* before this character */
	bool		refused = false;

	initStringInfo(&search->wanted);
	initStringInfo(&search->refused);
	for (uint32 i = 0; i < len; i++)
	{
		bool		is_space = s[i] == ' ' || (s[i] >= '\n' && s[i] <= '\r');

		if (s[i] == '-')
			refused |= phrase == NULL && space;
		else if (s[i] == '"' && phrase == NULL)
		{
			refused &= !space;
			phrase = s + i + 1;
		}
		else if (s[i] == '"')
		{
			List	  **phrases = refused ? &search->refused_phrases : &search->phrases;

			*phrases = lappend(*phrases, PgBsonTextPrepare(phrase, s + i - phrase, search->how));
			phrase = NULL;
		}
		else if (!is_space && !(phrase != NULL && refused))
		{
			refused &= !space || phrase != NULL;
			appendStringInfoChar(refused ? &search->refused : &search->wanted, s[i]);
		}
		if (s[i] == '-' || s[i] == '"' || is_space)
		{
			appendStringInfoChar(&search->refused, ' ');
			appendStringInfoChar(&search->wanted, ' ');
		}
		space = is_space;
	}
}

PgBsonTextSearch *
PgBsonTextSearchParse(const PgBsonTextSpec *spec, const PgBsonValue *value)
{
	PgBsonTextSearch *search = palloc0_object(PgBsonTextSearch);
	PgBsonValue values[4];
	PgBsonIter	unknown;

	if (value->type != PGBSON_DOCUMENT || !PgBsonOptionsRead(value, "$search $language $caseSensitive $diacriticSensitive", values, &unknown) ||
		values[0].type != PGBSON_STRING || (values[2].type != PGBSON_EOD && values[2].type != PGBSON_BOOL) ||
		(values[3].type != PGBSON_EOD && values[3].type != PGBSON_BOOL))
		PgBsonReportInvalid(errmsg("invalid operand of \"$text\" in a bson query"),
							errdetail("It must have \"$search\", a string, and may have \"$language\", a string, \"$caseSensitive\" and \"$diacriticSensitive\", booleans."));
	search->config = values[1].type == PGBSON_EOD ? spec->config : PgBsonTextConfig(&values[1]);
	if (!OidIsValid(search->config))
		PgBsonReportInvalid(errmsg("invalid operand of \"$text\" in a bson query"), errdetail("The \"$language\" is not known."));
	search->how = (values[2].type == PGBSON_BOOL && values[2].data[0] ? 0 : PGBSON_TEXT_LOWER) |
		(values[3].type == PGBSON_BOOL && values[3].data[0] ? 0 : PGBSON_TEXT_FOLD);
	divide_search(search, PgBsonStringBytes(&values[0]), PgBsonStringLength(&values[0]));
	return search;
}

/* Append the words of a sentence as they are in vectors: 'word' | 'word'; false if there is none */
static bool
append_lexemes(StringInfo query, Oid config, const StringInfoData *sentence)
{
	ParsedText	parsed = {NULL};

	add_text(&parsed, config, sentence->data, sentence->len);
	for (int i = 0; i < parsed.curwords; i++)
	{
		appendStringInfoString(query, i == 0 ? "'" : " | '");
		for (int j = 0; j < parsed.words[i].len; j++)
		{
			if (parsed.words[i].word[j] == '\'' || parsed.words[i].word[j] == '\\')
				appendStringInfoChar(query, parsed.words[i].word[j]);
			appendStringInfoChar(query, parsed.words[i].word[j]);
		}
		appendStringInfoChar(query, '\'');
	}
	return parsed.curwords > 0;
}

TSQuery
PgBsonTextQuery(const PgBsonTextSearch *search, bool positive)
{
	StringInfoData query;
	StringInfoData refused;
	TSQuery		none;

	initStringInfo(&query);
	initStringInfo(&refused);
	appendStringInfoChar(&query, '(');
	if (!append_lexemes(&query, search->config, &search->wanted))
	{
		/* no document, and not what the server notes of a query without words */
		none = palloc0(HDRSIZETQ);
		SET_VARSIZE(none, HDRSIZETQ);
		return none;
	}
	appendStringInfoChar(&query, ')');
	/* whether one with the same case is there is tested in the document */
	if (!positive && !is_sensitive(search) && append_lexemes(&refused, search->config, &search->refused))
		appendStringInfo(&query, " & !(%s)", refused.data);
	return DatumGetTSQuery(DirectFunctionCall1(tsqueryin, CStringGetDatum(query.data)));
}

bool
PgBsonTextIsStrict(const PgBsonTextSearch *search)
{
	return is_sensitive(search) || search->phrases != NIL || search->refused_phrases != NIL;
}

/* What is tested of a document, and what was found so far */
typedef struct TextTest
{
	const PgBsonTextSearch *search;
	List	   *words;			/* char *: beginnings of words, of which one must be there */
	List	   *refused;
	List	   *phrases;		/* those not found yet */
	bool		found;			/* one of the words is there */
	bool		failed;			/* what is refused is there */
} TextTest;

/* The beginnings of a sentence's words, as far as stemming leaves them */
static List *
beginnings(const PgBsonTextSearch *search, const StringInfoData *sentence)
{
	char	   *rest = PgBsonTextPrepare(sentence->data, sentence->len, search->how | PGBSON_TEXT_SPLIT);
	char	   *word;
	List	   *words = NIL;

	while ((word = strsep(&rest, " ")) != NULL)
	{
		ParsedText	parsed = {NULL};
		uint32		len = strlen(word);
		const char *utf8 = PgBsonFromServerText(word, &len);
		char	   *plain = PgBsonTextPrepare(utf8, len, PGBSON_TEXT_FOLD | PGBSON_TEXT_LOWER);
		int			same = 0;

		add_text(&parsed, search->config, utf8, len);
		if (parsed.curwords == 0)
			continue;
		while (same < parsed.words[0].len && plain[same] == parsed.words[0].word[same])
			same++;
		same = pg_mbstrlen_with_len(plain, pg_mbcliplen(plain, strlen(plain), same));
		words = lappend(words, pnstrdup(word, pg_mbcharcliplen(word, strlen(word), same)));
	}
	return words;
}

/* Does a word of the text begin with one of these? */
static bool
has_beginning(const char *text, const List *words)
{
	foreach_ptr(const char, word, words)
	{
		CHECK_FOR_INTERRUPTS();
		for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
		{
			if (at == text || at[-1] == ' ')
				return true;
		}
	}
	return false;
}

static void
test_string(const PgBsonValue *string, Oid config, int class, void *arg)
{
	TextTest   *test = arg;
	uint32		len;
	const char *s = PgBsonValueString(string, &len);
	char	   *text = PgBsonTextPrepare(s, len, test->search->how);
	ListCell   *lc;

	foreach(lc, test->phrases)
	{
		CHECK_FOR_INTERRUPTS();
		if (strstr(text, lfirst(lc)) != NULL)
			test->phrases = foreach_delete_current(test->phrases, lc);
	}
	foreach_ptr(const char, phrase, test->search->refused_phrases)
	{
		CHECK_FOR_INTERRUPTS();
		test->failed |= strstr(text, phrase) != NULL;
	}
	pfree(text);
	if (!is_sensitive(test->search))
		return;
	text = PgBsonTextPrepare(s, len, test->search->how | PGBSON_TEXT_SPLIT);
	test->found |= has_beginning(text, test->words);
	test->failed |= has_beginning(text, test->refused);
	pfree(text);
}

bool
PgBsonTextMatches(const PgBsonTextSpec *spec, const PgBsonTextSearch *search, const PgBsonValue *document)
{
	TextTest	test = {search, NIL, NIL, list_copy(search->phrases), !is_sensitive(search)};

	if (is_sensitive(search))
	{
		test.words = beginnings(search, &search->wanted);
		test.refused = beginnings(search, &search->refused);
	}
	PgBsonTextWalk(spec, document, test_string, &test);
	return test.found && !test.failed && test.phrases == NIL;
}

double
PgBsonTextScore(const PgBsonTextSpec *spec, const PgBsonTextSearch *search, const PgBsonValue *document)
{
	Datum		weights[PGBSON_TEXT_CLASSES];
	ArrayType  *array;
	float4		rank;

	/* from D to A, as parts of the greatest; the longer the text, the less is a word worth */
	for (int i = 0; i < PGBSON_TEXT_CLASSES; i++)
		weights[PGBSON_TEXT_CLASSES - 1 - i] = Float4GetDatum((float4) (spec->weights[i] / spec->weights[0]));
	array = construct_array(weights, PGBSON_TEXT_CLASSES, FLOAT4OID, sizeof(float4), true, TYPALIGN_INT);
	rank = DatumGetFloat4(DirectFunctionCall4(ts_rank_wttf, PointerGetDatum(array),
											  TSVectorGetDatum(PgBsonTextVector(spec, document)),
											  TSQueryGetDatum(PgBsonTextQuery(search, true)), Int32GetDatum(1)));
	return rank * spec->weights[0];
}
