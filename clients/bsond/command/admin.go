package command

import (
	"cmp"
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
)

// What bsond says of itself: the version of MongoDB whose languages the extension speaks.
const mongoVersion = "8.0.0"

// hello says that this is a router: then drivers use sessions and transactions, and ask for no other servers. Or it is the only member
// of a replica set, for clients that look for one; its address is that by which the client came, if it has no other.
func hello(r *Request) *wirebson.Document {
	primary, role := "isWritablePrimary", []any{"msg", "isdbgrid"}
	if r.Name != "hello" {
		primary = "ismaster"
	}
	now := time.Now().UTC()
	if name := r.server.ReplicaSet; name != "" {
		host := cmp.Or(r.server.Host, r.client.Address)
		role = []any{"setName", name, "setVersion", int32(1), "secondary", false, "hosts", array(host), "primary", host, "me", host,
			"lastWrite", doc("lastWriteDate", now, "majorityWriteDate", now)}
	}
	reply := doc(append([]any{primary, true, "helloOk", true, "maxBsonObjectSize", int32(maxDocument), "maxMessageSizeBytes", int32(48_000_000), "maxWriteBatchSize", int32(100_000),
		"localTime", now, "logicalSessionTimeoutMinutes", int32(30), "connectionId", int32(r.client.Number), "minWireVersion", int32(0), "maxWireVersion", int32(25), "readOnly", false}, role...)...)
	r.speculate(reply)
	return reply
}

// commandLine says what it is to programs that look for a replica set in the arguments
func commandLine(r *Request) *wirebson.Document {
	if name := r.server.ReplicaSet; name != "" {
		return doc("argv", array("bsond", "--replSet", name), "parsed", doc("replication", doc("replSet", name)))
	}
	return doc("argv", array("bsond"), "parsed", doc())
}

func buildInfo(*Request) *wirebson.Document {
	return doc("version", mongoVersion, "versionArray", array(int32(8), int32(0), int32(0), int32(0)), "gitVersion", "bsond", "modules", array[any](),
		"sysInfo", "bsond", "bits", int32(64), "debug", false, "maxBsonObjectSize", int32(maxDocument), "storageEngines", array("postgresql"))
}

// getParameter answers for those parameters that programs ask for
func getParameter(r *Request) *wirebson.Document {
	parameters := doc("featureCompatibilityVersion", doc("version", "8.0"), "authenticationMechanisms", array("SCRAM-SHA-256"),
		"transactionLifetimeLimitSeconds", int32(r.server.Lifetime/time.Second), "quiet", false, "enableTestCommands", int32(0))
	if r.Get("getParameter") == "*" {
		return parameters
	}
	reply := doc()
	for name := range r.Fields() {
		if v := parameters.Get(name); v != nil {
			set(reply, name, v)
		}
	}
	if reply.Len() == 0 {
		fail(mongoerr.InvalidOptions, "no option found to get")
	}
	return reply
}

func hostInfo(*Request) *wirebson.Document {
	host, _ := os.Hostname()
	return doc("system", doc("currentTime", time.Now().UTC(), "hostname", host, "cpuAddrSize", int32(64), "numCores", int32(runtime.NumCPU()), "cpuArch", runtime.GOARCH),
		"os", doc("type", runtime.GOOS, "name", runtime.GOOS, "version", ""), "extra", doc())
}

// counted are the names of commands in "opcounters", where all others are one
var counted = map[string]string{"insert": "insert", "find": "query", "update": "update", "delete": "delete", "getMore": "getmore"}

