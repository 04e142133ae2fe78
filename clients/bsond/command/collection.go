package command

import (
	"context"
	"strings"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func init() {
	register(map[string]handler{"create": on(create), "drop": on(drop), "dropDatabase": connected(dropDatabase), "renameCollection": connected(renameCollection), "collMod": existing(collMod),
		"listCollections": connected(listCollections), "listDatabases": connected(listDatabases), "collStats": on(collStats), "collstats": on(collStats),
		"dbStats": connected(dbStats), "dbstats": connected(dbStats), "validate": existing(validate)})
}

// described is what listCollections shows of the collections of a schema ($1)
const described = `SELECT name, #row_to_bson(r) AS data FROM (SELECT name, type, options, #row_to_bson(i) AS info FROM #bson_list_collections($1), LATERAL (SELECT type = 'view' AS "readOnly") AS i) AS r`

// listCollections
func listCollections(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	if err := session.CheckDB(r.DB); err != nil {
		return nil, err
	}
	rows, err := c.All(ctx, `SELECT CASE WHEN $3::boolean THEN data OPERATOR(#-) '{options,info}'::text[] WHEN data OPERATOR(#->>) 'type' = 'view' THEN data
			ELSE data OPERATOR(#||) '{"idIndex": {"v": 2, "key": {"_id": 1}, "name": "_id_"}}'::#bson END
		FROM (`+described+`) AS l WHERE #bson_match(data, coalesce($2::#bson, '{}')) ORDER BY name`, session.Short(r.DB), wire.Document(r.Doc, "filter"), wire.Bool(r.Doc, "nameOnly"))
	return r.listed(rows, err, r.DB+".$cmd.listCollections")
}

// listed replies with the documents of a few rows as a cursor, which keeps what does not fit into the first batch
func (r *Request) listed(rows [][][]byte, err error, ns string) (*wirebson.Document, error) {
	if err != nil {
		return nil, err
	}
	list := make([]wirebson.RawDocument, len(rows))
	for i, row := range rows {
		list[i] = row[0]
	}
	var id int64
	if size := wire.Int(r.sub("cursor"), "batchSize", -1); size >= 0 && int64(len(list)) > size {
		id = r.server.cursors.Add(session.Listed(r.client.Pool, ns, list[size:]))
		list = list[:size]
	}
	return ok("cursor", wirebson.MustDocument("id", id, "ns", ns, "firstBatch", array(list)))
}

// listDatabases
func listDatabases(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	if r.DB != "admin" {
		return nil, mongoerr.New(mongoerr.Unauthorized, "listDatabases may only be run against the admin database.")
	}
	return decoded(c.Document(ctx, `SELECT #row_to_bson(r) OPERATOR(#-) CASE WHEN $2::boolean THEN '{totalSize,totalSizeMb}' ELSE '{}' END::text[] FROM (
			SELECT coalesce(#bson_agg(data OPERATOR(#-) CASE WHEN $2::boolean THEN '{sizeOnDisk,empty}' ELSE '{}' END::text[] ORDER BY name), '[]') AS databases,
				coalesce(sum(size), 0)::bigint AS "totalSize", (coalesce(sum(size), 0) / 1048576)::bigint AS "totalSizeMb"
			FROM (SELECT #row_to_bson(d) AS data, name, "sizeOnDisk" AS size FROM (
				SELECT nspname::text AS name, sum(pg_total_relation_size(relation))::bigint AS "sizeOnDisk", false AS empty FROM pg_namespace AS n, #bson_list_collections(nspname::text)
				WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE') GROUP BY 1) AS d) AS d
			WHERE #bson_match(data, coalesce($1::#bson, '{}'))) AS r`, wire.Document(r.Doc, "filter"), wire.Bool(r.Doc, "nameOnly")))
}

// create
func create(ctx context.Context, r *Request, c *session.Conn, made *session.Collection) (*wirebson.Document, error) {
	for _, option := range []string{"capped", "timeseries", "encryptedFields"} {
		if option != "capped" && r.Doc.Get(option) != nil || wire.Bool(r.Doc, option) && option == "capped" {
			return nil, mongoerr.New(mongoerr.CommandNotSupported, "collections with the option %s are not supported", option)
		}
	}
	by, err := collation(ctx, c, r.Doc, made)
	if err != nil {
		return nil, err
	}
	if made.Relation != "" {
		return nil, mongoerr.New(mongoerr.NamespaceExists, "Collection %s already exists.", made.NS())
	}
	return done(c.Atomic(ctx, func() error {
		if on := wire.String(r.Doc, "viewOn"); on != "" {
			return r.createView(ctx, c, made, on)
		}
		if err := c.Make(ctx, made); err != nil {
			return err
		}
		if err := r.note(ctx, c, made); err != nil {
			return err
		}
		if c.Forget(made); by != nil {
			// beside that on the _id's bytes, by which statements find one document
			statements, err := c.Text(ctx, "SELECT #bson_create_index_sql($1::text::regclass, '{\"key\": {\"_id\": 1}, \"name\": \"_id_\"}'::#bson OPERATOR(#||) #bson_build_object('collation', $2::#bson), $3::text::name)", made.Relation, by, made.Column)
			if err == nil {
				err = c.Script(ctx, statements)
			}
			if err != nil {
				return err
			}
		}
		return r.setValidator(ctx, c, made)
	}))
}

// What of the command's fields is no option of the collection
var general = []string{"lsid", "$db", "$clusterTime", "$readPreference", "writeConcern", "readConcern", "txnNumber", "autocommit", "startTransaction", "comment",
	"maxTimeMS", "validator", "validationLevel", "validationAction", "apiVersion", "apiStrict", "apiDeprecationErrors", "index"}

// note keeps the options of a collection that its table does not say, beside those that it has
func (r *Request) note(ctx context.Context, c *session.Conn, of *session.Collection) error {
	options, err := c.Document(ctx, "SELECT $1::#bson OPERATOR(#-) $2::text[]", r.Raw, "{"+strings.Join(append(general, r.Name), ",")+"}")
	if err != nil {
		return err
	}
	if err != nil || len(options) == len(empty) {
		return err
	}
	kept, err := c.Document(ctx, "SELECT #bson_set(n, '{options}', coalesce(n OPERATOR(#->) 'options', '{}') OPERATOR(#||) $2) FROM (SELECT #bson_collection_note($1::text::regclass) AS n) AS a", of.Relation, options)
	if err != nil {
		return err
	}
	return c.Comment(ctx, of, kept)
}

// setValidator makes a CHECK of the command's validator, for new documents, in the place of the one that there was
func (r *Request) setValidator(ctx context.Context, c *session.Conn, on *session.Collection) error {
	if r.Doc.Get("validator") == nil && r.Doc.Get("validationLevel") == nil && r.Doc.Get("validationAction") == nil {
		return nil
	}
	name := session.Quote(session.Short(on.Name + "_validator"))
	options, err := c.Document(ctx, `SELECT coalesce((SELECT obj_description(o.oid, 'pg_constraint')::#bson FROM pg_constraint AS o WHERE conrelid = $1::text::regclass AND quote_ident(conname) = $2), '{"validator": {}}')
		OPERATOR(#||) #bson_build_object('validator', v OPERATOR(#->) 'validator', 'validationLevel', v OPERATOR(#->) 'validationLevel', 'validationAction', v OPERATOR(#->) 'validationAction')
		OPERATOR(#-) (SELECT array_agg(k) FROM unnest('{validator,validationLevel,validationAction}'::text[]) AS k WHERE NOT v OPERATOR(#?) k)
		FROM (SELECT $3::#bson AS v) AS a`, on.Relation, name, r.Raw)
	if err != nil {
		return err
	}
	doc, err := options.Decode()
	if err != nil {
		return err
	}
	validator := wire.Document(doc, "validator")
	// a query that is not understood would refuse every document
	if _, err = c.One(ctx, "SELECT #bson_match('{}', $1)", validator); err != nil {
		return err
	}
	if _, err = c.ExecRun(ctx, "ALTER TABLE "+on.Relation+" DROP CONSTRAINT IF EXISTS "+name); err != nil {
		return err
	}
	if len(validator) <= 5 {
		return nil
	}
	query := validator
	if wire.String(doc, "validationAction") == "warn" || wire.String(doc, "validationLevel") == "off" {
		// it refuses nothing, and is remembered
		query = empty
	}
	statement, err := c.Text(ctx, "SELECT format('ALTER TABLE %s ADD CONSTRAINT %s CHECK (%I OPERATOR(#@~) %L::#bson) NOT VALID', $1::text, $2::text, $3::text, $4::#bson::text)", on.Relation, name, on.Column, query)
	if err == nil {
		_, err = c.ExecRun(ctx, statement)
	}
	if err == nil {
		statement, err = c.Text(ctx, "SELECT format('COMMENT ON CONSTRAINT %s ON %s IS %L', $2::text, $1::text, #bson_to_extjson($3, 'canonical'))", on.Relation, name, options)
	}
	if err == nil {
		_, err = c.ExecRun(ctx, statement)
	}
	return err
}

// createView makes a view of a pipeline
func (r *Request) createView(ctx context.Context, c *session.Conn, made *session.Collection, on string) error {
	pipeline, given := r.Doc.Get("pipeline").(wirebson.RawArray)
	if !given {
		empty := wirebson.MakeArray(0)
		pipeline, _ = empty.Encode()
	}
	base, err := c.Find(ctx, r.DB, on)
	if err != nil {
		return err
	}
	// a view of what is not there yet is empty in MongoDB until it is; here it needs a table to be a view of
	if err = c.Make(ctx, base); err != nil {
		return err
	}
	if err = r.within(ctx, c); err != nil {
		return err
	}
	statement, err := c.Text(ctx, "SELECT #bson_pipeline_sql($1::text::regclass, $2, $3::text::name)", base.Relation, wire.Root(pipeline), base.Column)
	relation := session.Quote(session.Short(r.DB)) + "." + session.Quote(session.Short(made.Name))
	if err == nil {
		_, err = c.ExecRun(ctx, "CREATE VIEW "+relation+" (data) AS "+statement)
	}
	if err != nil {
		return err
	}
	c.Leave(ctx, "")
	made.Relation, made.View = relation, true
	return r.note(ctx, c, made)
}

// collMod
func collMod(ctx context.Context, r *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
	reply := wirebson.MakeDocument(1)
	return reply, c.Atomic(ctx, func() error {
		if r.Doc.Get("index") != nil {
			if err := r.changeIndex(ctx, c, of, r.sub("index"), reply); err != nil {
				return err
			}
		}
		if on := wire.String(r.Doc, "viewOn"); on != "" {
			if !of.View {
				return mongoerr.New(mongoerr.InvalidOptions, "%s is not a view", of.NS())
			}
			if _, err := c.ExecRun(ctx, "DROP VIEW "+of.Relation); err != nil {
				return err
			}
			return r.createView(ctx, c, of, on)
		}
		if err := r.note(ctx, c, of); err != nil {
			return err
		}
		return r.setValidator(ctx, c, of)
	})
}

// drop
func drop(ctx context.Context, r *Request, c *session.Conn, gone *session.Collection) (*wirebson.Document, error) {
	reply := wirebson.MakeDocument(2)
	if gone.Relation == "" {
		return reply, nil
	}
	kind := "VIEW "
	if !gone.View {
		kind = "TABLE "
		n, err := indexCount(ctx, c, gone)
		if err != nil {
			return nil, err
		}
		_ = reply.Add("nIndexesWas", n)
	}
	_ = reply.Add("ns", gone.NS())
	_, err := c.ExecRun(ctx, "DROP "+kind+gone.Relation+" CASCADE")
	return reply, err
}

// dropDatabase drops the collections, and the schema if nothing else is in it
func dropDatabase(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	if err := session.CheckDB(r.DB); err != nil {
		return nil, err
	}
	reply := wirebson.MakeDocument(1)
	return reply, c.Atomic(ctx, func() error {
		// a collection that a session makes at this time is made before or after
		if err := c.Lock(ctx, r.DB); err != nil {
			return err
		}
		rows, err := c.All(ctx, `SELECT format('DROP %s IF EXISTS %s CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, relation)
			FROM #bson_list_collections($1) JOIN pg_class AS c ON c.oid = relation`, session.Short(r.DB))
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			_ = reply.Add("dropped", r.DB)
		}
		if err = runAll(ctx, c, rows); err != nil {
			return err
		}
		// public is everybody's, and others may have put something there
		rows, err = c.All(ctx, `SELECT format('DROP SCHEMA %I', nspname) FROM pg_namespace AS n WHERE nspname = $1 AND nspname <> 'public'
			AND NOT EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = n.oid)`, session.Short(r.DB))
		if err != nil {
			return err
		}
		return runAll(ctx, c, rows)
	})
}

