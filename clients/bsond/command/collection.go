package command

import (
	"fmt"
	"strings"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func listCollections(r *Request) *wirebson.Document {
	return r.listed(r.DB+".$cmd.listCollections", r.rows(`SELECT CASE WHEN $3::boolean THEN data OPERATOR(#-) '{options,info}'::text[] WHEN data OPERATOR(#->>) 'type' = 'view' THEN data
			ELSE data OPERATOR(#||) #bson_build_object('idIndex', '{"v": 2, "key": {"_id": 1}, "name": "_id_"}'::#bson OPERATOR(#||) #bson_project(data OPERATOR(#->) 'options', '{"collation": 1}')) END
		FROM (SELECT name, #row_to_bson(r) AS data FROM (SELECT name, type, options, #row_to_bson(i) AS info FROM #bson_list_collections($1), LATERAL (SELECT type = 'view' AS "readOnly") AS i WHERE NOT (`+session.Held+`)) AS r) AS l
		WHERE #bson_match(data, coalesce($2::#bson, '{}')) ORDER BY name`, session.Short(r.DB), r.Obj("filter"), r.Bool("nameOnly")))
}

// listed replies with the documents of a few rows as a cursor, which keeps what does not fit into the first batch
func (r *Request) listed(ns string, rows [][][]byte) *wirebson.Document {
	list := make([]wirebson.RawDocument, len(rows))
	for i, row := range rows {
		list[i] = row[0]
	}
	var id int64
	if size := r.Sub("cursor").Int("batchSize", -1); size >= 0 && int64(len(list)) > size {
		id = r.server.cursors.Add(must(session.Listed(r.client.Pool, ns, list[size:])))
		list = list[:size]
	}
	return doc("cursor", doc("id", id, "ns", ns, "firstBatch", array(list...)))
}

func listDatabases(r *Request) *wirebson.Document {
	if r.DB != "admin" {
		fail(mongoerr.Unauthorized, "listDatabases may only be run against the admin database.")
	}
	return must(r.document(`SELECT #row_to_bson(r) OPERATOR(#-) CASE WHEN $2::boolean THEN '{totalSize,totalSizeMb}' ELSE '{}' END::text[] FROM (
			SELECT coalesce(#bson_agg(data OPERATOR(#-) CASE WHEN $2::boolean THEN '{sizeOnDisk,empty}' ELSE '{}' END::text[] ORDER BY name), '[]') AS databases,
				coalesce(sum(size), 0)::bigint AS "totalSize", (coalesce(sum(size), 0) / 1048576)::bigint AS "totalSizeMb"
			FROM (SELECT #row_to_bson(d) AS data, name, "sizeOnDisk" AS size FROM (
				SELECT nspname::text AS name, sum(pg_total_relation_size(relation))::bigint AS "sizeOnDisk", false AS empty FROM pg_namespace AS n, #bson_list_collections(nspname::text)
				WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE') AND NOT (`+session.Held+`) GROUP BY 1) AS d) AS d
			WHERE #bson_match(data, coalesce($1::#bson, '{}'))) AS r`, r.Obj("filter"), r.Bool("nameOnly")).Decode())
}

// hold has a collection not be there, as far as clients see
func (r *Request) hold(of *session.Collection) {
	r.comment(of, `'{"held": true}'::#bson`)
}

func create(r *Request) *wirebson.Document {
	for _, option := range []string{"capped", "timeseries", "encryptedFields"} {
		if v := r.Get(option); v != nil && v != false {
			fail(mongoerr.CommandNotSupported, "collections with the option %s are not supported", option)
		}
	}
	if d := r.Obj("collation"); d != nil && r.Some("collation") == nil {
		fail(mongoerr.BadValue, "'collation' must not be empty")
	}
	by, _ := r.collation(r.fields)
	return r.atomic(func() {
		if r.of.Relation != "" && (r.of.View != (r.Str("viewOn") != "") || !r.of.Held) {
			fail(mongoerr.NamespaceExists, "Collection %s already exists.", r.of.NS())
		}
		if r.Str("viewOn") != "" {
			r.createView()
			return
		}
		r.make(r.of)
		r.note()
		if by != nil {
			// beside that on the _id's bytes, by which statements find one document
			check(r.conn.Script(r.ctx, r.text(`SELECT #bson_create_index_sql($1::text::regclass, '{"key": {"_id": 1}, "name": "_id_"}'::#bson OPERATOR(#||) #bson_build_object('collation', $2::#bson), $3::text::name)`,
				r.of.Relation, by, r.of.Column)))
		}
		r.setValidator()
	})
}

func (r *Request) make(of *session.Collection) bool { return must(r.conn.Make(r.ctx, of)) }

// about reads of a collection's relation, $1, in pg_class. The name can find one that was made since the statement began, of which it
// sees no row yet: the collection that was found is gone then, and the command begins again.
func (r *Request) about(of *session.Collection, text string, args ...any) [][][]byte {
	rows := r.rows(text, append([]any{of.Relation}, args...)...)
	if len(rows) == 0 {
		throw(session.Gone(of))
	}
	return rows
}

// altered runs the statements that one about a collection's relation gives
func (r *Request) altered(of *session.Collection, text string, args ...any) {
	for _, row := range r.about(of, text, args...) {
		if row[0] != nil {
			r.run(string(row[0]))
		}
	}
}

// comment keeps a document in the comment of the collection, behind its first line, as bson-copy does for what a table itself does
// not say. The document is an expression of SQL: of n, which is kept now, and arguments from $3 on.
func (r *Request) comment(of *session.Collection, document string, args ...any) {
	r.altered(of, `SELECT format('COMMENT ON %s %s IS %L', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, $1::text, $2::text || coalesce(E'\n' || #bson_to_extjson(`+document+`, 'canonical'), ''))
		FROM pg_class AS c, LATERAL (SELECT #bson_collection_note(c.oid::regclass) AS n) AS a WHERE c.oid = $1::text::regclass`, append([]any{session.Mark + of.NS()}, args...)...)
}

// What of the command's fields is no option of the collection
const general = "lsid,$db,$clusterTime,$readPreference,writeConcern,readConcern,txnNumber,autocommit,startTransaction,comment," +
	"maxTimeMS,validator,validationLevel,validationAction,apiVersion,apiStrict,apiDeprecationErrors,index,idIndex"

// note keeps the options of a collection that its table does not say, beside those that it has
func (r *Request) note() {
	if options := r.document("SELECT $1::#bson OPERATOR(#-) $2::text[]", r.Raw, "{"+general+","+r.Name+"}"); len(options) > len(empty) {
		r.comment(r.of, "#bson_set(n, '{options}', coalesce(n OPERATOR(#->) 'options', '{}') OPERATOR(#||) $3)", options)
	}
}

// setValidator makes a CHECK of the command's validator, for new documents, in the place of the one that there was. One that only
// warns refuses nothing, and is remembered.
func (r *Request) setValidator() {
	if r.Get("validator") == nil && r.Get("validationLevel") == nil && r.Get("validationAction") == nil {
		return
	}
	// a query that is not understood would refuse every document
	r.row("SELECT #bson_match('{}', $1)", r.Obj("validator"))
	r.made(`SELECT s FROM (SELECT coalesce((SELECT #bson_note(obj_description(o.oid, 'pg_constraint')) FROM pg_constraint AS o WHERE conrelid = $1::text::regclass AND quote_ident(conname) = $2), '{"validator": {}}')
			OPERATOR(#||) #bson_build_object('validator', v OPERATOR(#->) 'validator', 'validationLevel', v OPERATOR(#->) 'validationLevel', 'validationAction', v OPERATOR(#->) 'validationAction')
			OPERATOR(#-) (SELECT coalesce(array_agg(k), '{}') FROM unnest('{validator,validationLevel,validationAction}'::text[]) AS k WHERE NOT v OPERATOR(#?) k) AS o FROM (SELECT $3::#bson AS v) AS a) AS b,
		LATERAL (SELECT o OPERATOR(#->) 'validator' AS q, o OPERATOR(#->>) 'validationAction' IS NOT DISTINCT FROM 'warn' OR o OPERATOR(#->>) 'validationLevel' IS NOT DISTINCT FROM 'off' AS lax) AS c,
		LATERAL (VALUES (format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %s', $1::text, $2::text)),
			(CASE WHEN q OPERATOR(#<>) '{}' THEN format('ALTER TABLE %s ADD CONSTRAINT %s CHECK (%I OPERATOR(#@~) %L::#bson) NOT VALID', $1::text, $2::text, $4::text, CASE WHEN lax THEN '{}' ELSE q END) END),
			(CASE WHEN q OPERATOR(#<>) '{}' THEN format('COMMENT ON CONSTRAINT %s ON %s IS %L', $2::text, $1::text, #bson_to_extjson(o, 'canonical')) END)) AS d(s) WHERE s IS NOT NULL`,
		r.of.Relation, session.Quote(session.Short(r.of.Name+"_validator")), r.Raw, r.of.Column)
}

// createView makes a view of a pipeline
func (r *Request) createView() {
	base := r.collection(r.DB, r.Str("viewOn"), 0)
	if base.Relation == "" && r.make(base) {
		r.hold(base)
	}
	if r.of.Held {
		r.make(r.of)
	}
	if !r.of.View {
		r.of.Relation, r.of.View = session.Quote(session.Short(r.DB))+"."+session.Quote(session.Short(r.of.Name)), true
	}
	r.view(r.of.Relation, base, wire.Root(r.Get("pipeline")))
	r.note()
}

// view makes a view, or makes it one of something else
func (r *Request) view(relation string, base *session.Collection, pipeline wirebson.RawDocument) {
	if pipeline == nil {
		pipeline = wire.Root(must(array[any]().Encode()))
	}
	if base.Relation == "" {
		throw(session.Gone(base))
	}
	check(r.conn.Enter(r.ctx, session.Short(base.DB)))
	r.run("CREATE OR REPLACE VIEW " + relation + " (data) AS " + r.text("SELECT #bson_pipeline_sql($1::text::regclass, $2, $3::text::name)", base.Relation, pipeline, base.Column))
	r.conn.Leave(r.ctx, "")
}

func collMod(r *Request) *wirebson.Document {
	reply := doc()
	r.atomic(func() {
		if r.Get("index") != nil {
			r.changeIndex(r.Sub("index"), reply)
		}
		if r.Str("viewOn") != "" {
			if !r.of.View {
				fail(mongoerr.InvalidOptions, "%s is not a view", r.of.NS())
			}
			r.createView()
			return
		}
		r.note()
		r.setValidator()
	})
	return reply
}

func drop(r *Request) *wirebson.Document {
	reply := doc()
	if r.of.Relation == "" || r.of.Held {
		return reply
	}
	if !r.of.View {
		set(reply, "nIndexesWas", r.indexCount())
	}
	set(reply, "ns", r.of.NS())
	r.atomic(func() { r.remove(r.of) })
	return reply
}

// alone keeps other sessions from a collection, which could be making a view of it, or from a view, which they could be dropping
func (r *Request) alone(of *session.Collection) {
	if of.Relation != "" {
		r.altered(of, `SELECT CASE WHEN relkind IN ('r', 'p') THEN 'LOCK TABLE ' || $1::text
			-- which locks what a view reads, too, and this changes nothing
			WHEN relkind = 'v' THEN (SELECT format('ALTER VIEW %s ALTER COLUMN %I DROP DEFAULT', $1::text, attname) FROM pg_attribute WHERE attrelid = c.oid AND attnum = 1) END
			FROM pg_class AS c WHERE oid = $1::text::regclass`)
	}
}

// remove drops a collection, or holds it for the views of it. What else depends on it is an error.
func (r *Request) remove(of *session.Collection) {
	r.alone(of)
	row := r.about(of, `SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END,
		relkind IN ('r', 'p', 'v') AND EXISTS (SELECT FROM pg_depend JOIN pg_rewrite AS w ON classid = 'pg_rewrite'::regclass AND objid = w.oid WHERE refclassid = 'pg_class'::regclass AND refobjid = c.oid AND ev_class <> c.oid)
		FROM pg_class AS c WHERE oid = $1::text::regclass`)[0]
	if viewed := row[1][0] != 0; !viewed {
		r.run("DROP " + string(row[0]) + " " + of.Relation)
		return
	}
	r.altered(of, `SELECT CASE WHEN relkind <> 'v' THEN 'TRUNCATE ' || $1::text
			ELSE format('CREATE OR REPLACE VIEW %s AS SELECT %s WHERE false', $1::text, (SELECT string_agg(format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0)) END
		FROM pg_class AS c WHERE oid = $1::text::regclass
		UNION ALL SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', $1::text, conname) FROM pg_constraint AS o WHERE conrelid = $1::text::regclass AND (obj_description(o.oid, 'pg_constraint') LIKE '{_validat%' OR contype = 'x')
		UNION ALL SELECT 'DROP INDEX ' || index::text FROM #bson_list_indexes($1::text::regclass) WHERE #bson_note(obj_description(index, 'pg_class')) IS NOT NULL AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = index)`)
	r.hold(of)
}

// dropDatabase drops the collections, and the schema if nothing else is in it
func dropDatabase(r *Request) *wirebson.Document {
	reply := doc()
	r.atomic(func() {
		// a collection that a session makes at this time is made before or after
		check(r.conn.Lock(r.ctx, r.DB))
		if r.row("SELECT FROM #bson_list_collections($1) WHERE NOT ("+session.Held+") LIMIT 1", session.Short(r.DB)) != nil {
			set(reply, "dropped", r.DB)
		}
		// the views first, of which newer ones are mostly of older ones; what was held for them goes the next time
		for before := -1; ; {
			rows := r.rows(`SELECT name, relation::text, relkind = 'v' FROM #bson_list_collections($1) JOIN pg_class AS c ON c.oid = relation ORDER BY relkind IN ('v', 'm') DESC, relation::oid DESC`, session.Short(r.DB))
			if len(rows) == 0 || len(rows) == before {
				break
			}
			before = len(rows)
			for _, row := range rows {
				r.remove(&session.Collection{DB: r.DB, Name: string(row[0]), Relation: string(row[1]), View: row[2][0] != 0})
			}
		}
		// public is everybody's, and others may have put something there
		r.made(`SELECT format('DROP SCHEMA %I', nspname) FROM pg_namespace AS n WHERE nspname = $1 AND nspname <> 'public'
			AND NOT EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = n.oid)`, session.Short(r.DB))
	})
	return reply
}

func renameCollection(r *Request) *wirebson.Document {
	from, was, _ := strings.Cut(r.Str(r.Name), ".")
	to, name, _ := strings.Cut(r.Str("to"), ".")
	if from == to && was == name {
		fail(mongoerr.IllegalOperation, "Can't rename a collection to itself")
	}
	old, target := &session.Collection{DB: from, Name: was}, &session.Collection{DB: to, Name: name}
	return r.atomic(func() {
		// as those who make a collection: its name, its database, its relation
		for _, pair := range [][]string{{old.NS(), target.NS()}, {from, to}} {
			check(r.conn.Lock(r.ctx, min(pair[0], pair[1])))
			check(r.conn.Lock(r.ctx, max(pair[0], pair[1])))
		}
		if old = r.collection(from, was, 0); old.Relation == "" || old.Held {
			fail(mongoerr.NamespaceNotFound, "Source collection %s does not exist", old.NS())
		}
		if target = r.collection(to, name, 0); target.Relation != "" && !r.Bool("dropTarget") && !target.Held {
			fail(mongoerr.NamespaceExists, "target namespace exists")
		}
		// views are of names: what was of the old one is of nothing then, and what was of the target is of what takes its place. Those who
		// read a view have it before what it is of, but there can be another by then.
		r.views(old)
		r.views(target)
		r.alone(old)
		r.alone(target)
		views, replaced := r.views(old), r.views(target)
		const aside = `"bsond$replaced"`
		if target.Relation != "" {
			r.run("ALTER TABLE " + target.Relation + " RENAME TO " + aside)
		}
		r.altered(old, `SELECT s FROM pg_class AS c, LATERAL (VALUES
				(1, CASE WHEN to_regnamespace(quote_ident($2)) IS NULL THEN format('CREATE SCHEMA %I', $2::text) END),
				(2, CASE WHEN relnamespace IS DISTINCT FROM to_regnamespace(quote_ident($2)) THEN format('ALTER TABLE %s SET SCHEMA %I', $1::text, $2::text) END),
				(3, CASE WHEN relname <> $3 THEN format('ALTER TABLE %I.%I RENAME TO %I', $2::text, relname, $3::text) END),
				(4, format('COMMENT ON TABLE %I.%I IS %L', $2::text, $3::text, $4::text || coalesce(E'\n' || nullif(split_part(obj_description(c.oid, 'pg_class'), E'\n', 2), ''), '')))) AS v(n, s)
				WHERE c.oid = $1::text::regclass AND s IS NOT NULL ORDER BY n`, session.Short(to), session.Short(name), session.Mark+target.NS())
		if old = r.collection(from, was, 0); len(views) > 0 && r.make(old) {
			r.hold(old)
		}
		for _, view := range append(views, replaced...) {
			r.view(string(view[0]), r.collection(string(view[1]), string(view[2]), 0), view[3])
		}
		if target.Relation != "" {
			r.run("DROP TABLE " + session.Quote(session.Short(to)) + "." + aside)
		}
	})
}

// views are those that name a collection, which are kept from other sessions: their relations and schemas, of what they are, and their
// pipelines
func (r *Request) views(of *session.Collection) [][][]byte {
	for _, view := range r.viewed(of) {
		r.alone(&session.Collection{DB: string(view[1]), Relation: string(view[0])})
	}
	return r.viewed(of)
}

func (r *Request) viewed(of *session.Collection) [][][]byte {
	return r.rows(`SELECT DISTINCT ON (v.oid) l.relation::text, nspname, options OPERATOR(#->>) 'viewOn', options OPERATOR(#->) 'pipeline'
		FROM pg_depend JOIN pg_rewrite AS w ON classid = 'pg_rewrite'::regclass AND objid = w.oid JOIN pg_class AS v ON v.oid = ev_class JOIN pg_namespace AS n ON n.oid = relnamespace, LATERAL #bson_list_collections(nspname) AS l
		WHERE refclassid = 'pg_class'::regclass AND refobjid = $1::text::regclass AND l.relation = v.oid AND options OPERATOR(#?) 'viewOn' AND pg_has_role(v.relowner, 'USAGE')`, of.Table())
}

// What collStats says of a table, beside the documents, and dbStats of a schema; see query
const (
	tableStats = `SELECT $%[1]d::text AS ns, n AS count, size, CASE WHEN n > 0 THEN size / n ELSE 0 END AS "avgObjSize", pg_table_size($%[2]d::text::regclass) AS "storageSize", 0 AS "freeStorageSize",
		pg_indexes_size($%[2]d::text::regclass) AS "totalIndexSize", pg_total_relation_size($%[2]d::text::regclass) AS "totalSize", false AS capped, i.*, 1 AS "scaleFactor" FROM
		(SELECT count(*) AS nindexes, #bson_object_agg(spec OPERATOR(#->>) 'name', #to_bson(coalesce(pg_relation_size(index), 0))) AS "indexSizes" FROM #bson_list_indexes($%[2]d::text::regclass)) AS i, `
	schemaStats = `SELECT #row_to_bson(r) FROM (SELECT $1::#bson OPERATOR(#->>) '$db' AS db, count(*) FILTER (WHERE type <> 'view') AS collections, count(*) FILTER (WHERE type = 'view') AS views,
		coalesce(sum(greatest(reltuples, 0)), 0)::bigint AS objects, coalesce(sum(pg_table_size(c.oid)), 0)::bigint AS "dataSize", coalesce(sum(pg_table_size(c.oid)), 0)::bigint AS "storageSize",
		coalesce(sum((SELECT count(*) FROM #bson_list_indexes(relation))), 0)::bigint AS indexes, coalesce(sum(pg_indexes_size(c.oid)), 0)::bigint AS "indexSize",
		coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS "totalSize", 1 AS "scaleFactor", 0 AS "fsUsedSize", 0 AS "fsTotalSize"
		FROM #bson_list_collections($2) JOIN pg_class AS c ON c.oid = relation) AS r`
)

// stats are those of a collection, in SQL whose parameters from this number on are its name and its relation
func stats(of *session.Collection, n int) string {
	return fmt.Sprintf(tableStats, n, n+1) + "(SELECT count(*) AS n, coalesce(sum(#bson_size(" + session.Quote(of.Column) + ")), 0)::bigint AS size FROM " + of.Relation + ") AS s"
}

func collStats(r *Request) *wirebson.Document {
	if r.of.Relation == "" || r.of.Held {
		return doc("ns", r.of.NS(), "count", int32(0), "size", int32(0), "storageSize", int32(0), "totalIndexSize", int32(0), "totalSize", int32(0), "nindexes", int32(0), "indexSizes", doc())
	}
	return query("SELECT #row_to_bson(r) FROM (" + stats(r.of, 1) + ") AS r")(r)
}

// validate reads every document, which fails where one is damaged
func validate(r *Request) *wirebson.Document {
	return query(`SELECT #row_to_bson(r) FROM (SELECT $1::text AS ns, count(*) FILTER (WHERE NOT valid) AS "nInvalidDocuments", count(*) AS nrecords, bool_and(valid) IS NOT FALSE AS valid,
		'{}'::text[] AS warnings, '{}'::text[] AS errors FROM (SELECT #bson_is_valid(` + session.Quote(r.of.Column) + "::bytea) AS valid FROM " + r.of.Relation + ") AS v) AS r")(r)
}
