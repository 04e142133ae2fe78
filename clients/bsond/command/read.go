package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func find(r *Request) *wirebson.Document {
	if r.Bool("tailable") || r.Bool("awaitData") {
		fail(mongoerr.BadValue, "error processing query: tailable cursor requested on non capped collection")
	}
	if r.Bool("returnKey") || r.Bool("showRecordId") {
		fail(mongoerr.NotImplemented, "returnKey and showRecordId are not supported: documents are returned as they are")
	}
	limit, single := r.Int("limit", 0), r.Bool("singleBatch")
	if limit < 0 {
		limit, single = -limit, true
	}
	size := r.Int("batchSize", session.FirstBatch)
	if size < 0 {
		fail(51024, "BSON field 'batchSize' value must be >= 0, actual value '%d'", size)
	}
	return r.cursor(r.of.NS(), r.finds("filter", "", r.Int("skip", 0), limit), size, single)
}

// finds is the statement of what the command finds, or of something that is "around" it
func (r *Request) finds(filter, around string, skip, limit int64) *session.Statement {
	query := r.Obj(filter)
	if query == nil {
		query = empty
	}
	r.hinted(r.Get("hint"))
	by, _ := r.collation(r.fields)
	return must(r.conn.Shape(r.ctx, "#bson_find_shape($1::text::regclass, $2, $3, $4, $5::bigint, nullif($6::bigint, 0), $7::text::name, $8, $9)",
		func(made string, _ int) string { return fmt.Sprintf(cmp.Or(around, "%s"), made) }, around, []any{r.of.Table(), query, r.Some("projection"), r.order(), skip, limit, r.of.Column, r.Some("let"), by}))
}

// collation is that of a command, or else of its collection, and the name that it has in PostgreSQL; nil if bytes are compared
func (r *Request) collation(f fields) (wirebson.RawDocument, string) {
	spec := f.Some("collation")
	if spec == nil {
		spec = r.of.Collation
	}
	if spec != nil {
		if name := must(r.conn.Collation(r.ctx, spec)); name != "" {
			return spec, name
		}
	}
	return nil, ""
}

// cursor runs a statement, and replies with the first batch
func (r *Request) cursor(ns string, statement *session.Statement, size int64, single bool) *wirebson.Document {
	batch, id := wirebson.RawArray(empty), int64(0)
	if statement != nil {
		if r.explains {
			throw(&explained{statement})
		}
		cursor := must(r.conn.Begin(r.ctx, ns, statement))
		// from here on the connection is the cursor's
		r.kept = true
		var err error
		batch, err = cursor.Next(r.ctx, size, r.client.Large, &r.client.Batch)
		if err != nil || cursor.Over() || single {
			cursor.Close()
			check(err)
		} else {
			cursor.Keep = r.Bool("noCursorTimeout")
			id = r.server.cursors.Add(cursor)
		}
	}
	return doc("cursor", doc("firstBatch", batch, "id", id, "ns", ns))
}

func aggregate(r *Request) *wirebson.Document {
	r.of = &session.Collection{DB: r.DB, Name: "$cmd.aggregate"}
	stages := r.Objs("pipeline")
	if r.Get("pipeline") == nil {
		fail(mongoerr.TypeMismatch, "'pipeline' option must be specified as an array")
	}
	explains := r.Bool("explain")
	if r.Obj("cursor") == nil && !explains && !r.explains {
		fail(mongoerr.FailedToParse, "The 'cursor' option is required, except for aggregate with the explain argument")
	}
	size := r.Sub("cursor").Int("batchSize", session.FirstBatch)
	if size < 0 {
		fail(mongoerr.BadValue, "cursor batchSize must not be negative")
	}
	first, last := fields{doc()}, fields{doc()}
	if n := len(stages); n > 0 {
		first, last = fieldsOf(stages[0]), fieldsOf(stages[n-1])
	}
	switch stage := last.Command(); {
	case explains || r.explains:
	case first.Command() == "$changeStream":
		return r.watch(stages, first.Sub("$changeStream"))
	case stage == "$out" || stage == "$merge":
		if r.Sub("readConcern").Str("level") == "linearizable" {
			fail(mongoerr.InvalidOptions, "%s cannot be used with a 'linearizable' read concern", stage)
		}
		return r.cursor(r.store(first.Command(), stage, last).NS(), nil, 0, true)
	}
	// the collections that stages name are of this database
	statement := must(r.conn.Shape(r.ctx, `set_config('search_path', quote_ident($6), true) AS p, set_config('bson.missing_collections', 'on', true) AS m,
		LATERAL #bson_pipeline_shape(CASE WHEN p || m IS NOT NULL THEN $1::text::regclass END, $2, $3::text::name, $4, $5) AS f, LATERAL set_config('search_path', left(f.statement, 0), true)`,
		nil, "", append(r.pipeline(first.Command(), wire.Root(r.Get("pipeline"))), session.Short(r.DB))))
	if explains {
		return r.plan(r.of, statement)
	}
	return r.cursor(r.of.NS(), statement, size, false)
}

