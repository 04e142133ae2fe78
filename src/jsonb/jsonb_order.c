/*
 * jsonb_order.c
 *	  The elements of a container, in jsonb's order.
 */
#include "jsonb/jsonb_format.h"

#include "core/bytes/memory.h"
#include "core/bytes/recode.h"
#include "core/bytes/sort.h"

/*
 * How many members the server's sort may have.  It takes less time for few of them, and quadratic
 * time for orders that anybody can compute.
 */
#define QUICKSORT_MOST	256

/* jsonb sorts keys by length, then by bytes */
static inline int
compare_keys(const PgBsonJsonbMember *a, const PgBsonJsonbMember *b)
{
	if (a->key_len != b->key_len)
		return a->key_len < b->key_len ? -1 : 1;
	return memcmp(a->key, b->key, a->key_len);
}

/* By keys, and of equal keys the last member first, because that is the one which jsonb keeps */
static inline int
compare_members(const void *left, const void *right)
{
	const PgBsonJsonbMember *a = left;
	const PgBsonJsonbMember *b = right;
	int			order = compare_keys(a, b);

	if (order != 0)
		return order;
	return a->order > b->order ? -1 : a->order < b->order;
}

#define ST_SORT sort_members
#define ST_ELEMENT_TYPE PgBsonJsonbMember
#define ST_COMPARE(a, b) compare_members(a, b)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

uint32
PgBsonJsonbPush(PgBsonJsonbMembers *m, PgBsonView view, bool is_document)
{
	uint32		first = m->count;

	PgBsonForEach(iter, view)
	{
		PgBsonJsonbMember *member;

		if (m->count == m->room)
		{
			m->list = PgBsonDoubleList(m->list, m->few, (Size) m->room * sizeof(PgBsonJsonbMember));
			m->room *= 2;
		}
		member = &m->list[m->count];
		member->value = iter.value;
		if (is_document)
		{
			member->key = iter.key;
			member->key_len = iter.key_len;
			if (m->recodes)
				member->key = PgBsonToServerText(member->key, &member->key_len);
			member->order = m->count;
		}
		m->count++;
	}
	return m->count - first;
}

/* Keep only the first of several members with the same key; returns how many are left */
static uint32
drop_repeated(PgBsonJsonbMember *members, uint32 n)
{
	uint32		kept = 1;

	if (n == 0)
		return 0;
	for (uint32 i = 1; i < n; i++)
	{
		if (compare_keys(&members[i], &members[kept - 1]) == 0)
			continue;
		if (i != kept)
			members[kept] = members[i];
		kept++;
	}
	return kept;
}

uint32
PgBsonJsonbSort(PgBsonJsonbMembers *m, uint32 first)
{
	PgBsonJsonbMember *members = m->list + first;
	uint32		n = m->count - first;

	if (n <= QUICKSORT_MOST)
		sort_members(members, n);
	else
		PgBsonSortInline(members, n, sizeof(PgBsonJsonbMember), compare_members);
	return drop_repeated(members, n);
}

void
PgBsonJsonbMembersInit(PgBsonJsonbMembers *m)
{
	m->list = m->few;
	m->count = 0;
	m->room = PGBSON_FEW_MEMBERS;
	m->recodes = PgBsonServerRecodes();
}

void
PgBsonJsonbMembersRelease(PgBsonJsonbMembers *m)
{
	if (m->list != m->few)
		pfree(m->list);
}
