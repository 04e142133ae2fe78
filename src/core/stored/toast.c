/*
 * toast.c
 *	  The chunks of a value that is stored out of line.
 *
 * The server finds the chunks of each value by the TOAST table's index, which
 * takes longer than to read a few of them.  But the chunks of a value mostly lie
 * one behind the other, and behind them those of the next row.  So we remember
 * where the last chunk was, and look for chunk n + 1 in the place behind chunk n.
 * Each chunk has its value's number and its own number, which tell whether it is
 * the one that was looked for.  If it is not, we ask the index.  The setting
 * bson.predict_toast turns all of this off.
 *
 * Only numbers are remembered, no page and no relation.  After a wrong
 * prediction the first chunk of each value is looked up in the index, and the
 * others are read behind it, until a prediction would have been right again.
 */
#include "core/stored/stream.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/relscan.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/toast_internals.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* How many places are remembered: a query may read several TOAST tables, or columns, in turns */
#define PLACES			8

/* How many pages are searched at most before a prediction is given up */
#define MOST_PAGES		3

/* How many TOAST tables stay locked until the end of the transaction, see PgBsonOpenToast */
#define MOST_KEPT		8

/* The columns of a chunk before its bytes: the number of its value, and its own */
#define CHUNK_HEADER	(sizeof(Oid) + sizeof(int32))

/* Where a chunk of a TOAST table was found */
typedef struct Place
{
	Oid			toast;			/* InvalidOid: nothing is remembered */
	Oid			value;
	uint32		chunk;
	uint32		behind;			/* how many chunks of the value come after it */
	BlockNumber block;
	OffsetNumber offset;
	OffsetNumber page_end;		/* the last of the page */
	bool		doubtful;		/* the last prediction from here was wrong, or would have been */
	uint64		touched;
} Place;

/* The chunks to read: of which value, and where their bytes go */
typedef struct Wish
{
	Relation	toast;
	Oid			value;
	uint32		stored;			/* bytes of the value */
	uint32		chunk;			/* the next that is wanted */
	char	   *into;			/* where its bytes go, of which "left" are wanted */
	uint32		left;
} Wish;

bool		PgBsonPredictToast = true;

/*
 * These are static, not a call site's: several operators of a query read the same values, the next query may go on
 * where this one ended, and an error must be noticed although its call site is gone.
 */
static Place places[PLACES];
static uint64 ticks;
static bool is_reading;			/* still true at the next value if there was an error */

/*
 * The remembered place from which to predict where a value is: the nearest before it in this table.  A table
 * may have more than one, as its columns are read in turns.
 */
static Place *
place_before(Oid toast, Oid value)
{
	Place	   *oldest = &places[0];
	Place	   *nearest = NULL;

	for (Place *p = places; p < places + PLACES; p++)
	{
		if (p->toast == toast && p->value <= value && (nearest == NULL || p->value > nearest->value))
			nearest = p;
		if (p->touched < oldest->touched)
			oldest = p;
	}
	if (nearest == NULL)
	{
		nearest = oldest;
		memset(nearest, 0, sizeof(*nearest));
	}
	nearest->touched = ++ticks;
	return nearest;
}

/*
 * Is it a table of the server's heap, and of chunks as they are expected here?
 * Snapshots may expire in servers that are set so; only the server checks that.
 */
static bool
is_readable(Relation toast)
{
	TupleDesc	desc = RelationGetDescr(toast);

	return !PGBSON_SNAPSHOTS_EXPIRE && HaveRegisteredOrActiveSnapshot() &&
		toast->rd_tableam == GetHeapamTableAmRoutine() && desc->natts == 3 &&
		TupleDescAttr(desc, 0)->atttypid == OIDOID &&
		TupleDescAttr(desc, 1)->atttypid == INT4OID &&
		TupleDescAttr(desc, 2)->atttypid == BYTEAOID;
}

/*
 * Locking and unlocking a table for each row takes as long as reading two chunks.
 * So a transaction keeps the locks of the first few TOAST tables until it ends, as
 * it keeps those of the tables themselves.  These locks conflict with no more
 * than those do, except with VACUUM when it truncates the TOAST table, and with
 * commands that name a TOAST table.
 */