// store runs a pipeline whose last stage is $out or $merge. The collection is made if it is missing; $out replaces what is
// in it, and keeps its indexes.
func (r *Request) store(first, stage string, last fields) *session.Collection {
	into := last.Get(stage)
	if operand, isDocument := into.(wirebson.RawDocument); isDocument && stage == "$merge" {
		into = fieldsOf(operand).Get("into")
	}
	db, name := r.DB, ""
	switch v := into.(type) {
	case string:
		name = v
	case wirebson.RawDocument:
		name, db = fieldsOf(v).Str("coll"), cmp.Or(fieldsOf(v).Str("db"), db)
	}
	to, root := r.collection(db, name, table), wire.Root(r.Get("pipeline"))
	work := func() {
		r.make(to)
		if stage != "$merge" {
			root = r.document("SELECT $1::#bson OPERATOR(#-) -1", root)
		}
		args := r.pipeline(first, root)
		check(r.conn.Enter(r.ctx, session.Short(r.DB)))
		defer r.conn.Leave(r.ctx, session.Short(r.DB))
		text := r.text("SELECT #bson_pipeline_sql($1::text::regclass, $2, $3::text::name, $4, $5) WHERE set_config('bson.missing_collections', 'on', true) = 'on'", args...)
		if strings.HasPrefix(text, "CREATE") {
			throw(session.Gone(to))
		}
		if stage == "$merge" {
			r.run(text)
			return
		}
		r.run("CREATE TEMPORARY TABLE bsond_out ON COMMIT DROP AS "+text,
			"LOCK TABLE "+to.Relation+" IN SHARE ROW EXCLUSIVE MODE", "DELETE FROM "+to.Relation,
			r.conn.SQL("INSERT INTO "+to.Relation+" ("+session.Quote(to.Column)+") SELECT #bson_with_id(data) FROM pg_temp.bsond_out"), "DROP TABLE pg_temp.bsond_out")
	}
	err := caught(func() { r.atomic(work) })
	if r.of = to; err != nil {
		throw(r.explainWrite(err, nil, nil))
	}
	return to
}

// What stands in the place of a first stage that asks for what only bsond knows: documents, as an expression of SQL; $literal, as their
// names may begin with a dollar sign. A collection that does not exist is one without documents.
const documents = "SELECT #array_to_bson(ARRAY[#bson_set('{}', '{$documents}', #bson_set('{}', '{$literal}', (%s)))]) OPERATOR(#||) $1::#bson"

// pipeline are the arguments of the extension's functions for a pipeline, which begins with this stage, on the collection that the
// command names
func (r *Request) pipeline(first string, pipeline wirebson.RawDocument) []any {
	if _, named := r.Get(r.Name).(string); named {
		r.named(often)
	}
	r.hinted(r.Get("hint"))
	by, _ := r.collation(r.fields)
	instead := func(query string, args ...any) {
		pipeline = r.document(fmt.Sprintf(documents, query), append([]any{r.document("SELECT $1::#bson OPERATOR(#-) 0", pipeline)}, args...)...)
	}
	relation, column, exists := any(nil), any(nil), r.of.Relation != ""
	switch {
	case first == "$currentOp":
		instead("$2::#bson", wire.Root(must(r.running().Encode())))
	case first == "$listLocalSessions":
		instead(`SELECT #array_to_bson(ARRAY[#row_to_bson(r)]) FROM (SELECT $2::#bson AS _id, now() AS "lastUse") AS r`, r.Obj("lsid"))
	case first == "$collStats" && exists:
		instead(`SELECT #array_to_bson(ARRAY[#row_to_bson(r)]) FROM (SELECT $2::text AS ns, now() AS "localTime", #row_to_bson(s) AS "storageStats", s.count FROM (`+stats(r.of, 2)+`) AS s) AS r`, r.of.NS(), r.of.Relation)
	case first == "$indexStats" && exists:
		instead(`SELECT #array_to_bson(array_agg(#row_to_bson(r))) FROM (SELECT spec OPERATOR(#->>) 'name' AS name, spec OPERATOR(#->) 'key' AS key, spec,
			#row_to_bson(a) AS accesses FROM #bson_list_indexes($2::text::regclass), LATERAL (SELECT coalesce(pg_stat_get_numscans(index), 0) AS ops, now() AS since) AS a) AS r`, r.of.Relation)
	case exists:
		relation, column = r.of.Relation, r.of.Column
	case r.of.Name != "$cmd.aggregate":
		pipeline = r.document(fmt.Sprintf(documents, "'[]'::#bson"), pipeline)
	}
	return []any{relation, pipeline, column, r.Some("let"), by}
}

