package command

import (
	"context"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func init() { register(map[string]handler{"explain": connected(explain)}) }

// explain explains a command by PostgreSQL's plan of its statement
func explain(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	raw := wire.Document(r.Doc, "explain")
	if raw == nil {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "explain needs a command")
	}
	doc, err := raw.Decode()
	if err != nil {
		return nil, err
	}
	name := doc.Command()
	collection, isString := doc.Get(name).(string)
	if !isString && name != "aggregate" {
		return nil, mongoerr.New(mongoerr.InvalidNamespace, "collection name has invalid type")
	}
	var of *session.Collection
	if isString {
		if of, err = c.Find(ctx, r.DB, collection); err != nil {
			return nil, err
		}
	}
	of, statement, err := r.statement(ctx, c, name, doc, of)
	if err != nil {
		return nil, err
	}
	return r.plan(ctx, c, of, statement)
}

// statement is that of a command which is to be explained
func (r *Request) statement(ctx context.Context, c *session.Conn, name string, doc *wirebson.Document, of *session.Collection) (*session.Collection, string, error) {
	if name == "aggregate" {
		pipeline, isArray := doc.Get("pipeline").(wirebson.RawArray)
		if !isArray {
			return nil, "", mongoerr.New(mongoerr.TypeMismatch, "'pipeline' option must be specified as an array")
		}
		return r.pipelineSQL(ctx, c, doc, pipeline)
	}
	if of.Relation == "" {
		return of, "", nil
	}
	first := func(list string) wirebson.RawDocument {
		if raw, given := doc.Get(list).(wirebson.RawArray); given {
			if all, err := documents(raw, list); err == nil && len(all) > 0 {
				return all[0]
			}
		}
		return empty
	}
	var statement string
	var err error
	switch name {
	case "find":
		statement, err = r.findSQL(ctx, c, of, doc, wire.Int(doc, "limit", 0))
	case "count":
		statement, err = c.Text(ctx, "SELECT #bson_count_sql($1::text::regclass, coalesce($2::#bson, '{}'), $3::text::name)", of.Relation, wire.Document(doc, "query"), of.Column)
	case "distinct":
		statement, err = c.Text(ctx, "SELECT #bson_distinct_sql($1::text::regclass, coalesce($2::#bson, '{}'), $3, $4::text::name)", of.Relation, wire.Document(doc, "query"), wire.String(doc, "key"), of.Column)
	case "update":
		statement, err = c.Text(ctx, "SELECT #bson_update_sql($1::text::regclass, u OPERATOR(#->) 'q', u OPERATOR(#->) 'u', #bson_build_object('multi', u OPERATOR(#->) 'multi', 'arrayFilters', u OPERATOR(#->) 'arrayFilters'), $3::text::name) FROM (SELECT $2::#bson AS u) AS u",
			of.Relation, first("updates"), of.Column)
	case "delete":
		statement, err = c.Text(ctx, "SELECT #bson_delete_sql($1::text::regclass, d OPERATOR(#->) 'q', #bson_build_object('multi', d OPERATOR(#->) 'limit' OPERATOR(#=) '0'), $3::text::name) FROM (SELECT $2::#bson AS d) AS d",
			of.Relation, first("deletes"), of.Column)
	case "findAndModify":
		statement, err = c.Text(ctx, "SELECT #bson_find_sql($1::text::regclass, coalesce($2::#bson, '{}'), NULL, $3, NULL, 1, $4::text::name)", of.Relation, wire.Document(doc, "query"), order(doc), of.Column)
	default:
		err = mongoerr.New(mongoerr.CommandNotSupported, "explain of %s is not supported", name)
	}
	return of, statement, err
}

// plan is the plan of a statement in the shape that drivers and tools read: the stage says how the documents are found
func (r *Request) plan(ctx context.Context, c *session.Conn, of *session.Collection, statement string) (*wirebson.Document, error) {
	verbosity := wire.String(r.Doc, "verbosity")
	analyze := (verbosity == "executionStats" || verbosity == "allPlansExecution") && r.Name == "explain"
	head := "EXPLAIN (FORMAT JSON) "
	if analyze {
		head = "EXPLAIN (FORMAT JSON, ANALYZE) "
	}
	plan := "[]"
	if statement != "" {
		// what a command that writes would do is measured, and undone
		if err := c.Atomic(ctx, func() error {
			if _, err := c.Exec(ctx, "SAVEPOINT bsond"); err != nil {
				return err
			}
			result := c.Run(ctx, head+statement).Read()
			if result.Err != nil {
				return result.Err
			}
			plan = string(result.Rows[0][0])
			_, err := c.Exec(ctx, "ROLLBACK TO SAVEPOINT bsond")
			return err
		}); err != nil {
			return nil, err
		}
	}
	return decoded(c.Document(ctx, `SELECT #bson_build_object('explainVersion', '1', 'queryPlanner', #bson_build_object('namespace', $2::text, 'indexFilterSet', false, 'winningPlan',
			#bson_build_object('stage', stage, 'statement', $3::text, 'plan', p OPERATOR(#->) 'Plan'), 'rejectedPlans', '[]'::#bson))
		OPERATOR(#||) CASE WHEN p OPERATOR(#?) 'Execution Time' THEN #bson_build_object('executionStats', #bson_build_object('executionSuccess', true, 'nReturned', (p OPERATOR(#->) 'Plan' OPERATOR(#->>) 'Actual Rows')::numeric::int,
			'executionTimeMillis', (p OPERATOR(#->>) 'Execution Time')::numeric::int, 'totalKeysExamined', 0, 'totalDocsExamined', 0, 'executionStages', #bson_build_object('stage', stage))) ELSE '{}' END
		OPERATOR(#||) #bson_build_object('command', coalesce($4::#bson, '{}'), 'serverInfo', #bson_build_object('version', $5::text))
		FROM (SELECT coalesce($1::text::json -> 0, '{}')::#bson AS p, CASE WHEN $1::text LIKE '%"Index%' THEN 'IXSCAN' WHEN $1::text LIKE '%"Seq Scan"%' THEN 'COLLSCAN' ELSE 'EOF' END AS stage) AS a`, plan, of.NS(), statement, wire.Document(r.Doc, "explain"), mongoVersion))
}
