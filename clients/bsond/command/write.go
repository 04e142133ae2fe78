package command

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func init() {
	register(map[string]handler{"insert": table(insert), "update": table(update), "delete": table(remove), "findAndModify": table(findAndModify), "findandmodify": table(findAndModify), "bulkWrite": connected(bulkWrite)})
}

// outcome is what a command's writes did
type outcome struct {
	n, modified int64
	upserted    []wirebson.RawDocument // {index, _id}
	errors      []*wirebson.Document
}

// each runs the writes of a command in turn: to the first error, or, if they are unordered, to the end
func (r *Request) each(ctx context.Context, c *session.Conn, count int, out *outcome, write func(int) error) error {
	for i := range count {
		if count > 1 {
			if err := c.Mark(ctx); err != nil {
				return err
			}
		}
		err := write(i)
		if c.Believed(err) {
			if c.Atomically() {
				return err // the transaction is done again
			}
			c.Fresh = true
			err = write(i)
		}
		if err == nil {
			continue
		}
		known := mongoerr.Of(err)
		if c.Lost() || c.Atomically() && known.Code == mongoerr.WriteConflict {
			return err
		}
		if failed := c.Recover(ctx); failed != nil {
			return failed
		}
		if c.InTransaction || known.Code == mongoerr.Interrupted || known.Code == mongoerr.MaxTimeMSExpired || known.Code == mongoerr.HostUnreachable {
			// a transaction ends with its first error, which its driver must see as that of the command
			if len(known.Labels) > 0 || !c.InTransaction {
				return err
			}
		}
		out.errors = append(out.errors, known.Write(i))
		if c.InTransaction {
			return errWrites
		}
		if ordered, given := r.Doc.Get("ordered").(bool); !given || ordered {
			break
		}
	}
	return nil
}

// again finds a collection that was not where it was known to be
func (r *Request) again(ctx context.Context, c *session.Conn, known *session.Collection) error {
	if !c.Fresh {
		return nil
	}
	found, err := c.Known(ctx, known.DB, known.Name)
	if err == nil && found.Relation == "" && r.Name == "insert" {
		err = c.Make(ctx, found)
	}
	if err == nil {
		*known = *found
	}
	return err
}

// errWrites ends a transaction whose command has write errors; the reply lists these
var errWrites = mongoerr.New(mongoerr.IllegalOperation, "a write failed")

func (out *outcome) reply(err error, pairs ...any) (*wirebson.Document, error) {
	reply := wirebson.MustDocument(append([]any{"n", int32(out.n)}, pairs...)...)
	if len(out.upserted) > 0 {
		_ = reply.Add("upserted", array(out.upserted))
	}
	if len(out.errors) > 0 {
		list := wirebson.MakeArray(len(out.errors))
		for _, e := range out.errors {
			_ = list.Add(e)
		}
		_ = reply.Add("writeErrors", list)
	}
	return reply, err
}

// insert
func insert(ctx context.Context, r *Request, c *session.Conn, into *session.Collection) (*wirebson.Document, error) {
	list, err := r.list("documents")
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, mongoerr.New(16, "Write batch sizes must be between 1 and 100000. Got 0 operations.")
	}
	if err = c.Make(ctx, into); err != nil {
		return nil, err
	}
	var out outcome
	if !c.InTransaction || len(list) == 1 {
		// all at once; if one of them is refused, none is kept, and they come one by one
		if len(list) > 1 {
			if err = c.Mark(ctx); err != nil {
				return nil, err
			}
		}
		if out.n, err = c.Insert(ctx, into, list); c.Believed(err) {
			if c.Atomically() {
				return nil, err // the transaction is done again
			}
			c.Fresh = true
			if err = r.again(ctx, c, into); err == nil {
				out.n, err = c.Insert(ctx, into, list)
			}
		}
		if err == nil {
			return out.reply(nil)
		}
		if c.Lost() {
			return nil, err
		}
		if len(list) == 1 {
			return out.reply(r.each(ctx, c, 1, &out, func(int) error { return r.explainWrite(ctx, c, into, err, list[0]) }))
		}
	}
	if err = c.Recover(ctx); err != nil {
		return nil, err
	}
	return out.reply(r.each(ctx, c, len(list), &out, func(i int) error {
		if err := r.again(ctx, c, into); err != nil {
			return err
		}
		n, err := c.Insert(ctx, into, list[i:i+1])
		out.n += n
		return r.explainWrite(ctx, c, into, err, list[i])
	}))
}

