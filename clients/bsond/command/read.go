package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func init() {
	register(map[string]handler{"find": on(find), "aggregate": connected(aggregate), "count": on(count), "distinct": on(distinct), "getMore": getMore, "killCursors": killCursors})
}

// find
func find(ctx context.Context, r *Request, c *session.Conn, from *session.Collection) (*wirebson.Document, error) {
	if wire.Bool(r.Doc, "tailable") || wire.Bool(r.Doc, "awaitData") {
		return nil, mongoerr.New(mongoerr.BadValue, "error processing query: tailable cursor requested on non capped collection")
	}
	limit, single := wire.Int(r.Doc, "limit", 0), wire.Bool(r.Doc, "singleBatch")
	if limit < 0 {
		limit, single = -limit, true
	}
	size := wire.Int(r.Doc, "batchSize", session.FirstBatch)
	if size < 0 {
		return nil, mongoerr.New(51024, "BSON field 'batchSize' value must be >= 0, actual value '%d'", size)
	}
	statement, err := r.found(ctx, c, from, "filter", "", wire.Int(r.Doc, "skip", 0), limit)
	if err != nil {
		return nil, err
	}
	return r.cursor(ctx, c, from.NS(), statement, size, single)
}

// found is the statement of what the command finds, or of something that is "around" it; nil if there is no collection
func (r *Request) found(ctx context.Context, c *session.Conn, from *session.Collection, filter, around string, skip, limit int64) (*session.Statement, error) {
	query, projection, sort := wire.Document(r.Doc, filter), given(r.Doc, "projection"), order(r.Doc)
	if from.Relation == "" {
		_, err := c.One(ctx, "SELECT #bson_match('{}', $1), #bson_project('{}', $2), #bson_sort_key('{}', $3)", query, projection, sort)
		return nil, err
	}
	if query == nil {
		query = empty
	}
	by, err := collation(ctx, c, r.Doc, from)
	if err != nil {
		return nil, err
	}
	if by != nil {
		made, err := c.Text(ctx, "SELECT #bson_find_sql($1::text::regclass, $2, $3, $4, $5::bigint, nullif($6::bigint, 0), $7::text::name, $8, $9)", from.Relation, query, projection, sort, skip, limit, from.Column, given(r.Doc, "let"), by)
		return &session.Statement{Text: fmt.Sprintf(cmp.Or(around, "%s"), made)}, err
	}
	return c.Shape(ctx, "#bson_find_shape($1::text::regclass, $2, $3, $4, $5::bigint, nullif($6::bigint, 0), $7::text::name, $8)",
		func(made string, _ int) string { return fmt.Sprintf(cmp.Or(around, "%s"), made) }, around, []any{from.Relation, query, projection, sort, skip, limit, from.Column, given(r.Doc, "let")})
}

// findSQL is the statement of a find; empty if there is no collection
func (r *Request) findSQL(ctx context.Context, c *session.Conn, from *session.Collection, doc *wirebson.Document, limit int64) (string, error) {
	by, err := collation(ctx, c, doc, from)
	if err != nil {
		return "", err
	}
	filter, projection, sort := wire.Document(doc, "filter"), given(doc, "projection"), order(doc)
	if from.Relation == "" {
		_, err := c.One(ctx, "SELECT #bson_match('{}', $1), #bson_project('{}', $2), #bson_sort_key('{}', $3)", filter, projection, sort)
		return "", err
	}
	var skip, most any
	if n := wire.Int(doc, "skip", 0); n != 0 {
		skip = n
	}
	if limit != 0 {
		most = limit
	}
	return c.Text(ctx, "SELECT #bson_find_sql($1::text::regclass, coalesce($2::#bson, '{}'), $3, $4, $5::bigint, $6::bigint, $7::text::name, $8, $9)",
		from.Relation, filter, projection, sort, skip, most, from.Column, given(doc, "let"), by)
}

// given is a document of a command; nil if it has no fields
func given(doc *wirebson.Document, name string) wirebson.RawDocument {
	if d := wire.Document(doc, name); len(d) > len(empty) {
		return d
	}
	return nil
}

