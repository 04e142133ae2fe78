package command

import (
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
)

// What bsond says of itself: the version of MongoDB whose languages the extension speaks, and its wire version.
const (
	mongoVersion   = "8.0.0"
	maxWireVersion = int32(25)
)

func init() {
	nothing := func(context.Context, *Request) (*wirebson.Document, error) { return ok() }
	register(map[string]handler{
		"hello": hello, "ismaster": hello, "isMaster": hello, "ping": connected(ping), "buildInfo": buildInfo, "buildinfo": buildInfo,
		"getParameter": getParameter, "hostInfo": hostInfo, "serverStatus": serverStatus, "getLog": getLog,
		"listCommands": listCommands, "whatsmyuri": whatsMyURI, "getCmdLineOpts": getCmdLineOpts, "currentOp": currentOp, "killOp": killOp,
		"endSessions": endSessions, "commitTransaction": end("COMMIT"), "abortTransaction": end("ROLLBACK"),
		// what has no meaning here, and no program should fail of
		"refreshSessions": nothing, "killSessions": endSessions, "killAllSessions": nothing,
		"setParameter": nothing, "fsync": nothing, "features": nothing, "profile": profile, "getFreeMonitoringStatus": nothing, "logRotate": nothing,
		"atlasVersion": notFound, "replSetGetStatus": notReplicated, "replSetGetConfig": notReplicated, "getShardMap": notFound,
	})
}

const noSearch = "search is a service of MongoDB Atlas; use full text search in SQL"

// Why a command of MongoDB's is not there.
var refused = map[string]string{
	"enableSharding": "tables are divided by PostgreSQL", "shardCollection": "tables are divided by PostgreSQL",
	"mapReduce": "there is no JavaScript; use aggregate", "mapreduce": "there is no JavaScript; use aggregate", "eval": "there is no JavaScript",
	"compact": "PostgreSQL vacuums by itself", "reIndex": "use REINDEX in SQL", "convertToCapped": "there are no capped collections",
	"authenticate":        "clients authenticate by saslStart",
	"createSearchIndexes": noSearch, "updateSearchIndex": noSearch, "dropSearchIndex": noSearch, "createRole": "users are roles of PostgreSQL", "cloneCollectionAsCapped": "there are no capped collections",
}

func notFound(_ context.Context, r *Request) (*wirebson.Document, error) {
	return nil, mongoerr.New(mongoerr.CommandNotFound, "no such command: '%s'", r.Name)
}

func notReplicated(context.Context, *Request) (*wirebson.Document, error) {
	return nil, mongoerr.New(76, "not running with --replSet") // NoReplicationEnabled
}

// hello says that this is a router: then drivers use sessions and transactions, and ask for no other servers
func hello(ctx context.Context, r *Request) (*wirebson.Document, error) {
	primary := "isWritablePrimary"
	if r.Name != "hello" {
		primary = "ismaster"
	}
	reply, err := ok(primary, true, "helloOk", true, "msg", "isdbgrid", "maxBsonObjectSize", int32(16<<20), "maxMessageSizeBytes", int32(48_000_000), "maxWriteBatchSize", int32(100_000),
		"localTime", time.Now().UTC(), "logicalSessionTimeoutMinutes", int32(30), "connectionId", int32(r.client.Number), "minWireVersion", int32(0), "maxWireVersion", maxWireVersion, "readOnly", false)
	if err == nil {
		r.speculate(ctx, reply)
	}
	return reply, err
}

// ping asks PostgreSQL
func ping(ctx context.Context, _ *Request, c *session.Conn) (*wirebson.Document, error) {
	_, err := c.Exec(ctx, "SELECT")
	return done(err)
}

func buildInfo(context.Context, *Request) (*wirebson.Document, error) {
	return ok("version", mongoVersion, "versionArray", wirebson.MustArray(int32(8), int32(0), int32(0), int32(0)), "gitVersion", "bsond", "modules", wirebson.MakeArray(0),
		"sysInfo", "bsond", "bits", int32(64), "debug", false, "maxBsonObjectSize", int32(16<<20), "storageEngines", wirebson.MustArray("postgresql"))
}

// getParameter answers for those parameters that programs ask for
func getParameter(_ context.Context, r *Request) (*wirebson.Document, error) {
	parameters := wirebson.MustDocument("featureCompatibilityVersion", wirebson.MustDocument("version", "8.0"), "authenticationMechanisms", wirebson.MustArray("SCRAM-SHA-256"),
		"transactionLifetimeLimitSeconds", int32(r.server.Lifetime/time.Second), "quiet", false, "enableTestCommands", int32(0))
	if r.Doc.Get("getParameter") == "*" {
		return parameters, nil
	}
	reply := wirebson.MakeDocument(1)
	for name := range r.Doc.Fields() {
		if v := parameters.Get(name); v != nil {
			_ = reply.Add(name, v)
		}
	}
	if reply.Len() == 0 {
		return nil, mongoerr.New(mongoerr.InvalidOptions, "no option found to get")
	}
	return reply, nil
}

