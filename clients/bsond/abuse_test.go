package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// message is a command as it is on the wire
func message(t testing.TB, command bson.D) []byte {
	t.Helper()
	document, err := bson.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(21+len(document)))
	b = append(b, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 0x07, 0, 0, 0, 0, 0, 0, 0)
	return append(b, document...)
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	for range 100 { // bsond may be starting
		if err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
		conn, err = net.Dial("tcp", address)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

// closed tells whether bsond ends the connection
func closed(conn net.Conn) bool {
	_, err := io.Copy(io.Discard, conn)
	if timeout, is := err.(net.Error); is {
		return !timeout.Timeout()
	}
	return true
}

// Clients that send nonsense, too much, or half of it, cost nobody else anything.
func TestAbuse(t *testing.T) {
	address := begin(t, settings{memory: 600})
	ctx := context.Background()
	db := connect(t, "mongodb://"+address).Database("go_test")
	if err := db.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	hello := message(t, bson.D{{Key: "ping", Value: 1}, {Key: "$db", Value: "admin"}})
	size := func(n uint32) []byte { return append(binary.LittleEndian.AppendUint32(nil, n), hello[4:]...) }
	for what, bytes := range map[string][]byte{
		"a length of zero": size(0), "a negative length": size(1 << 31), "a length of 2 GB": size(1<<31 - 1), "a length of 49 MB": size(49 << 20), "a length of the header": size(16),
		"HTTP": []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "TLS": {0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3}, "an unknown kind": append(append([]byte{}, hello[:12]...), append([]byte{9, 9, 9, 9}, hello[16:]...)...),
		"a document of no end": append(append([]byte{}, hello[:21]...), append([]byte{255, 255, 255, 127}, hello[25:]...)...),
	} {
		conn := dial(t, address)
		if _, err := conn.Write(bytes); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		if !closed(conn) {
			t.Errorf("%s: the connection stays open", what)
		}
	}
	// half a message, and nothing more, from many
	var half []net.Conn
	for range 50 {
		conn := dial(t, address)
		if _, err := conn.Write(size(1000)[:40]); err != nil {
			t.Fatal(err)
		}
		half = append(half, conn)
	}
	// as long a message as drivers send
	var documents []any
	for i := range 3 {
		documents = append(documents, bson.M{"_id": i, "text": strings.Repeat("x", 15<<20)})
	}
	if _, err := db.Collection("large").InsertMany(ctx, documents); err != nil {
		t.Fatal(err)
	}
	// clients that ask for all of it, and do not read
	for range 8 {
		conn := dial(t, address)
		if _, err := conn.Write(message(t, bson.D{{Key: "find", Value: "large"}, {Key: "$db", Value: "go_test"}})); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Second)
	for range 20 {
		if err := db.RunCommand(ctx, bson.D{{Key: "count", Value: "none"}}).Err(); err != nil {
			t.Fatalf("beside them: %v", err)
		}
	}
	for _, conn := range half {
		conn.Close()
	}
}

// Two thousand connections are answered, and one that is idle takes little memory.
func TestManyConnections(t *testing.T) {
	const most = 2000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Max < 2*most+100 {
		t.Skip("the system allows too few files")
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	address := begin(t, settings{})
	ping := message(t, bson.D{{Key: "ping", Value: 1}, {Key: "$db", Value: "admin"}})
	used := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse + m.StackInuse)
	}
	before := used()
	var all []net.Conn
	for range most {
		all = append(all, dial(t, address))
	}
	for _, conn := range all {
		if _, err := conn.Write(ping); err != nil {
			t.Fatal(err)
		}
	}
	for i, conn := range all {
		var head [4]byte
		_, err := io.ReadFull(conn, head[:])
		if err == nil {
			_, err = io.CopyN(io.Discard, conn, int64(binary.LittleEndian.Uint32(head[:])-4))
		}
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
	}
	each := (used() - before) / most
	t.Logf("%d bytes for a connection, with its client", each)
	if each > 100<<10 {
		t.Errorf("a connection takes %d bytes", each)
	}
}