// runAll runs the statements that rows have
func runAll(ctx context.Context, c *session.Conn, rows [][][]byte) error {
	for _, row := range rows {
		if _, err := c.ExecRun(ctx, string(row[0])); err != nil {
			return err
		}
	}
	return nil
}

// renameCollection
func renameCollection(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	from, was, _ := strings.Cut(wire.String(r.Doc, "renameCollection"), ".")
	to, name, _ := strings.Cut(wire.String(r.Doc, "to"), ".")
	old, err := c.Find(ctx, from, was)
	if err != nil {
		return nil, err
	}
	if old.Relation == "" {
		return nil, mongoerr.New(mongoerr.NamespaceNotFound, "Source collection %s does not exist", old.NS())
	}
	if from == to && was == name {
		return nil, mongoerr.New(mongoerr.IllegalOperation, "Can't rename a collection to itself")
	}
	target, err := c.Find(ctx, to, name)
	if err != nil {
		return nil, err
	}
	if target.Relation != "" && !wire.Bool(r.Doc, "dropTarget") {
		return nil, mongoerr.New(mongoerr.NamespaceExists, "target namespace exists")
	}
	return done(c.Atomic(ctx, func() error {
		if target.Relation != "" {
			if _, err := c.ExecRun(ctx, "DROP TABLE "+target.Relation+" CASCADE"); err != nil {
				return err
			}
		}
		rows, err := c.All(ctx, `SELECT s FROM pg_class AS c, LATERAL (VALUES
				(1, CASE WHEN to_regnamespace(quote_ident($2)) IS NULL THEN format('CREATE SCHEMA %I', $2::text) END),
				(2, CASE WHEN relnamespace IS DISTINCT FROM to_regnamespace(quote_ident($2)) THEN format('ALTER TABLE %s SET SCHEMA %I', $1::text, $2::text) END),
				(3, CASE WHEN relname <> $3 THEN format('ALTER TABLE %I.%I RENAME TO %I', $2::text, relname, $3::text) END),
				(4, format('COMMENT ON TABLE %I.%I IS %L', $2::text, $3::text, $4::text || coalesce(E'\n' || nullif(split_part(obj_description(c.oid, 'pg_class'), E'\n', 2), ''), '')))) AS v(n, s)
				WHERE c.oid = $1::text::regclass AND s IS NOT NULL ORDER BY n`, old.Relation, session.Short(to), session.Short(name), session.Mark+target.NS())
		if err != nil {
			return err
		}
		return runAll(ctx, c, rows)
	}))
}