Relation
PgBsonOpenToast(Oid toast, LOCKMODE *release)
{
	static LocalTransactionId transaction = InvalidLocalTransactionId;
	static int	kept;
	Relation	relation = RelationIdGetRelation(toast);

	*release = NoLock;
	if (RelationIsValid(relation))
	{
		/* the OID in a damaged pointer may be that of any relation, even of an index that this query has locked */
		if (relation->rd_rel->relkind == RELKIND_TOASTVALUE &&
			CheckRelationLockedByMe(relation, AccessShareLock, false))
			return relation;
		RelationClose(relation);
	}
	if (transaction != PGBSON_LOCAL_TRANSACTION)
	{
		transaction = PGBSON_LOCAL_TRANSACTION;
		kept = 0;
	}
	/* not on a standby, which would cancel this query to replay VACUUM's truncation */
	if (kept < MOST_KEPT && !RecoveryInProgress())
		kept++;
	else
		*release = AccessShareLock;
	relation = table_open(toast, AccessShareLock);
	/* any other relation lacks the columns that the server would read */
	if (relation->rd_rel->relkind != RELKIND_TOASTVALUE)
		PgBsonReportDamaged(0);
	return relation;
}

/* Bytes of the next chunk */
static uint32
chunk_size(const Wish *wish)
{
	return Min(PGBSON_CHUNK, wish->stored - wish->chunk * PGBSON_CHUNK);
}

/*
 * Compare the next wanted chunk with the chunk in this place: 0 if they are the same, less than 0 if the
 * wanted one must be before it; NOTHING if there is no chunk in this place.  *data is the columns of the chunk there.
 */
#define NOTHING		INT_MAX

static int
compare_place(const Wish *wish, Page page, OffsetNumber offset, const char **data)
{
	ItemId		id = PageGetItemId(page, offset);
	HeapTupleHeader tuple;
	Oid			value;
	uint32		chunk;

	if (!ItemIdIsNormal(id) || ItemIdGetOffset(id) + ItemIdGetLength(id) > BLCKSZ ||
		ItemIdGetLength(id) < SizeofHeapTupleHeader)
		return NOTHING;
	tuple = (HeapTupleHeader) PageGetItem(page, id);
	if (HeapTupleHeaderGetNatts(tuple) != 3 || (tuple->t_infomask & HEAP_HASNULL) != 0 ||
		ItemIdGetLength(id) < tuple->t_hoff + CHUNK_HEADER + VARHDRSZ)
		return NOTHING;
	*data = (const char *) tuple + tuple->t_hoff;
	memcpy(&value, *data, sizeof(value));
	if (wish->value != value)
		return wish->value < value ? -1 : 1;
	memcpy(&chunk, *data + sizeof(value), sizeof(chunk));
	return wish->chunk < chunk ? -1 : wish->chunk > chunk;
}

/* Prefetch the next chunk of a page, as the processor does not predict where it is: each lies below the one before */
static void
ask_for_chunk(Page page, OffsetNumber offset)
{
	ItemId		id;

	if (offset > PageGetMaxOffsetNumber(page))
		return;
	id = PageGetItemId(page, offset);
	PgBsonAskFor((const char *) page + ItemIdGetOffset(id), ItemIdGetLength(id));
}

/*
 * Is it certain that the TOAST table's index has this chunk?  Then it belongs to the value that is read, because the
 * server gives a new value no number that the index has.  Three kinds of chunks may not be in the index, and after the
 * counter of OIDs has wrapped around another value may have their number:
 *
 * - A crash came between the insertion into the table and that into the index.  Then the chunk's transaction has not
 *   committed.
 * - The value was deleted, and the index was built anew, or cleaned of entries of dead rows, before VACUUM came to the
 *   page.  Then the chunk has a deleting transaction.  A value that is live for an old snapshot only, or whose deletion
 *   was rolled back, looks the same.
 * - VACUUM has removed it.  VACUUM makes the line pointer dead before it removes the index entry.
 *
 * Where it is not certain the index is asked.
 */
static bool
is_in_index(Relation toast, HeapTupleHeader tuple)
{
	TransactionId xmin = HeapTupleHeaderGetXmin(tuple);

	if ((tuple->t_infomask & HEAP_XMAX_INVALID) == 0)
		return false;
	if (HeapTupleHeaderXminCommitted(tuple) || TransactionIdIsCurrentTransactionId(xmin))
		return true;
	/* a damaged page may name a transaction that never was; asking for its status would be an error */
	return TransactionIdIsNormal(xmin) && TransactionIdPrecedes(xmin, ReadNextTransactionId()) &&
		TransactionIdFollowsOrEquals(xmin, toast->rd_rel->relfrozenxid) && TransactionIdDidCommit(xmin);
}

