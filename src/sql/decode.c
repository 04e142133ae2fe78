/*
 * decode.c
 *	  An output plugin: changes of documents, for logical decoding.
 *
 * bsond makes MongoDB's change streams of them.  Unlike pgoutput it needs no publication, in which a table without a
 * replica identity could not be updated; and unlike test_decoding it says which table a change is of by its number,
 * which another table of that name does not have.  The option "type" is the number of the type bson.  A table's
 * documents are its column "data" of this type, or the first such column; other tables are left out, and so are
 * transactions in which no document has changed.  Messages, whose numbers are in network order:
 *
 *		B	int64 time				the next changes were committed at this time, in microseconds since 2000
 *		C							they are complete; the message's position is that of the end of the commit
 *		I	table, document			a table is an int32, a document an int32 with its length, and its bytes
 *		U	table, old, document	a length of -1: not known, as the table's replica identity is not FULL
 *		D	table, old
 *		R	text					the number of a table, in digits: the change before, if of it, was a replacement
 *
 * The last is what a statement that replaces a document says of itself by pg_logical_emit_message(true, 'bson', ...) in
 * RETURNING, so directly after its change.
 */
#include "door.h"

#include "libpq/pqformat.h"
#include "replication/logical.h"
#include "replication/output_plugin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

typedef struct DecodeState
{
	MemoryContext context;		/* of one change */
	Oid			type;
} DecodeState;

extern PGDLLEXPORT void _PG_output_plugin_init(OutputPluginCallbacks *callbacks);

static void
decode_startup(LogicalDecodingContext *ctx, OutputPluginOptions *options, bool is_init)
{
	DecodeState *state = palloc0(sizeof(DecodeState));

	state->context = AllocSetContextCreate(ctx->context, "bson change", ALLOCSET_DEFAULT_SIZES);
	foreach_ptr(DefElem, option, ctx->output_plugin_options)
	{
		if (strcmp(option->defname, "type") != 0 || option->arg == NULL)
			PgBsonReportInvalid(errmsg("unknown option \"%s\" of the output plugin bson", option->defname));
		state->type = strtoul(strVal(option->arg), NULL, 10);
	}
	ctx->output_plugin_private = state;
	options->output_type = OUTPUT_PLUGIN_BINARY_OUTPUT;
}

/* Transactions begin with their first change of a document */
static void
decode_begin(LogicalDecodingContext *ctx, ReorderBufferTXN *txn)
{
	txn->output_plugin_private = NULL;
}

static void
decode_commit(LogicalDecodingContext *ctx, ReorderBufferTXN *txn, XLogRecPtr commit_lsn)
{
	if (txn->output_plugin_private == NULL)
		return;
	OutputPluginPrepareWrite(ctx, true);
	pq_sendbyte(ctx->out, 'C');
	OutputPluginWrite(ctx, true);
}

/* The number of the column with the documents; 0 if there is none */
static int
document_column(const DecodeState *state, TupleDesc row)
{
	int			found = 0;

	for (int i = row->natts; i > 0; i--)
	{
		Form_pg_attribute column = TupleDescAttr(row, i - 1);

		if (column->attisdropped || column->atttypid != state->type || column->attlen != -1)
			continue;
		found = i;
		if (strcmp(NameStr(column->attname), "data") == 0)
			break;
	}
	return found;
}

/* The document of a row; false if it is NULL, or not known, as it is out of line and was not changed */
static bool
row_document(HeapTuple row, int column, TupleDesc desc, Datum *document)
{
	bool		is_null = true;

	if (row != NULL)
		*document = heap_getattr(row, column, desc, &is_null);
	return !is_null && (!VARATT_IS_EXTERNAL(DatumGetPointer(*document)) ||
						VARATT_IS_EXTERNAL_INDIRECT(DatumGetPointer(*document)));
}

static void
send_document(LogicalDecodingContext *ctx, bool known, Datum document)
{
	PgBson	   *doc;

	if (!known)
	{
		pq_sendint32(ctx->out, -1);
		return;
	}
	doc = (PgBson *) PG_DETOAST_DATUM(document);
	pq_sendint32(ctx->out, VARSIZE(doc) - VARHDRSZ);
	pq_sendbytes(ctx->out, VARDATA(doc), VARSIZE(doc) - VARHDRSZ);
}

static void
decode_change(LogicalDecodingContext *ctx, ReorderBufferTXN *txn, Relation relation, ReorderBufferChange *change)
{
	DecodeState *state = ctx->output_plugin_private;
	TupleDesc	desc = RelationGetDescr(relation);
	int			column = document_column(state, desc);
	MemoryContext old_context;
	Datum		before = 0,
				after = 0;
	bool		has_before,
				has_after;

	if (column == 0)
		return;
	if (txn->output_plugin_private == NULL)
	{
		txn->output_plugin_private = state;
		OutputPluginPrepareWrite(ctx, false);
		pq_sendbyte(ctx->out, 'B');
		pq_sendint64(ctx->out, PGBSON_COMMIT_TIME(txn));
		OutputPluginWrite(ctx, false);
	}
	old_context = MemoryContextSwitchTo(state->context);
	has_before = row_document(PGBSON_CHANGE_TUPLE(change->data.tp.oldtuple), column, desc, &before);
	has_after = row_document(PGBSON_CHANGE_TUPLE(change->data.tp.newtuple), column, desc, &after);
	OutputPluginPrepareWrite(ctx, true);
	pq_sendbyte(ctx->out, change->action == REORDER_BUFFER_CHANGE_INSERT ? 'I' :
				change->action == REORDER_BUFFER_CHANGE_UPDATE ? 'U' : 'D');
	pq_sendint32(ctx->out, RelationGetRelid(relation));
	if (change->action != REORDER_BUFFER_CHANGE_INSERT)
		send_document(ctx, has_before, before);
	if (change->action != REORDER_BUFFER_CHANGE_DELETE)
		send_document(ctx, has_before || has_after, has_after ? after : before);
	OutputPluginWrite(ctx, true);
	MemoryContextSwitchTo(old_context);
	MemoryContextReset(state->context);
}

static void
decode_message(LogicalDecodingContext *ctx, ReorderBufferTXN *txn, XLogRecPtr lsn, bool transactional,
			   const char *prefix, Size size, const char *message)
{
	/* a table's number has at most ten digits; anybody may write messages, of any size */
	if (!transactional || txn->output_plugin_private == NULL || strcmp(prefix, "bson") != 0 || size > 10)
		return;
	OutputPluginPrepareWrite(ctx, true);
	pq_sendbyte(ctx->out, 'R');
	pq_sendbytes(ctx->out, message, size);
	OutputPluginWrite(ctx, true);
}

void
_PG_output_plugin_init(OutputPluginCallbacks *callbacks)
{
	callbacks->startup_cb = decode_startup;
	callbacks->begin_cb = decode_begin;
	callbacks->change_cb = decode_change;
	callbacks->message_cb = decode_message;
	callbacks->commit_cb = decode_commit;
}
