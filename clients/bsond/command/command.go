// Package command answers MongoDB's commands: each makes calls of SQL, and a reply.
package command

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

// command is one of MongoDB's: how it is answered, and what it needs beside what the client sends.
type command struct {
	answer func(*Request) *wirebson.Document
	needs  needs
}

type needs uint

const (
	public    needs                    = 1 << iota // it may be asked before the client has authenticated
	connected                                      // a connection to PostgreSQL
	database                                       // and the name of a database
	on        = 1<<iota | connected                // and the collection that it names, which need not exist
	existing  = 1<<iota | on                       // which exists
	table     = 1<<iota | on                       // which is no view
	often     = 1 << iota                          // and is believed to be where it was
	writes    = 1<<iota | connected                // a driver may repeat it, and it is done once
	snapshot  = 1 << iota                          // it may ask for a snapshot
	alters    = 1 << iota                          // it changes collections or indexes
	changes   = table | often | writes             // of a collection's documents
	reads     = on | often | snapshot              // the same
)

// The commands by their names.
var commands map[string]command

func init() {
	nothing := fixed()
	commands = map[string]command{
		"find": {find, reads}, "aggregate": {aggregate, connected | snapshot}, "count": {count, on | often}, "distinct": {distinct, reads},
		"getMore": {getMore, 0}, "killCursors": {killCursors, 0}, "explain": {explain, connected},
		"insert": {insert, changes}, "update": {update, changes}, "delete": {remove, changes}, "bulkWrite": {bulkWrite, writes},
		"findAndModify": {findAndModify, changes}, "findandmodify": {findAndModify, changes},
		"commitTransaction": {commit, 0}, "abortTransaction": {abort, 0},

		"create": {create, on | alters}, "drop": {drop, on | alters}, "collMod": {collMod, existing | alters}, "renameCollection": {renameCollection, connected | alters},
		"dropDatabase": {dropDatabase, database | connected | alters}, "dbStats": {query(schemaStats), database | connected}, "dbstats": {query(schemaStats), database | connected},
		"listDatabases": {listDatabases, connected}, "listCollections": {listCollections, database | connected}, "collStats": {collStats, on}, "collstats": {collStats, on},
		"validate": {validate, existing}, "createIndexes": {createIndexes, table | alters}, "listIndexes": {listIndexes, existing | table},
		"dropIndexes": {dropIndexes, existing | alters}, "deleteIndexes": {dropIndexes, existing | alters},

		"createUser": {changeUser, connected}, "updateUser": {changeUser, connected}, "dropUser": {changeUser, connected},
		"grantRolesToUser": {changeUser, connected}, "revokeRolesFromUser": {changeUser, connected}, "usersInfo": {usersInfo, connected},
		"saslStart": {saslStart, public}, "saslContinue": {saslContinue, public}, "logout": {logout, public}, "connectionStatus": {connectionStatus, public},

		"hello": {hello, public}, "ismaster": {hello, public}, "isMaster": {hello, public}, "ping": {query("SELECT '{}'::#bson"), public | connected},
		"buildInfo": {buildInfo, public}, "buildinfo": {buildInfo, public}, "whatsmyuri": {whatsMyURI, public}, "getParameter": {getParameter, 0},
		"hostInfo": {hostInfo, 0}, "serverStatus": {serverStatus, 0}, "getLog": {getLog, 0}, "listCommands": {listCommands, 0}, "currentOp": {currentOp, 0}, "killOp": {killOp, 0},
		"endSessions": {endSessions, public}, "killSessions": {endSessions, 0}, "killAllSessions": {killAllSessions, 0}, "getCmdLineOpts": {commandLine, 0},
		"profile": {fixed("was", int32(0), "slowms", int32(100), "sampleRate", float64(1)), 0},
		// what has no meaning here, and no program should fail of
		"refreshSessions": {nothing, 0}, "setParameter": {nothing, 0}, "fsync": {nothing, 0}, "features": {nothing, public},
		"getFreeMonitoringStatus": {nothing, 0}, "logRotate": {nothing, 0}, "checkMetadataConsistency": {consistent, 0},
	}
}

const (
	noScript = "there is no JavaScript; use aggregate"
	divided  = "tables are divided by PostgreSQL"
	uncapped = "there are no capped collections"
	noSearch = "search is a service of MongoDB Atlas; use full text search in SQL"
)