// order is the sort of a command; nil if any order will do
func order(doc *wirebson.Document) wirebson.RawDocument {
	if sort := given(doc, "sort"); sort != nil && first(sort) != "$natural" {
		return sort
	}
	return nil
}

// collation is that of a command or else of its collection, which PostgreSQL gets with the first command that has it; nil if bytes are compared
func collation(ctx context.Context, c *session.Conn, doc *wirebson.Document, of *session.Collection) (wirebson.RawDocument, error) {
	spec := given(doc, "collation")
	if spec == nil {
		spec = of.Collation
	}
	if spec == nil {
		return nil, nil
	}
	row, err := c.One(ctx, "SELECT #bson_collation($1)", spec)
	if err != nil || row[0] == nil {
		return nil, err
	}
	return spec, nil
}

// cursor runs a statement, and replies with the first batch
func (r *Request) cursor(ctx context.Context, c *session.Conn, ns string, statement *session.Statement, size int64, single bool) (*wirebson.Document, error) {
	batch, id := wirebson.RawArray(empty), int64(0)
	if statement != nil {
		cursor, err := c.Begin(ctx, ns, statement)
		if err != nil {
			return nil, err
		}
		// from here on the connection is the cursor's
		r.kept = true
		if batch, err = cursor.Next(ctx, size, r.client.Large); err != nil {
			cursor.Close()
			return nil, err
		}
		if cursor.Over() || single {
			cursor.Close()
		} else {
			cursor.Keep = wire.Bool(r.Doc, "noCursorTimeout")
			id = r.server.cursors.Add(cursor)
		}
	}
	return ok("cursor", wirebson.MustDocument("firstBatch", batch, "id", id, "ns", ns))
}

// aggregate
func aggregate(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	pipeline, isArray := r.Doc.Get("pipeline").(wirebson.RawArray)
	if !isArray {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "'pipeline' option must be specified as an array")
	}
	if first(firstStage(pipeline)) == "$changeStream" {
		return nil, mongoerr.New(40573, "The $changeStream stage is only supported on replica sets: bsond has no change streams; logical decoding of PostgreSQL shows changes")
	}
	options, isDocument := r.Doc.Get("cursor").(wirebson.RawDocument)
	explained := wire.Bool(r.Doc, "explain")
	if !isDocument && !explained {
		return nil, mongoerr.New(mongoerr.FailedToParse, "The 'cursor' option is required, except for aggregate with the explain argument")
	}
	size := int64(session.FirstBatch)
	if isDocument {
		inner, err := options.Decode()
		if err != nil {
			return nil, err
		}
		if size = wire.Int(inner, "batchSize", session.FirstBatch); size < 0 {
			return nil, mongoerr.New(mongoerr.BadValue, "cursor batchSize must not be negative")
		}
	}
	if stage, last := lastStage(pipeline); !explained && (stage == "$out" || stage == "$merge") {
		if wire.String(r.sub("readConcern"), "level") == "linearizable" {
			return nil, mongoerr.New(mongoerr.InvalidOptions, "%s cannot be used with a 'linearizable' read concern", stage)
		}
		ns, err := r.store(ctx, c, pipeline, stage, last)
		if err != nil {
			return nil, err
		}
		return r.cursor(ctx, c, ns, nil, 0, true)
	}
	from, statement, err := r.pipelineSQL(ctx, c, r.Doc, pipeline)
	if err != nil {
		return nil, err
	}
	if explained {
		return r.plan(ctx, c, from, statement)
	}
	return r.cursor(ctx, c, from.NS(), &session.Statement{Text: statement}, size, false)
}

// lastStage is the name and the operand of a pipeline's last stage
func lastStage(pipeline wirebson.RawArray) (string, any) {
	stages, err := pipeline.Decode()
	if err != nil || stages.Len() == 0 {
		return "", nil
	}
	last, isDocument := stages.Get(stages.Len() - 1).(wirebson.RawDocument)
	if !isDocument {
		return "", nil
	}
	stage, err := last.Decode()
	if err != nil || stage.Len() != 1 {
		return "", nil
	}
	return stage.GetByIndex(0)
}

