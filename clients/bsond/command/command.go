// Package command answers MongoDB's commands: each makes calls of SQL, and a reply.
package command

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

// Server is what all clients share.
type Server struct {
	PG           *session.Postgres
	Log          *slog.Logger
	Address      string // that bsond listens at
	Started      time.Time
	Clients      atomic.Int64  // that are connected
	Auth         bool          // clients must say who they are
	Lifetime     time.Duration // of a transaction
	metrics      metrics
	cursors      session.Cursors
	transactions session.Transactions
	operations   operations
}

// Request is a command that is being answered.
type Request struct {
	*wire.Command
	server *Server
	client *Client
	kept   bool // a cursor has taken the connection
	number int64
}

type handler func(context.Context, *Request) (*wirebson.Document, error)

// The commands by their names, set by init functions of the files of the families.
var handlers = map[string]handler{}

func register(family map[string]handler) {
	for name, h := range family {
		handlers[name] = h
	}
}

// Answer answers a command; whatever goes wrong becomes an answer, too.
// No answer is the end of the connection.
func (s *Server) Answer(ctx context.Context, c *wire.Command, client *Client) *wirebson.Document {
	r := &Request{Command: c, server: s, client: client}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if ms := wire.Int(c.Doc, "maxTimeMS", 0); ms > 0 && c.Name != "getMore" {
		var limit context.CancelFunc
		ctx, limit = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
		defer limit()
	}
	r.number = s.operations.begin(c, client, cancel)
	defer s.operations.end(r.number)

	began, code := time.Now(), ""
	defer func() { s.metrics.count(c.Name, code, time.Since(began)) }()
	reply, err := r.run(ctx)
	if err != nil {
		if expired := ctx.Err(); expired != nil && session.Code(err) == "57014" {
			err = expired
		}
		if r.starved(err) {
			return nil
		}
		known := mongoerr.Of(err)
		if r.retryable() && s.PG.Once && (known.Code == mongoerr.HostUnreachable || known.Code == mongoerr.ExceededTimeLimit) {
			known.Labels = []string{"RetryableWriteError"}
		}
		if known.Code == mongoerr.HostUnreachable && r.Doc.Get("autocommit") == false {
			known.Labels = []string{"TransientTransactionError"}
			if r.Name == "commitTransaction" || r.Name == "abortTransaction" {
				known.Labels = []string{"RetryableWriteError"}
			}
		}
		code = known.Name()
		if known.Code == mongoerr.AuthenticationFailed {
			s.Log.InfoContext(ctx, "a client did not authenticate", "client", client.Number, "error", cmp.Or(known.Cause, error(known)))
		}
		s.Log.DebugContext(ctx, "command failed", "command", c.Name, "code", code)
		return known.Reply()
	}
	if reply.Get("ok") == nil {
		_ = reply.Add("ok", float64(1))
	}
	return reply
}

func (r *Request) run(ctx context.Context) (*wirebson.Document, error) {
	h, ok := handlers[r.Name]
	if !ok {
		if why, known := refused[r.Name]; known {
			return nil, mongoerr.New(mongoerr.CommandNotSupported, "command %s is not supported: %s", r.Name, why)
		}
		return nil, mongoerr.New(mongoerr.CommandNotFound, "no such command: '%s'", r.Name)
	}
	switch {
	case r.client.Pool != nil:
	case !public[r.Name]:
		return nil, mongoerr.New(mongoerr.Unauthorized, "Command %s requires authentication", r.Name)
	case r.Name == "ping":
		return wirebson.MakeDocument(1), nil // there is no connection with rights of the client's
	}
	if r.DB == "" {
		return nil, mongoerr.New(40571, "OP_MSG requests require a $db argument")
	}
	if level := wire.String(r.sub("readConcern"), "level"); level != "" && level != "local" && level != "available" && level != "majority" &&
		level != "linearizable" && level != "snapshot" {
		return nil, mongoerr.New(mongoerr.FailedToParse, "unknown read concern level '%s'", level)
	}
	if r.Doc.Get("autocommit") != false && wire.String(r.sub("readConcern"), "level") == "snapshot" && r.Name != "find" && r.Name != "aggregate" && r.Name != "distinct" {
		return nil, mongoerr.New(mongoerr.InvalidOptions, "Command %s does not support { readConcern: { level: \"snapshot\" } }", r.Name)
	}
	return h(ctx, r)
}

