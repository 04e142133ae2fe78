/*
 * path.c
 *	  Finding a value by key, index or path.
 *
 * A step of a text[] path selects a field of a document, or, in an array, the
 * element its digits name; nothing else is special: dots and dollars in keys
 * mean nothing.
 *
 * This is the hottest loop of the extension.  It touches one header per
 * element (type, key, length word) and skips the value.  Two ends bound every
 * read: that of the enclosing document, past which lies damage, and that of
 * the bytes fetched so far, past which lies the rest of a toasted value.
 */
#include "core/path.h"

#include "common/string.h"

/* What to stop at: a key, or the element after so many others */
typedef struct Target
{
	const char *key;			/* NULL: by position */
	uint32		key_len;
	uint32		position;
	uint64		head;			/* the key's first eight bytes, its zero byte included if among them */
	uint64		head_mask;
} Target;

static Target
target_key(const char *key, uint32 key_len)
{
	Target		t = {key, key_len, 0, 0, 0};

#ifndef WORDS_BIGENDIAN
	/* not memcpy, which is a call where the length is not known */
	if (key_len >= 8)
		memcpy(&t.head, key, 8);
	else
	{
		for (uint32 i = 0; i < key_len; i++)
			t.head |= (uint64) (uint8) key[i] << (8 * i);
	}
	t.head_mask = key_len >= 7 ? ~UINT64CONST(0) : (UINT64CONST(1) << (8 * (key_len + 1))) - 1;
#endif
	return t;
}

static Target
target_position(uint32 position)
{
	Target		t = {NULL, 0, position, 0, 0};

	return t;
}

/* Is the key at "p", of which bytes before "limit" may be read, the wanted one? */
static inline bool
key_matches(const uint8 *p, const uint8 *limit, const Target *target)
{
#ifndef WORDS_BIGENDIAN
	if (limit - p >= 8)
	{
		uint64		head;

		memcpy(&head, p, sizeof(head));
		if ((head & target->head_mask) != target->head)
			return false;
		if (target->key_len <= 7)
			return true;
	}
#endif
	/* the zero byte is compared apart, as the wanted key may lack its own */
	return limit - p > (ptrdiff_t) target->key_len &&
		memcmp(p, target->key, target->key_len) == 0 &&
		p[target->key_len] == 0;
}

/* Set where the bytes must reach, and say so */
static inline PgBsonFound
more(const uint8 **need, const uint8 *upto)
{
	*need = upto;
	return PGBSON_MORE;
}

/* The same number, but the compiler does not know that it equals another */
static inline uint32
opaque(uint32 n)
{
#ifdef __GNUC__
	__asm__("" : "+r"(n));
#endif
	return n;
}

/*
 * Search one document or array whose length word is known to be within reach.
 * A value that was found may itself reach beyond "avail".
 */
static inline PgBsonFound
search(PgBsonView view, const uint8 *avail, const Target *target,
	   PgBsonValue *result, const uint8 **need)
{
	const uint8 *p = view.data + 4;
	const uint8 *end = view.data + view.len - 1;
	const uint8 *limit = Min(end, avail);
	uint32		position = target->position;
	uint32		last_key_len = 0;
	uint8		last_type = PGBSON_EOD;
	uint8		last_class = PgBsonSizeClass[PGBSON_EOD];

	while (p < limit)
	{
		const uint8 *key = p + 1;
		const uint8 *value;
		uint8		type = *p;
		uint8		class;
		uint64		size;
		uint32		key_len;
		bool		hit;

		if (target->key != NULL)
		{
			hit = key_matches(key, limit, target);
			key_len = hit ? target->key_len : PgBsonKeyLength(key, limit);
		}
		else
		{
			hit = position-- == 0;
			key_len = PgBsonKeyLength(key, limit);
		}
		if (key_len == PGBSON_BAD_SIZE)
			break;

		/*
		 * The next element's place hangs on this one's key and type, and
		 * theirs on the one before: a chain of loads.  Neighbours tend to be
		 * alike, so guess: a processor checks guesses beside the chain.
		 */
		if (key_len == last_key_len)
			value = key + opaque(last_key_len) + 1;
		else
		{
			value = key + key_len + 1;
			last_key_len = key_len;
		}
		if (type == last_type)
			class = opaque(last_class);
		else
		{
			class = last_class = PgBsonSizeClass[type];
			last_type = type;
		}

		if (class < PGBSON_SIZED)
			size = class;
		else if (class < PGBSON_SIZE_REGEX)
		{
			if (limit - value < 4)
			{
				p = value + 4;
				break;
			}
			size = (uint64) PgBsonReadU32(value) + (class & ~PGBSON_SIZED);
		}
		else if (class == PGBSON_SIZE_REGEX)
		{
			size = PgBsonValueSize(type, value, limit - value);
			if (size == PGBSON_BAD_SIZE)
				break;
		}
		else
			PgBsonReportDamaged(p - view.data);

		if (size > (uint64) (end - value))
			PgBsonReportDamaged(p - view.data);
		if (hit)
		{
			result->type = type;
			result->data = value;
			result->len = size;
			return PGBSON_FOUND;
		}
		p = value + size;
	}

	/* what does not end before the document's own end is damaged, else cut off */
	if (limit == end)
	{
		if (p != end)
			PgBsonReportDamaged(p - view.data);
		return PGBSON_ABSENT;
	}
	return more(need, Max(p, avail) + 1);
}