// store runs a pipeline whose last stage is $out or $merge. The collection is made if it is missing; $out replaces what is
// in it, and keeps its indexes.
func (r *Request) store(ctx context.Context, c *session.Conn, pipeline wirebson.RawArray, stage string, into any) (string, error) {
	if operand, isDocument := into.(wirebson.RawDocument); isDocument && stage == "$merge" {
		doc, err := operand.Decode()
		if err != nil {
			return "", err
		}
		into = doc.Get("into")
	}
	db, name := r.DB, ""
	switch v := into.(type) {
	case string:
		name = v
	case wirebson.RawDocument:
		doc, err := v.Decode()
		if err != nil {
			return "", err
		}
		name = wire.String(doc, "coll")
		if other := wire.String(doc, "db"); other != "" {
			db = other
		}
	}
	to, err := c.Find(ctx, db, name)
	if err != nil {
		return "", err
	}
	return to.NS(), c.Atomic(ctx, func() error {
		if err := c.Make(ctx, to); err != nil {
			return err
		}
		if stage == "$out" {
			raw, err := c.Document(ctx, "SELECT $1::#bson OPERATOR(#-) -1", wire.Root(pipeline))
			if err != nil {
				return err
			}
			_, statement, err := r.rootSQL(ctx, c, r.Doc, raw, pipeline)
			if err != nil {
				return err
			}
			for _, each := range []string{"CREATE TEMPORARY TABLE bsond_out ON COMMIT DROP AS " + statement, "LOCK TABLE " + to.Relation + " IN SHARE ROW EXCLUSIVE MODE", "DELETE FROM " + to.Relation,
				c.SQL("INSERT INTO " + to.Relation + " (" + session.Quote(to.Column) + ") SELECT #bson_with_id(data) FROM pg_temp.bsond_out"),
				"DROP TABLE pg_temp.bsond_out"} {
				if _, err = c.ExecRun(ctx, each); err != nil {
					return err
				}
			}
			return nil
		}
		_, statement, err := r.pipelineSQL(ctx, c, r.Doc, pipeline)
		if err == nil {
			_, err = c.ExecRun(ctx, statement)
		}
		return err
	})
}

// pipelineSQL is the statement of a pipeline on the collection that the command names
func (r *Request) pipelineSQL(ctx context.Context, c *session.Conn, doc *wirebson.Document, pipeline wirebson.RawArray) (*session.Collection, string, error) {
	return r.rootSQL(ctx, c, doc, wire.Root(pipeline), pipeline)
}

// rootSQL is the same of a pipeline as a bson that stands alone, which is a part of the one given
func (r *Request) rootSQL(ctx context.Context, c *session.Conn, doc *wirebson.Document, root wirebson.RawDocument, pipeline wirebson.RawArray) (*session.Collection, string, error) {
	from := &session.Collection{DB: r.DB, Name: "$cmd.aggregate"}
	stage := first(firstStage(pipeline))
	if stage == "$currentOp" {
		now, err := r.running().Encode()
		if err != nil {
			return nil, "", err
		}
		if root, err = c.Document(ctx, "SELECT #array_to_bson(ARRAY[#bson_build_object('$documents', $1::#bson)]) OPERATOR(#||) ($2::#bson OPERATOR(#-) 0)", wire.Root(now), root); err != nil {
			return nil, "", err
		}
	}
	if stage == "$listLocalSessions" {
		var err error
		if root, err = c.Document(ctx, "SELECT #array_to_bson(ARRAY[#bson_set('{}', '{$documents}', #array_to_bson(ARRAY[#row_to_bson(r)]))]) OPERATOR(#||) ($2 OPERATOR(#-) 0) FROM (SELECT $1::#bson AS _id, now() AS \"lastUse\") AS r",
			wire.Document(doc, "lsid"), root); err != nil {
			return nil, "", err
		}
	}
	if name, named := doc.Get("aggregate").(string); named {
		var err error
		if from, err = c.Find(ctx, r.DB, name); err != nil {
			return nil, "", err
		}
		if from.Relation != "" && (stage == "$collStats" || stage == "$indexStats") {
			if root, err = r.statistics(ctx, c, from, stage, root); err != nil {
				return nil, "", err
			}
			from = &session.Collection{DB: from.DB, Name: from.Name}
		} else if from.Relation == "" {
			// a collection that does not exist is one without documents
			if root, err = c.Document(ctx, "SELECT '[{\"$documents\": []}]'::#bson OPERATOR(#||) $1::#bson", root); err != nil {
				return nil, "", err
			}
		}
	}
	var relation, column any
	if from.Relation != "" {
		relation, column = from.Relation, from.Column
	}
	by, err := collation(ctx, c, doc, from)
	if err != nil {
		return nil, "", err
	}
	// the collections that stages name are of this database
	for _, stage := range []string{"$lookup", "$graphLookup", "$unionWith", "$out", "$merge"} {
		if bytes.Contains(pipeline, []byte(stage)) {
			if err := r.within(ctx, c); err != nil {
				return nil, "", err
			}
			defer c.Leave(ctx, session.Short(r.DB))
			break
		}
	}
	// a collection that a stage names and that does not exist has no documents
	statement, err := c.Text(ctx, "SELECT #bson_pipeline_sql($1::text::regclass, $2, $3::text::name, $4, $5) WHERE set_config('bson.missing_collections', 'on', true) = 'on'", relation, root, column, given(doc, "let"), by)
	return from, statement, err
}