// sub is a document of the command, which is empty if there is none
func (r *Request) sub(name string) *wirebson.Document {
	if raw := wire.Document(r.Doc, name); raw != nil {
		if doc, err := raw.Decode(); err == nil {
			return doc
		}
	}
	return wirebson.MakeDocument(0)
}

// session is the id of the client's session, and the number of its transaction; the number is -1 outside of one
func (r *Request) session() (string, int64) {
	id := r.client.Pool.Key(wire.Document(r.Doc, "lsid"))
	if auto, ok := r.Doc.Get("autocommit").(bool); !ok || auto {
		return id, -1
	}
	return id, wire.Int(r.Doc, "txnNumber", 0)
}

// What a command needs beside what the client sent: a connection to PostgreSQL, and the collection that it names.
type (
	withConn       func(context.Context, *Request, *session.Conn) (*wirebson.Document, error)
	withCollection func(context.Context, *Request, *session.Conn, *session.Collection) (*wirebson.Document, error)
)

// connected makes a handler of a command that needs a connection
func connected(h withConn) handler {
	return func(ctx context.Context, r *Request) (reply *wirebson.Document, err error) {
		if r.retryable() && r.server.PG.Once {
			return r.once(ctx, h)
		}
		err = r.with(ctx, func(c *session.Conn) error {
			reply, err = h(ctx, r, c)
			return err
		})
		if err == errWrites {
			err = nil
		}
		return reply, err
	}
}

// The commands for which a collection is believed to be as it was
var often = map[string]bool{"find": true, "count": true, "distinct": true, "insert": true, "update": true, "delete": true, "findAndModify": true, "findandmodify": true}

// on makes a handler of a command about a collection, which need not exist
func on(h withCollection) handler {
	return connected(func(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
		name, ok := r.Doc.Get(r.Name).(string)
		if !ok {
			return nil, mongoerr.New(mongoerr.InvalidNamespace, "collection name has invalid type")
		}
		find := c.Find
		if often[r.Name] {
			find = c.Known
		}
		of, err := find(ctx, r.DB, name)
		if err != nil {
			return nil, err
		}
		return h(ctx, r, c, of)
	})
}

// existing makes a handler of a command about a collection that must exist
func existing(h withCollection) handler {
	return on(func(ctx context.Context, r *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
		if of.Relation == "" {
			return nil, mongoerr.New(mongoerr.NamespaceNotFound, "ns does not exist: %s", of.NS())
		}
		return h(ctx, r, c, of)
	})
}

// table makes a handler of a command about a collection that is no view
func table(h withCollection) handler {
	return on(func(ctx context.Context, r *Request, c *session.Conn, of *session.Collection) (*wirebson.Document, error) {
		if err := notView(of); err != nil {
			return nil, err
		}
		return h(ctx, r, c, of)
	})
}

func notView(of *session.Collection) error {
	if of.View {
		return mongoerr.New(mongoerr.CommandNotSupportedOnView, "Namespace %s is a view, not a collection", of.NS())
	}
	return nil
}

// retryable tells whether the command is a write that its driver may repeat
func (r *Request) retryable() bool {
	return writes[r.Name] && r.Doc.Get("txnNumber") != nil && r.Doc.Get("autocommit") == nil
}

var writes = map[string]bool{"insert": true, "update": true, "delete": true, "findAndModify": true, "findandmodify": true, "bulkWrite": true}

