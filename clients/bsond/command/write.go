package command

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxDocument is how long a document may be that a client inserts
const maxDocument = 16 << 20

// outcome is what a command's writes did
type outcome struct {
	n, modified int64
	upserted    []*wirebson.Document // {index, _id}
	errors      []*wirebson.Document
}

// errWrites ends a transaction whose command has write errors; the reply lists these
var errWrites = mongoerr.New(mongoerr.IllegalOperation, "a write failed")

// each runs the writes of a command in turn: to the first error, or, if they are unordered, to the end
func (r *Request) each(count int, out *outcome, write func(int)) {
	r.writes = count
	for i := range count {
		if count > 1 {
			check(r.conn.Mark(r.ctx))
		}
		err := r.try(func() { write(i) })
		if err == nil {
			continue
		}
		known := mongoerr.Of(err)
		if r.explains || r.conn.Believed(err) || r.conn.Lost() || (r.conn.Atomically() || r.conn.InTransaction) && (known.Code == mongoerr.WriteConflict || session.Outdated(err)) {
			throw(err)
		}
		check(r.conn.Recover(r.ctx))
		// a transaction ends with its first error; one that makes its driver do it again must be that of the command
		stopped := known.Code == mongoerr.Interrupted || known.Code == mongoerr.MaxTimeMSExpired || known.Code == mongoerr.HostUnreachable
		if r.conn.InTransaction && len(known.Labels) > 0 || !r.conn.InTransaction && stopped {
			throw(err)
		}
		out.errors = append(out.errors, known.Write("index", int32(i)))
		if ordered, given := r.Get("ordered").(bool); r.conn.InTransaction || !given || ordered {
			return
		}
	}
}

// try runs a write; again if it may have failed of what was believed of the collection. In a transaction of bsond's own, all of that
// is to be done again.
func (r *Request) try(write func()) error {
	err := caught(write)
	for n := 0; n < 10 && session.Again(err) && !r.conn.Atomically() && !r.conn.InTransaction; n++ {
		r.conn.Fresh = true
		err = caught(write)
	}
	return err
}

// again finds a collection that was not where it was known to be
func (r *Request) again() {
	if r.conn.Fresh {
		r.named(table | often)
	}
}

func (r *Request) reply(out *outcome, pairs ...any) *wirebson.Document {
	reply := doc(append([]any{"n", int32(out.n)}, pairs...)...)
	if len(out.upserted) > 0 {
		set(reply, "upserted", array(out.upserted...))
	}
	if len(out.errors) > 0 {
		set(reply, "writeErrors", array(out.errors...))
		if r.conn.InTransaction {
			r.answered = reply
			throw(errWrites)
		}
	}
	return reply
}

// only is the answer, if what is being written is the command's only write
func (r *Request) only(pairs ...any) wirebson.RawDocument {
	if r.writes != 1 || r.Name == "bulkWrite" {
		return nil
	}
	return must(wire.Bytes(doc(pairs...)))
}

func insert(r *Request) *wirebson.Document {
	list, out := r.list("documents"), &outcome{}
	if len(list) == 0 {
		fail(16, "Write batch sizes must be between 1 and 100000. Got 0 operations.")
	}
	put := func(list []wirebson.RawDocument) {
		r.again()
		out.n += r.insert(list)
	}
	if len(list) > 1 && !r.conn.InTransaction {
		// all at once; if one of them is refused, none is kept, and they come one by one
		check(r.conn.Mark(r.ctx))
		err := r.try(func() { put(list) })
		if err == nil {
			return r.reply(out)
		}
		if r.conn.Lost() || r.conn.Believed(err) {
			throw(err)
		}
		check(r.conn.Recover(r.ctx))
	}
	r.each(len(list), out, func(i int) { put(list[i : i+1]) })
	return r.reply(out)
}