// What collStats says of a table ($1), and dbStats of a schema ($1), beside the documents
const (
	tableStats = `SELECT $2::text AS ns, n AS count, size, CASE WHEN n > 0 THEN size / n ELSE 0 END AS "avgObjSize", pg_table_size(c) AS "storageSize", 0 AS "freeStorageSize", pg_indexes_size(c) AS "totalIndexSize",
		pg_total_relation_size(c) AS "totalSize", false AS capped, i.*, 1 AS "scaleFactor" FROM (SELECT $1::text::regclass AS c) AS a,
		LATERAL (SELECT count(*) AS nindexes, #bson_object_agg(spec OPERATOR(#->>) 'name', to_bson) AS "indexSizes" FROM #bson_list_indexes(c), LATERAL #to_bson(coalesce(pg_relation_size(index), 0))) AS i, LATERAL `
	schemaStats = `SELECT $1::text AS db, count(*) FILTER (WHERE type <> 'view') AS collections, count(*) FILTER (WHERE type = 'view') AS views, coalesce(sum(greatest(reltuples, 0)), 0)::bigint AS objects,
		coalesce(sum(pg_table_size(c.oid)), 0)::bigint AS "dataSize", coalesce(sum(pg_table_size(c.oid)), 0)::bigint AS "storageSize", coalesce(sum((SELECT count(*) FROM #bson_list_indexes(relation))), 0)::bigint AS indexes,
		coalesce(sum(pg_indexes_size(c.oid)), 0)::bigint AS "indexSize", coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS "totalSize", 1 AS "scaleFactor", 0 AS "fsUsedSize", 0 AS "fsTotalSize"
		FROM #bson_list_collections($2) JOIN pg_class AS c ON c.oid = relation`
)