// once runs a write exactly once, however often its driver sends it, and the connection to PostgreSQL is lost
func (r *Request) once(ctx context.Context, h withConn) (*wirebson.Document, error) {
	id, number := wire.Document(r.Doc, "lsid"), wire.Int(r.Doc, "txnNumber", 0)
	if id == nil {
		return nil, mongoerr.New(mongoerr.InvalidOptions, "Transaction number requires a session ID to also be specified")
	}
	fresh := false
	for began, try := time.Now(), 0; ; try++ {
		conn, err := r.client.Pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		conn.Fresh = fresh
		var reply *wirebson.Document
		answer, err := conn.Exactly(ctx, id, number, func() (wirebson.RawDocument, error) {
			if reply, err = h(ctx, r, conn); err != nil {
				return nil, err
			}
			return reply.Encode()
		})
		err = conn.Fate(ctx, err)
		conn.Release(ctx.Err() != nil)
		switch state := session.Code(err); {
		case err == nil && answer != nil:
			return answer.Decode()
		case err == nil:
			return nil, mongoerr.New(mongoerr.NoSuchTransaction, "the write %d was given up", number)
		case session.Outdated(err) && !fresh:
			fresh = true
		case (state == "40001" || state == "40P01") && try < 10:
		case errors.Is(err, session.ErrLost) && r.client.Pool.Lasts() && time.Since(began) < time.Minute:
		default:
			return nil, err
		}
	}
}

// with runs work with a connection: that of the client's transaction, or one of the pool
func (r *Request) with(ctx context.Context, work func(*session.Conn) error) error {
	s := r.server
	id, number := r.session()
	if number >= 0 {
		if wire.Bool(r.Doc, "startTransaction") {
			if err := s.transactions.Begin(ctx, r.client.Pool, &s.cursors, id, number, s.Lifetime); err != nil {
				return err
			}
		}
		return s.transactions.Use(ctx, &s.cursors, id, number, work)
	}
	for fresh := false; ; fresh = true {
		conn, err := r.client.Pool.Acquire(ctx)
		if err != nil {
			return err
		}
		conn.Fresh, r.kept = fresh, false
		err = conn.Fate(ctx, work(conn))
		if !r.kept {
			conn.Release(ctx.Err() != nil)
		}
		if fresh || !session.Outdated(err) {
			return err
		}
	}
}

// list is an array of documents of the command, which may have come in a section of its own
func (r *Request) list(name string) ([]wirebson.RawDocument, error) {
	if len(r.Documents) > 0 {
		return r.Documents, nil
	}
	raw, ok := r.Doc.Get(name).(wirebson.RawArray)
	if !ok {
		return nil, mongoerr.New(mongoerr.UnknownField-1, "BSON field '%s.%s' is missing but a required field", r.Name, name)
	}
	return documents(raw, name)
}

func documents(raw wirebson.RawArray, name string) ([]wirebson.RawDocument, error) {
	values, err := raw.Decode()
	if err != nil {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "'%s' must be an array of documents", name)
	}
	list := make([]wirebson.RawDocument, 0, values.Len())
	for v := range values.Values() {
		d, ok := v.(wirebson.RawDocument)
		if !ok {
			return nil, mongoerr.New(mongoerr.TypeMismatch, "'%s' must be an array of documents", name)
		}
		list = append(list, d)
	}
	return list, nil
}

func array(documents []wirebson.RawDocument) *wirebson.Array {
	a := wirebson.MakeArray(len(documents))
	for _, d := range documents {
		_ = a.Add(d) // a document can always be added
	}
	return a
}

// done is the answer of a command that only succeeds or fails
func done(err error) (*wirebson.Document, error) {
	if err != nil {
		return nil, err
	}
	return ok()
}

func ok(pairs ...any) (*wirebson.Document, error) { return wirebson.NewDocument(pairs...) }

// failure is err as the code, if it is of this SQLSTATE
func failure(err error, sqlstate string, code mongoerr.Code) error {
	if err != nil && session.Code(err) == sqlstate {
		e := *mongoerr.Of(err)
		e.Code = code
		return &e
	}
	return err
}

// operations are the commands that run now
type operations struct {
	mu   sync.Mutex
	last int64
	now  map[int64]operation
}

type operation struct {
	command *wire.Command
	number  int64 // the client's
	pool    *session.Pool
	began   time.Time
	cancel  context.CancelFunc
}

func (all *operations) begin(c *wire.Command, client *Client, cancel context.CancelFunc) int64 {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.now == nil {
		all.now = map[int64]operation{}
	}
	all.last++
	all.now[all.last] = operation{c, client.Number, client.Pool, time.Now(), cancel}
	return all.last
}

func (all *operations) end(number int64) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.now, number)
}
