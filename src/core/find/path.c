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
#include "core/find/fields.h"
#include "core/find/occurs.h"
#include "core/find/walk.h"

/* What a step looks for, and the element to begin at */
typedef struct Target
{
	PgBsonFieldTarget is;
	const uint8 *from;
	uint32		index;			/* of the element wanted, counted from the front */
} Target;

/* Set how far the search looked, and say that nothing is there */
static inline PgBsonFound
absent(const uint8 **need, const uint8 *upto)
{
	*need = upto;
	return PGBSON_ABSENT;
}

/* See PgBsonStop: by key */
static inline bool
may_be_key(const uint8 *key, uint32 key_len, void *arg)
{
	return PgBsonFieldTargetMayMatch(key, arg);
}

static inline bool
is_key(const uint8 *key, uint32 key_len, const uint8 *limit, void *arg)
{
	return PgBsonFieldTargetMatches(key, limit, arg);
}

/* By position: what is counted are the elements stepped over */
static inline bool
may_be_position(const uint8 *key, uint32 key_len, void *arg)
{
	PgBsonFieldTarget *target = arg;

	if (target->position == 0)
		return true;
	target->position--;
	return false;
}

static inline bool
is_position(const uint8 *key, uint32 key_len, const uint8 *limit, void *arg)
{
	return may_be_position(key, key_len, arg);
}

/* The walk to what the step looks for */
static inline PgBsonFound
search(PgBsonView view, const uint8 *avail, Target *target, int unguessed, PgBsonValue *result, const uint8 **need)
{
	return target->is.key != NULL
		? PgBsonWalk(view, avail, &target->from, unguessed, may_be_key, is_key, &target->is, result, need)
		: PgBsonWalk(view, avail, &target->from, 0, may_be_position, is_position, &target->is, result, need);
}

/* Pass over elements before the one wanted, as far as the bytes are there */
static inline void
pass_over(Target *target, const uint8 *limit)
{
	uint32		passed;

	target->from = PgBsonSkipElements(target->from, limit, target->index - target->is.position,
									  target->is.position, &passed);
	target->is.position -= passed;
}

/* The number of the element that the step looks for in an array; false if it is none */
static inline bool
index_of(const PgBsonStep *step, int32 *index)
{
	*index = step->index;
	return step->kind == PGBSON_STEP_INDEX ||
		(step->kind == PGBSON_STEP_PATH && PgBsonStepAsIndex(step->key, step->key_len, index));
}

/* One step from an array that is all there, *at, which becomes what was found; PGBSON_MORE if it is not a short one */
static pg_noinline PgBsonFound
in_short_array(PgBsonValue *at, const PgBsonStep *step)
{
	PgBsonView	view = PgBsonValueView(at);
	int32		index;
	bool		found;

	if (view.len < PGBSON_MIN_SIZE || view.len > PGBSON_SHORT_ARRAY || !index_of(step, &index) ||
		!PgBsonShortArrayElement(view, index, at, &found))
		return PGBSON_MORE;
	return found ? PGBSON_FOUND : PGBSON_ABSENT;
}

/* What one step looks for in a container, and from where on; PGBSON_ABSENT if it is nothing there can be */
static inline PgBsonFound
aim(const PgBsonValue *from, const uint8 *avail, const PgBsonStep *step, Target *target,
	const uint8 **need)
{
	PgBsonView	view = PgBsonValueView(from);
	const uint8 *end = view.data + view.len - 1;
	int32		index;

	if (from->type != PGBSON_DOCUMENT && from->type != PGBSON_ARRAY)
		return absent(need, view.data);
	/* the length word is in hand, and says so much at least */
	if (view.len < PGBSON_MIN_SIZE)
		PgBsonReportDamaged(0);
	if (from->type == PGBSON_DOCUMENT)
	{
		target->is = PgBsonFieldTargetKey(step->key, step->key_len);
		target->from = view.data + 4;
		return step->kind == PGBSON_STEP_INDEX ? absent(need, target->from) : PGBSON_FOUND;
	}

	if (!index_of(step, &index))
		return absent(need, view.data + 4);
	memset(target, 0, sizeof(*target));
	/* an element takes two bytes at least */
	if (index >= 0 && (uint32) index >= (view.len - PGBSON_MIN_SIZE) / 2)
		return absent(need, view.data + 4);
	if (index >= 0)
	{
		target->from = view.data + 4;
		target->is.position = target->index = index;
		pass_over(target, Min(avail, end));
		if (target->from == end)
			return absent(need, end);
	}
	else
	{
		/* from the end: all of it must be there to count */
		*need = end + 1;
		if (avail <= end)
			return PGBSON_MORE;
		if (!PgBsonElementFromEnd(view, NULL, 0, -(int64) index, &target->from, &target->is.position))
			return PGBSON_ABSENT;
	}
	return PGBSON_FOUND;
}

