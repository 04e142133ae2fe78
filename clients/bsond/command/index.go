package command

import (
	"strings"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func createIndexes(r *Request) *wirebson.Document {
	specs := r.list("indexes")
	if len(specs) == 0 {
		fail(mongoerr.BadValue, "Must specify at least one index to create")
	}
	made := r.make(r.of)
	before := r.indexCount()
	for _, spec := range specs {
		if err := caught(func() { r.atomic(func() { r.createIndex(spec) }) }); err != nil {
			throw(r.explainWrite(err, nil, spec))
		}
	}
	after := r.indexCount()
	reply := doc("numIndexesBefore", before, "numIndexesAfter", after, "createdCollectionAutomatically", made)
	if before == after {
		set(reply, "note", "all indexes already exist")
	}
	return reply
}

func (r *Request) indexCount() int32 {
	return int32(session.Int(r.row("SELECT count(*) FROM #bson_list_indexes($1::text::regclass)", r.of.Relation)[0]))
}

func (r *Request) createIndex(spec wirebson.RawDocument) {
	f := fieldsOf(spec)
	key, name := f.Some("key"), f.Str("name")
	if key == nil {
		fail(mongoerr.CannotCreateIndex, "Index keys cannot be an empty object")
	}
	by, _ := r.collation(f)
	k := fieldsOf(key)
	if order, _ := wire.Number(k.Get("_id")); k.Command() == "_id" && k.Len() == 1 && order != 0 {
		for option := range f.Fields() {
			if !strings.Contains(" key name v ns collation background ", " "+option+" ") {
				fail(197, "The field '%s' is not valid for an _id index specification", option) // InvalidIndexSpecificationOption
			}
		}
		if name == "_id_" {
			return
		}
	}
	if f.Get("collation") != nil {
		by = nil
	}
	made := func(text string, args ...any) wirebson.RawDocument {
		d, err := r.conn.Document(r.ctx, text, args...)
		if session.Code(err) == "22023" {
			fail(mongoerr.CannotCreateIndex, "%s", mongoerr.Of(err).Msg)
		}
		return must(d, err)
	}
	// as it is listed; tools send the collection again, which MongoDB does not keep
	spec = made("SELECT #bson_index_spec($1::#bson OPERATOR(#-) 'ns' OPERATOR(#||) CASE WHEN $2::#bson IS NULL THEN '{}' ELSE #bson_build_object('collation', $2::#bson) END)", spec, by)
	key = fieldsOf(spec).Some("key")
	r.lock("SHARE UPDATE EXCLUSIVE")
	// the same index again is nothing; another one of its name, or the same under another name, is an error
	row := r.row(`SELECT spec OPERATOR(#->>) 'name' = $2, #bson_identical(spec OPERATOR(#->) 'key', $3),
		(SELECT coalesce(#bson_object_agg(key, value ORDER BY key), '{}') FROM #bson_each(spec) WHERE key NOT IN ('v', 'background', 'ns')) OPERATOR(#=)
		(SELECT coalesce(#bson_object_agg(key, value ORDER BY key), '{}') FROM #bson_each($4) WHERE key NOT IN ('v', 'background', 'ns')), spec OPERATOR(#->>) 'name'
		FROM #bson_list_indexes($1::text::regclass) AS i WHERE spec OPERATOR(#->>) 'name' = $2 OR #bson_identical(spec OPERATOR(#->) 'key', $3) AND coalesce(spec OPERATOR(#->) 'partialFilterExpression', '{}') OPERATOR(#=) coalesce($4::#bson OPERATOR(#->) 'partialFilterExpression', '{}')
			AND coalesce(spec OPERATOR(#->) 'collation', '{}') OPERATOR(#=) coalesce($4::#bson OPERATOR(#->) 'collation', '{}')
		ORDER BY spec OPERATOR(#->>) 'name' = $2 DESC LIMIT 1`, r.of.Relation, name, key, spec)
	if row != nil {
		named, sameKey, sameSpec := row[0][0] != 0, row[1][0] != 0, row[2][0] != 0
		switch {
		case sameSpec, string(row[3]) == "_id_":
			return
		case named && !sameKey:
			fail(mongoerr.IndexKeySpecsConflict, "An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: %s", name)
		case named:
			fail(mongoerr.IndexKeySpecsConflict, "An existing index has the same name as the requested index. Requested index: %s", name)
		}
		fail(mongoerr.IndexOptionsConflict, "Index already exists with a different name: %s", row[3])
	}
	if fieldsOf(key).Get("_fts") != nil && r.row("SELECT FROM #bson_list_indexes($1::text::regclass) WHERE spec OPERATOR(#->) 'key' OPERATOR(#?) '_fts'", r.of.Relation) != nil {
		fail(mongoerr.CannotCreateIndex, "only one text index per collection allowed, found existing text index")
	}
	statements := made("SELECT #bson_create_index_sql($1::text::regclass, $2, $3::text::name)", r.of.Relation, spec, r.of.Column)
	if statements != nil {
		check(r.conn.Script(r.ctx, string(statements)))
		return
	}
	// it has no equal, and is remembered
	r.comment(r.of, `#bson_set(n, '{indexes}', coalesce(n OPERATOR(#->) 'indexes', '[]') OPERATOR(#||) #array_to_bson(ARRAY[$3::#bson]))`, spec)
}

// lock lets one session at a time change the indexes of the collection. What drops one takes the strongest lock at once: to make a
// weaker one stronger, it would wait for those who wait for it.
func (r *Request) lock(mode string) { r.run("LOCK TABLE " + r.of.Relation + " IN " + mode + " MODE") }

func listIndexes(r *Request) *wirebson.Document {
	return r.listed(r.of.NS(), r.rows("SELECT spec FROM #bson_list_indexes($1::text::regclass)", r.of.Relation))
}

// dropIndexes drops an index by its name or its key, several, or all but that on _id
func dropIndexes(r *Request) *wirebson.Document {
	wanted := []any{r.Get("index")}
	if _, isArray := wanted[0].(wirebson.RawArray); isArray {
		wanted = r.Values("index")
	}
	reply := doc("nIndexesWas", r.indexCount())
	r.atomic(func() {
		r.lock("ACCESS EXCLUSIVE")
		for _, v := range wanted {
			r.dropIndex(v)
		}
	})
	if len(wanted) == 1 && wanted[0] == "*" {
		set(reply, "msg", "non-_id indexes dropped for collection")
	}
	return reply
}

// index is the condition that an index has the name $2 or the key $3, which the values are that follow
func index(v any) (where string, name, key any) {
	switch v := v.(type) {
	case string:
		name = v
	case wirebson.RawDocument:
		key = v
	default:
		fail(mongoerr.TypeMismatch, "an index is named by its name, or its key")
	}
	return "(spec OPERATOR(#->>) 'name' = $2 OR spec OPERATOR(#->) 'key' OPERATOR(#=) $3)", name, key
}

// hinted refuses a hint that names no index
func (r *Request) hinted(hint any) {
	if d, isDocument := hint.(wirebson.RawDocument); hint == nil || hint == wirebson.Null || r.of.Relation == "" || r.of.View || isDocument && (len(d) == len(empty) || fieldsOf(d).Command() == "$natural") {
		return
	}
	where, name, key := index(hint)
	if must(r.conn.Told(r.ctx, "SELECT 'is there' FROM #bson_list_indexes($1::text::regclass) WHERE "+where+" LIMIT 1", r.of.Relation, name, key)) == "" {
		fail(mongoerr.BadValue, "error processing query: planner returned error: hint provided does not correspond to an existing index")
	}
}

func (r *Request) dropIndex(wanted any) {
	if wanted == "_id_" {
		fail(mongoerr.InvalidOptions, "cannot drop _id index")
	}
	where, name, key := index(wanted)
	// one that is unique without a limit on its length is a constraint
	rows := r.rows(`SELECT coalesce((SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint WHERE conindid = index AND contype = 'x'), 'DROP INDEX ' || index::text), spec
		FROM #bson_list_indexes($1::text::regclass) WHERE spec OPERATOR(#->>) 'name' <> '_id_' AND ($2 = '*' OR `+where+")", r.of.Relation, name, key)
	if len(rows) == 0 && name != "*" {
		fail(mongoerr.IndexNotFound, "index not found with name [%v]", wanted)
	}
	for _, row := range rows {
		if row[0] != nil {
			r.run(string(row[0]))
			continue
		}
		r.comment(r.of, "#bson_set(n, '{indexes}', coalesce((SELECT #bson_agg(i) FROM #bson_array_elements(n OPERATOR(#->) 'indexes') AS i WHERE NOT #bson_identical(i, $3)), '[]'))", wirebson.RawDocument(row[1]))
	}
}

// changeIndex is what collMod does with an index: its expireAfterSeconds, and whether it is hidden, are in its comment. To be unique it
// is made again, and one that is prepared for this is so already.
func (r *Request) changeIndex(change fields, reply *wirebson.Document) {
	wanted := change.Get("name")
	if wanted == nil {
		wanted = change.Get("keyPattern")
	}
	where, name, key := index(wanted)
	unique := func(f fields) bool { return f.Bool("unique") || f.Bool("prepareUnique") }
	mode := "SHARE UPDATE EXCLUSIVE" // what a comment needs
	if change.Get("unique") != nil || change.Get("prepareUnique") != nil {
		mode = "ACCESS EXCLUSIVE"
	}
	r.lock(mode)
	find := "SELECT index::text, spec FROM #bson_list_indexes($1::text::regclass) WHERE index IS NOT NULL AND " + where
	row := r.row(find, r.of.Relation, name, key)
	if row == nil {
		fail(mongoerr.IndexNotFound, "cannot find index %v for ns %s", change.Get("name"), r.of.NS())
	}
	old, changed := fieldsOf(row[1]), doc()
	if old.Str("name") == "_id_" {
		fail(mongoerr.BadValue, "can't hide _id index, nor have it expire")
	}
	for _, option := range []string{"expireAfterSeconds", "hidden", "unique", "prepareUnique"} {
		if v := change.Get(option); v != nil {
			if before := old.Get(option); before != nil {
				set(reply, option+"_old", before)
			}
			set(reply, option+"_new", v)
			set(changed, option, v)
		}
	}
	spec := r.document("SELECT $1::#bson OPERATOR(#||) $2", wirebson.RawDocument(row[1]), must(changed.Encode()))
	if now := unique(fieldsOf(spec)); now != unique(old) {
		r.dropIndex(old.Get("name"))
		err := r.conn.Script(r.ctx, r.text("SELECT #bson_create_index_sql($1::text::regclass, $2::#bson OPERATOR(#||) #bson_build_object('unique', $3::boolean), $4::text::name)", r.of.Relation, spec, now, r.of.Column))
		if session.Code(err) == "23505" {
			fail(359, "Cannot convert the index to unique: %s", mongoerr.Of(err).Msg) // CannotConvertIndexToUnique
		}
		check(err)
		row = r.row(find, r.of.Relation, name, key)
	}
	r.made("SELECT format('COMMENT ON INDEX %s IS %L', $1::text, #bson_to_extjson($2::#bson, 'canonical'))", string(row[0]), spec)
}
