/*
 * detoast.c
 *	  Values that are compressed, or stored out of line, as plain bytes.
 *
 * The server's own way takes longer than it must in four places.  It asks an index
 * for the chunks of each value, see core/stored/toast.c.  Its pglz decompressor is slow,
 * see core/stored/pglz.c.  Of a value compressed with lz4 it reads all chunks even for a
 * short prefix.  And it copies a prefix once more.  What is neither compressed with
 * these nor stored on disk is left to it.
 */
#include "core/stored/detoast.h"

#include "access/detoast.h"
#include "access/table.h"
#include "access/toast_compression.h"
#include "common/pg_lzcompress.h"
#include "core/bytes/view.h"
#include "core/stored/pglz.h"
#include "core/stored/toast.h"
#include "pgbson.h"

/*
 * So many bytes of an lz4 stream hold its first "want": literals that do not
 * compress, and the lengths of runs that may go on to the end, at 255 a byte.
 */
#define LZ4_BOUND(want, whole)	((uint64) (want) + (whole) / 255 * 2 + 64)

/* Can these be the sizes of a value?  In a damaged pointer they may be anything. */
static bool
has_sizes(const struct varatt_external *pointer)
{
	uint32		stored = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);

	return pointer->va_rawsize >= VARHDRSZ &&
		(VARATT_EXTERNAL_IS_COMPRESSED(*pointer) ? stored >= VARHDRSZ_COMPRESSED - VARHDRSZ
		 : stored == pointer->va_rawsize - VARHDRSZ);
}

/*
 * A value from its TOAST table: all of it, or the part in which the first "want"
 * bytes are.  It is as compressed as it is there.
 */
static struct varlena *
fetch_stored(const struct varlena *value, uint32 want)
{
	struct varatt_external pointer;
	uint32		whole;
	uint32		stored;
	uint32		size;
	struct varlena *result;
	Relation	toast;
	LOCKMODE	release;

	VARATT_EXTERNAL_GET_POINTER(pointer, value);
	if (!has_sizes(&pointer))
		PgBsonReportDamaged(0);
	whole = pointer.va_rawsize - VARHDRSZ;
	size = stored = VARATT_EXTERNAL_GET_EXTSIZE(pointer);
	if (!VARATT_EXTERNAL_IS_COMPRESSED(pointer))
		size = Min(size, want);
	else if (want < whole)
	{
		uint64		stream = VARATT_EXTERNAL_GET_COMPRESS_METHOD(pointer) == TOAST_LZ4_COMPRESSION_ID
			? LZ4_BOUND(want, whole) : (uint64) pglz_maximum_compressed_size(want, stored);

		/* the method and the size stand before it */
		size = Min(stored, stream + VARHDRSZ_COMPRESSED - VARHDRSZ);
	}
	result = palloc_extended((Size) size + VARHDRSZ, MCXT_ALLOC_HUGE);
	if (VARATT_EXTERNAL_IS_COMPRESSED(pointer))
		SET_VARSIZE_COMPRESSED(result, size + VARHDRSZ);
	else
		SET_VARSIZE(result, size + VARHDRSZ);

	toast = PgBsonOpenToast(pointer.va_toastrelid, &release);
	PgBsonReadChunks(toast, &pointer, 0, size, VARDATA(result));
	table_close(toast, release);
	if (VARATT_IS_COMPRESSED(result) && VARDATA_COMPRESSED_GET_EXTSIZE(result) != whole)
		PgBsonReportDamaged(0);
	return result;
}

static struct varlena *
decompress_pglz(const struct varlena *value, uint32 want, bool all)
{
	struct varlena *result = palloc_extended((Size) want + VARHDRSZ + PGBSON_PGLZ_ROOM,
											 MCXT_ALLOC_HUGE);

	if (!PgBsonPglzDecompress((const uint8 *) value + VARHDRSZ_COMPRESSED,
							  VARSIZE(value) - VARHDRSZ_COMPRESSED,
							  (uint8 *) VARDATA(result), want, all))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg_internal("compressed pglz data is corrupt")));
	SET_VARSIZE(result, want + VARHDRSZ);
	return result;
}

/* A damaged stream may make less than was compressed, which the server does not notice */
static struct varlena *
decompress_lz4(const struct varlena *value, uint32 want, bool all)
{
	struct varlena *result = all ? lz4_decompress_datum(value) : lz4_decompress_datum_slice(value, want);

	if (VARSIZE(result) < (Size) want + VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg_internal("compressed lz4 data is corrupt")));
	return result;
}

/* The first "want" bytes of a compressed value, of which there may be only a part that is enough */
static struct varlena *
decompress(const struct varlena *value, uint32 want)
{
	uint32		whole = VARDATA_COMPRESSED_GET_EXTSIZE(value);
	bool		all = want >= whole;

	if (VARSIZE(value) < VARHDRSZ_COMPRESSED)
		PgBsonReportDamaged(0);
	want = Min(want, whole);
	switch (VARDATA_COMPRESSED_GET_COMPRESS_METHOD(value))
	{
		case TOAST_PGLZ_COMPRESSION_ID:
			return decompress_pglz(value, want, all);
		case TOAST_LZ4_COMPRESSION_ID:
			return decompress_lz4(value, want, all);
		default:
			PgBsonReportDamaged(0);
	}
}

struct varlena *
PgBsonDetoast(struct varlena *value)
{
	return PgBsonDetoastPrefix(value, PGBSON_MAX_SIZE);
}

struct varlena *
PgBsonDetoastPrefix(struct varlena *value, uint32 want)
{
	struct varlena *stored;
	struct varlena *result;

	if (VARATT_IS_COMPRESSED(value))
		return decompress(value, want);
	if (VARATT_IS_EXTERNAL_ONDISK(value))
	{
		stored = fetch_stored(value, want);
		if (!VARATT_IS_COMPRESSED(stored))
			return stored;
		result = decompress(stored, want);
		pfree(stored);
		return result;
	}
	return want >= PGBSON_MAX_SIZE ? detoast_attr(value) : detoast_attr_slice(value, 0, want);
}