/* What the call site remembers of the documents at this step; NULL: nothing */
static inline PgBsonShape *
shape_at(PgBsonShapes *shapes, int step, const PgBsonValue *from)
{
	if (shapes == NULL || step >= PGBSON_SHAPES || from->type != PGBSON_DOCUMENT || !shapes->called)
		return NULL;
	if (shapes->varying > 0 && step >= shapes->varying)
		return NULL;
	return &shapes->steps[step];
}

/* Bytes of a value that has no length word are all there; else look at it, as the search took that word for it */
static inline bool
is_whole(const PgBsonValue *value)
{
	if (value->type == PGBSON_STRING)
		return value->len >= 5;
	return PgBsonSizeClass[(uint8) value->type] < PGBSON_SIZED ||
		PgBsonValueSize(value->type, value->data, value->len) == value->len;
}

typedef struct Search
{
	PgBsonReader *reader;		/* NULL: all bytes are there */
	const uint8 *avail;			/* the end of those that are there */
	PgBsonShapes *shapes;
} Search;

/* The bytes at "from" do not reach far enough */
static void
bring(Search *s, const uint8 *from, const uint8 *need)
{
	if (s->reader == NULL || s->reader->source == NULL)
		PgBsonReportDamaged(0);
	s->avail = PgBsonReach(s->reader, from, need);
}

/* Are there documents that the shape can be compared with?  While it pauses there are none. */
static inline bool
has_elements(const PgBsonShape *shape)
{
	return shape != NULL && shape->count > 0;
}

/*
 * Where documents differ in their keys, a key that was absent in MOSTLY_ABSENT walks in a row is first searched for
 * among all bytes, if its elements have at most BYTES_PER_ELEMENT of them on average; that is counted every
 * COUNT_EVERY walks
 */
#define MOSTLY_ABSENT		4
#define BYTES_PER_ELEMENT	64
#define COUNT_EVERY			64

/* The largest document, in bytes, that is searched in this way */
#define MOST_BYTES			16384

/* Is the wanted key, which was mostly absent, nowhere among the document's bytes from here on? */
static inline bool
surely_absent(const PgBsonShape *shape, PgBsonView doc, const uint8 *from, const uint8 *avail, const PgBsonStep *step)
{
	const uint8 *end = doc.data + doc.len - 1;

	return shape->absences >= MOSTLY_ABSENT && shape->dense && doc.len <= MOST_BYTES && end <= avail && from < end &&
		!PgBsonKeyMayOccur(from, end, step->key, step->key_len);
}

/* Elements of a document that was walked through, by a walk: what passed then passes again */
static pg_noinline uint32
count_elements(PgBsonView doc)
{
	Target		target = {{.position = PG_UINT32_MAX}, doc.data + 4};
	PgBsonValue value;
	const uint8 *need;

	(void) search(doc, doc.data + doc.len, &target, 0, &value, &need);
	return PG_UINT32_MAX - target.is.position;
}

/* What a walk found in a document that the shape did not tell of, and that is all there */
static inline void
note_absence(PgBsonShape *shape, PgBsonFound found, PgBsonView doc)
{
	if (found == PGBSON_FOUND)
	{
		shape->absences = 0;
		return;
	}
	if (++shape->absences == MOSTLY_ABSENT)
		shape->dense = doc.len <= MOST_BYTES && doc.len / BYTES_PER_ELEMENT <= count_elements(doc);
	else if (shape->absences == MOSTLY_ABSENT + COUNT_EVERY)
		shape->absences = MOSTLY_ABSENT - 1;
}