func (r *Request) insert(list []wirebson.RawDocument) int64 {
	for _, d := range list {
		if len(d) > maxDocument {
			fail(mongoerr.BadValue, "object to insert too large. size in bytes: %d, max size: %d", len(d), maxDocument)
		}
	}
	r.make(r.of)
	n, err := r.conn.Insert(r.ctx, r.of, list, r.only("n", int32(1)))
	if err != nil && len(list) == 1 {
		err = r.explainWrite(err, list[0], nil)
	}
	return must(n, err)
}

var (
	duplicate = regexp.MustCompile(`(?s)^Key \(.*?\)=\((.*)\) (?:already exists|conflicts with|is duplicated)`)
	// the _id of the row that a CHECK refuses, as its document begins
	failing = regexp.MustCompile(`^Failing row contains \(.*?(\{"_id": ?(?:"(?:[^"\\]|\\.)*"|\{[^{}]*\}|[^,{}"]+))[,}]`)
)

// explainWrite adds to an error of a write what drivers read: the key that is there twice, or why the validator refuses, and which
// document if it is known; spec is of an index that cannot be made
func (r *Request) explainWrite(err error, document, spec wirebson.RawDocument) error {
	code := session.Code(err)
	if code != "23505" && code != "23P01" && code != "23514" {
		return err
	}
	known, pg := *mongoerr.Of(err), &pgconn.PgError{}
	errors.As(err, &pg)
	check(r.conn.Recover(r.ctx))
	if code == "23514" {
		text := any(nil)
		if found := failing.FindStringSubmatch(pg.Detail); found != nil {
			text = found[1] + "}"
		}
		known.Msg = "Document failed validation: " + pg.Message
		known.More = []any{"errInfo", r.document(`SELECT #bson_build_object('failingDocumentId', coalesce(coalesce($1, $2::text::#bson) OPERATOR(#->) '_id', 'null'),
			'details', #bson_build_object('operatorName', 'validator', 'reason', $3::text))`, document, text, pg.Message)}
		return &known
	}
	value := ""
	if found := duplicate.FindStringSubmatch(pg.Detail); found != nil {
		value = "[" + found[1] + "]"
	}
	row, failed := r.conn.One(r.ctx, `SELECT name, keys, value, (SELECT '{ ' || string_agg(e.key || ': ' || CASE #bson_typeof(e.value) WHEN 'objectId' THEN format('ObjectId(%L)', word) WHEN 'decimal' THEN word ELSE j END, ', ') || ' }'
			FROM #bson_each(g.value) AS e, LATERAL (SELECT #bson_to_extjson(e.value, 'relaxed') AS j) AS j, LATERAL (SELECT split_part(j, chr(34), 4) AS word) AS w)
		FROM (SELECT coalesce($4::#bson, (SELECT spec FROM #bson_list_indexes($1::text::regclass) WHERE index = to_regclass($2))) AS spec OFFSET 0) AS s,
			LATERAL (SELECT coalesce(spec OPERATOR(#->) 'key', '{"_id": 1}') AS keys, coalesce(spec OPERATOR(#->>) 'name', '_id_') AS name) AS b,
			LATERAL (SELECT array_agg(key) AS k, count(*)::int AS n FROM #bson_each(keys)) AS e, (SELECT $3::#bson AS v) AS f,
			LATERAL (SELECT #bson_object_agg(k[i], CASE WHEN spec OPERATOR(#?) 'collation' THEN coalesce(x OPERATOR(#->) '+', x) ELSE x END) AS value FROM generate_series(1, n) AS i,
				LATERAL (SELECT (CASE WHEN #bson_array_length(v) < n THEN v OPERATOR(#->) 0 ELSE v END) OPERATOR(#->) (i - 1) AS x) AS x) AS g
		WHERE value IS NOT NULL`, r.of.Relation, session.Quote(pg.SchemaName)+"."+session.Quote(pg.ConstraintName), value, spec)
	if failed != nil || row == nil {
		known.Msg = "E11000 duplicate key error collection: " + r.of.NS() + " index: " + pg.ConstraintName + ": " + known.Msg
		return &known
	}
	known.Msg = fmt.Sprintf("E11000 duplicate key error collection: %s index: %s dup key: %s", r.of.NS(), row[0], row[3])
	known.More = []any{"keyPattern", wirebson.RawDocument(row[1]), "keyValue", wirebson.RawDocument(row[2])}
	return &known
}