// Why a command of MongoDB's is not there.
var refused = map[string]string{
	"enableSharding": divided, "shardCollection": divided, "mapReduce": noScript, "mapreduce": noScript, "eval": noScript,
	"compact": "PostgreSQL vacuums by itself", "reIndex": "use REINDEX in SQL", "convertToCapped": uncapped, "cloneCollectionAsCapped": uncapped,
	"authenticate": "clients authenticate by saslStart", "createRole": "users are roles of PostgreSQL",
	"createSearchIndexes": noSearch, "updateSearchIndex": noSearch, "dropSearchIndex": noSearch,
}

// Server is what all clients share.
type Server struct {
	PG           *session.Postgres
	Log          *slog.Logger
	Address      string // that bsond listens at
	ReplicaSet   string // that it says to be; else it is a router
	Host         string // of the set's only member, if not what a client came by
	Started      time.Time
	Clients      atomic.Int64  // that are connected
	In, Out      atomic.Int64  // bytes of their messages, and of the replies
	Auth         bool          // clients must say who they are
	Lifetime     time.Duration // of a transaction
	cursors      session.Cursors
	transactions session.Transactions
	clients      sync.Map // *Client, by number (int64)
	last         atomic.Int64
}

// Request is a command that is being answered.
type Request struct {
	*wire.Command
	fields
	ctx      context.Context
	conn     *session.Conn       // if the command needs one
	of       *session.Collection // that it names, if it needs that
	server   *Server
	client   *Client
	answered *wirebson.Document // by a command with a connection
	kept     bool               // a cursor has taken the connection
	writes   int                // how many the command has, if there is one answer to all
	explains bool               // the first statement is wanted, and not what it gives
}

// Answer answers a command; whatever goes wrong becomes an answer, too.
// No answer is the end of the connection.
func (s *Server) Answer(c *wire.Command, client *Client) *wirebson.Document {
	r := &Request{Command: c, fields: fields{c.Doc}, server: s, client: client}
	began, code := time.Now(), ""
	ctx := client.now(operation{c, s.last.Add(1), client.Pool, began})
	defer client.now(operation{})
	ms, whole := wire.Number(r.Get("maxTimeMS"))
	if ms > 0 && c.Name != "getMore" {
		var limit context.CancelFunc
		ctx, limit = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
		defer limit()
	}
	r.ctx = ctx
	defer func() { tally(c.Name, code, time.Since(began)) }()
	var reply *wirebson.Document
	err := caught(func() {
		limit := r.Int("maxTimeMS", 0)
		if _, double := r.Get("maxTimeMS").(float64); double && !whole || limit < 0 || limit > math.MaxInt32 {
			fail(mongoerr.BadValue, "maxTimeMS must be a whole number of 32 bits, and not negative")
		}
		reply = r.answer()
	})
	if err == nil && reply.Get("ok") == nil {
		set(reply, "ok", float64(1))
	}
	if err != nil {
		if reply = s.failed(r, err); reply == nil {
			return nil
		}
		code = reply.Get("codeName").(string)
	}
	// what the command has changed comes no earlier, so that a change stream from this time on has it
	set(reply, "operationTime", cluster(began.UnixMicro()))
	if r.Get("autocommit") == false {
		set(reply, "recoveryToken", doc()) // any daemon of this database can say whether the transaction was committed
	}
	return reply
}

// failed is the answer to a command that failed; none is the end of the connection
func (s *Server) failed(r *Request, err error) *wirebson.Document {
	if expired := r.ctx.Err(); expired != nil && session.Code(err) == "57014" {
		err = expired
	}
	if r.starved(err) {
		return nil
	}
	known := mongoerr.Of(err)
	lost := known.Code == mongoerr.HostUnreachable
	switch inside := r.Get("autocommit") == false; {
	case lost && inside && (r.Name == "commitTransaction" || r.Name == "abortTransaction"), r.retryable() && (lost || known.Code == mongoerr.ExceededTimeLimit):
		known.Labels = []string{"RetryableWriteError"}
	case lost && inside:
		known.Labels = []string{"TransientTransactionError"}
	}
	if known.Code == mongoerr.AuthenticationFailed {
		s.Log.InfoContext(r.ctx, "a client did not authenticate", "client", r.client.Number, "error", cmp.Or(known.Cause, error(known)))
	}
	s.Log.DebugContext(r.ctx, "command failed", "command", r.Name, "code", known.Name())
	return known.Reply()
}