/* One step from *at, which becomes what was found, by a walk; what is wanted is not before "differs", if that is not NULL */
static inline PgBsonFound
walk_step(Search *s, PgBsonValue *at, const PgBsonStep *step, const uint8 *differs, int unguessed, const uint8 **need)
{
	PgBsonView	view = PgBsonValueView(at);
	PgBsonFound found;
	Target		target;

	while ((found = aim(at, s->avail, step, &target, need)) == PGBSON_MORE)
		bring(s, at->data, *need);
	if (found != PGBSON_FOUND)
		return found;

	if (differs != NULL)
		target.from = differs;
	while ((found = search(view, s->avail, &target, unguessed, at, need)) == PGBSON_MORE)
	{
		bring(s, target.from, *need);
		if (target.is.key == NULL)
			pass_over(&target, Min(s->avail, view.data + view.len - 1));
	}
	return found;
}

/*
 * One step from *at, which becomes what was found, by a search.  The shape, if it has elements, was asked: what
 * is wanted is not before shape->upto, and the shape is to remember this document.
 */
static pg_noinline PgBsonFound
search_step(Search *s, PgBsonValue *at, const PgBsonStep *step, PgBsonShape *shape, const uint8 **need)
{
	const uint8 *differs = has_elements(shape) ? shape->upto : NULL;
	PgBsonView	view = PgBsonValueView(at);
	int			unguessed = differs != NULL ? PGBSON_UNGUESSED : 0;
	bool		learns;
	PgBsonFound found;

	if (at->type == PGBSON_ARRAY && s->avail >= view.data + view.len &&
		(found = in_short_array(at, step)) != PGBSON_MORE)
	{
		*need = view.data + view.len;
		return found;
	}
	/* documents have no elements by number, so there is no walk */
	if (shape == NULL || step->kind == PGBSON_STEP_INDEX)
		return walk_step(s, at, step, differs, unguessed, need);

	learns = differs != NULL || !PgBsonShapePauses(shape);
	if (!learns)
		unguessed = PGBSON_UNGUESSED;
	if (unguessed != 0 && surely_absent(shape, view, differs != NULL ? differs : view.data + 4, s->avail, step))
		found = absent(need, view.data + view.len);
	else
	{
		found = walk_step(s, at, step, differs, unguessed, need);
		if (s->avail >= view.data + view.len)
			note_absence(shape, found, view);
	}
	if (learns)
		PgBsonShapeDiffers(shape, s->shapes->context, view, s->avail, found == PGBSON_FOUND ? at : NULL);
	return found;
}

/* What the shape, if there is one, tells of one step from *at, which becomes what was found */
static inline PgBsonShapeAnswer
ask_shape(PgBsonShape *shape, PgBsonReader *reader, const uint8 **avail, PgBsonValue *at)
{
	PgBsonShapeAnswer answer;

	if (!has_elements(shape))
		return PGBSON_SHAPE_DIFFERS;
	answer = PgBsonShapeCompare(shape, reader, PgBsonValueView(at), *avail, at);
	if (reader != NULL)
		*avail = shape->avail;
	if (answer != PGBSON_SHAPE_DIFFERS)
		PgBsonShapeServes(shape);
	return answer;
}

/* Say how far was looked, and what that found */
static inline bool
looked(PgBsonReader *reader, const uint8 *upto, bool found)
{
	if (reader != NULL)
		PgBsonUsed(reader, upto);
	return found;
}

/* PgBsonFindIn from a step on of which no shape told, or from the last one on if not all that was found is there */
static bool
find_on(Search *s, PgBsonValue *at, const PgBsonStep *steps, int i, int nsteps)
{
	const uint8 *need = at->data;

	for (bool asked = true; i < nsteps; i++, asked = false)
	{
		PgBsonShape *shape = shape_at(s->shapes, i, at);
		PgBsonShapeAnswer answer = asked ? PGBSON_SHAPE_DIFFERS : ask_shape(shape, s->reader, &s->avail, at);

		if (answer == PGBSON_SHAPE_HIT)
			continue;
		if (answer == PGBSON_SHAPE_ABSENT)
			need = shape->upto;
		if (answer == PGBSON_SHAPE_ABSENT || search_step(s, at, &steps[i], shape, &need) == PGBSON_ABSENT)
			return looked(s->reader, need, false);
	}
	if (at->data + at->len > s->avail)
		bring(s, at->data, at->data + at->len);
	if (!is_whole(at))
		PgBsonReportDamaged(0);
	return looked(s->reader, Max(need, at->data + at->len), true);
}