// change is one entry of an update or delete command, or what findAndModify does
type change struct {
	filter, sort, filters, let, collation, fields wirebson.RawDocument
	update                                        wirebson.RawDocument // as a bson that stands alone; nil: it removes
	by                                            string               // the collation's name
	returns                                       string               // the document as it was (old), or is (new), or neither
	multi, upsert                                 bool
	hint                                          any
	// told is what a replacement is RETURNING for change streams, if there are any: a message in the log, directly after its change
	told string
}

// change reads an entry, in whose fields filter and update are called so
func (r *Request) change(f fields, filter, update string) *change {
	ch := &change{filter: f.Obj(filter), sort: f.order(), update: wire.Root(f.Get(update)), let: r.Some("let"), multi: f.Bool("multi"), upsert: f.Bool("upsert"), hint: f.Get("hint")}
	ch.collation, ch.by = r.collation(f)
	if filters := f.Get("arrayFilters"); filters != nil {
		f.Objs("arrayFilters")
		ch.filters = wire.Root(filters)
	}
	if ch.filter == nil {
		if filter != "query" {
			fail(mongoerr.MissingField, "BSON field '%s' is missing but a required field", filter)
		}
		ch.filter = empty
	}
	if update == "" && filter == "q" {
		limit := f.Int("limit", -1)
		if limit != 0 && limit != 1 {
			fail(mongoerr.FailedToParse, "The limit field in delete objects must be 0 or 1. Got %d", limit)
		}
		ch.multi = limit == 0
	}
	if ch.update == nil && update != "" && !f.Bool("remove") {
		fail(mongoerr.FailedToParse, "BSON field '%s' is missing but a required field", update)
	}
	if d, isDocument := f.Get(update).(wirebson.RawDocument); isDocument && (len(d) == len(empty) || d[5] != '$') {
		if ch.multi {
			fail(mongoerr.FailedToParse, "multi update is not supported for replacement-style update")
		}
		if r.server.PG.Changes != nil {
			ch.told = " RETURNING pg_logical_emit_message(true, 'bson', tableoid::text)"
		}
	}
	return ch
}

// changes reads the entries of a command
func (r *Request) changes(list, filter, update string) (changes []*change) {
	for _, entry := range r.list(list) {
		changes = append(changes, r.change(fieldsOf(entry), filter, update))
	}
	return changes
}