/* Search one container for one step */
static PgBsonFound
take_step(const PgBsonValue *from, const uint8 *avail, const PgBsonStep *step,
		  PgBsonValue *result, const uint8 **need)
{
	PgBsonView	view = PgBsonValueView(from);
	int32		index = step->index;
	Target		target;

	if (from->type == PGBSON_DOCUMENT && step->kind != PGBSON_STEP_INDEX)
		target = target_key(step->key, step->key_len);
	else if (from->type == PGBSON_ARRAY && step->kind != PGBSON_STEP_KEY)
	{
		if (step->kind == PGBSON_STEP_PATH &&
			!PgBsonStepAsIndex(step->key, step->key_len, &index))
			return PGBSON_ABSENT;
		if (index < 0)
		{
			uint32		count;

			/* from the end: all of it must be there to count */
			if (avail < view.data + view.len)
				return more(need, view.data + view.len);
			count = PgBsonViewCount(view);
			if (-(int64) index > (int64) count)
				return PGBSON_ABSENT;
			index += count;
		}
		target = target_position(index);
	}
	else
		return PGBSON_ABSENT;

	/* the length word is in hand, and says so much at least */
	if (view.len < PGBSON_MIN_SIZE)
		PgBsonReportDamaged(0);
	return search(view, avail, &target, result, need);
}

/*
 * A nested document with the bytes of a wrapper (pgbson.h) is what is wrapped
 * once an operator returned it.  So it is for the next step, too: a path finds
 * what a chain of operators does.
 */
static inline PgBsonFound
unwrap(PgBsonValue *value, const uint8 *avail, const uint8 **need)
{
	const uint8 *p = value->data;

	if (value->type != PGBSON_DOCUMENT || value->len < 9)
		return PGBSON_FOUND;
	if (avail - p < 8)
		return more(need, p + 8);
	if (!PgBsonBeginsWrapped(p))
		return PGBSON_FOUND;
	if (avail - p < value->len)
		return more(need, p + value->len);
	*value = PgBsonRootOf(PgBsonValueView(value));
	return PGBSON_FOUND;
}

PgBsonFound
PgBsonFindWithin(PgBsonValue from, const uint8 *avail,
				 const PgBsonStep *steps, int nsteps,
				 PgBsonValue *result, const uint8 **need)
{
	for (int i = 0; i < nsteps; i++)
	{
		PgBsonFound found = PGBSON_FOUND;

		if (i > 0)
			found = unwrap(&from, avail, need);
		if (found == PGBSON_FOUND)
			found = take_step(&from, avail, &steps[i], &from, need);
		if (found != PGBSON_FOUND)
			return found;
	}

	if (from.data + from.len > avail)
		return more(need, from.data + from.len);
	/* the search took the length word's word for it; now look at the value */
	if (PgBsonValueSize(from.type, from.data, from.len) != from.len)
		PgBsonReportDamaged(0);
	*result = from;
	return PGBSON_FOUND;
}

bool
PgBsonFind(PgBsonValue from, const PgBsonStep *steps, int nsteps, PgBsonValue *result)
{
	const uint8 *need;

	return PgBsonFindWithin(from, from.data + from.len, steps, nsteps,
							result, &need) == PGBSON_FOUND;
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

	/* no int needs so many characters, save one padded with blanks or zeroes */
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