func firstStage(pipeline wirebson.RawArray) wirebson.RawDocument {
	if stages, err := pipeline.Decode(); err == nil && stages.Len() > 0 {
		if stage, isDocument := stages.Get(0).(wirebson.RawDocument); isDocument {
			return stage
		}
	}
	return empty
}

// statistics puts the documents that such a first stage gives into its place
func (r *Request) statistics(ctx context.Context, c *session.Conn, of *session.Collection, stage string, pipeline wirebson.RawDocument) (wirebson.RawDocument, error) {
	query := `SELECT #array_to_bson(array_agg(#row_to_bson(r))) FROM (SELECT spec OPERATOR(#->>) 'name' AS name, spec OPERATOR(#->) 'key' AS key, spec,
		#row_to_bson(a) AS accesses FROM #bson_list_indexes($1::text::regclass), LATERAL (SELECT coalesce(pg_stat_get_numscans(index), 0) AS ops, now() AS since) AS a) AS r`
	if stage == "$collStats" {
		query = `SELECT #array_to_bson(ARRAY[#row_to_bson(r)]) FROM (SELECT $2::text AS ns, now() AS "localTime", #row_to_bson(s) AS "storageStats", s.count FROM (` + tableStats + counted(of) + `) AS s) AS r`
	}
	return c.Document(ctx, "SELECT #array_to_bson(ARRAY[#bson_set('{}', '{$documents}', ("+query+"))]) OPERATOR(#||) ($3::#bson OPERATOR(#-) 0) WHERE $2::text IS NOT NULL", of.Relation, of.NS(), pipeline)
}

// within lets names that stages name be found in the command's database
func (r *Request) within(ctx context.Context, c *session.Conn) error {
	return c.Enter(ctx, session.Short(r.DB))
}

// count
func count(ctx context.Context, r *Request, c *session.Conn, from *session.Collection) (*wirebson.Document, error) {
	skip, limit := wire.Int(r.Doc, "skip", 0), wire.Int(r.Doc, "limit", 0)
	if skip < 0 {
		return nil, mongoerr.New(51024, "BSON field 'skip' value must be >= 0, actual value '%d'", skip)
	}
	if limit < 0 {
		limit = -limit
	}
	var n int64
	query := wire.Document(r.Doc, "query")
	if from.Relation == "" {
		if _, err := c.One(ctx, "SELECT #bson_match('{}', $1)", query); err != nil {
			return nil, err
		}
	} else {
		statement, err := r.found(ctx, c, from, "query", "SELECT count(*) FROM (%s) AS f", skip, limit)
		if err != nil {
			return nil, err
		}
		rows := c.Start(ctx, statement).Read()
		if rows.Err != nil {
			return nil, rows.Err
		}
		n = session.Int(rows.Rows[0][0])
	}
	if n == int64(int32(n)) {
		return ok("n", int32(n))
	}
	return ok("n", n)
}