// apply changes what is found by one statement. It tells how many documents were found and how many changed, and returns the first
// as it was or is, if that is wanted.
func (r *Request) apply(ch *change) (matched, modified int64, value wirebson.RawDocument) {
	in, column := r.of.Relation, session.Quote(r.of.Column)
	if id := session.ID(ch.filter); id != nil && in != "" && ch.let == nil && ch.collation == nil && ch.returns == "" && !ch.multi && !r.explains {
		// by its _id; if nothing changes, what follows tells whether it was found
		key, args, answer := "delete ", []any{id}, []any{"n", int32(1)}
		if ch.update != nil {
			key, args, answer = "update "+ch.told, []any{id, ch.update, ch.filter, ch.filters}, append(answer, "nModified", int32(1))
		}
		n := must(r.conn.Only(r.ctx, key+in+" "+column, func() string {
			text := "DELETE FROM " + in + " AS t WHERE "
			if ch.update != nil {
				// bson_update at a time that is told, which is immutable: Citus sends no other function to where the document is
				made := "#bson_apply(t." + column + ", $2, $3, $4, now())"
				text = "UPDATE " + in + " AS t SET " + column + " = " + made + " WHERE t." + column + " OPERATOR(#<<>>) " + made + " AND "
			}
			return r.conn.SQL(text + "(t." + column + " OPERATOR(#->) '_id'::text) OPERATOR(#=) $1")
		}, ch.told, r.only(answer...), args...))
		if n > 0 {
			return n, n, nil
		}
	}
	if ch.let != nil && ch.update != nil && in != "" && (ch.told == "" || ch.fields != nil) {
		return r.applyLet(ch)
	}
	if ch.update == nil && ch.multi && in != "" {
		matched = r.affected(must(r.conn.Shape(r.ctx, "#bson_delete_shape($1::text::regclass, $2, $3::text::name, $4, $5)", nil, "", []any{in, ch.filter, r.of.Column, ch.let, ch.collation})))
		return matched, matched, nil
	}
	var args []any
	if ch.update != nil {
		args = append(args, ch.filter, ch.update, ch.filters)
	}
	if ch.returns != "" {
		args = append(args, ch.filter, ch.fields)
	}
	around := func(find string, n int) string {
		made, write, shown, checked := "NULL::#bson", "DELETE FROM "+in+" AS t USING found WHERE ", "NULL", ""
		if ch.update != nil {
			// an update that finds nothing is checked all the same, if it has no variables; an upsert, which may do more, checks itself
			if ch.let == nil && !ch.upsert {
				checked = fmt.Sprintf(", (SELECT #bson_update(NULL, $%d, $%d, $%d) WHERE NOT EXISTS (SELECT FROM found))", n+2, n+1, n+3)
			}
			call := "update("
			if ch.by != "" {
				call = "collated_update(''::text COLLATE " + ch.by + ", "
			}
			made = fmt.Sprintf("#bson_%sf.data, $%d, $%d, $%d)", call, n+2, n+1, n+3)
			write = "UPDATE " + in + " AS t SET " + column + " = found.new FROM found WHERE found.old OPERATOR(#<<>>) found.new AND "
		}
		if ch.returns != "" {
			shown = fmt.Sprintf("(SELECT CASE WHEN $%[1]d::#bson IS NULL THEN %[2]s ELSE #bson_project(%[2]s, $%[1]d, $%[3]d::#bson) END FROM found)", n+len(args), ch.returns, n+len(args)-1)
		}
		if !ch.multi {
			find += "\nLIMIT 1"
		}
		write += "(t." + column + " OPERATOR(#->) '_id'::text) OPERATOR(#=) (found.old OPERATOR(#->) '_id'::text)" + cmp.Or(ch.told, " RETURNING 1")
		if in == "" {
			write = "SELECT FROM found"
		}
		return r.conn.SQL("WITH found AS MATERIALIZED (SELECT f.data AS old, "+made+" AS new FROM (\n") + find + r.conn.SQL("\nFOR UPDATE) AS f(data)),\n"+
			"changed AS ("+write+")\nSELECT (SELECT count(*) FROM found), (SELECT count(*) FROM changed), "+shown+checked)
	}
	statement := must(r.conn.Shape(r.ctx, "#bson_find_shape($1::text::regclass, $2, NULL, $3, NULL, NULL, $4::text::name, $5, $6)", around, fmt.Sprint(ch.multi, ch.update != nil, ch.returns, ch.by, ch.upsert, ch.told),
		[]any{r.of.Table(), ch.filter, ch.sort, r.of.Column, ch.let, ch.collation}, args...))
	row := r.start(statement)[0]
	return session.Int(row[0]), session.Int(row[1]), row[2]
}