/* find_on of a call site, which from then on is known to be called more than once */
static pg_noinline bool
find_on_at_site(PgBsonReader *reader, const uint8 *avail, PgBsonShapes *shapes, PgBsonValue *at,
				const PgBsonStep *steps, int i, int nsteps)
{
	Search		search = {reader, avail, shapes};
	bool		found = find_on(&search, at, steps, i, nsteps);

	if (shapes != NULL)
		shapes->called = shapes->context != NULL;
	return found;
}

/* PgBsonFindIn as far as the shapes tell */
static pg_attribute_always_inline bool
find(PgBsonReader *reader, PgBsonValue *at, PgBsonShapes *shapes, const PgBsonStep *steps, int nsteps)
{
	const uint8 *avail = reader == NULL ? at->data + at->len : reader->avail;
	int			i;

	/* the length word of a container was looked at to step over it */
	if (reader != NULL && avail < at->data + 4 && at->len >= 4)
		avail = PgBsonReach(reader, at->data, at->data + 4);
	for (i = 0; i < nsteps; i++)
	{
		PgBsonShape *shape;
		PgBsonShapeAnswer answer;

		if (at->type == PGBSON_ARRAY && (reader == NULL || at->data + at->len <= avail))
		{
			PgBsonFound in_array = in_short_array(at, &steps[i]);

			if (in_array == PGBSON_ABSENT)
				return looked(reader, at->data + at->len, false);
			if (in_array == PGBSON_FOUND)
				continue;
		}
		shape = shape_at(shapes, i, at);
		answer = ask_shape(shape, reader, &avail, at);
		if (answer == PGBSON_SHAPE_ABSENT)
			return looked(reader, shape->upto, false);
		if (answer == PGBSON_SHAPE_DIFFERS)
			break;
	}
	if (i < nsteps || (reader != NULL && at->data + at->len > avail))
		return find_on_at_site(reader, avail, shapes, at, steps, i, nsteps);
	if (!is_whole(at))
		PgBsonReportDamaged(0);
	return looked(reader, at->data + at->len, true);
}

static pg_noinline bool
find_read(PgBsonReader *reader, PgBsonValue *at, PgBsonShapes *shapes, const PgBsonStep *steps, int nsteps)
{
	return find(reader, at, shapes, steps, nsteps);
}

bool
PgBsonFindIn(PgBsonReader *reader, PgBsonValue *at, PgBsonShapes *shapes, const PgBsonStep *steps, int nsteps)
{
	if (unlikely(reader != NULL && reader->source != NULL))
		return find_read(reader, at, shapes, steps, nsteps);
	return find(NULL, at, shapes, steps, nsteps);
}

static pg_noinline bool
find_toasted(Datum datum, const PgBsonStep *steps, int nsteps, PgBsonFetchHint *hint, PgBsonValue *result)
{
	PgBsonReader reader;
	bool		found;

	PgBsonOpen(&reader, datum, hint == NULL ? NULL : &hint->read);
	*result = reader.root;
	found = PgBsonFindIn(&reader, result, hint == NULL ? NULL : &hint->shapes, steps, nsteps);
	PgBsonClose(&reader);
	return found;
}

bool
PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
				PgBsonFetchHint *hint, PgBsonValue *result)
{
	/* no reader where there is nothing to be read: most values are plain, and small */
	if (unlikely(!PgBsonRowRoot(datum, result)))
		return find_toasted(datum, steps, nsteps, hint, result);
	return PgBsonFindIn(NULL, result, hint == NULL ? NULL : &hint->shapes, steps, nsteps);
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
	steps = palloc_array(PgBsonStep, names);

	for (const char *name = path; name <= end;)
	{
		const char *dot = memchr(name, '.', end - name);
		const char *name_end = dot != NULL ? dot : end;

		steps[n].kind = PGBSON_STEP_PATH;
		steps[n].index = 0;
		steps[n].key = name;
		steps[n].key_len = name_end - name;
		n++;
		name = name_end + 1;
	}
	*nsteps = n;
	return steps;
}
