package command

import (
	"context"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func init() {
	register(map[string]handler{"createIndexes": table(createIndexes), "listIndexes": existing(listIndexes), "dropIndexes": existing(dropIndexes), "deleteIndexes": existing(dropIndexes)})
}

// createIndexes
func createIndexes(ctx context.Context, r *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
	specs, err := r.list("indexes")
	if err != nil {
		return nil, err
	}
	if len(specs) == 0 {
		return nil, mongoerr.New(mongoerr.BadValue, "Must specify at least one index to create")
	}
	made := of.Relation == ""
	if err = c.Make(ctx, of); err != nil {
		return nil, err
	}
	before, err := indexCount(ctx, c, of)
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		if err = c.Atomic(ctx, func() error { return createIndex(ctx, c, of, spec) }); err != nil {
			return nil, r.explainWrite(ctx, c, of, err, nil)
		}
	}
	after, err := indexCount(ctx, c, of)
	if err != nil {
		return nil, err
	}
	reply := wirebson.MustDocument("numIndexesBefore", before, "numIndexesAfter", after, "createdCollectionAutomatically", made)
	if before == after {
		_ = reply.Add("note", "all indexes already exist")
	}
	return reply, nil
}

func indexCount(ctx context.Context, c *session.Conn, of *session.Collection) (int32, error) {
	row, err := c.One(ctx, "SELECT count(*) FROM #bson_list_indexes($1::text::regclass)", of.Relation)
	if err != nil {
		return 0, err
	}
	return int32(session.Int(row[0])), nil
}

func createIndex(ctx context.Context, c *session.Conn, of *session.Collection, spec wirebson.RawDocument) error {
	doc, err := spec.Decode()
	if err != nil {
		return err
	}
	key, name := wire.Document(doc, "key"), wire.String(doc, "name")
	if len(key) <= 5 {
		return mongoerr.New(mongoerr.CannotCreateIndex, "Index keys cannot be an empty object")
	}
	by, err := collation(ctx, c, doc, of)
	if err != nil {
		return err
	}
	if first(key) == "_id" && name == "_id_" {
		return nil
	}
	if by != nil && doc.Get("collation") == nil {
		if spec, err = c.Document(ctx, "SELECT $1::#bson OPERATOR(#||) #bson_build_object('collation', $2::#bson)", spec, by); err != nil {
			return err
		}
	}
	// two sessions may come at once
	if _, err = c.ExecRun(ctx, "LOCK TABLE "+of.Relation+" IN SHARE UPDATE EXCLUSIVE MODE"); err != nil {
		return err
	}
	// the same index again is nothing; another one of its name, or the same under another name, is an error
	row, err := c.One(ctx, `SELECT spec OPERATOR(#->>) 'name' = $2, #bson_identical(spec OPERATOR(#->) 'key', $3),
		(SELECT coalesce(#bson_object_agg(key, value ORDER BY key), '{}') FROM #bson_each(spec) WHERE key NOT IN ('v', 'background', 'ns')) OPERATOR(#=)
		(SELECT coalesce(#bson_object_agg(key, value ORDER BY key), '{}') FROM #bson_each($4) WHERE key NOT IN ('v', 'background', 'ns')), spec OPERATOR(#->>) 'name'
		FROM #bson_list_indexes($1::text::regclass) AS i WHERE spec OPERATOR(#->>) 'name' = $2 OR #bson_identical(spec OPERATOR(#->) 'key', $3) AND coalesce(spec OPERATOR(#->) 'partialFilterExpression', '{}') OPERATOR(#=) coalesce($4::#bson OPERATOR(#->) 'partialFilterExpression', '{}')
			AND coalesce(spec OPERATOR(#->) 'collation', '{}') OPERATOR(#=) coalesce($4::#bson OPERATOR(#->) 'collation', '{}')
		ORDER BY spec OPERATOR(#->>) 'name' = $2 DESC LIMIT 1`, of.Relation, name, key, spec)
	if err != nil {
		return err
	}
	if row != nil {
		named, sameKey, sameSpec := row[0][0] != 0, row[1][0] != 0, row[2][0] != 0
		switch {
		case sameSpec, string(row[3]) == "_id_":
			return nil
		case named && !sameKey:
			return mongoerr.New(mongoerr.IndexKeySpecsConflict, "An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: %s", name)
		case named:
			return mongoerr.New(mongoerr.IndexKeySpecsConflict, "An existing index has the same name as the requested index. Requested index: %s", name)
		default:
			return mongoerr.New(mongoerr.IndexOptionsConflict, "Index already exists with a different name: %s", row[3])
		}
	}
	statements, err := c.Text(ctx, "SELECT #bson_create_index_sql($1::text::regclass, $2, $3::text::name)", of.Relation, spec, of.Column)
	if err != nil {
		return failure(err, "22023", mongoerr.CannotCreateIndex)
	}
	if statements == "" {
		return remember(ctx, c, of, spec)
	}
	return c.Script(ctx, statements)
}

