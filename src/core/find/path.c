/*
 * path.c
 *	  Finding a value by key, index or path.
 *
 * A step of a text[] path selects a field of a document, or, in an array, the
 * element its digits name; nothing else is special: dots and dollars in keys
 * mean nothing.
 */
#include "core/find/path.h"

#include "common/string.h"
#include "core/bytes/skip.h"
#include "mb/pg_wchar.h"

/*
 * A key that was absent in this many documents in a row is first searched for among all bytes, if the elements had at
 * most BYTES_PER_ELEMENT of them on average, and the document has no more than MOST_BYTES
 */
#define MOSTLY_ABSENT		3
#define BYTES_PER_ELEMENT	64
#define MOST_BYTES			16384

/* For a walk to an element by its number: how many elements are still to be stepped over */
static inline bool
may_be_number(const uint8 *key, uint32 key_len, void *arg)
{
	uint32	   *left = arg;

	if (*left == 0)
		return true;
	--*left;
	return false;
}

static inline bool
is_number(const uint8 *key, uint32 key_len, const uint8 *limit, void *arg)
{
	return may_be_number(key, key_len, arg);
}

/* Note whether a document that was walked through, of this number of elements, had the key */
static inline void
note_absence(PgBsonFindHint *hint, int step, bool found, uint32 elements, PgBsonView doc)
{
	if (!found && doc.len <= MOST_BYTES && doc.len <= elements * BYTES_PER_ELEMENT)
	{
		hint->absences = hint->absent_step == step ? Min(hint->absences + 1, MOSTLY_ABSENT) : 1;
		hint->absent_step = step;
	}
	else if (hint->absent_step == step)
		hint->absences = 0;
}

/* One step by key in a document that is all there, *at, which becomes the field's value if there is one */
static pg_attribute_always_inline bool
find_field(PgBsonValue *at, const PgBsonStep *step, int number, PgBsonFindHint *hint)
{
	PgBsonView	doc = {at->data, at->len};
	const uint8 *end = doc.data + doc.len;
	PgBsonFieldTarget key = PgBsonFieldTargetKey(step->key, step->key_len);
	PgBsonGuess *guess = &hint->guess;
	PgBsonWalkState walk = PgBsonWalkBegin(doc, end, guess, &key);
	uint32		passed = guess->passed;
	bool		found;

	if (unlikely(doc.len < PGBSON_MIN_SIZE))
		PgBsonReportDamaged(0);
	if (hint->absences == MOSTLY_ABSENT && hint->absent_step == number && doc.len <= MOST_BYTES &&
		!PgBsonKeyMayOccur(walk.from, end - 1, step->key, step->key_len))
		return false;
	found = (guess->by_document
			 ? PgBsonWalk(&walk, true, PgBsonFieldTargetMayMatch, PgBsonFieldTargetMatches, at)
			 : PgBsonWalk(&walk, false, PgBsonFieldTargetMayMatch, PgBsonFieldTargetMatches, at)) == PGBSON_FOUND;
	note_absence(hint, number, found, guess->passed - passed, doc);
	return found;
}

/* The number of the element that the step selects in an array; false if it is none */
static inline bool
element_number(const PgBsonStep *step, int32 *number)
{
	*number = step->index;
	return step->kind == PGBSON_STEP_INDEX ||
		(step->kind == PGBSON_STEP_PATH && PgBsonStepAsIndex(step->key, step->key_len, number));
}

/* A search in an array, or in a value of which only a part may be there */
typedef struct Search
{
	PgBsonReader *reader;		/* brings more of it; NULL: all of it is there */
	PgBsonWalkState walk;		/* its "need" is the end of the bytes that the search has looked at, or needs next */
} Search;

/* Read more, so that the bytes from "from" to before the end that is needed are there */
static void
bring(Search *s, const uint8 *from)
{
	if (s->reader == NULL)
		PgBsonReportDamaged(0);
	s->walk.avail = PgBsonReach(s->reader, from, s->walk.need);
}

/* One step by key in a document of which only a part may be there */
static bool
read_field(Search *s, PgBsonValue *at, const PgBsonStep *step)
{
	PgBsonFieldTarget key = PgBsonFieldTargetKey(step->key, step->key_len);
	PgBsonFound found;

	s->walk.arg = &key;
	while ((found = PgBsonWalk(&s->walk, s->walk.guess->by_document, PgBsonFieldTargetMayMatch,
							   PgBsonFieldTargetMatches, at)) == PGBSON_MORE)
		bring(s, s->walk.from);
	return found == PGBSON_FOUND;
}

