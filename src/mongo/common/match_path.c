/*
 * match_path.c
 *	  How a dotted path of MongoDB finds its values in a document.
 *
 * A number in a path can be a name or a position, so the same array may be searched for several
 * rests of the path, and an array within it for still more.  If a path has many numbers, each pair
 * of a place and a rest that was searched is remembered, so that none is searched twice.
 *
 * The authority is MongoDB's src/mongo/db/matcher/path.cpp.
 */
#include "mongo/common/match_path.h"

#include "common/hashfn.h"
#include "core/bytes/names.h"
#include "core/find/walk.h"

/* With at most this many names that are numbers, a place is searched sixteen times at most, so nothing is remembered */
#define FEW_NUMBERS		4

/* search_number gives up scanning an array's bytes if more than one in this many is the number's first digit */
#define BYTES_PER_DIGIT	16

/*
 * rest_lacks looks for a name in the bytes of an array only if the first document has at most BYTES_PER_FIELD for each
 * of its fields, and the rest of the array is at least REST_DOCUMENTS times as long as that document
 */
#define BYTES_PER_FIELD	64
#define REST_DOCUMENTS	4

/* A place in the document, and the rest of the path that was searched for there */
typedef struct LaterPlace
{
	const uint8 *value;
	int64		name;			/* the number of the name that the rest of the path begins with */
} LaterPlace;

typedef struct Searched
{
	LaterPlace	place;
	char		status;			/* of the hash table */
} Searched;

#define SH_PREFIX		searched
#define SH_ELEMENT_TYPE	Searched
#define SH_KEY_TYPE		LaterPlace
#define SH_KEY			place
#define SH_HASH_KEY(table, key)	hash_bytes((const unsigned char *) &(key), sizeof(LaterPlace))
#define SH_EQUAL(table, a, b)	((a).value == (b).value && (a).name == (b).name)
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct PathSearch
{
	const PgBsonStep *path;
	int			npath;
	bool		whole;
	PgBsonPathVisitor visit;
	void	   *arg;
	searched_hash *searched;	/* NULL: not needed */
	int32	   *element;		/* see PgBsonPathVisit; NULL if no positions are asked for */
	Size		scannable;		/* how many more bytes of arrays search_number may scan, for nested arrays */
} PathSearch;

static bool search_array(PathSearch *s, int i, const PgBsonValue *array);

PgBsonStep *
PgBsonPathSplit(const char *path, uint32 len, int *npath)
{
	PgBsonStep *steps = PgBsonSplitDotted(path, len, npath);

	for (int i = 0; i < *npath; i++)
	{
		PgBsonStep *step = &steps[i];

		if (step->key_len == 0 || step->key[0] < '0' || step->key[0] > '9' ||
			(step->key[0] == '0' && step->key_len > 1) ||
			!PgBsonStepAsIndex(step->key, step->key_len, &step->index))
			step->index = -1;
	}
	return steps;
}

const char *
PgBsonPathProblem(const PgBsonStep *names, int count)
{
	if (count > 200)
		return gettext_noop("A path must not have more than 200 names.");
	for (int i = 0; i < count; i++)
	{
		if (names[i].key_len == 0)
			return gettext_noop("A field's name must not be empty.");
		if (names[i].key[0] == '$' && !PgBsonKeyIsReference(names[i].key, names[i].key_len))
			return gettext_noop("A field's name must not begin with a dollar sign.");
		if (memchr(names[i].key, '\0', names[i].key_len) != NULL)
			return gettext_noop("A field's name must not contain U+0000.");
	}
	return NULL;
}

/* Does the caller ask for positions, and is this the first array on the way, which they are in? */
static bool
is_first_array(const PathSearch *s)
{
	return s->element != NULL && *s->element < 0;
}

/* Visit the value at the end of the path; of an array visit the elements first, unless "whole" is set */
static bool
visit_end(PathSearch *s, const PgBsonValue *value)
{
	if (value->type == PGBSON_ARRAY && !s->whole)
	{
		bool		first = is_first_array(s);
		int32		position = 0;

		PgBsonForEach(iter, PgBsonValueView(value))
		{
			if (first)
				*s->element = position++;
			if (s->visit(&iter.value, s->arg))
				return true;
		}
		if (first)
			*s->element = -1;
	}
	return s->visit(value, s->arg);
}

/* Was this place already searched for this rest of the path?  If not, remember it. */
static bool
was_searched(PathSearch *s, int i, const PgBsonValue *value)
{
	LaterPlace	place = {value->data, i};
	bool		found;

	if (s->searched == NULL)
		return false;
	(void) searched_insert(s->searched, place, &found);
	return found;
}

/* Follow the path from its name "i" on, a field of this document */
static bool
search_document(PathSearch *s, int i, const PgBsonValue *doc)
{
	PgBsonValue value = *doc;

	CHECK_FOR_INTERRUPTS();
	if (was_searched(s, i, doc))
		return false;
	for (;; i++)
	{
		if (!PgBsonPathField(&s->path[i], &value))
			return s->visit(NULL, s->arg);
		if (i + 1 == s->npath)
			return visit_end(s, &value);
		if (value.type == PGBSON_ARRAY)
			return search_array(s, i + 1, &value);
		if (value.type != PGBSON_DOCUMENT)
			return s->visit(NULL, s->arg);
	}
}

/* Follow the path after its name "i", which is the position of this element of an array */
static bool
search_position(PathSearch *s, int i, const PgBsonValue *element)
{
	/* its own elements are not at the end of the path, but may be the ones whose positions are asked for */
	if (i + 1 == s->npath)
		return s->element != NULL ? visit_end(s, element) : s->visit(element, s->arg);
	if (element->type == PGBSON_DOCUMENT)
		return search_document(s, i + 1, element);
	return element->type == PGBSON_ARRAY && search_array(s, i + 1, element);
}

