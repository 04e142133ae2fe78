package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bson.example/bsond/wire"
	"github.com/jackc/pgx/v5/pgconn"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// The work of bench/start wire: the same by bsond and by FerretDB, through MongoDB's driver, and by prepared statements of SQL.
// Time is the processor's of the daemon and of PostgreSQL, without the client's, and the clock's.

const (
	documents = 20000
	bulk      = 100000
)

// side is one of the competitors
type side struct {
	name   string
	daemon int // its process; 0: none
	mongo  *mongo.Database
	sql    *pgconn.PgConn
	all    []*side // for work of many at once, that of SQL with connections of their own
	next   int     // number of the next document that it inserts
}

type task struct {
	name    string
	mongo   func(context.Context, *side, *rand.Rand) error
	sql     func(context.Context, *side, *rand.Rand) error
	once    bool // a round is one call
	clients int  // at once; 0 is one
}

const many = 16

// atOnce is the same work by many clients
func atOnce(t task) task {
	t.name, t.clients = fmt.Sprintf("%s, %d clients", t.name, many), many
	return t
}

// round does the work for a while, and tells how often
func (t *task) round(ctx context.Context, s *side, seed int64) (n float64, err error) {
	run, began, done := t.mongo, time.Now(), make(chan error)
	if s.mongo == nil {
		run = t.sql
	}
	var calls atomic.Int64
	clients := max(1, t.clients)
	for i := range clients {
		go func() {
			r := rand.New(rand.NewSource(seed + int64(i)*1000))
			err := run(ctx, s.all[i], r)
			for calls.Add(1); err == nil && !t.once && time.Since(began) < 400*time.Millisecond; calls.Add(1) {
				err = run(ctx, s.all[i], r)
			}
			done <- err
		}()
	}
	for range clients {
		err = errors.Join(err, <-done)
	}
	return float64(calls.Load()), err
}

func key(n int) string { return fmt.Sprintf("user%012d", n) }

func zipf(r *rand.Rand) int {
	return int(rand.NewZipf(r, 1.1, 10, documents-1).Uint64() * 7919 % documents)
}

func filling(r *rand.Rand) string {
	b := make([]byte, 100)
	for i := range b {
		b[i] = byte(' ' + r.Intn(95))
	}
	return string(b)
}

func document(n int, r *rand.Rand) bson.D {
	d := bson.D{{Key: "_id", Value: key(n)}}
	for i := range 10 {
		d = append(d, bson.E{Key: "field" + strconv.Itoa(i), Value: filling(r)})
	}
	return d
}

func item(n int) bson.D {
	return bson.D{{Key: "_id", Value: n}, {Key: "k", Value: n * 7919 % documents}, {Key: "plain", Value: n * 7907 % documents}, {Key: "group", Value: "group " + strconv.Itoa(n%50)},
		{Key: "price", Value: float64(n%1000) / 4}, {Key: "tags", Value: bson.A{"red", "blue"}}, {Key: "address", Value: bson.D{{Key: "city", Value: "city " + strconv.Itoa(n%100)}, {Key: "zip", Value: n % 1000}}}}
}

func found(ctx context.Context, cursor *mongo.Cursor, err error) error {
	if err != nil {
		return err
	}
	var all []bson.Raw
	return cursor.All(ctx, &all)
}

func (s *side) read(ctx context.Context, n int) error {
	_, err := s.mongo.Collection("usertable").FindOne(ctx, bson.D{{Key: "_id", Value: key(n)}}).Raw()
	return err
}

func (s *side) update(ctx context.Context, n int, r *rand.Rand) error {
	_, err := s.mongo.Collection("usertable").UpdateOne(ctx, bson.D{{Key: "_id", Value: key(n)}}, change(r))
	return err
}

func change(r *rand.Rand) bson.D {
	return bson.D{{Key: "$set", Value: bson.D{{Key: "field" + strconv.Itoa(r.Intn(10)), Value: filling(r)}}}}
}

func (s *side) insert(ctx context.Context, r *rand.Rand) error {
	s.next++
	_, err := s.mongo.Collection("usertable").InsertOne(ctx, document(s.next, r))
	return err
}