func counted(of *session.Collection) string {
	return "(SELECT count(*) AS n, coalesce(sum(#bson_size(" + session.Quote(of.Column) + ")), 0)::bigint AS size FROM " + of.Relation + ") AS s"
}

// row is the reply that a statement of one row makes, a field for each column
func row(ctx context.Context, c *session.Conn, statement string, args ...any) (*wirebson.Document, error) {
	return decoded(c.Document(ctx, "SELECT #row_to_bson(r) FROM ("+statement+") AS r", args...))
}

// collStats
func collStats(ctx context.Context, r *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
	if of.Relation == "" {
		return ok("ns", of.NS(), "count", int32(0), "size", int32(0), "storageSize", int32(0), "totalIndexSize", int32(0), "totalSize", int32(0), "nindexes", int32(0), "indexSizes", wirebson.MakeDocument(0))
	}
	return row(ctx, c, tableStats+counted(of), of.Relation, of.NS())
}

// dbStats
func dbStats(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	if err := session.CheckDB(r.DB); err != nil {
		return nil, err
	}
	return row(ctx, c, schemaStats, r.DB, session.Short(r.DB))
}

// validate reads every document, which fails where one is damaged
func validate(ctx context.Context, _ *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
	return row(ctx, c, `SELECT $1::text AS ns, count(*) FILTER (WHERE NOT valid) AS "nInvalidDocuments", count(*) AS nrecords, bool_and(valid) IS NOT FALSE AS valid, '{}'::text[] AS warnings, '{}'::text[] AS errors
		FROM (SELECT #bson_is_valid(`+session.Quote(of.Column)+"::bytea) AS valid FROM "+of.Relation+") AS v", of.NS())
}