/* Copy the chunk that stands in this place if it is valid; compare_place has found it, and its columns, "data" */
static bool
take_chunk(Wish *wish, Buffer buffer, Page page, OffsetNumber offset, const char *data)
{
	/* this kind of snapshot has nothing but its kind */
	static SnapshotData snapshot = {.snapshot_type = SNAPSHOT_TOAST};
	ItemId		id = PageGetItemId(page, offset);
	HeapTupleData tuple;
	uint32		size = chunk_size(wish);

	data += CHUNK_HEADER;
	if (!VARATT_IS_4B_U(data) || VARSIZE_4B(data) != size + VARHDRSZ ||
		data + VARHDRSZ + size > (const char *) PageGetItem(page, id) + ItemIdGetLength(id))
		return false;

	tuple.t_data = (HeapTupleHeader) PageGetItem(page, id);
	tuple.t_len = ItemIdGetLength(id);
	tuple.t_tableOid = RelationGetRelid(wish->toast);
	ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(buffer), offset);
	if (!HeapTupleSatisfiesVisibility(&tuple, &snapshot, buffer) || !is_in_index(wish->toast, tuple.t_data))
		return false;

	size = Min(size, wish->left);
	/* memmove, as GCC would make a slow string instruction of a memcpy whose largest size it knows */
	memmove(wish->into, data + VARHDRSZ, size);
	wish->into += size;
	wish->left -= size;
	wish->chunk++;
	return true;
}

/*
 * Copy the wanted chunks that are on this page, one behind the other; the first may be at "offset".
 * *place is where the last of them was found.  If none was found, *direction says which page
 * may have the first: -1 the one before, 1 the one behind, 0 neither.
 */
static bool
read_page(Wish *wish, BlockNumber block, OffsetNumber offset, Place *place, int *direction)
{
	Buffer		buffer = ReadBuffer(wish->toast, block);
	Page		page = BufferGetPage(buffer);
	OffsetNumber end;
	OffsetNumber at = InvalidOffsetNumber;
	bool		found;
	const char *data = NULL;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	end = Min(PageGetMaxOffsetNumber(page), MaxHeapTuplesPerPage);
	*direction = 0;
	if (offset >= FirstOffsetNumber && offset <= end && compare_place(wish, page, offset, &data) == 0)
		at = offset;
	for (OffsetNumber i = FirstOffsetNumber; i <= end && at == InvalidOffsetNumber; i++)
	{
		int			way = compare_place(wish, page, i, &data);

		if (way == 0)
			at = i;
		else if (way != NOTHING && *direction == 0)
			*direction = way;	/* the first chunk decides: behind others may stand a small one of another value */
	}
	if (at != InvalidOffsetNumber)
		ask_for_chunk(page, at + 1);
	found = at != InvalidOffsetNumber && take_chunk(wish, buffer, page, at, data);
	while (found && wish->left > 0 && at < end && compare_place(wish, page, at + 1, &data) == 0)
	{
		ask_for_chunk(page, at + 2);
		if (!take_chunk(wish, buffer, page, at + 1, data))
			break;
		at++;
	}
	UnlockReleaseBuffer(buffer);

	if (found)
	{
		place->toast = RelationGetRelid(wish->toast);
		place->value = wish->value;
		place->chunk = wish->chunk - 1;
		place->behind = (wish->stored - 1) / PGBSON_CHUNK - place->chunk;
		place->block = block;
		place->offset = at;
		place->page_end = end;
	}
	return found;
}

/*
 * Predict where the next chunk lies: as many places behind the one that was read
 * last, or before it, as their numbers differ, if every page is full of chunks.
 * False if there is no such place.
 */
static bool
predict(const Wish *wish, const Place *place, BlockNumber *block, OffsetNumber *offset)
{
	int64		step;			/* places from the first of the page */

	if (place->toast == InvalidOid)
		return false;
	step = place->offset - FirstOffsetNumber;
	if (wish->value == place->value)
		step += (int64) wish->chunk - place->chunk;
	else
		step += (int64) place->behind + 1 + wish->chunk;

	*block = place->block;
	if (step >= place->page_end)
	{
		step -= place->page_end;
		*block += 1 + step / EXTERN_TUPLES_PER_PAGE;
		step %= EXTERN_TUPLES_PER_PAGE;
	}
	else if (step < 0)
	{
		BlockNumber back = (EXTERN_TUPLES_PER_PAGE - 1 - step) / EXTERN_TUPLES_PER_PAGE;

		if (back > place->block)
			return false;
		*block -= back;
		step += (int64) back * EXTERN_TUPLES_PER_PAGE;
	}
	*offset = FirstOffsetNumber + step;
	return true;
}

/*
 * Is there such a block?  Reading one beyond the end is an error.  The size that the server remembers may be
 * too small, as the table may have grown, but not too large: a session that truncates it needs a lock that
 * conflicts with ours, and sends us an invalidation.
 */