var duplicate = regexp.MustCompile(`(?s)^Key \(.*?\)=\((.*)\) (?:already exists|conflicts with)`)

// explainWrite adds to an error of a write what drivers read: the key that is there twice, or why the validator refuses
func (r *Request) explainWrite(ctx context.Context, c *session.Conn, into *session.Collection, err error, document wirebson.RawDocument) error {
	code := session.Code(err)
	if code != "23505" && code != "23P01" && code != "23514" {
		return err
	}
	known := *mongoerr.Of(err)
	if c.InTransaction {
		// nothing can be asked any more
		if known.Code == mongoerr.DuplicateKey {
			known.Msg = "E11000 duplicate key error collection: " + into.NS() + ": " + known.Msg
		}
		return &known
	}
	if failed := c.Recover(ctx); failed != nil {
		return failed
	}
	pg := postgresError(err)
	if code == "23514" {
		info, failed := c.Document(ctx, "SELECT #bson_build_object('failingDocumentId', coalesce($1::#bson OPERATOR(#->) '_id', 'null'), 'details', #bson_build_object('operatorName', 'validator', 'reason', $2::text))", document, pg.Message)
		if failed == nil && info != nil {
			known.More = []any{"errInfo", info}
		}
		known.Msg = "Document failed validation: " + pg.Message
		return &known
	}
	value := ""
	if found := duplicate.FindStringSubmatch(pg.Detail); found != nil {
		value = "[" + found[1] + "]"
	}
	row, failed := c.One(ctx, `SELECT coalesce(spec OPERATOR(#->>) 'name', '_id_'), keys, (SELECT #bson_object_agg(k[i], CASE WHEN spec OPERATOR(#?) 'collation' THEN coalesce(x OPERATOR(#->) '+', x) ELSE x END) FROM generate_series(1, n) AS i,
			LATERAL (SELECT (CASE WHEN #bson_array_length(v) < n THEN v OPERATOR(#->) 0 ELSE v END) OPERATOR(#->) (i - 1) AS x) AS x)
		FROM (SELECT (SELECT spec FROM #bson_list_indexes($1::text::regclass) WHERE index = to_regclass($2)) AS spec) AS s, LATERAL (SELECT coalesce(spec OPERATOR(#->) 'key', '{"_id": 1}') AS keys) AS b,
			LATERAL (SELECT array_agg(key) AS k, count(*)::int AS n FROM #bson_each(keys)) AS e, (SELECT $3::#bson AS v) AS f`, into.Relation, session.Quote(pg.SchemaName)+"."+session.Quote(pg.ConstraintName), value)
	if failed != nil || row == nil || row[2] == nil {
		known.Msg = "E11000 duplicate key error collection: " + into.NS() + " index: " + pg.ConstraintName + ": " + known.Msg
		return &known
	}
	key, text := wirebson.RawDocument(row[1]), ""
	if text, failed = c.Text(ctx, "SELECT #bson_to_extjson($1, 'relaxed')", wirebson.RawDocument(row[2])); failed != nil {
		return failed
	}
	known.Msg = fmt.Sprintf("E11000 duplicate key error collection: %s index: %s dup key: %s", into.NS(), row[0], text)
	known.More = []any{"keyPattern", key, "keyValue", wirebson.RawDocument(row[2])}
	return &known
}

// change is one entry of an update command, or the update of findAndModify
type change struct {
	filter, sort  wirebson.RawDocument
	update        wirebson.RawDocument // as a bson that stands alone
	filters       wirebson.RawDocument
	let           wirebson.RawDocument
	collation     wirebson.RawDocument
	multi, upsert bool
}

