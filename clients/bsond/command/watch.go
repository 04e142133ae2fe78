package command

import (
	"context"
	encoding "encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

// watch is an open change stream. What tables there are, and which the role may read, is asked anew for each batch, and only
// documents of these enter the role's session, in which the events are made and the stages run.
type watch struct {
	server   *Server
	pool     *session.Pool
	stream   *session.Stream
	db, name string             // empty: all
	tables   map[int64]*watched // that were there, by their numbers
	seen     map[uint32]bool    // numbers of tables in the log, see settled
	there    bool               // the database was
	missing  int64              // the position in the log at which it was seen that a table has gone; 0: none has
	at       session.Position   // after the last batch
	args     []any              // of the statement "events"
}

type watched struct {
	db, name string
	told     bool // changes are told, as the role may read it
	full     bool // its old rows are in the log
}

// events makes events of changes ($1), and runs the stages ($2) on them, with a collation ($3). fullDocument is $4, and
// fullDocumentBeforeChange is $5. An update that cannot be told by the names of fields is a replacement.
const events = `WITH r AS (SELECT n, r, r OPERATOR(#->>) 'op' AS op, coalesce(r OPERATOR(#->) 'new', r OPERATOR(#->) 'old') OPERATOR(#->) '_id' AS id,
		CASE r OPERATOR(#->>) 'op' WHEN 'update' THEN #bson_update_description(r OPERATOR(#->) 'old', r OPERATOR(#->) 'new') END AS changed FROM unnest($1::#bson[]) WITH ORDINALITY AS u(r, n)),
	e AS (SELECT n, r OPERATOR(#-) '{op,old,new}'::text[] OPERATOR(#||) #bson_build_object('operationType', CASE WHEN op = 'update' AND changed IS NULL THEN 'replace' ELSE op END)
		OPERATOR(#||) CASE WHEN op IN ('insert', 'replace') OR op = 'update' AND (changed IS NULL OR $4::text <> 'default') THEN #bson_build_object('fullDocument', r OPERATOR(#->) 'new') ELSE '{}' END
		OPERATOR(#||) CASE WHEN op IN ('insert', 'update', 'replace', 'delete') THEN #bson_build_object('documentKey', #bson_build_object('_id', id)) ELSE '{}' END
		OPERATOR(#||) CASE WHEN changed IS NULL THEN '{}' ELSE #bson_build_object('updateDescription', changed) END
		OPERATOR(#||) CASE WHEN op IN ('update', 'replace', 'delete') AND $5::text <> 'off' THEN #bson_build_object('fullDocumentBeforeChange', r OPERATOR(#->) 'old') ELSE '{}' END AS event FROM r)
	SELECT d, #bson_typeof(d OPERATOR(#->) '_id' OPERATOR(#->) '_data') IS NOT DISTINCT FROM 'string' FROM #bson_aggregate(NULL,
		#array_to_bson(ARRAY[#bson_build_object('$documents', #bson_build_object('$literal', (SELECT coalesce(#bson_agg(event ORDER BY n), '[]') FROM e)))]) OPERATOR(#||) $2::#bson, NULL, NULL, $3) AS d`

// The stages that may follow, as in MongoDB
var follow = []string{"$addFields", "$match", "$project", "$replaceRoot", "$replaceWith", "$redact", "$set", "$unset"}

// watch opens a change stream
func (r *Request) watch(stages []wirebson.RawDocument, options fields) *wirebson.Document {
	switch level := r.Sub("readConcern").Str("level"); {
	case r.server.PG.Changes == nil:
		fail(40573, "The $changeStream stage is only supported on replica sets: bsond has it if it is started with --change-streams, and PostgreSQL with wal_level = logical")
	case r.conn.InTransaction:
		fail(mongoerr.OperationNotSupportedInTransaction, "$changeStream cannot be used in a transaction")
	case level != "" && level != "majority":
		fail(mongoerr.InvalidOptions, "$changeStream cannot run with a readConcern other than 'majority'")
	}
	w := &watch{server: r.server, pool: r.client.Pool, db: r.DB, tables: map[int64]*watched{}, seen: map[uint32]bool{}}
	full, before := "default", "off"
	var since int64
	for name, value := range options.All() {
		text, _ := value.(string)
		switch name {
		case "fullDocument":
			full = text
		case "fullDocumentBeforeChange":
			before = text
		case "resumeAfter", "startAfter":
			w.at = position(options.Sub(name).Str("_data"), name == "startAfter")
		case "startAtOperationTime":
			at, _ := value.(wirebson.Timestamp)
			since = max(1, int64(at>>32)*1_000_000+int64(uint32(at))-1)
		case "allChangesForCluster":
			if w.db = ""; r.DB != "admin" {
				fail(mongoerr.InvalidOptions, "A $changeStream with 'allChangesForCluster:true' may only be opened on the 'admin' database")
			}
		case "showExpandedEvents":
			if value == true {
				fail(mongoerr.NotImplemented, "showExpandedEvents is not supported: PostgreSQL's log does not tell what is created")
			}
		default:
			fail(mongoerr.UnknownField, "BSON field '$changeStream.%s' is an unknown field.", name)
		}
	}
	if !slices.Contains([]string{"default", "updateLookup", "whenAvailable", "required"}, full) || !slices.Contains([]string{"off", "whenAvailable", "required"}, before) {
		fail(mongoerr.BadValue, "'%s', '%s' are no values of fullDocument and fullDocumentBeforeChange", full, before)
	}
	for _, each := range stages[1:] {
		if name := fieldsOf(each).Command(); !slices.Contains(follow, name) {
			fail(mongoerr.IllegalOperation, "%s is not permitted in a $changeStream pipeline", name)
		}
	}
	name, named := r.Get("aggregate").(string)
	if w.name = name; named {
		check(session.CheckName(r.DB, name))
	}
	// from here on changes are told, though it takes a while to begin
	tables, end, there, err := w.look(r.ctx)
	check(err)
	w.tables, w.there = tables, there
	by, _ := r.collation(r.fields)
	ns := r.of.NS()
	if named {
		ns = r.collection(r.DB, name, table).NS()
	}
	w.args = []any{wire.Root(must(array(stages[1:]...).Encode())), by, full, before}
	check(w.check(w.tables))
	_ = must(w.events(r.ctx, r.conn, nil))
	w.stream, err = r.server.PG.Changes.Watch(r.ctx, w.at, since, end)
	check(resumable(err))
	w.at = w.stream.At()
	cursor := session.Fed(w.pool, ns, w)
	cursor.Client = r.client.Number
	return doc("cursor", doc("firstBatch", array[any](), "id", r.server.cursors.Add(cursor), "ns", ns, "postBatchResumeToken", token(w.at)))
}

// check tells whether the stream of a collection can tell all changes
func (w *watch) check(tables map[int64]*watched) error {
	for _, t := range tables {
		if w.name != "" && !t.told {
			return mongoerr.New(mongoerr.Unauthorized, "not authorized on %s to watch %s: the role needs SELECT on the table, and must not be subject to row security there", t.db, t.name)
		}
		if w.name != "" && !t.full {
			return t.unknown()
		}
	}
	return nil
}

func (t *watched) unknown() error {
	return mongoerr.New(mongoerr.ChangeStreamFatalError, "changes of %s.%s cannot be told, as PostgreSQL's log does not have old rows. Run: ALTER TABLE %s.%s REPLICA IDENTITY FULL",
		t.db, t.name, session.Quote(session.Short(t.db)), session.Quote(session.Short(t.name)))
}

// look finds the tables that the stream is about, or was, where the log ends now, and whether there is the database
func (w *watch) look(ctx context.Context) (tables map[int64]*watched, end int64, there bool, err error) {
	known := make([]string, 0, len(w.tables))
	for number := range w.tables {
		known = append(known, fmt.Sprint(number))
	}
	var db, name any
	if w.db != "" {
		db = session.Short(w.db)
	}
	if w.name != "" {
		name = session.Short(w.name)
	}
	role, called := w.pool.Number()
	rows, err := w.server.PG.Changes.Ask(ctx, `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint, $1::text IS NULL OR EXISTS (SELECT FROM pg_namespace WHERE nspname = $1), t.*
		FROM (SELECT) AS one LEFT JOIN (SELECT c.oid::bigint, nspname, root.relname, split_part(obj_description(root.oid, 'pg_class'), E'\n', 1),
				coalesce(has_schema_privilege(role.oid, n.oid, 'USAGE') AND has_table_privilege(role.oid, root.oid, 'SELECT'), false)
				AND (NOT root.relrowsecurity OR rolsuper OR rolbypassrls OR pg_has_role(role.oid, root.relowner, 'USAGE') AND NOT root.relforcerowsecurity), c.relreplident = 'f'
			FROM pg_roles AS role, pg_class AS c JOIN pg_class AS root ON root.oid = coalesce(pg_partition_root(c.oid), c.oid) JOIN pg_namespace AS n ON n.oid = root.relnamespace
			WHERE CASE WHEN $4::bigint = 0 THEN rolname = $5 ELSE role.oid::bigint = $4 END AND c.relkind = 'r' AND c.relpersistence = 'p'
				AND (c.oid = ANY ($3::oid[]) OR ($1::text IS NULL OR nspname = $1) AND ($2::text IS NULL OR root.relname = $2 AND $3::text = '{}'))
				AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND atttypid = '#bson'::regtype)) AS t ON true`,
		db, name, "{"+strings.Join(known, ",")+"}", int64(role), called)
	if err != nil {
		return nil, 0, false, err
	}
	tables = map[int64]*watched{}
	for _, row := range rows {
		if row[2] != nil {
			t := &watched{db: string(row[3]), name: string(row[4]), told: row[6][0] != 0, full: row[7][0] != 0}
			if w.db != "" && t.db == session.Short(w.db) {
				t.db = w.db
			}
			if long, found := strings.CutPrefix(string(row[5]), session.Mark+t.db+"."); found && session.Short(long) == t.name {
				t.name = long
			}
			tables[session.Int(row[2])] = t
		}
	}
	return tables, session.Int(rows[0][0]), rows[0][1][0] != 0, nil
}

// settled waits for transactions that made tables of which there are changes. The log tells of a commit before other sessions see it,
// and those would take the table for none of the stream's; until they see it, it is locked.
func (w *watch) settled(ctx context.Context, changes []session.Change) error {
	var fresh []string
	for _, change := range changes {
		if !w.seen[change.Table] {
			w.seen[change.Table] = true
			fresh = append(fresh, fmt.Sprint(change.Table))
		}
	}
	for began := time.Now(); len(fresh) > 0 && time.Since(began) < 10*time.Second; time.Sleep(5 * time.Millisecond) {
		locked, err := w.server.PG.Changes.Ask(ctx, `SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
			WHERE datname = current_database() AND relation = ANY ($1::oid[]) AND mode = 'AccessExclusiveLock' AND granted LIMIT 1`, "{"+strings.Join(fresh, ",")+"}")
		if err != nil || len(locked) == 0 {
			return err
		}
	}
	return nil
}

// Next waits for the next events
func (w *watch) Next(ctx context.Context, count int64, wait time.Duration) (batch wirebson.RawArray, over bool, err error) {
	defer func() { err = resumable(err) }()
	var list []wirebson.RawDocument
	if count <= 0 {
		count = 1000
	}
	// a client that has gone is noticed between two batches
	for until := time.Now().Add(min(wait, 5*time.Second)); ; {
		patience := time.Until(until)
		if w.missing != 0 {
			patience = min(patience, 20*time.Millisecond)
		}
		changes, at, err := w.stream.Take(ctx, count, patience)
		if err == nil {
			err = w.settled(ctx, changes)
		}
		if err != nil {
			return nil, false, err
		}
		tables, end, there, err := w.look(ctx)
		if err != nil {
			return nil, false, err
		}
		var raw []wirebson.RawDocument
		for _, change := range changes {
			of := tables[int64(change.Table)]
			if of != nil && of.told {
				one, err := of.event(change)
				if err != nil {
					return nil, false, err
				}
				raw = append(raw, one)
			}
		}
		if len(changes) == 0 {
			raw, over = w.endings(tables, end, at, there)
			at.Ended = over
		}
		if len(changes) == 0 && w.missing == 0 {
			w.tables, w.there = map[int64]*watched{}, false
		}
		for number, each := range tables {
			if w.tables[number] == nil {
				w.tables[number] = each
			}
		}
		w.there = w.there || there
		if err = w.check(tables); err != nil {
			return nil, false, err
		}
		if w.at = at; len(raw) > 0 {
			err := w.pool.With(ctx, func(c *session.Conn) (err error) {
				list, err = w.events(ctx, c, raw)
				return err
			})
			if err != nil {
				return nil, false, err
			}
		}
		if len(list) > 0 || over || !time.Now().Before(until) {
			batch, err = array(list...).Encode()
			return batch, over, err
		}
	}
}

// endings are the events of tables that have gone, once all of before were sent, and whether they end the stream
func (w *watch) endings(tables map[int64]*watched, end int64, at session.Position, there bool) (raw []wirebson.RawDocument, over bool) {
	now := wirebson.MustDocument("_id", token(at), "clusterTime", cluster(time.Now().UnixMicro()), "wallTime", time.Now())
	add := func(op string, fields ...any) {
		event := wirebson.MustDocument(append([]any{"_id", now.Get("_id"), "op", op, "clusterTime", now.Get("clusterTime"), "wallTime", now.Get("wallTime")}, fields...)...)
		one, _ := event.Encode()
		raw = append(raw, one)
	}
	gone := w.there && !there
	for number, was := range w.tables {
		switch is := tables[number]; {
		case !was.told:
		case is == nil:
			add("drop", "ns", was.ns())
			gone, over = true, w.name != ""
		case is.ns().Get("db") != was.db || is.name != was.name:
			add("rename", "ns", was.ns(), "to", is.ns())
			gone, over = true, w.name != ""
		}
	}
	if !gone {
		return nil, false
	}
	if w.missing == 0 {
		w.missing = end
	}
	if at.LSN < uint64(w.missing) {
		return nil, false
	}
	w.missing = 0
	if !there && w.name == "" {
		add("dropDatabase", "ns", wirebson.MustDocument("db", w.db))
		over = true
	}
	if over {
		at.Ended = true
		_ = now.Replace("_id", token(at))
		add("invalidate")
	}
	return raw, over
}

// event is what the statement "events" needs to know of a change
func (t *watched) event(change session.Change) (wirebson.RawDocument, error) {
	if change.Old == nil && change.New == nil {
		return nil, t.unknown()
	}
	op := map[byte]string{'I': "insert", 'U': "update", 'R': "replace", 'D': "delete"}[change.Kind]
	event := wirebson.MustDocument("_id", token(change.At), "op", op, "clusterTime", cluster(change.Time), "wallTime", time.UnixMicro(change.Time), "ns", t.ns())
	if change.Old != nil {
		_ = event.Add("old", wirebson.RawDocument(change.Old))
	}
	if change.New != nil {
		_ = event.Add("new", wirebson.RawDocument(change.New))
	}
	return event.Encode()
}

func (t *watched) ns() *wirebson.Document { return wirebson.MustDocument("db", t.db, "coll", t.name) }

// cluster is a time in microseconds as a timestamp of MongoDB's
func cluster(at int64) wirebson.Timestamp {
	return wirebson.Timestamp(at/1_000_000<<32 | at%1_000_000 + 1)
}

// events runs the statement
func (w *watch) events(ctx context.Context, c *session.Conn, raw []wirebson.RawDocument) (batch []wirebson.RawDocument, err error) {
	rows, err := c.All(ctx, events, append([]any{raw}, w.args...)...)
	for _, row := range rows {
		if row[1][0] == 0 {
			return nil, mongoerr.New(mongoerr.ChangeStreamFatalError, "Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed.")
		}
		batch = append(batch, row[0])
	}
	return batch, err
}

// Close ends the stream.
func (w *watch) Close() { w.stream.Close() }

// token is a position as a resume token
func token(at session.Position) *wirebson.Document {
	b := encoding.BigEndian.AppendUint32(encoding.BigEndian.AppendUint64(nil, at.LSN), at.Count)
	if at.Ended {
		b = append(b, 1)
	}
	return wirebson.MustDocument("_data", strings.ToUpper(hex.EncodeToString(b)))
}

// position is that of a resume token
func position(data string, ended bool) session.Position {
	b, _ := hex.DecodeString(data)
	if len(b) == 13 && !ended {
		fail(mongoerr.InvalidResumeToken, "Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification")
	}
	if len(b) != 12 && len(b) != 13 {
		fail(mongoerr.InvalidResumeToken, "this is no resume token")
	}
	return session.Position{LSN: encoding.BigEndian.Uint64(b), Count: encoding.BigEndian.Uint32(b[8:])}
}

// resumable marks an error after which a driver opens the stream again, where it was
func resumable(err error) error {
	if err == nil {
		return nil
	}
	known := *mongoerr.Of(err)
	if known.Code == mongoerr.HostUnreachable || known.Code == mongoerr.ExceededTimeLimit {
		known.Labels = []string{"ResumableChangeStreamError"}
	}
	return &known
}