// When it is to end, bsond lets a command that runs end, and starts no other. It waits for no client that does not take its answer.
func TestDrain(t *testing.T) {
	before := drain
	defer func() { drain = before }()
	drain = 4 * time.Second
	ctx, stop := context.WithCancel(context.Background())
	s := settings{postgres: postgresOf(t), listen: "127.0.0.1:0", connections: 5, memory: 64, files: 64, transactions: time.Minute, level: "error"}
	socket := fmt.Sprintf("%s/socket", t.TempDir())
	s.listen = socket
	// one that was killed has left this
	left, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, &s) }()
	var conn net.Conn
	for range 100 {
		if conn, err = net.Dial("unix", socket); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	idle, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	deaf, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	_, _ = sql(t, "SELECT 1").Exec(context.Background(), "CREATE SCHEMA IF NOT EXISTS go_test; DROP VIEW IF EXISTS go_test.slow; CREATE VIEW go_test.slow AS SELECT '{}'::bson AS data FROM pg_sleep(2); "+
		"DROP VIEW IF EXISTS go_test.long; CREATE VIEW go_test.long AS SELECT bson_build_object('x', repeat('x', 10000000)) AS data")
	if _, err = deaf.Write(message(t, bson.D{{Key: "find", Value: "long"}, {Key: "$db", Value: "go_test"}})); err != nil {
		t.Fatal(err)
	}
	if _, err = conn.Write(message(t, bson.D{{Key: "find", Value: "slow"}, {Key: "$db", Value: "go_test"}})); err != nil {
		t.Fatal(err)
	}
	admin := sql(t)
	for range 100 {
		if text(t, admin, "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != "0" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	reply, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(reply), "firstBatch") {
		t.Errorf("a command that runs has the answer %q, %v", reply, err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(drain + 5*time.Second):
		t.Error("a client that does not take its answer keeps bsond from its end")
	}
}

func postgresOf(t testing.TB) string {
	t.Helper()
	postgres := os.Getenv("BSOND_TEST_POSTGRES")
	if postgres == "" {
		t.Skip("BSOND_TEST_POSTGRES names no server")
	}
	return postgres
}

// Statements of long filters, projections and pipelines are not remembered, as there can be any number of them.
func TestLongFilters(t *testing.T) {
	db, ctx := start(t), context.Background()
	heap := func() uint64 {
		var memory runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc >> 20
	}
	if _, err := db.Collection("item").InsertOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	before := heap()
	for i := range 40 {
		long := bson.M{"$expr": bson.M{"$eq": bson.A{"$a", fmt.Sprint(i, strings.Repeat("x", 1<<20))}}}
		if err := db.Collection("item").FindOne(ctx, long).Err(); err != mongo.ErrNoDocuments {
			t.Fatal(err)
		}
		if n, err := db.Collection("item").CountDocuments(ctx, long); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		text := fmt.Sprint(i, strings.Repeat("x", 1<<20))
		if err := errors.Join(db.Collection("item").FindOne(ctx, bson.M{}, options.FindOne().SetProjection(bson.M{"x": text})).Err(), db.Collection("item").Distinct(ctx, text, bson.M{}).Err()); err != nil {
			t.Fatal(err)
		}
	}
	// nor are those of collations
	for i := range 40 {
		spec := bson.D{{Key: "locale", Value: "en"}, {Key: "strength", Value: 1 + i%3}}
		for range 60000 + i {
			spec = append(spec, spec[0])
		}
		if err := db.RunCommand(ctx, bson.D{{Key: "find", Value: "item"}, {Key: "collation", Value: spec}}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if after := heap(); after > before+40 {
		t.Errorf("%d MB, and %d before", after, before)
	}
}

// Rows of cursors that nobody reads take no more of the disk than they may, and none of memory, also where each is large: the cursor
// that was used the longest time ago ends.
func TestUnread(t *testing.T) {
	db, ctx := connect(t, "mongodb://"+begin(t, settings{connections: 2, files: 24})).Database("go_test"), context.Background()
	if err := db.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	items := db.Collection("item")
	for id := range 6 {
		if _, err := items.InsertOne(ctx, bson.M{"_id": id, "text": strings.Repeat("x", 3<<20)}); err != nil {
			t.Fatal(err)
		}
	}
	// each has 15 MB to come, and two have a connection
	var cursors []*mongo.Cursor
	for range 5 {
		cursor, err := items.Find(ctx, bson.M{}, options.Find().SetBatchSize(1).SetSort(bson.M{"_id": 1}))
		if err != nil {
			t.Fatal(err)
		}
		cursors = append(cursors, cursor)
	}
	for n, cursor := range cursors {
		err := cursor.All(ctx, &[]bson.Raw{})
		if want := map[bool]int32{true: 146}[n == 1 || n == 2]; err != nil && code(err) != want || err == nil && want != 0 {
			t.Error(n, err)
		}
	}
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	// in a transaction, they are read before they are asked for
	two := func(second bson.M) error {
		_, err := session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
			if _, err := items.Find(ctx, bson.M{}, options.Find().SetBatchSize(1)); err != nil {
				return nil, err
			}
			return items.Find(ctx, second, options.Find().SetBatchSize(1))
		})
		return err
	}
	for range 3 {
		if err := two(bson.M{"_id": 1}); err != nil {
			t.Error(err)
		}
	}
	if err := two(bson.M{}); code(err) != 146 {
		t.Error(err)
	}
}