func hostInfo(context.Context, *Request) (*wirebson.Document, error) {
	host, _ := os.Hostname()
	return ok("system", wirebson.MustDocument("currentTime", time.Now().UTC(), "hostname", host, "cpuAddrSize", int32(64), "numCores", int32(runtime.NumCPU()), "cpuArch", runtime.GOARCH),
		"os", wirebson.MustDocument("type", runtime.GOOS, "name", runtime.GOOS, "version", ""), "extra", wirebson.MakeDocument(0))
}

func serverStatus(_ context.Context, r *Request) (*wirebson.Document, error) {
	host, _ := os.Hostname()
	up := time.Since(r.server.Started)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return ok("host", host, "version", mongoVersion, "process", "bsond", "pid", int64(os.Getpid()), "uptime", up.Seconds(), "uptimeMillis", up.Milliseconds(),
		"localTime", time.Now().UTC(), "storageEngine", wirebson.MustDocument("name", "postgresql", "supportsCommittedReads", true, "persistent", true),
		"mem", wirebson.MustDocument("bits", int32(64), "resident", int32(memory.Sys>>20)), "connections", wirebson.MustDocument("current", int32(r.server.Clients.Load()), "available", int32(1<<16)),
		"metrics", wirebson.MustDocument("cursor", wirebson.MustDocument("open", wirebson.MustDocument("total", int64(len(r.server.cursors.Of(nil)))))))
}

func getLog(_ context.Context, r *Request) (*wirebson.Document, error) {
	switch name := r.Doc.Get("getLog"); name {
	case "*":
		return ok("names", wirebson.MustArray("global", "startupWarnings"))
	case "global", "startupWarnings":
		return ok("totalLinesWritten", int32(0), "log", wirebson.MakeArray(0))
	default:
		return nil, mongoerr.New(96, "no log is called '%v'", name) // OperationFailed
	}
}

func listCommands(context.Context, *Request) (*wirebson.Document, error) {
	commands := wirebson.MakeDocument(len(handlers))
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		_ = commands.Add(name, wirebson.MustDocument("help", "", "requiresAuth", false))
	}
	return ok("commands", commands)
}

func whatsMyURI(_ context.Context, r *Request) (*wirebson.Document, error) {
	return ok("you", r.server.Address)
}

func getCmdLineOpts(context.Context, *Request) (*wirebson.Document, error) {
	return ok("argv", wirebson.MustArray("bsond"), "parsed", wirebson.MakeDocument(0))
}

func profile(context.Context, *Request) (*wirebson.Document, error) {
	return ok("was", int32(0), "slowms", int32(100), "sampleRate", float64(1))
}

// currentOp lists the commands that run now
func currentOp(_ context.Context, r *Request) (*wirebson.Document, error) {
	return ok("inprog", r.running())
}

// running are the commands that run now, of clients with the same role
func (r *Request) running() *wirebson.Array {
	list, all := wirebson.MakeArray(0), &r.server.operations
	all.mu.Lock()
	defer all.mu.Unlock()
	for number, op := range all.now {
		if op.pool != r.client.Pool {
			continue
		}
		_ = list.Add(wirebson.MustDocument("type", "op", "opid", int32(number), "connectionId", op.number, "active", true, "op", "command", "ns", op.command.DB+".$cmd",
			"command", wirebson.MustDocument(op.command.Name, int32(1), "$db", op.command.DB), "secs_running", int64(time.Since(op.began).Seconds()), "microsecs_running", time.Since(op.began).Microseconds()))
	}
	return list
}

// killOp cancels a command
func killOp(_ context.Context, r *Request) (*wirebson.Document, error) {
	all := &r.server.operations
	all.mu.Lock()
	defer all.mu.Unlock()
	if op, running := all.now[wire.Int(r.Doc, "op", 0)]; running && op.pool == r.client.Pool {
		op.cancel()
	}
	return ok("info", "attempting to kill op")
}

// endSessions ends the transactions of sessions
func endSessions(ctx context.Context, r *Request) (*wirebson.Document, error) {
	ids, _ := r.Doc.Get(r.Name).(wirebson.RawArray)
	if ids == nil || r.client.Pool == nil {
		return ok()
	}
	list, err := documents(ids, r.Name)
	if err != nil {
		return nil, err
	}
	for _, id := range list {
		_ = r.server.transactions.End(ctx, &r.server.cursors, r.client.Pool.Key(id), -1, "ROLLBACK")
	}
	return ok()
}

// end commits or rolls back the transaction of the client's session
func end(how string) handler {
	return func(ctx context.Context, r *Request) (*wirebson.Document, error) {
		id, number := r.session()
		err := r.server.transactions.End(ctx, &r.server.cursors, id, number, how)
		if err == nil || how != "COMMIT" || !r.server.PG.Once || mongoerr.Of(err).Code != mongoerr.NoSuchTransaction {
			return done(err)
		}
		// the client may ask again, of another daemon or after PostgreSQL has ended the connection
		c, failed := r.client.Pool.Acquire(ctx)
		if failed != nil {
			return nil, failed
		}
		defer func() { c.Release(ctx.Err() != nil) }()
		if committed, failed := c.Committed(ctx, wire.Document(r.Doc, "lsid"), number); committed || failed != nil {
			err = failed
		}
		return done(err)
	}
}

func postgresError(err error) *pgconn.PgError {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg
	}
	return &pgconn.PgError{}
}