static bool
has_block(Relation toast, BlockNumber block)
{
	/* NULL if nothing was read of the file yet */
	BlockNumber remembered = toast->rd_smgr != NULL
		? toast->rd_smgr->smgr_cached_nblocks[MAIN_FORKNUM] : InvalidBlockNumber;

	if (remembered != InvalidBlockNumber && block < remembered)
		return true;
	return block < RelationGetNumberOfBlocks(toast);
}

/* Read what lies in the pages behind the last one that was read, as long as it is what is wanted */
static void
read_on(Wish *wish, Place *place)
{
	int			direction;

	do
		CHECK_FOR_INTERRUPTS();
	while (wish->left > 0 && has_block(wish->toast, place->block + 1) &&
		   read_page(wish, place->block + 1, FirstOffsetNumber, place, &direction));
}

/* Read what lies where it is predicted, and in the pages behind that; false if nothing does */
static bool
read_predicted(Wish *wish, Place *place)
{
	BlockNumber block;
	OffsetNumber offset;
	int			direction = 0;
	int			last_direction;
	bool		found = false;

	if (!predict(wish, place, &block, &offset))
		return false;
	for (int i = 0; i < MOST_PAGES && !found && has_block(wish->toast, block); i++)
	{
		last_direction = direction;
		found = read_page(wish, block, offset, place, &direction);
		if (found)
			break;
		if (direction == 0 || direction == -last_direction || (direction < 0 && block == 0))
			return false;
		block += direction;
		offset = InvalidOffsetNumber;
	}
	if (found)
		read_on(wish, place);
	return found;
}

/* Where the next chunk that is wanted lies, from the index */
static bool
look_up_chunk(const Wish *wish, ItemPointer tid)
{
	Relation   *indexes;
	int			count;
	int			valid = toast_open_indexes(wish->toast, AccessShareLock, &indexes, &count);
	ScanKeyData keys[2];
	SnapshotData snapshot;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(wish->value));
	ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(wish->chunk));
	scan = systable_beginscan_ordered(wish->toast, indexes[valid], PGBSON_TOAST_SNAPSHOT(&snapshot), 2, keys);
	tuple = systable_getnext_ordered(scan, ForwardScanDirection);
	if (tuple != NULL)
		*tid = tuple->t_self;
	systable_endscan_ordered(scan);
	toast_close_indexes(indexes, count, AccessShareLock);
	return tuple != NULL;
}

/* Would read_predicted have found the chunk from this prediction? */
static bool
is_near(BlockNumber predicted, BlockNumber found)
{
	return predicted <= found + 1 && found <= predicted + 1;
}

/* Look the next chunk up, and read from there on; would it have been predicted well enough? */
static bool
read_looked_up(Wish *wish, Place *place)
{
	ItemPointerData tid;
	BlockNumber predicted;
	BlockNumber block;
	OffsetNumber offset;
	int			direction;
	bool		right;

	if (!look_up_chunk(wish, &tid))
		return false;
	block = ItemPointerGetBlockNumber(&tid);
	right = predict(wish, place, &predicted, &offset) && is_near(predicted, block);
	if (read_page(wish, block, ItemPointerGetOffsetNumber(&tid), place, &direction))
		read_on(wish, place);
	return right;
}

/*
 * Did the last read end with an error?  The page may have been looked at because
 * of a wrong prediction, and is perhaps damaged; then all later values would
 * fail, too.  So the server reads the next value, and predictions begin again.
 */
static bool
had_error(void)
{
	if (!is_reading)
		return false;
	is_reading = false;
	memset(places, 0, sizeof(places));
	return true;
}

void
PgBsonReadChunks(Relation toast, const struct varatt_external *pointer,
				 uint32 first, uint32 len, void *into)
{
	uint32		stored = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
	Wish		wish = {toast, pointer->va_valueid, stored, first, into, len};

	if (PgBsonPredictToast && len > 0 && (uint64) first * PGBSON_CHUNK + len <= stored && is_readable(toast) &&
		!had_error())
	{
		Place	   *place = place_before(RelationGetRelid(toast), wish.value);
		bool		right;

		is_reading = true;
		right = !place->doubtful && read_predicted(&wish, place);
		if (wish.left == len)
			right = read_looked_up(&wish, place) && place->doubtful;
		place->doubtful = !right || wish.left > chunk_size(&wish);
		is_reading = false;
	}
	/* the server reads what is left: a small last chunk that lies elsewhere, or damage, which it reports */
	if (wish.left > 0)
		table_relation_fetch_toast_slice(toast, wish.value, stored, wish.chunk * PGBSON_CHUNK,
										 wish.left, (struct varlena *) (wish.into - VARHDRSZ));
}