// applyLet does so by statements of the extension's own, of which variables are a part; they do not tell which documents stay as
// they are
func (r *Request) applyLet(ch *change) (matched, modified int64, value wirebson.RawDocument) {
	options := "SELECT $3::boolean AS multi, $4::#bson AS \"arrayFilters\", $5::#bson AS sort, $6::#bson AS let, $7::#bson AS collation"
	args := []any{r.of.Relation, r.of.Column, ch.multi, ch.filters, ch.sort, ch.let, ch.collation, ch.filter, ch.update}
	if ch.returns == "" {
		n := r.affected(&session.Statement{Text: r.text("SELECT #bson_update_sql($1::text::regclass, $8, $9, #row_to_bson(o), $2::text::name) FROM ("+options+") AS o", args...)})
		return n, n, nil
	}
	rows := r.start(&session.Statement{Text: r.text("SELECT #bson_find_and_modify_sql($1::text::regclass, #row_to_bson(o) OPERATOR(#-) 'multi', $2::text::name) FROM ("+options+
		`, $8::#bson AS query, $9::#bson AS update, $10::#bson AS fields, $11::boolean AS new) AS o`, append(args, ch.fields, ch.returns == "new")...) + strings.Replace(ch.told, " RETURNING", ",", 1)})
	if len(rows) == 0 {
		return 0, 0, nil
	}
	return 1, 1, rows[0][0]
}

// affected runs a statement that only tells how many documents it is about
func (r *Request) affected(statement *session.Statement) int64 {
	if r.explains {
		throw(&explained{statement})
	}
	return must(r.conn.Start(r.ctx, statement).Count())
}

// write makes a change, with its upsert; id is what was inserted, as {_id: ...}
func (r *Request) write(ch *change) (matched, modified int64, value, id wirebson.RawDocument) {
	r.hinted(ch.hint)
	if ch.upsert && !r.explains {
		r.make(r.of)
	}
	column := session.Quote(r.of.Column)
	err := caught(func() {
		for try := 0; ; try++ {
			if matched, modified, value = r.apply(ch); matched > 0 || !ch.upsert {
				return
			}
			var row [][]byte
			err := r.conn.Try(r.ctx, func() (err error) {
				row, err = r.conn.One(r.ctx, "INSERT INTO "+r.of.Relation+" AS t ("+column+") VALUES (#bson_upsert($1, $2, $3)) RETURNING #bson_set('{}', '{_id}', t."+column+" OPERATOR(#->) '_id'::text), "+
					"CASE WHEN NOT $4::boolean THEN NULL WHEN $5::#bson IS NULL THEN t."+column+" ELSE #bson_project(t."+column+", $5, $1) END", ch.filter, ch.update, ch.filters, ch.returns == "new", ch.fields)
				return err
			})
			if err == nil {
				value, id = row[1], row[0]
				return
			}
			// another session was faster: then there is something to update now
			if session.Code(err) != "23505" || r.conn.InTransaction || try == 3 {
				throw(err)
			}
		}
	})
	if err != nil {
		throw(r.explainWrite(err, nil, nil))
	}
	return matched, modified, value, id
}

func update(r *Request) *wirebson.Document {
	changes, out := r.changes("updates", "q", "u"), &outcome{}
	r.each(len(changes), out, func(i int) {
		r.again()
		matched, modified, _, id := r.write(changes[i])
		out.n += matched
		out.modified += modified
		if id != nil {
			out.n++
			out.upserted = append(out.upserted, doc("index", int32(i), "_id", fieldsOf(id).Get("_id")))
		}
	})
	return r.reply(out, "nModified", int32(out.modified))
}

func remove(r *Request) *wirebson.Document {
	changes, out := r.changes("deletes", "q", ""), &outcome{}
	r.each(len(changes), out, func(i int) {
		r.again()
		n, _, _, _ := r.write(changes[i])
		out.n += n
	})
	return r.reply(out)
}