func (r *Request) change(ctx context.Context, c *session.Conn, in *session.Collection, doc *wirebson.Document, filter, update string) (*change, error) {
	by, err := collation(ctx, c, doc, in)
	if err != nil {
		return nil, err
	}
	ch := &change{collation: by, filter: wire.Document(doc, filter), sort: order(doc), update: wire.Root(doc.Get(update)), let: given(r.Doc, "let"),
		multi: wire.Bool(doc, "multi"), upsert: wire.Bool(doc, "upsert")}
	if ch.update == nil {
		return nil, mongoerr.New(mongoerr.FailedToParse, "BSON field '%s' is missing but a required field", update)
	}
	if ch.filter == nil {
		ch.filter = empty
	}
	if filters, given := doc.Get("arrayFilters").(wirebson.RawArray); given {
		ch.filters = wire.Root(filters)
	}
	if d, isDocument := doc.Get(update).(wirebson.RawDocument); isDocument && ch.multi && !strings.HasPrefix(first(d), "$") {
		return nil, mongoerr.New(mongoerr.FailedToParse, "multi update is not supported for replacement-style update")
	}
	return ch, nil
}

var empty = wirebson.RawDocument{5, 0, 0, 0, 0}

// first is the name of a document's first field
func first(d wirebson.RawDocument) string {
	doc, err := d.Decode()
	if err != nil || doc.Len() == 0 {
		return ""
	}
	name, _ := doc.GetByIndex(0)
	return name
}

// found is a statement that changes documents. It begins with a table of those that were found and locked, as they are (old) and
// as they shall be (new), if an update comes with the three arguments of bson_update; "rest" is what follows, for parameters from
// this number on.
func (ch *change) found(ctx context.Context, c *session.Conn, in *session.Collection, kind string, updates bool, rest func(n int) string, args ...any) (*session.Statement, error) {
	if !ch.multi {
		kind += " one"
	}
	call := "update("
	if ch.collation != nil {
		name, err := c.Text(ctx, "SELECT format('%I.%I', nspname, collname) FROM pg_collation AS c JOIN pg_namespace AS n ON n.oid = collnamespace WHERE c.oid = #bson_collation($1)", ch.collation)
		if err != nil {
			return nil, err
		}
		call = "collated_update(''::text COLLATE " + name + ","
	}
	around := func(find string, n int) string {
		if !ch.multi {
			find += "\nLIMIT 1"
		}
		result := "NULL::#bson"
		if updates {
			result = fmt.Sprintf("#bson_%s f.data, $%d, $%d, $%d)", call, n+1, n+2, n+3)
		}
		return c.SQL("WITH found AS MATERIALIZED (SELECT f.data AS old, "+result+" AS new FROM (\n") + find + "\nFOR UPDATE) AS f(data)),\n" + c.SQL(rest(n+1))
	}
	if ch.collation != nil {
		find, err := c.Text(ctx, "SELECT #bson_find_sql($1::text::regclass, $2, NULL, $3, NULL, NULL, $4::text::name, $5, $6)", in.Relation, ch.filter, ch.sort, in.Column, ch.let, ch.collation)
		return &session.Statement{Text: around(find, 0), Args: args}, err
	}
	return c.Shape(ctx, "#bson_find_shape($1::text::regclass, $2, NULL, $3, NULL, NULL, $4::text::name, $5)", around, kind, []any{in.Relation, ch.filter, ch.sort, in.Column, ch.let}, args...)
}

// same is the condition that a row is the one found
func same(in *session.Collection) string {
	return fmt.Sprintf("(t.%s OPERATOR(#->) '_id'::text) OPERATOR(#=) (found.old OPERATOR(#->) '_id'::text)", session.Quote(in.Column))
}