/* Step over elements that are there and of one kind, up to the wanted one, number "number"; *left of them remain */
static inline void
pass_over(const uint8 **from, const uint8 *limit, uint32 number, uint32 *left)
{
	uint32		passed;

	*from = PgBsonSkipElements(*from, limit, number - *left, *left, &passed);
	*left -= passed;
}

/* Element "number" of an array, negative from the end */
static bool
find_element(Search *s, PgBsonValue *at, int32 number)
{
	PgBsonWalkState *walk = &s->walk;
	PgBsonView	array = walk->view;
	const uint8 *end = array.data + array.len - 1;
	uint32		left = number;
	uint32		position = 0;
	bool		there = walk->avail > end;
	PgBsonFound found;
	bool		is_there;

	walk->need = array.data + array.len;
	walk->arg = &left;
	if (there && array.len <= PGBSON_SHORT_ARRAY && PgBsonShortArrayElement(array, number, at, &is_there))
		return is_there;
	if (number < 0)
	{
		/* all must be there to count from the end */
		if (!there)
			bring(s, array.data);
		if (!PgBsonElementFromEnd(array, -(int64) number, &walk->from, &position, &left))
			return false;
	}
	else
	{
		walk->need = walk->from;
		/* an element takes two bytes at least */
		if ((uint32) number >= (array.len - PGBSON_MIN_SIZE) / 2)
			return false;
		pass_over(&walk->from, Min(walk->avail, end), number, &left);
	}
	while ((found = PgBsonWalk(walk, walk->guess->by_document, may_be_number, is_number, at)) == PGBSON_MORE)
	{
		bring(s, walk->from);
		pass_over(&walk->from, Min(walk->avail, end), number, &left);
	}
	return found == PGBSON_FOUND;
}

/* A step that is not one by key in a document that is all there */
static pg_noinline bool
find_otherwise(PgBsonReader *reader, PgBsonValue *at, PgBsonGuess *guess, const PgBsonStep *step)
{
	Search		s = {reader, PgBsonWalkBegin(PgBsonValueView(at), reader == NULL ? at->data + at->len : reader->avail,
											 guess, NULL)};
	int32		number;
	bool		found = false;

	if (PgBsonIsContainer(at->type))
	{
		/* the length word of a container was looked at to step over it */
		if (at->len < PGBSON_MIN_SIZE)
			PgBsonReportDamaged(0);
		s.walk.need += 4;
		if (at->type == PGBSON_ARRAY)
			found = element_number(step, &number) && find_element(&s, at, number);
		else
			found = step->kind != PGBSON_STEP_INDEX && read_field(&s, at, step);
	}
	if (reader != NULL)
		PgBsonUsed(reader, s.walk.need);
	return found;
}

/* Follow the steps from *at; see PgBsonFindIn */
static pg_attribute_always_inline bool
follow_steps(PgBsonReader *reader, PgBsonValue *at, PgBsonFindHint *hint, const PgBsonStep *steps, int nsteps)
{
	bool		found;

	PgBsonGuessBegin(&hint->guess);
	for (int i = 0; i < nsteps; i++)
	{
		if (likely(reader == NULL && at->type == PGBSON_DOCUMENT && steps[i].kind != PGBSON_STEP_INDEX))
			found = find_field(at, &steps[i], i, hint);
		else if (reader != NULL || at->type != PGBSON_ARRAY || at->len > PGBSON_SHORT_ARRAY ||
				 steps[i].kind != PGBSON_STEP_INDEX ||
				 !PgBsonShortArrayElement(PgBsonValueView(at), steps[i].index, at, &found))
			found = find_otherwise(reader, at, &hint->guess, &steps[i]);
		if (!found)
			return false;
	}
	if (reader != NULL)
		PgBsonReachValue(reader, at);
	PgBsonCheckStepped(at);
	return true;
}

bool
PgBsonFindIn(PgBsonReader *reader, PgBsonValue *at, PgBsonFindHint *hint, const PgBsonStep *steps, int nsteps)
{
	PgBsonFindHint none;

	if (hint == NULL)
	{
		hint = &none;
		none.absences = none.absent_step = 0;
		none.guess.doubts = PGBSON_MOST_DOUBTS;
		none.guess.lengths[0] = 0;
	}
	/* a reader without a source has all bytes already */
	return follow_steps(reader != NULL && reader->source != NULL ? reader : NULL, at, hint, steps, nsteps);
}