func (s *side) scan(ctx context.Context, n, count int) error {
	cursor, err := s.mongo.Collection("usertable").Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: key(n)}}}}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(int64(count)))
	return found(ctx, cursor, err)
}

// The statements, which are prepared
var statements = map[string]string{
	"read":      "SELECT data FROM wire.usertable WHERE data -> '_id' = $1",
	"update":    "UPDATE wire.usertable SET data = bson_update(data, $2) WHERE data -> '_id' = $1",
	"insert":    "INSERT INTO wire.usertable VALUES ($1::bson)",
	"scan":      "SELECT data FROM wire.usertable WHERE data -> '_id' >= $1 ORDER BY data -> '_id' LIMIT $2::text::int",
	"id":        "SELECT data FROM wire.item WHERE data -> '_id' = $1",
	"indexed":   "SELECT data FROM wire.item WHERE data -> 'k' = $1",
	"plain":     "SELECT data FROM wire.item WHERE data -> 'plain' = $1",
	"range":     "SELECT data FROM wire.item WHERE data -> 'k' >= $1 ORDER BY data -> 'k' LIMIT 50",
	"count":     "SELECT count(*) FROM wire.item WHERE data -> 'group' = $1",
	"aggregate": "SELECT bson_build_object('_id', data -> 'group', 'sum', sum(data -> 'price'), 'n', count(*)) FROM wire.item GROUP BY data -> 'group'",
	"distinct":  "SELECT DISTINCT data -> 'group' FROM wire.item",
}

func (s *side) run(ctx context.Context, statement string, args ...[]byte) error {
	formats := make([]int16, len(args))
	for i := range args {
		formats[i] = 1
		if statement == "scan" && i == 1 {
			formats[i] = 0
		}
	}
	return s.sql.ExecPrepared(ctx, statement, args, formats, []int16{1}).Read().Err
}

func encoded(d any) []byte {
	b, err := bson.Marshal(d)
	if err != nil {
		panic(err)
	}
	return b
}

func (s *side) sqlRead(ctx context.Context, n int) error {
	return s.run(ctx, "read", wire.Root(key(n)))
}

func (s *side) sqlUpdate(ctx context.Context, n int, r *rand.Rand) error {
	return s.run(ctx, "update", wire.Root(key(n)), encoded(change(r)))
}

func (s *side) sqlInsert(ctx context.Context, r *rand.Rand) error {
	s.next++
	return s.run(ctx, "insert", encoded(document(s.next, r)))
}

func ycsb(name string, reads float64, other func(ctx context.Context, s *side, r *rand.Rand, sql bool) error, scans bool) task {
	do := func(sql bool) func(ctx context.Context, s *side, r *rand.Rand) error {
		return func(ctx context.Context, s *side, r *rand.Rand) error {
			if r.Float64() >= reads {
				return other(ctx, s, r, sql)
			}
			n, count := zipf(r), 1+r.Intn(100)
			switch {
			case scans && sql:
				return s.run(ctx, "scan", wire.Root(key(n)), []byte(strconv.Itoa(count)))
			case scans:
				return s.scan(ctx, n, count)
			case sql:
				return s.sqlRead(ctx, n)
			}
			return s.read(ctx, n)
		}
	}
	return task{name: name, mongo: do(false), sql: do(true)}
}

func updates(ctx context.Context, s *side, r *rand.Rand, sql bool) error {
	if sql {
		return s.sqlUpdate(ctx, zipf(r), r)
	}
	return s.update(ctx, zipf(r), r)
}

func inserts(ctx context.Context, s *side, r *rand.Rand, sql bool) error {
	if sql {
		return s.sqlInsert(ctx, r)
	}
	return s.insert(ctx, r)
}

func modifies(ctx context.Context, s *side, r *rand.Rand, sql bool) error {
	n := zipf(r)
	if sql {
		if err := s.sqlRead(ctx, n); err != nil {
			return err
		}
		return s.sqlUpdate(ctx, n, r)
	}
	if err := s.read(ctx, n); err != nil {
		return err
	}
	return s.update(ctx, n, r)
}

