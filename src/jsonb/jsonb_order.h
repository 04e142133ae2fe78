/*
 * jsonb_order.h
 *	  The elements of a container, in jsonb's order.
 *
 * jsonb has an object's keys sorted, by length and then by bytes, before its
 * values.  So the elements of each open container are kept in a list.
 */
#ifndef PGBSON_JSONB_ORDER_H
#define PGBSON_JSONB_ORDER_H

#include "core/bytes/view.h"

/* An element of a document or array */
typedef struct PgBsonJsonbMember
{
	const char *key;			/* in the server's encoding */
	uint32		key_len;
	uint32		order;			/* among the document's elements */
	PgBsonValue value;
} PgBsonJsonbMember;

/* This many members need no memory of their own */
#define PGBSON_FEW_MEMBERS		64

/* The elements of all open containers, those of the innermost last */
typedef struct PgBsonJsonbMembers
{
	PgBsonJsonbMember *list;	/* "few", until there are more; may move when elements are pushed */
	uint32		count;
	uint32		room;
	bool		recodes;		/* the server's encoding is not UTF-8 */
	PgBsonJsonbMember few[PGBSON_FEW_MEMBERS];
} PgBsonJsonbMembers;

/* An empty list; release what it grew to */
extern void PgBsonJsonbMembersInit(PgBsonJsonbMembers *m);
extern void PgBsonJsonbMembersRelease(PgBsonJsonbMembers *m);

/* Push a container's elements, those of a document with their keys.  Returns their number. */
extern uint32 PgBsonJsonbPush(PgBsonJsonbMembers *m, PgBsonView view, bool is_document);

/*
 * Sort the elements from "first" to the last, which are a document's.  Of equal
 * keys only the last element is kept.  Returns how many there are then; the
 * caller takes them off the list by setting "count".
 */
extern uint32 PgBsonJsonbSort(PgBsonJsonbMembers *m, uint32 first);

#endif							/* PGBSON_JSONB_ORDER_H */