/* PgBsonFetchPath in a datum that is toasted, or without a hint */
static pg_noinline bool
fetch_otherwise(Datum datum, const PgBsonStep *steps, int nsteps, PgBsonFetchHint *hint, PgBsonValue *result)
{
	PgBsonReader reader;
	bool		found;

	PgBsonOpen(&reader, datum, hint == NULL ? NULL : &hint->read);
	*result = reader.root;
	found = PgBsonFindIn(&reader, result, hint == NULL ? NULL : &hint->find, steps, nsteps);
	PgBsonClose(&reader);
	return found;
}

bool
PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps, PgBsonFetchHint *hint, PgBsonValue *result)
{
	PgBsonView	view;

	if (unlikely(hint == NULL || !PgBsonPlainView(datum, &view)))
		return fetch_otherwise(datum, steps, nsteps, hint, result);
	PgBsonAskAhead(datum);
	*result = PgBsonRootOf(view);
	return follow_steps(NULL, result, &hint->find, steps, nsteps);
}

bool
PgBsonFind(PgBsonValue from, const PgBsonStep *steps, int nsteps, PgBsonValue *result)
{
	if (!PgBsonFindIn(NULL, &from, NULL, steps, nsteps))
		return false;
	*result = from;
	return true;
}

bool
PgBsonFindKey(PgBsonView doc, const char *key, uint32 key_len, PgBsonValue *result)
{
	PgBsonValue from = {PGBSON_DOCUMENT, doc.len, doc.data};
	PgBsonStep	step = {PGBSON_STEP_KEY, 0, key, key_len};

	return PgBsonFind(from, &step, 1, result);
}

bool
PgBsonFindIndex(PgBsonView array, int32 index, PgBsonValue *result)
{
	PgBsonValue from = {PGBSON_ARRAY, array.len, array.data};
	PgBsonStep	step = {PGBSON_STEP_INDEX, index, NULL, 0};

	return PgBsonFind(from, &step, 1, result);
}

PgBsonStep
PgBsonStepFromText(const text *key, PgBsonStepKind kind)
{
	int			len = VARSIZE_ANY_EXHDR(key);
	/* keys are UTF-8 whatever the database's encoding; converts only if it must */
	const char *utf8 = pg_server_to_any(VARDATA_ANY(key), len, PG_UTF8);

	return (PgBsonStep) {kind, 0, utf8, utf8 == VARDATA_ANY(key) ? len : strlen(utf8)};
}

PgBsonStep
PgBsonStepFromIndex(int32 index)
{
	return (PgBsonStep) {PGBSON_STEP_INDEX, index, NULL, 0};
}

bool
PgBsonStepAsIndex(const char *key, uint32 key_len, int32 *index)
{
	char		buf[32];
	char	   *end;

	/* mostly it is a small one */
	if (key_len > 0 && key_len <= 9)
	{
		uint32		i = 0;

		*index = 0;
		while (i < key_len && key[i] >= '0' && key[i] <= '9')
			*index = *index * 10 + (key[i++] - '0');
		if (i == key_len)
			return true;
	}
	/* no int needs as many characters, save one padded with blanks or zeroes */
	if (key_len == 0 || key_len >= sizeof(buf))
		return false;
	memcpy(buf, key, key_len);
	buf[key_len] = '\0';

	errno = 0;
	*index = strtoint(buf, &end, 10);
	return end != buf && *end == '\0' && errno == 0;
}

PgBsonStep *
PgBsonSplitDotted(const char *path, uint32 len, int *nsteps)
{
	const char *end = path + len;
	Size		names = 1;
	PgBsonStep *steps;
	int			n = 0;

	for (uint32 i = 0; i < len; i++)
		names += path[i] == '.';
	steps = palloc_extended(names * sizeof(PgBsonStep), MCXT_ALLOC_HUGE);

	for (const char *name = path; name <= end;)
	{
		const char *dot = memchr(name, '.', end - name);
		const char *name_end = dot != NULL ? dot : end;

		steps[n++] = (PgBsonStep) {PGBSON_STEP_PATH, 0, name, name_end - name};
		name = name_end + 1;
	}
	*nsteps = n;
	return steps;
}