// distinct
func distinct(ctx context.Context, r *Request, c *session.Conn, from *session.Collection) (*wirebson.Document, error) {
	key, isString := r.Doc.Get("key").(string)
	if !isString {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "BSON field 'distinct.key' is the wrong type, expected type 'string'")
	}
	query := wire.Document(r.Doc, "query")
	if from.Relation == "" {
		if _, err := c.One(ctx, "SELECT #bson_match('{}', $1)", query); err != nil {
			return nil, err
		}
		return ok("values", array(nil))
	}
	if query == nil {
		query = empty
	}
	around := func(made string, _ int) string {
		return c.SQL("SELECT #bson_build_object('values', coalesce(#bson_agg(f.data ORDER BY f.data USING OPERATOR(#<)), '[]')) FROM (") + made + ") AS f(data)"
	}
	var statement *session.Statement
	by, err := collation(ctx, c, r.Doc, from)
	if by != nil {
		made, failed := c.Text(ctx, "SELECT #bson_distinct_sql($1::text::regclass, $2, $3, $4::text::name, NULL, $5)", from.Relation, query, key, from.Column, by)
		statement, err = &session.Statement{Text: around(made, 0)}, failed
	} else if err == nil {
		statement, err = c.Shape(ctx, "#bson_distinct_shape($1::text::regclass, $2, $3, $4::text::name)", around, "", []any{from.Relation, query, key, from.Column})
	}
	if err != nil {
		return nil, err
	}
	rows := c.Start(ctx, statement).Read()
	if rows.Err != nil {
		return nil, rows.Err
	}
	return wirebson.RawDocument(rows.Rows[0][0]).Decode()
}

// getMore
func getMore(ctx context.Context, r *Request) (*wirebson.Document, error) {
	id, isNumber := wire.Number(r.Doc.Get("getMore"))
	name, isString := r.Doc.Get("collection").(string)
	if !isNumber || !isString {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "getMore needs the number of a cursor and the name of a collection")
	}
	size := wire.Int(r.Doc, "batchSize", -1)
	if size <= 0 {
		size = -1
	}
	var batch wirebson.RawArray
	ns, next := r.DB+"."+name, id
	use := func() error {
		return r.server.cursors.Use(r.client.Pool, id, ns, func(c *session.Cursor) error {
			var err error
			if batch, err = c.Next(ctx, size, r.client.Large); err == nil && c.Over() {
				next = 0
			}
			return err
		})
	}
	var err error
	if _, number := r.session(); number >= 0 {
		err = r.with(ctx, func(*session.Conn) error { return use() })
	} else {
		err = use()
	}
	if err != nil {
		return nil, err
	}
	return ok("cursor", wirebson.MustDocument("nextBatch", batch, "id", next, "ns", ns))
}

// killCursors
func killCursors(ctx context.Context, r *Request) (*wirebson.Document, error) {
	raw, isArray := r.Doc.Get("cursors").(wirebson.RawArray)
	if !isArray {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "BSON field 'killCursors.cursors' is the wrong type, expected type 'array'")
	}
	ids, err := raw.Decode()
	if err != nil {
		return nil, err
	}
	killed, unknown := wirebson.MakeArray(0), wirebson.MakeArray(0)
	for v := range ids.Values() {
		id, isNumber := wire.Number(v)
		if !isNumber {
			return nil, mongoerr.New(mongoerr.TypeMismatch, "the number of a cursor must be a long")
		}
		if r.server.cursors.Kill(r.client.Pool, id) {
			_ = killed.Add(id)
		} else {
			_ = unknown.Add(id)
		}
	}
	return ok("cursorsKilled", killed, "cursorsNotFound", unknown, "cursorsAlive", wirebson.MakeArray(0), "cursorsUnknown", wirebson.MakeArray(0))
}