// apply updates documents, and tells how many were found and how many changed
func (ch *change) apply(ctx context.Context, c *session.Conn, in *session.Collection) (matched, modified int64, err error) {
	if ch.let != nil {
		// variables are a part of the extension's own statement, which does not tell which documents stay as they are
		statement, err := c.Text(ctx, `SELECT #bson_update_sql($1::text::regclass, $2, $3, #row_to_bson(o), $4::text::name)
			FROM (SELECT $5::boolean AS multi, $6::#bson AS "arrayFilters", $7::#bson AS sort, $8::#bson AS let, $9::#bson AS collation) AS o`, in.Relation, ch.filter, ch.update, in.Column, ch.multi, ch.filters, ch.sort, ch.let, ch.collation)
		if err != nil {
			return 0, 0, err
		}
		n, err := c.ExecRun(ctx, statement)
		return n, n, err
	}
	statement, err := ch.found(ctx, c, in, "update", true, func(int) string {
		return fmt.Sprintf("changed AS (UPDATE %s AS t SET %s = found.new FROM found WHERE %s AND found.old OPERATOR(#<<>>) found.new RETURNING 1)\n"+
			"SELECT (SELECT count(*) FROM found), (SELECT count(*) FROM changed)", in.Relation, session.Quote(in.Column), same(in))
	}, ch.update, ch.filter, ch.filters)
	if err != nil {
		return 0, 0, err
	}
	result := c.Start(ctx, statement).Read()
	if result.Err != nil {
		return 0, 0, result.Err
	}
	return session.Int(result.Rows[0][0]), session.Int(result.Rows[0][1]), nil
}

// insert inserts the document of an upsert, and returns the expression of it
func (ch *change) insert(ctx context.Context, c *session.Conn, in *session.Collection, returning string, args ...any) (made wirebson.RawDocument, err error) {
	err = c.Try(ctx, func() error {
		made, err = c.Document(ctx, fmt.Sprintf("INSERT INTO %s AS t (%s) VALUES (#bson_upsert($2, $1, $3)) RETURNING %s", in.Relation, session.Quote(in.Column), returning),
			append([]any{ch.update, ch.filter, ch.filters}, args...)...)
		return err
	})
	return made, err
}

// write is an update with its upsert; *id is what was inserted, as {_id: ...}
func (ch *change) write(ctx context.Context, c *session.Conn, in *session.Collection) (matched, modified int64, id wirebson.RawDocument, err error) {
	for try := 0; ; try++ {
		if matched, modified, err = ch.apply(ctx, c, in); err != nil || matched > 0 || !ch.upsert {
			return matched, modified, nil, err
		}
		id, err = ch.insert(ctx, c, in, fmt.Sprintf("#bson_build_object('_id', t.%s OPERATOR(#->) '_id'::text)", session.Quote(in.Column)))
		// another session was faster: then there is something to update now
		if session.Code(err) != "23505" || c.InTransaction || try == 3 {
			return 0, 0, id, err
		}
	}
}

// update
func update(ctx context.Context, r *Request, c *session.Conn, in *session.Collection) (*wirebson.Document, error) {
	list, err := r.list("updates")
	if err != nil {
		return nil, err
	}
	changes := make([]*change, len(list))
	for i, entry := range list {
		doc, err := entry.Decode()
		if err != nil {
			return nil, err
		}
		if changes[i], err = r.change(ctx, c, in, doc, "q", "u"); err != nil {
			return nil, err
		}
	}
	var out outcome
	err = r.each(ctx, c, len(list), &out, func(i int) error {
		if err := r.again(ctx, c, in); err != nil {
			return err
		}
		return r.updateOne(ctx, c, in, changes[i], i, &out)
	})
	return out.reply(err, "nModified", int32(out.modified))
}