// by is a find of a field's value, and its statement of the same name
func by(name, statement, field string, options ...options.Lister[options.FindOptions]) task {
	return task{name: name, mongo: func(ctx context.Context, s *side, r *rand.Rand) error {
		cursor, err := s.mongo.Collection("item").Find(ctx, bson.D{{Key: field, Value: r.Intn(documents)}}, options...)
		return found(ctx, cursor, err)
	}, sql: func(ctx context.Context, s *side, r *rand.Rand) error {
		return s.run(ctx, statement, wire.Root(int32(r.Intn(documents))))
	}}
}

var tasks = []task{
	ycsb("YCSB A: 50 % reads, 50 % updates", 0.5, updates, false),
	ycsb("YCSB B: 95 % reads, 5 % updates", 0.95, updates, false),
	ycsb("YCSB C: reads", 1, nil, false),
	ycsb("YCSB D: 95 % reads, 5 % inserts", 0.95, inserts, false),
	ycsb("YCSB E: 95 % scans, 5 % inserts", 0.95, inserts, true),
	ycsb("YCSB F: 50 % reads, 50 % read and update", 0.5, modifies, false),
	ycsb("update by `_id`", 0, updates, false),
	by("find by `_id`", "id", "_id"),
	atOnce(by("find by `_id`", "id", "_id")),
	atOnce(ycsb("update by `_id`", 0, updates, false)),
	by("find by a field with an index", "indexed", "k"),
	by("find by a field without", "plain", "plain"),
	{name: "range, sort, limit 50", mongo: func(ctx context.Context, s *side, r *rand.Rand) error {
		cursor, err := s.mongo.Collection("item").Find(ctx, bson.D{{Key: "k", Value: bson.D{{Key: "$gte", Value: r.Intn(documents)}}}}, options.Find().SetSort(bson.D{{Key: "k", Value: 1}}).SetLimit(50))
		return found(ctx, cursor, err)
	}, sql: func(ctx context.Context, s *side, r *rand.Rand) error {
		return s.run(ctx, "range", wire.Root(int32(r.Intn(documents))))
	}},
	{name: "count", mongo: func(ctx context.Context, s *side, r *rand.Rand) error {
		_, err := s.mongo.Collection("item").CountDocuments(ctx, bson.D{{Key: "group", Value: "group " + strconv.Itoa(r.Intn(50))}})
		return err
	}, sql: func(ctx context.Context, s *side, r *rand.Rand) error {
		return s.run(ctx, "count", wire.Root("group "+strconv.Itoa(r.Intn(50))))
	}},
	{name: "aggregate, `$group`", mongo: func(ctx context.Context, s *side, r *rand.Rand) error {
		cursor, err := s.mongo.Collection("item").Aggregate(ctx, bson.A{bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: "$group"}, {Key: "sum", Value: bson.D{{Key: "$sum", Value: "$price"}}}, {Key: "n", Value: bson.D{{Key: "$sum", Value: 1}}}}}}})
		return found(ctx, cursor, err)
	}, sql: func(ctx context.Context, s *side, r *rand.Rand) error { return s.run(ctx, "aggregate") }},
	{name: "distinct", mongo: func(ctx context.Context, s *side, r *rand.Rand) error {
		var values []string
		return s.mongo.Collection("item").Distinct(ctx, "group", bson.D{}).Decode(&values)
	}, sql: func(ctx context.Context, s *side, r *rand.Rand) error { return s.run(ctx, "distinct") }},
	{name: "bulk insert of 100,000", once: true, mongo: func(ctx context.Context, s *side, r *rand.Rand) error {
		_, err := s.mongo.Collection("bulk").InsertMany(ctx, bulkDocuments)
		return err
	}, sql: func(ctx context.Context, s *side, r *rand.Rand) error {
		_, err := s.sql.CopyFrom(ctx, bytes.NewReader(bulkCopy), "COPY wire.bulk (data) FROM STDIN (FORMAT binary)")
		return err
	}},
}

var (
	bulkDocuments []any
	bulkCopy      []byte
)

// used is the processor time of these processes, in nanoseconds
func used(processes ...int) (sum float64) {
	for _, process := range processes {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", process))
		for _, thread := range threads {
			b, _ := os.ReadFile(thread)
			n, _ := strconv.ParseFloat(strings.SplitN(string(b), " ", 2)[0], 64)
			sum += n
		}
	}
	return sum
}

