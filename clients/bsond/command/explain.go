package command

import (
	"errors"
	"slices"
	"strings"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

// explained ends a command whose statement is wanted
type explained struct{ *session.Statement }

func (*explained) Error() string { return "a statement that is to be explained" }

// explain explains a command by PostgreSQL's plan of the statement that it would run first
func explain(r *Request) *wirebson.Document {
	inner, asked := r.Sub(r.Name), *r
	name := inner.Command()
	if !strings.Contains(" find aggregate count distinct update delete findAndModify ", " "+name+" ") {
		fail(mongoerr.CommandNotSupported, "explain of %s is not supported", name)
	}
	asked.Command, asked.fields, asked.explains = &wire.Command{Name: name, DB: r.DB, Doc: inner.Document, Raw: r.Obj(r.Name)}, inner, true
	r.conn.Fresh = true
	var found *explained
	err := caught(func() {
		if name != "aggregate" {
			asked.named(0)
		}
		commands[name].answer(&asked)
	})
	if !errors.As(err, &found) {
		check(err)
		fail(mongoerr.BadValue, "there is nothing to explain")
	}
	return r.plan(asked.of, found.Statement)
}

// plan is the plan of a statement in the shape that drivers and tools read: the stage says how the documents are found
func (r *Request) plan(of *session.Collection, statement *session.Statement) *wirebson.Document {
	// aggregate can ask for its own
	head, plan, command := "EXPLAIN (FORMAT JSON) ", "", r.Raw
	if r.Name == "explain" {
		command = r.Obj("explain")
		verbosity := r.Str("verbosity")
		if !slices.Contains([]string{"", "queryPlanner", "executionStats", "allPlansExecution"}, verbosity) {
			fail(mongoerr.BadValue, "Enumeration value '%s' for field 'explain.verbosity' is not a valid value.", verbosity)
		}
		if verbosity != "queryPlanner" {
			head = "EXPLAIN (FORMAT JSON, ANALYZE) "
		}
	}
	// what a command that writes would do is measured, and undone
	r.atomic(func() {
		r.run("SAVEPOINT bsond")
		result := r.conn.Run(r.ctx, head+statement.Text, statement.Args...).Read()
		check(result.Err)
		plan = string(result.Rows[0][0])
		r.run("ROLLBACK TO SAVEPOINT bsond")
	})
	return must(r.document(`SELECT #bson_build_object('explainVersion', '1', 'queryPlanner', #bson_build_object('namespace', $2::text, 'indexFilterSet', false, 'winningPlan',
			#bson_build_object('stage', stage, 'statement', $3::text, 'plan', p OPERATOR(#->) 'Plan'), 'rejectedPlans', '[]'::#bson))
		OPERATOR(#||) CASE WHEN p OPERATOR(#?) 'Execution Time' THEN #bson_build_object('executionStats', #bson_build_object('executionSuccess', true, 'nReturned', (p OPERATOR(#->) 'Plan' OPERATOR(#->>) 'Actual Rows')::numeric::int,
			'executionTimeMillis', (p OPERATOR(#->>) 'Execution Time')::numeric::int, 'totalKeysExamined', 0, 'totalDocsExamined', 0, 'executionStages', #bson_build_object('stage', stage))) ELSE '{}' END
		OPERATOR(#||) #bson_build_object('command', $4::#bson, 'serverInfo', #bson_build_object('version', $5::text))
		FROM (SELECT coalesce($1::text::json -> 0, '{}')::#bson AS p, CASE WHEN $1::text LIKE '%"Index%' THEN 'IXSCAN' WHEN $1::text LIKE '%"Seq Scan"%' THEN 'COLLSCAN' ELSE 'EOF' END AS stage) AS a`,
		plan, of.NS(), statement.Text, command, mongoVersion).Decode())
}