func (r *Request) answer() *wirebson.Document {
	c, known := commands[r.Name]
	level := r.Sub("readConcern").Str("level")
	switch {
	case refused[r.Name] != "":
		fail(mongoerr.CommandNotSupported, "command %s is not supported: %s", r.Name, refused[r.Name])
	case !known:
		if strings.HasPrefix(r.Name, "replSetGet") {
			fail(76, "not running with --replSet") // NoReplicationEnabled
		}
		fail(mongoerr.CommandNotFound, "no such command: '%s'", r.Name)
	case r.Strange:
		fail(mongoerr.FailedToParse, "a field of the command has a type that no command takes")
	case r.client.Pool == nil && c.needs&public == 0:
		fail(mongoerr.Unauthorized, "Command %s requires authentication", r.Name)
	case r.client.Pool == nil && c.needs&connected != 0:
		return doc() // ping: there is no connection with rights of the client's
	case r.DB == "":
		fail(40571, "OP_MSG requests require a $db argument")
	case level != "" && !strings.Contains(" local available majority linearizable snapshot ", " "+level+" "):
		fail(mongoerr.FailedToParse, "unknown read concern level '%s'", level)
	case r.Bool("startTransaction") && (level == "available" || level == "linearizable"):
		fail(mongoerr.InvalidOptions, "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction")
	case level == "snapshot" && r.Get("autocommit") != false && c.needs&snapshot == 0:
		fail(mongoerr.InvalidOptions, "Command %s does not support { readConcern: { level: \"snapshot\" } }", r.Name)
	case c.needs&database != 0:
		check(session.CheckDB(r.DB))
	}
	r.numbered()
	if c.needs&connected == 0 {
		return c.answer(r)
	}
	if r.retryable() {
		return r.once(c)
	}
	if err := r.with(func() { r.answered = r.found(c) }); err != errWrites {
		check(err)
	}
	return r.answered
}

// found answers with the collection that the command names, if it needs that
func (r *Request) found(c command) *wirebson.Document {
	if c.needs&on == on {
		r.named(c.needs)
	}
	return c.answer(r)
}

// named finds the collection that the command names
func (r *Request) named(needs needs) *session.Collection {
	name, isString := r.Get(r.Name).(string)
	if !isString {
		fail(mongoerr.InvalidNamespace, "collection name has invalid type")
	}
	r.of = r.collection(r.DB, name, needs)
	return r.of
}

// collection finds a collection, which must be as is needed
func (r *Request) collection(db, name string, needs needs) *session.Collection {
	find := r.conn.Find
	if needs&often != 0 {
		find = r.conn.Known
	}
	of := must(find(r.ctx, db, name))
	if needs&existing == existing && (of.Relation == "" || of.Held) {
		fail(mongoerr.NamespaceNotFound, "ns does not exist: %s", of.NS())
	}
	if needs&table == table && of.View {
		fail(mongoerr.CommandNotSupportedOnView, "Namespace %s is a view, not a collection", of.NS())
	}
	return of
}

// numbered refuses what is no session, or a number without one, which would be everybody's of the role
func (r *Request) numbered() {
	id, number := r.Obj("lsid"), r.Get("txnNumber")
	inside := r.Get("autocommit") != nil || r.Bool("startTransaction")
	n, isNumber := wire.Number(number)
	switch {
	case id != nil && (len(id) != 30 || string(id[4:12]) != "\x05id\x00\x10\x00\x00\x00"):
		fail(mongoerr.TypeMismatch, "BSON field 'lsid.id' must be a UUID")
	case number != nil && (!isNumber || n < 0):
		fail(mongoerr.TypeMismatch, "BSON field 'txnNumber' must be a long that is not negative")
	case number != nil && id == nil:
		fail(mongoerr.InvalidOptions, "Transaction number requires a session ID to also be specified")
	case inside && (number == nil || r.Get("autocommit") != false):
		fail(mongoerr.InvalidOptions, "a transaction needs a transaction number, and autocommit: false")
	}
}

// session is the id of the client's session, and the number of its transaction; the number is -1 outside of one
func (r *Request) session() (string, int64) {
	id := r.client.Pool.Key(r.Obj("lsid"))
	if r.Get("autocommit") != false {
		return id, -1
	}
	return id, r.Int("txnNumber", 0)
}

// retryable tells whether the command is a write that its driver may repeat
func (r *Request) retryable() bool {
	return commands[r.Name].needs&writes == writes && r.server.PG.Once && r.Get("txnNumber") != nil && r.Get("autocommit") == nil
}