func count(r *Request) *wirebson.Document {
	if r.conn.InTransaction && !r.explains {
		fail(mongoerr.OperationNotSupportedInTransaction, "Cannot run 'count' in a multi-document transaction.")
	}
	skip, limit := r.Int("skip", 0), r.Int("limit", 0)
	if skip < 0 {
		fail(51024, "BSON field 'skip' value must be >= 0, actual value '%d'", skip)
	}
	n := session.Int(r.start(r.finds("query", "SELECT count(*) FROM (%s) AS f", skip, max(limit, -limit)))[0][0])
	if n == int64(int32(n)) {
		return doc("n", int32(n))
	}
	return doc("n", n)
}

func distinct(r *Request) *wirebson.Document {
	key, isString := r.Get("key").(string)
	if !isString {
		fail(mongoerr.TypeMismatch, "BSON field 'distinct.key' is the wrong type, expected type 'string'")
	}
	query := r.Obj("query")
	if query == nil {
		query = empty
	}
	around := func(made string, _ int) string {
		return r.conn.SQL("SELECT #bson_build_object('values', coalesce(#bson_agg(f.data ORDER BY f.data USING OPERATOR(#<)), '[]')) FROM (") + made + ") AS f(data)"
	}
	r.hinted(r.Get("hint"))
	by, _ := r.collation(r.fields)
	statement := must(r.conn.Shape(r.ctx, "#bson_distinct_shape($1::text::regclass, $2, $3, $4::text::name, NULL, $5)", around, "", []any{r.of.Table(), query, key, r.of.Column, by}))
	values := wirebson.RawDocument(r.start(statement)[0][0])
	if len(values) > session.MaxBatch {
		fail(17217, "distinct too big, 16mb cap")
	}
	return must(values.Decode())
}

func getMore(r *Request) *wirebson.Document {
	id, isNumber := wire.Number(r.Get("getMore"))
	name, isString := r.Get("collection").(string)
	if !isNumber || !isString {
		fail(mongoerr.TypeMismatch, "getMore needs the number of a cursor and the name of a collection")
	}
	size := r.Int("batchSize", -1)
	if size <= 0 {
		size = -1
	}
	var batch wirebson.RawArray
	ns, next := r.DB+"."+name, id
	var feed *watch
	use := func() {
		check(r.server.cursors.Use(r.ctx, r.client.Pool, r.conn, r.client.Number, id, ns, func(ctx context.Context, c *session.Cursor) (err error) {
			c.Wait = time.Duration(r.Int("maxTimeMS", 1000)) * time.Millisecond
			feed, _ = c.Feed.(*watch)
			if batch, err = c.Next(ctx, size, r.client.Large, &r.client.Batch); err == nil && c.Over() {
				next = 0
			}
			return err
		}))
	}
	if _, number := r.session(); number >= 0 {
		check(r.with(use))
	} else {
		use()
	}
	reply := doc("nextBatch", batch, "id", next, "ns", ns)
	if feed != nil {
		set(reply, "postBatchResumeToken", token(feed.at))
	}
	return doc("cursor", reply)
}

func killCursors(r *Request) *wirebson.Document {
	var killed, unknown []int64
	for _, v := range r.Values("cursors") {
		id, isNumber := wire.Number(v)
		if !isNumber {
			fail(mongoerr.TypeMismatch, "the number of a cursor must be a long")
		}
		if r.server.cursors.Kill(r.client.Pool, id) {
			killed = append(killed, id)
		} else {
			unknown = append(unknown, id)
		}
	}
	return doc("cursorsKilled", array(killed...), "cursorsNotFound", array(unknown...), "cursorsAlive", array[any](), "cursorsUnknown", array[any]())
}