// children are the processes of PostgreSQL, with the postmaster
func children(postmaster int) []int {
	list := []int{postmaster}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", postmaster))
	for _, thread := range threads {
		b, _ := os.ReadFile(thread)
		for _, s := range strings.Fields(string(b)) {
			n, _ := strconv.Atoi(s)
			list = append(list, n)
		}
	}
	return list
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// launch starts one, and connects MongoDB's driver to it
func launch(t *testing.T, name string, arguments func(address string) []string) *side {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	all := arguments(address)
	process := exec.Command(all[0], all[1:]...)
	log, _ := os.Create(filepath.Join(t.TempDir(), "log"))
	process.Stderr, process.Stdout, process.Dir = log, log, t.TempDir()
	if err = process.Start(); err != nil {
		t.Fatal(err)
	}
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + address).SetServerSelectionTimeout(30 * time.Second).SetTimeout(5 * time.Minute).SetRetryWrites(true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Disconnect(context.Background())
		_ = process.Process.Kill()
		_ = process.Wait()
		if b, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Log(string(b))
		}
	})
	s := &side{name: name, daemon: process.Process.Pid, mongo: client.Database("wire"), next: documents * 10}
	s.all = slices.Repeat([]*side{s}, many)
	return s
}

func fill(t *testing.T, s *side) {
	ctx := context.Background()
	if err := s.mongo.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		name string
		make func(int) bson.D
	}{{"usertable", func(n int) bson.D { return document(n, r) }}, {"item", item}} {
		for n := 0; n < documents; n += 1000 {
			var list []any
			for i := range 1000 {
				list = append(list, c.make(n+i))
			}
			if _, err := s.mongo.Collection(c.name).InsertMany(ctx, list); err != nil {
				t.Fatal(s.name, err)
			}
		}
	}
	if _, err := s.mongo.Collection("item").Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "k", Value: 1}}}); err != nil {
		t.Fatal(s.name, err)
	}
}