func (r *Request) updateOne(ctx context.Context, c *session.Conn, in *session.Collection, ch *change, index int, out *outcome) error {
	if in.Relation == "" {
		if !ch.upsert {
			_, err := c.One(ctx, "SELECT #bson_match('{}', $2), #bson_update('{}', $1, $2, $3)", ch.update, ch.filter, ch.filters)
			return err
		}
		if err := c.Make(ctx, in); err != nil {
			return err
		}
	}
	matched, modified, id, err := ch.write(ctx, c, in)
	if err != nil {
		return r.explainWrite(ctx, c, in, err, nil)
	}
	out.n += matched
	out.modified += modified
	if id != nil {
		entry, err := c.Document(ctx, "SELECT #bson_build_object('index', $1::int) OPERATOR(#||) $2", index, id)
		if err != nil {
			return err
		}
		out.n++
		out.upserted = append(out.upserted, entry)
	}
	return nil
}

// delete
func remove(ctx context.Context, r *Request, c *session.Conn, in *session.Collection) (*wirebson.Document, error) {
	list, err := r.list("deletes")
	if err != nil {
		return nil, err
	}
	var out outcome
	return out.reply(r.each(ctx, c, len(list), &out, func(i int) error {
		doc, err := list[i].Decode()
		if err != nil {
			return err
		}
		if err = r.again(ctx, c, in); err != nil {
			return err
		}
		n, err := r.deleteOne(ctx, c, in, doc, "q", wire.Int(doc, "limit", 0) == 0)
		out.n += n
		return err
	}))
}

func (r *Request) deleteOne(ctx context.Context, c *session.Conn, in *session.Collection, doc *wirebson.Document, query string, multi bool) (int64, error) {
	filter := wire.Document(doc, query)
	if in.Relation == "" {
		_, err := c.One(ctx, "SELECT #bson_match('{}', $1)", filter)
		return 0, err
	}
	by, err := collation(ctx, c, doc, in)
	if err != nil {
		return 0, err
	}
	statement, err := c.Text(ctx, "SELECT #bson_delete_sql($1::text::regclass, coalesce($2::#bson, '{}'), #row_to_bson(o), $3::text::name) FROM (SELECT $4::boolean AS multi, $5::#bson AS let, $6::#bson AS collation) AS o", in.Relation, filter, in.Column, multi, given(r.Doc, "let"), by)
	if err != nil {
		return 0, err
	}
	return c.ExecRun(ctx, statement)
}

// findAndModify
func findAndModify(ctx context.Context, r *Request, c *session.Conn, in *session.Collection) (*wirebson.Document, error) {
	removes, isNew, upserts := wire.Bool(r.Doc, "remove"), wire.Bool(r.Doc, "new"), wire.Bool(r.Doc, "upsert")
	if updates := r.Doc.Get("update") != nil; removes == updates {
		return nil, mongoerr.New(mongoerr.FailedToParse, "Either an update or remove=true must be specified, and not both")
	}
	if removes && (isNew || upserts) {
		return nil, mongoerr.New(mongoerr.FailedToParse, "Cannot specify both new=true or upsert=true and remove=true")
	}
	by, err := collation(ctx, c, r.Doc, in)
	ch := &change{collation: by, filter: wire.Document(r.Doc, "query"), sort: order(r.Doc), let: given(r.Doc, "let")}
	if ch.filter == nil {
		ch.filter = empty
	}
	if err == nil && !removes {
		ch, err = r.change(ctx, c, in, r.Doc, "query", "update")
	}
	if err != nil {
		return nil, err
	}
	ch.multi = false
	var value wirebson.RawDocument
	existed := false
	if in.Relation != "" || upserts {
		err := c.Make(ctx, in)
		if err == nil {
			value, existed, err = r.modify(ctx, c, in, ch, removes, isNew)
		}
		for try := 0; err == nil && !existed && upserts; try++ {
			// what is inserted is the answer, but for its n and updatedExisting
			column := session.Quote(in.Column)
			var answer *wirebson.Document
			answer, err = decoded(ch.insert(ctx, c, in, "#bson_build_object('lastErrorObject', #bson_build_object('n', 1, 'updatedExisting', false, 'upserted', t."+column+" OPERATOR(#->) '_id'::text), 'value', "+
				"CASE WHEN NOT $5::boolean THEN 'null' WHEN $4::#bson IS NULL THEN t."+column+" ELSE #bson_project(t."+column+", $4, $2) END)", given(r.Doc, "fields"), isNew))
			if err == nil {
				return answer, nil
			}
			if session.Code(err) == "23505" && !c.InTransaction && try < 3 {
				// another session was faster: then there is something to update now
				value, existed, err = r.modify(ctx, c, in, ch, removes, isNew)
			}
		}
		if err != nil {
			return nil, r.explainWrite(ctx, c, in, err, nil)
		}
	}
	last := wirebson.MustDocument("n", int32(0))
	if existed {
		_ = last.Replace("n", int32(1))
	}
	if !removes {
		_ = last.Add("updatedExisting", existed)
	}
	if value == nil {
		return ok("lastErrorObject", last, "value", wirebson.Null)
	}
	return ok("lastErrorObject", last, "value", value)
}