// remember keeps an index that has no equal in the table's comment, as bson-copy does
func remember(ctx context.Context, c *session.Conn, of *session.Collection, spec wirebson.RawDocument) error {
	kept, err := c.Document(ctx, `SELECT #bson_set(n, '{indexes}', coalesce(n OPERATOR(#->) 'indexes', '[]') OPERATOR(#||) #array_to_bson(ARRAY['{"v": 2}'::#bson OPERATOR(#||) $2]))
		FROM (SELECT #bson_collection_note($1::text::regclass) AS n) AS a`, of.Relation, spec)
	if err != nil {
		return err
	}
	return c.Comment(ctx, of, kept)
}

// listIndexes
func listIndexes(ctx context.Context, r *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
	if err := notView(of); err != nil {
		return nil, err
	}
	rows, err := c.All(ctx, "SELECT spec FROM #bson_list_indexes($1::text::regclass)", of.Relation)
	return r.listed(rows, err, of.NS())
}

// dropIndexes drops an index by its name or its key, several, or all but that on _id
func dropIndexes(ctx context.Context, r *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
	wanted := []any{r.Doc.Get("index")}
	if list, isArray := wanted[0].(wirebson.RawArray); isArray {
		names, err := list.Decode()
		if err != nil {
			return nil, err
		}
		wanted = wanted[:0]
		for v := range names.Values() {
			wanted = append(wanted, v)
		}
	}
	before, err := indexCount(ctx, c, of)
	if err != nil {
		return nil, err
	}
	if err = c.Atomic(ctx, func() error {
		for _, v := range wanted {
			if err := dropIndex(ctx, c, of, v); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if len(wanted) == 1 && wanted[0] == "*" {
		return ok("nIndexesWas", before, "msg", "non-_id indexes dropped for collection")
	}
	return ok("nIndexesWas", before)
}

func dropIndex(ctx context.Context, c *session.Conn, of *session.Collection, wanted any) error {
	var name, key any
	switch v := wanted.(type) {
	case string:
		name = v
	case wirebson.RawDocument:
		key = v
	default:
		return mongoerr.New(mongoerr.TypeMismatch, "dropIndexes needs the name of an index, or its key")
	}
	if name == "_id_" {
		return mongoerr.New(mongoerr.InvalidOptions, "cannot drop _id index")
	}
	rows, err := c.All(ctx, "SELECT index::regclass::text, spec FROM #bson_list_indexes($1::text::regclass) WHERE spec OPERATOR(#->>) 'name' <> '_id_' AND ($2 = '*' OR spec OPERATOR(#->>) 'name' = $2 OR #bson_identical(spec OPERATOR(#->) 'key', $3))", of.Relation, name, key)
	if err != nil {
		return err
	}
	if len(rows) == 0 && name != "*" {
		return mongoerr.New(mongoerr.IndexNotFound, "index not found with name [%v]", wanted)
	}
	for _, row := range rows {
		if row[0] != nil {
			// one that is unique without a limit on its length is a constraint
			statement, err := c.Text(ctx, "SELECT coalesce((SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint WHERE conindid = $1::text::regclass AND contype = 'x'), 'DROP INDEX ' || $1)", string(row[0]))
			if err == nil {
				_, err = c.ExecRun(ctx, statement)
			}
			if err != nil {
				return err
			}
			continue
		}
		kept, err := c.Document(ctx, `SELECT #bson_set(n, '{indexes}', coalesce((SELECT #bson_agg(i) FROM #bson_array_elements(n OPERATOR(#->) 'indexes') AS i WHERE NOT #bson_identical(i, $2)), '[]'))
			FROM (SELECT #bson_collection_note($1::text::regclass) AS n) AS a`, of.Relation, wirebson.RawDocument(row[1]))
		if err == nil {
			err = c.Comment(ctx, of, kept)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changeIndex is what collMod does with an index: its expireAfterSeconds, and whether it is hidden, are in its comment
func (r *Request) changeIndex(ctx context.Context, c *session.Conn, of *session.Collection, change, reply *wirebson.Document) error {
	var name, key any
	if s := wire.String(change, "name"); s != "" {
		name = s
	}
	if k := wire.Document(change, "keyPattern"); k != nil {
		key = k
	}
	row, err := c.One(ctx, "SELECT index::regclass::text, spec FROM #bson_list_indexes($1::text::regclass) WHERE index IS NOT NULL AND (spec OPERATOR(#->>) 'name' = $2 OR #bson_identical(spec OPERATOR(#->) 'key', $3))", of.Relation, name, key)
	if err != nil {
		return err
	}
	if row == nil {
		return mongoerr.New(mongoerr.IndexNotFound, "cannot find index %v for ns %s", change.Get("name"), of.NS())
	}
	old, err := wirebson.RawDocument(row[1]).Decode()
	if err != nil {
		return err
	}
	set := wirebson.MakeDocument(2)
	for _, option := range []string{"expireAfterSeconds", "hidden", "unique", "prepareUnique"} {
		if v := change.Get(option); v != nil {
			if before := old.Get(option); before != nil {
				_ = reply.Add(option+"_old", before)
			}
			_ = reply.Add(option+"_new", v)
			_ = set.Add(option, v)
		}
	}
	raw, err := set.Encode()
	if err != nil {
		return err
	}
	statement, err := c.Text(ctx, "SELECT format('COMMENT ON INDEX %s IS %L', $1::text, #bson_to_extjson($2::#bson OPERATOR(#||) $3::#bson, 'canonical'))", string(row[0]), wirebson.RawDocument(row[1]), raw)
	if err == nil {
		_, err = c.ExecRun(ctx, statement)
	}
	return err
}

// Expire deletes what expires by an index with expireAfterSeconds, every so often until the context ends.
func (s *Server) Expire(ctx context.Context, every time.Duration) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		for _, pool := range s.PG.Pools(s.Auth) {
			if err := expireOnce(ctx, pool); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "documents that expire were not deleted", "role", pool.Role, "error", err)
			}
		}
	}
}

// expireOnce deletes in tables of the role's own, as others can leave code in theirs, which would run with its rights
func expireOnce(ctx context.Context, pool *session.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { c.Release(ctx.Err() != nil) }()
	// by a query, which an index on the field serves; as in MongoDB, the earliest date of an array counts
	rows, err := c.All(ctx, `SELECT #bson_delete_sql(indrelid::regclass, (SELECT coalesce(#bson_agg(p), '[]') FROM (SELECT #bson_build_object('$and', #bson_build_array(
			#bson_build_object(k, #bson_build_object('$lt', #to_bson(now() - make_interval(secs => seconds)))), coalesce(spec OPERATOR(#->) 'partialFilterExpression', '{}'))) AS p) AS q) OPERATOR(#->) 0, '{"multi": true}')
		FROM (SELECT indrelid, text::#bson AS spec FROM (SELECT indrelid, obj_description(indexrelid, 'pg_class') AS text FROM pg_index JOIN pg_class AS c ON c.oid = indrelid
			WHERE relkind = 'r' AND pg_get_userbyid(relowner) = session_user) AS i WHERE text LIKE '{%"expireAfterSeconds"%') AS s,
			LATERAL (SELECT key AS k FROM #bson_each(spec OPERATOR(#->) 'key') LIMIT 1) AS e, LATERAL (SELECT #bson_get_float8(spec, 'expireAfterSeconds') AS seconds) AS f
		WHERE seconds BETWEEN 0 AND 2147483647`)
	for i := 0; err == nil && i < len(rows); i++ {
		_, err = c.ExecRun(ctx, string(rows[i][0]))
	}
	return err
}

// Clean forgets, every ten minutes, writes that no driver will repeat.
func (s *Server) Clean(ctx context.Context) {
	for {
		if err := s.PG.Clean(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "old answers were not deleted", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Minute):
		}
	}
}