// once runs a write exactly once, however often its driver sends it, and the connection to PostgreSQL is lost
func (r *Request) once(c command) *wirebson.Document {
	id, number := r.Obj("lsid"), r.Int("txnNumber", 0)
	fresh := false
	for began, try := time.Now(), 0; ; try++ {
		conn := must(r.client.Pool.Acquire(r.ctx))
		conn.Fresh, r.conn = fresh, conn
		answer, err := conn.Exactly(r.ctx, id, number, func() (answer *wirebson.Document, err error) {
			err = caught(func() { answer = r.found(c) })
			return answer, err
		})
		err = conn.Fate(r.ctx, err)
		conn.Release(r.ctx.Err() != nil)
		switch {
		case err == nil && answer == nil:
			fail(mongoerr.NoSuchTransaction, "the write %d was given up", number)
		case err == nil:
			return answer
		case session.Again(err) && try < 10:
			fresh = fresh || session.Outdated(err)
		case errors.Is(err, session.ErrLost) && r.client.Pool.Lasts() && time.Since(began) < time.Minute:
		default:
			throw(err)
		}
	}
}

// with runs work with a connection: that of the client's transaction, or one of the pool
func (r *Request) with(work func()) error {
	s := r.server
	id, number := r.session()
	needs := commands[r.Name].needs
	use := func(ctx context.Context, c *session.Conn) error {
		defer func(outside context.Context) { r.ctx = outside }(r.ctx)
		if r.ctx, r.conn = ctx, c; needs&alters != 0 {
			c.Alter()
			defer c.Forget()
		}
		return caught(work)
	}
	for begins, try := r.Bool("startTransaction"), 0; ; try++ {
		var err error
		hurried := false
		if number >= 0 {
			if begins {
				check(s.transactions.Begin(r.ctx, r.client.Pool, &s.cursors, id, number, s.Lifetime))
			}
			err = s.transactions.Use(r.ctx, &s.cursors, id, number, use)
		} else {
			conn := must(r.client.Pool.Acquire(r.ctx))
			conn.Fresh, r.kept = try > 0, false
			// who changes tables has several locks, as others do, and those who wait for each other go on when one gives up
			if hurried = needs&alters != 0 && try < 5; hurried {
				conn.Hurry = 20 << try
			}
			err = conn.Fate(r.ctx, use(r.ctx, conn))
			if !r.kept {
				conn.Release(r.ctx.Err() != nil)
			}
		}
		// a transaction that has only begun can begin again, and what has failed as a whole be tried again
		if try == 10 || number >= 0 && (!begins || !session.Outdated(err)) || !session.Again(err) && !(hurried && session.Code(err) == "55P03") {
			return err
		}
	}
}

// Statements of ours, with the request's connection; see session.Conn.

func (r *Request) rows(text string, args ...any) [][][]byte {
	return must(r.conn.All(r.ctx, text, args...))
}

func (r *Request) row(text string, args ...any) [][]byte {
	return must(r.conn.One(r.ctx, text, args...))
}

func (r *Request) text(text string, args ...any) string { return string(r.document(text, args...)) }

func (r *Request) document(text string, args ...any) wirebson.RawDocument {
	return must(r.conn.Document(r.ctx, text, args...))
}

// run runs statements that the extension made
func (r *Request) run(statements ...string) (n int64) {
	for _, each := range statements {
		n = must(r.conn.Run(r.ctx, each).Count())
	}
	return n
}

// made runs the statements that one of ours gives, a row each
func (r *Request) made(text string, args ...any) {
	for _, row := range r.rows(text, args...) {
		r.run(string(row[0]))
	}
}

// start runs a statement, unless it is to be explained
func (r *Request) start(statement *session.Statement) [][][]byte {
	if r.explains {
		throw(&explained{statement})
	}
	result := r.conn.Start(r.ctx, statement).Read()
	check(result.Err)
	return result.Rows
}

// atomic runs work in a transaction
func (r *Request) atomic(work func()) *wirebson.Document {
	check(r.conn.Atomic(r.ctx, func() error { return caught(work) }))
	return doc()
}

// query makes the answer of a command that is only one statement of ours, of which these are the parameters as far as it mentions
// them: a collection's name with the database, and its relation; else the command's document, and the schema.
func query(text string) func(*Request) *wirebson.Document {
	return func(r *Request) *wirebson.Document {
		args, n := []any{r.Raw, session.Short(r.DB)}, 0
		if r.of != nil {
			args = []any{r.of.NS(), r.of.Relation}
		}
		for strings.Contains(text, "$"+strconv.Itoa(n+1)) {
			n++
		}
		return must(r.document(text, args[:n]...).Decode())
	}
}

func fixed(pairs ...any) func(*Request) *wirebson.Document {
	return func(*Request) *wirebson.Document { return doc(pairs...) }
}