// decoded is a document as fields
func decoded(document wirebson.RawDocument, err error) (*wirebson.Document, error) {
	if err != nil {
		return nil, err
	}
	return document.Decode()
}

// modify changes or removes the first document found, and returns it as it was or, if isNew, as it is
func (r *Request) modify(ctx context.Context, c *session.Conn, in *session.Collection, ch *change, removes, isNew bool) (wirebson.RawDocument, bool, error) {
	if ch.let != nil {
		statement, err := c.Text(ctx, "SELECT #bson_find_and_modify_sql($1::text::regclass, $2::#bson OPERATOR(#-) $3::text[] OPERATOR(#||) #bson_build_object('collation', $5::#bson), $4::text::name)", in.Relation, r.Raw, "{"+strings.Join(append(general, r.Name, "upsert", "bypassDocumentValidation", "hint", "collation"), ",")+"}", in.Column, ch.collation)
		if err != nil {
			return nil, false, err
		}
		result := c.Run(ctx, statement).Read()
		if result.Err != nil || len(result.Rows) == 0 {
			return nil, false, result.Err
		}
		return result.Rows[0][0], true, nil
	}
	shown := "old"
	if isNew {
		shown = "new"
	}
	args := []any{given(r.Doc, "fields"), ch.filter}
	if !removes {
		args = []any{ch.update, ch.filter, ch.filters, args[0]}
	}
	statement, err := ch.found(ctx, c, in, fmt.Sprint("modify ", shown, removes), !removes, func(n int) string {
		write, fields := fmt.Sprintf("DELETE FROM %s AS t USING found WHERE %s", in.Relation, same(in)), fmt.Sprintf("$%d", n)
		if !removes {
			write = fmt.Sprintf("UPDATE %s AS t SET %s = found.new FROM found WHERE %s AND found.old OPERATOR(#<<>>) found.new", in.Relation, session.Quote(in.Column), same(in))
			fields = fmt.Sprintf("$%d", n+3)
		}
		return fmt.Sprintf("changed AS (%s)\nSELECT CASE WHEN %s::#bson IS NULL THEN %s ELSE #bson_project(%s, %s, $%d::#bson) END FROM found", write, fields, shown, shown, fields, n+1)
	}, args...)
	if err != nil {
		return nil, false, err
	}
	result := c.Start(ctx, statement).Read()
	if result.Err != nil || len(result.Rows) == 0 {
		return nil, false, result.Err
	}
	return result.Rows[0][0], true, nil
}