func TestBench(t *testing.T) {
	postgres := os.Getenv("WIRE_POSTGRES")
	if postgres == "" {
		t.Skip("bench/start wire runs this")
	}
	ctx := context.Background()
	rounds, _ := strconv.Atoi(os.Getenv("WIRE_ROUNDS"))
	only := os.Getenv("WIRE_ONLY")
	for n := range bulk {
		bulkDocuments = append(bulkDocuments, bson.Raw(encoded(item(n)))) // as bytes, as COPY has them
	}
	bulkCopy = append([]byte("PGCOPY\n\xff\r\n\x00"), make([]byte, 8)...)
	for _, d := range bulkDocuments {
		b := d.(bson.Raw)
		bulkCopy = append(binary.BigEndian.AppendUint32(append(bulkCopy, 0, 1), uint32(len(b))), b...)
	}
	bulkCopy = append(bulkCopy, 0xff, 0xff)

	sides := []*side{launch(t, "bsond", func(address string) []string {
		return []string{os.Getenv("WIRE_BSOND"), "--postgres", postgres, "--listen", address, "--expire", "0"}
	})}
	bySQL := &side{name: "SQL", next: documents * 100}
	for range many {
		sql, err := pgconn.Connect(ctx, postgres)
		if err != nil {
			t.Fatal(err)
		}
		bySQL.all = append(bySQL.all, &side{sql: sql, next: documents * 100})
	}
	sql := bySQL.all[0].sql
	sides = append(sides, bySQL)
	if ferret := os.Getenv("WIRE_FERRETDB"); ferret != "" {
		sides = append(sides, launch(t, "FerretDB", func(address string) []string {
			return []string{ferret, "--listen-addr", address, "--postgresql-url", os.Getenv("WIRE_FERRETDB_POSTGRES"), "--state-dir", t.TempDir(), "--telemetry", "disable", "--debug-addr", "-", "--log-level", "error"}
		}))
	}
	for _, s := range sides {
		if s.mongo != nil {
			fill(t, s)
		}
	}
	for _, statement := range []string{"VACUUM ANALYZE", "CREATE SCHEMA IF NOT EXISTS wire"} {
		if _, err := sql.Exec(ctx, statement).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	for name, statement := range statements {
		for _, each := range bySQL.all {
			if _, err := each.sql.Prepare(ctx, name, statement, nil); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	row := sql.ExecParams(ctx, "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)", nil, nil, nil, nil).Read()
	if row.Err != nil {
		t.Fatal(row.Err)
	}
	postmaster, _ := strconv.Atoi(string(row.Rows[0][0]))

	fmt.Println("| work | bsond, µs of processor time | of it the daemon | SQL | FerretDB | SQL / bsond | FerretDB / bsond | by the clock: bsond, µs | SQL / bsond | FerretDB / bsond |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	var product, count float64
	for _, work := range tasks {
		if only != "" && !strings.Contains(work.name, only) {
			continue
		}
		times, clocks, shares := map[string][]float64{}, map[string][]float64{}, []float64{}
		for round := range rounds + 1 {
			for _, s := range sides {
				if work.once {
					var err error
					if s.mongo != nil {
						_ = s.mongo.Collection("bulk").Drop(ctx)
						_, err = s.mongo.Collection("bulk").InsertOne(ctx, bson.D{{Key: "_id", Value: -1}})
					} else {
						_, err = sql.Exec(ctx, "TRUNCATE wire.bulk").ReadAll()
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				backends := children(postmaster)
				before := map[int]float64{}
				for _, each := range backends {
					before[each] = used(each)
				}
				own, all, began := used(s.daemon), 0.0, time.Now()
				n, err := work.round(ctx, s, int64(round))
				if err != nil && s.name == "FerretDB" {
					t.Log(s.name, work.name, err)
					continue
				} else if err != nil {
					t.Fatal(s.name, work.name, err)
				}
				clock := time.Since(began)
				own = used(s.daemon) - own
				for each, then := range before {
					all += max(0, used(each)-then) // one that has ended has none
				}
				if round == 0 {
					continue // plans, and statements that are prepared
				}
				times[s.name] = append(times[s.name], (own+all)/n/1000)
				clocks[s.name] = append(clocks[s.name], float64(clock.Nanoseconds())/n/1000)
				if s.name == "bsond" {
					shares = append(shares, own/(own+all))
				}
			}
		}
		b, q, f := median(times["bsond"]), median(times["SQL"]), median(times["FerretDB"])
		cb, cq, cf := median(clocks["bsond"]), median(clocks["SQL"]), median(clocks["FerretDB"])
		fmt.Printf("| %s | %.1f | %.0f %% | %.1f | %.1f | %.2f | %.2f | %.1f | %.2f | %.2f |\n", work.name, b, 100*median(shares), q, f, q/b, f/b, cb, cq/cb, cf/cb)
		if !math.IsNaN(f) {
			product, count = product+math.Log(f/b), count+1
		}
	}
	fmt.Printf("\nFerretDB / bsond by processor time, geometric mean: %.1f\n", math.Exp(product/count))
	idle(t, sides[0])
}

// idle measures what a connection costs the daemon that does nothing
func idle(t *testing.T, s *side) {
	memory := func() float64 {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.daemon))
		pages, _ := strconv.ParseFloat(strings.Fields(string(b))[1], 64)
		return pages * float64(os.Getpagesize())
	}
	address := s.mongo.RunCommand(context.Background(), bson.D{{Key: "whatsmyuri", Value: 1}})
	var reply struct{ You string }
	if err := address.Decode(&reply); err != nil {
		t.Fatal(err)
	}
	before := memory()
	const n = 500
	for range n {
		conn, err := net.Dial("tcp", reply.You)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		message := append(binary.LittleEndian.AppendUint32(nil, 0), 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0, 0)
		message = append(message, encoded(bson.D{{Key: "ping", Value: 1}, {Key: "$db", Value: "admin"}})...)
		binary.LittleEndian.PutUint32(message, uint32(len(message)))
		if _, err = conn.Write(message); err != nil {
			t.Fatal(err)
		}
		if _, err = conn.Read(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("an idle connection: %.0f kB\n", (memory()-before)/n/1000)
}