func findAndModify(r *Request) *wirebson.Document {
	removes, isNew, upserts := r.Bool("remove"), r.Bool("new"), r.Bool("upsert")
	if updates := r.Get("update") != nil; removes == updates {
		fail(mongoerr.FailedToParse, "Either an update or remove=true must be specified, and not both")
	}
	if removes && (isNew || upserts) {
		fail(mongoerr.FailedToParse, "Cannot specify both new=true or upsert=true and remove=true")
	}
	ch := r.change(r.fields, "query", "update")
	ch.multi, ch.fields, ch.returns = false, r.Some("fields"), "old"
	if isNew {
		ch.returns = "new"
	}
	matched, _, value, id := r.write(ch)
	last := doc("n", int32(min(matched, 1)))
	if id != nil {
		last = doc("n", int32(1), "updatedExisting", false, "upserted", fieldsOf(id).Get("_id"))
	} else if !removes {
		set(last, "updatedExisting", matched > 0)
	}
	if value == nil {
		return doc("lastErrorObject", last, "value", wirebson.Null)
	}
	return doc("lastErrorObject", last, "value", value)
}

func bulkWrite(r *Request) *wirebson.Document {
	ops, spaces := r.bulk()
	sums, results, failed := map[string]int32{}, []*wirebson.Document{}, -1
	r.each(len(ops), &outcome{}, func(i int) {
		var result []any
		if failed == i { // it is tried again
			sums["nErrors"]--
			results = results[:len(results)-1]
		}
		err := caught(func() { result = r.bulkOne(ops[i], spaces, sums) })
		if r.conn.Believed(err) {
			throw(err) // and be called again
		}
		if err != nil {
			failed = i
			sums["nErrors"]++
			results = append(results, mongoerr.Of(err).Write("ok", float64(0), "idx", int32(i), "n", int32(0)))
			throw(err)
		}
		if !r.Bool("errorsOnly") {
			results = append(results, doc(append([]any{"ok", float64(1), "idx", int32(i)}, result...)...))
		}
	})
	reply := doc("cursor", doc("id", int64(0), "firstBatch", array(results...), "ns", "admin.$cmd.bulkWrite"))
	for _, name := range []string{"nErrors", "nInserted", "nMatched", "nModified", "nUpserted", "nDeleted"} {
		set(reply, name, sums[name])
	}
	if sums["nErrors"] > 0 && r.conn.InTransaction {
		r.answered = reply
		throw(errWrites)
	}
	return reply
}

// bulk are the operations of a bulkWrite, and the collections that they name by number. Both come in sections of their own.
func (r *Request) bulk() (ops []fields, spaces []string) {
	for _, d := range append(append(r.Documents, r.Objs("ops")...), r.Objs("nsInfo")...) {
		if f := fieldsOf(d); f.Command() == "ns" {
			spaces = append(spaces, f.Str("ns"))
		} else {
			ops = append(ops, f)
		}
	}
	if len(ops) == 0 || len(spaces) == 0 {
		fail(mongoerr.InvalidOptions, "bulkWrite needs ops and nsInfo")
	}
	return ops, spaces
}

// bulkOne does one of them, and tells what it did
func (r *Request) bulkOne(op fields, spaces []string, sums map[string]int32) (result []any) {
	kind := op.Command()
	number := op.Int(kind, -1)
	if number < 0 || number >= int64(len(spaces)) {
		fail(mongoerr.BadValue, "BulkWrite ops entry %s has an invalid nsInfo index.", kind)
	}
	db, name, _ := strings.Cut(spaces[number], ".")
	r.of = r.collection(db, name, table|often)
	switch kind {
	case "insert":
		n := int32(r.insert([]wirebson.RawDocument{op.Obj("document")}))
		sums["nInserted"] += n
		return []any{"n", n}
	case "update":
		matched, modified, _, id := r.write(r.change(op, "filter", "updateMods"))
		sums["nMatched"] += int32(matched)
		sums["nModified"] += int32(modified)
		if id != nil {
			sums["nUpserted"]++
			return []any{"n", int32(1), "nModified", int32(0), "upserted", id}
		}
		return []any{"n", int32(matched), "nModified", int32(modified)}
	case "delete":
		n, _, _, _ := r.write(r.change(op, "filter", ""))
		sums["nDeleted"] += int32(n)
		return []any{"n", int32(n)}
	}
	fail(mongoerr.BadValue, "bulkWrite has no operation %s", kind)
	return nil
}