// bulkWrite
func bulkWrite(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	ops, spaces, err := r.operations()
	if err != nil {
		return nil, err
	}
	var out outcome
	sums := map[string]int32{"nErrors": 0, "nInserted": 0, "nMatched": 0, "nModified": 0, "nUpserted": 0, "nDeleted": 0}
	results := wirebson.MakeArray(len(ops))
	errorsOnly := wire.Bool(r.Doc, "errorsOnly")
	err = r.each(ctx, c, len(ops), &out, func(i int) error {
		result, err := r.bulkOne(ctx, c, ops[i], spaces, sums)
		if c.Believed(err) {
			return err // and be called again
		}
		if err != nil {
			known := mongoerr.Of(err)
			sums["nErrors"]++
			entry := wirebson.MustDocument("ok", float64(0), "idx", int32(i), "code", int32(known.Code), "errmsg", known.Msg, "n", int32(0))
			for j := 0; j+1 < len(known.More); j += 2 {
				_ = entry.Add(known.More[j].(string), known.More[j+1])
			}
			_ = results.Add(entry)
			return err
		}
		if !errorsOnly {
			entry := wirebson.MustDocument("ok", float64(1), "idx", int32(i))
			for name, v := range result.All() {
				_ = entry.Add(name, v)
			}
			_ = results.Add(entry)
		}
		return nil
	})
	reply := wirebson.MustDocument("cursor", wirebson.MustDocument("id", int64(0), "firstBatch", results, "ns", "admin.$cmd.bulkWrite"))
	for _, name := range []string{"nErrors", "nInserted", "nMatched", "nModified", "nUpserted", "nDeleted"} {
		_ = reply.Add(name, sums[name])
	}
	return reply, err
}

// operations are those of a bulkWrite, and the collections that they name by number. Both come in sections of their own.
func (r *Request) operations() (ops []*wirebson.Document, spaces []string, err error) {
	list := r.Documents
	for _, name := range []string{"ops", "nsInfo"} {
		if raw, given := r.Doc.Get(name).(wirebson.RawArray); given {
			more, err := documents(raw, name)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, more...)
		}
	}
	for _, d := range list {
		doc, err := d.Decode()
		if err != nil {
			return nil, nil, err
		}
		if doc.Command() == "ns" {
			spaces = append(spaces, wire.String(doc, "ns"))
		} else {
			ops = append(ops, doc)
		}
	}
	if len(ops) == 0 || len(spaces) == 0 {
		return nil, nil, mongoerr.New(mongoerr.InvalidOptions, "bulkWrite needs ops and nsInfo")
	}
	return ops, spaces, nil
}

func (r *Request) bulkOne(ctx context.Context, c *session.Conn, op *wirebson.Document, spaces []string, sums map[string]int32) (*wirebson.Document, error) {
	kind := op.Command()
	number := wire.Int(op, kind, -1)
	if number < 0 || number >= int64(len(spaces)) {
		return nil, mongoerr.New(mongoerr.BadValue, "BulkWrite ops entry %s has an invalid nsInfo index.", kind)
	}
	db, name, _ := strings.Cut(spaces[number], ".")
	in, err := c.Find(ctx, db, name)
	if err == nil {
		err = notView(in)
	}
	if err != nil {
		return nil, err
	}
	switch kind {
	case "insert":
		if err = c.Make(ctx, in); err != nil {
			return nil, err
		}
		document := wire.Document(op, "document")
		if _, err = c.Insert(ctx, in, []wirebson.RawDocument{document}); err != nil {
			return nil, r.explainWrite(ctx, c, in, err, document)
		}
		sums["nInserted"]++
		return ok("n", int32(1))
	case "update":
		ch, err := r.change(ctx, c, in, op, "filter", "updateMods")
		if err != nil {
			return nil, err
		}
		var out outcome
		if err = r.updateOne(ctx, c, in, ch, 0, &out); err != nil {
			return nil, err
		}
		sums["nModified"] += int32(out.modified)
		if len(out.upserted) > 0 {
			sums["nUpserted"]++
			doc, err := out.upserted[0].Decode()
			if err != nil {
				return nil, err
			}
			return ok("n", int32(1), "nModified", int32(0), "upserted", wirebson.MustDocument("_id", doc.Get("_id")))
		}
		sums["nMatched"] += int32(out.n)
		return ok("n", int32(out.n), "nModified", int32(out.modified))
	case "delete":
		n, err := r.deleteOne(ctx, c, in, op, "filter", wire.Bool(op, "multi"))
		sums["nDeleted"] += int32(n)
		if err != nil {
			return nil, err
		}
		return ok("n", int32(n))
	}
	return nil, mongoerr.New(mongoerr.BadValue, "bulkWrite has no operation %s", kind)
}