/*
 * May an element with this key begin somewhere in these bytes?  The answer is yes, too, if the
 * key's first byte is so frequent that looking into the documents is cheaper.
 */
static bool
may_hold_key(const uint8 *p, const uint8 *end, const PgBsonStep *key)
{
	ptrdiff_t	left = (end - p) / BYTES_PER_DIGIT;

	while (end - p > (ptrdiff_t) key->key_len + 1 &&
		   (p = memchr(p + 1, key->key[0], end - p - 1 - key->key_len)) != NULL)
	{
		if ((p[key->key_len] == 0 && PgBsonSizeClass[p[-1]] != PGBSON_SIZE_UNKNOWN &&
			 memcmp(p, key->key, key->key_len) == 0) || left-- == 0)
			return true;
	}
	return false;
}

/*
 * search_array for a name that is a number, if no document in the array has a field of that name.
 * This holds for most arrays, and scanning the bytes of the array tells so in less time than
 * looking into each document.  *done is false if it does not hold; then nothing was visited.
 */
static bool
search_number(PathSearch *s, int i, const PgBsonValue *array, bool *done)
{
	const PgBsonStep *step = &s->path[i];
	PgBsonValue here = {PGBSON_EOD};
	const uint8 *header = NULL;
	bool		has_document = false;
	int32		position = 0;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(array));

	while (!(has_document && position > step->index) && PgBsonIterNext(&iter))
	{
		has_document = has_document || iter.value.type == PGBSON_DOCUMENT;
		if (position++ != step->index)
			continue;
		here = iter.value;
		header = iter.element;
	}
	*done = !has_document;
	if (has_document && array->len <= s->scannable)
	{
		s->scannable -= array->len;
		/* leave out the key of the array's own element at this position */
		*done = header == NULL ? !may_hold_key(iter.start + 4, iter.end, step) :
			!may_hold_key(iter.start + 4, header, step) && !may_hold_key(here.data, iter.end, step);
	}
	if (!*done)
		return false;
	if (here.type != PGBSON_EOD && search_position(s, i, &here))
		return true;
	/* in each of the documents the path leads to nothing */
	return has_document && s->visit(NULL, s->arg);
}

/*
 * Do all documents after this one, the first of an array, certainly lack the name?  They mostly do if
 * it does, and scanning their bytes tells so in less time than looking into each, unless values are long.
 */
static bool
rest_lacks(PathSearch *s, const PgBsonStep *step, const PgBsonIter *first)
{
	Size		rest = first->end - first->next;

	if (step->index >= 0 || rest > s->scannable || rest / REST_DOCUMENTS < first->value.len ||
		first->value.len / BYTES_PER_FIELD > PgBsonViewCount(PgBsonValueView(&first->value)))
		return false;
	s->scannable -= rest;
	return !PgBsonKeyMayOccur(first->next, first->end, step->key, step->key_len);
}

/* Search an array for the path's name "i": as a field of its documents, or as a position */
static bool
search_array(PathSearch *s, int i, const PgBsonValue *array)
{
	const PgBsonStep *step = &s->path[i];
	bool		last = i + 1 == s->npath;
	bool		first = is_first_array(s);
	int32		position = 0;
	bool		done = false;
	bool		ended;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	/* an empty name after the path's last dot is ignored for an array; the empty path is a name of its own */
	if (i == s->npath || (last && i > 0 && step->key_len == 0))
		return visit_end(s, array);
	if (was_searched(s, i, array))
		return false;
	if (step->index >= 0)
	{
		ended = search_number(s, i, array, &done);
		if (done)
			return ended;
	}

	PgBsonForEach(iter, PgBsonValueView(array))
	{
		if (first)
			*s->element = position;
		if (iter.value.type == PGBSON_DOCUMENT)
		{
			if (search_document(s, i, &iter.value))
				return true;
			/* the visit of nothing for this document was for the others, too */
			if (position == 0 && rest_lacks(s, step, &iter))
				return false;
		}
		if (first)
			*s->element = -1;
		if (position++ == step->index && search_position(s, i, &iter.value))
			return true;
	}
	return false;
}

/* Could a place be searched very often, because the path has many numeric names? */
static bool
has_many_numbers(const PgBsonStep *path, int npath)
{
	int			numbers = 0;

	for (int i = 0; i < npath; i++)
		numbers += path[i].index >= 0;
	return numbers > FEW_NUMBERS;
}

/* Search the value for the path from its name number "name" on; true if a visit ended the search */
static bool
search_value(PathSearch *s, int name, const PgBsonValue *from)
{
	if (name == s->npath)
		return visit_end(s, from);
	if (from->type == PGBSON_DOCUMENT)
		return search_document(s, name, from);
	if (from->type == PGBSON_ARRAY)
		return search_array(s, name, from);
	return s->visit(NULL, s->arg);
}

bool
PgBsonPathVisit(const PgBsonStep *path, int npath, int name, bool whole, const PgBsonValue *from,
				int32 *element, PgBsonPathVisitor visit, void *arg)
{
	PathSearch	s = {path, npath, whole, visit, arg, .element = element};
	bool		ended;

	/* search_number and rest_lacks make one visit for several documents, so they cannot say in which element */
	if (element == NULL)
		s.scannable = (Size) from->len * 2;
	if (npath <= FEW_NUMBERS || !has_many_numbers(path, npath))
		return search_value(&s, name, from);
	/* remember places */
	s.searched = searched_create(CurrentMemoryContext, 64, NULL);
	ended = search_value(&s, name, from);
	searched_destroy(s.searched);
	return ended;
}