func serverStatus(r *Request) *wirebson.Document {
	host, _ := os.Hostname()
	up := time.Since(r.server.Started)
	// commands: MongoDB counts documents of "insert", and statements of "update" and "delete"
	counters, others, all := doc(), int64(0), int64(0)
	for name, t := range tallies {
		n := int64(t.count.Get())
		all += n
		if as := counted[name]; as != "" {
			set(counters, as, n)
		} else {
			others += n
		}
	}
	set(counters, "command", others)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return doc("host", host, "version", mongoVersion, "process", "bsond", "pid", int64(os.Getpid()), "uptime", up.Truncate(time.Second).Seconds(), "uptimeMillis", up.Milliseconds(),
		"localTime", time.Now().UTC(), "storageEngine", doc("name", "postgresql", "supportsCommittedReads", true, "persistent", true),
		"mem", doc("bits", int32(64), "resident", int32(memory.Sys>>20)), "connections", doc("current", int32(r.server.Clients.Load()), "available", int32(1<<16)), "opcounters", counters,
		"network", doc("bytesIn", r.server.In.Load(), "bytesOut", r.server.Out.Load(), "numRequests", all),
		"metrics", doc("cursor", doc("open", doc("total", int64(r.server.cursors.Open())))))
}

func getLog(r *Request) *wirebson.Document {
	switch name := r.Get("getLog"); name {
	case "*":
		return doc("names", array("global", "startupWarnings"))
	case "global", "startupWarnings":
		return doc("totalLinesWritten", int32(0), "log", array[any]())
	default:
		fail(96, "no log is called '%v'", name) // OperationFailed
		return nil
	}
}

func listCommands(*Request) *wirebson.Document {
	list := doc()
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		set(list, name, doc("help", "", "requiresAuth", commands[name].needs&public == 0))
	}
	return doc("commands", list)
}

func whatsMyURI(r *Request) *wirebson.Document { return doc("you", r.server.Address) }

func currentOp(r *Request) *wirebson.Document { return doc("inprog", r.running()) }

// running are the commands that run now, of clients with the same role
func (r *Request) running() *wirebson.Array {
	list := array[any]()
	r.server.each(func(client int64, op operation, _ context.CancelFunc) {
		if op.pool == r.client.Pool {
			_ = list.Add(doc("type", "op", "opid", int32(op.number), "connectionId", client, "active", true, "op", "command", "ns", op.command.DB+".$cmd", "command", doc(op.command.Name, int32(1), "$db", op.command.DB),
				"secs_running", int64(time.Since(op.began).Seconds()), "microsecs_running", time.Since(op.began).Microseconds()))
		}
	})
	return list
}

// killOp cancels a command
func killOp(r *Request) *wirebson.Document {
	number := r.Int("op", 0)
	r.server.each(func(_ int64, op operation, cancel context.CancelFunc) {
		if op.number == number && op.pool == r.client.Pool {
			cancel()
		}
	})
	return doc("info", "attempting to kill op")
}

// consistent lists what shards would not agree on: nothing
func consistent(r *Request) *wirebson.Document {
	return doc("cursor", doc("firstBatch", array[any](), "id", int64(0), "ns", r.DB+".$cmd.aggregate"))
}

// endSessions ends the transactions of sessions
func endSessions(r *Request) *wirebson.Document {
	if r.client.Pool != nil {
		for _, id := range r.Objs(r.Name) {
			_ = r.server.transactions.End(r.ctx, &r.server.cursors, r.client.Pool.Key(id), -1, "ROLLBACK")
		}
	}
	return doc()
}

// killAllSessions ends the transactions of all sessions with the client's role
func killAllSessions(r *Request) *wirebson.Document {
	r.server.transactions.Close(&r.server.cursors, r.client.Pool.Key(nil))
	return doc()
}

func abort(r *Request) *wirebson.Document {
	id, number := r.session()
	check(r.server.transactions.End(r.ctx, &r.server.cursors, id, number, "ROLLBACK"))
	return doc()
}

func commit(r *Request) *wirebson.Document {
	id, number := r.session()
	err := r.server.transactions.End(r.ctx, &r.server.cursors, id, number, "COMMIT")
	if err == nil || !r.server.PG.Once || mongoerr.Of(err).Code != mongoerr.NoSuchTransaction {
		check(err)
		return doc()
	}
	// the client may ask again, of another daemon or after PostgreSQL has ended the connection
	c := must(r.client.Pool.Acquire(r.ctx))
	defer func() { c.Release(r.ctx.Err() != nil) }()
	if !must(c.Committed(r.ctx, r.Obj("lsid"), number)) {
		throw(err)
	}
	return doc()
}
