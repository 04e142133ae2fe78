package main

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/FerretDB/wire"
	"github.com/FerretDB/wire/wirebson"
	"github.com/FerretDB/wire/wireclient"
	"github.com/jackc/pgx/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// cutter passes bytes between clients and bsond, and cuts each line after some time
func cutter(t *testing.T, address string, most time.Duration, cuts *atomic.Int64) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", address)
			if err != nil {
				from.Close()
				continue
			}
			end := func() { from.Close(); to.Close() }
			go func() { _, _ = io.Copy(to, from); end() }()
			go func() { _, _ = io.Copy(from, to); end() }()
			time.AfterFunc(time.Duration(rand.Int64N(int64(most))), func() { cuts.Add(1); end() })
		}
	}()
	return listener.Addr().String()
}

// crash kills a backend of the server by -9, as whatever ends it without warning does; then the server ends all the others, and
// recovers. BSOND_TEST_CRASH is another command for this.
func crash(t *testing.T) {
	if command := os.Getenv("BSOND_TEST_CRASH"); command != "" {
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", command, err, out)
		}
		return
	}
	conn, err := pgx.Connect(context.Background(), os.Getenv("BSOND_TEST_POSTGRES"))
	if err != nil {
		return // it is not there yet
	}
	_, _ = conn.Exec(context.Background(), fmt.Sprintf("COPY (SELECT) TO PROGRAM 'kill -9 %d'", conn.PgConn().PID()))
	_ = conn.Close(context.Background())
}

// Eight clients write while their connections are cut at random and PostgreSQL is killed. Every write that its client took for done
// was done exactly once, and none was done twice. Nothing repeats a write but the driver.
func TestExactlyOnce(t *testing.T) {
	for _, auth := range []bool{false, true} {
		t.Run(fmt.Sprint("auth=", auth), func(t *testing.T) { exactlyOnce(t, auth) })
	}
}

func exactlyOnce(t *testing.T, auth bool) {
	lasts, every := 8*time.Second, 3*time.Second
	if long, err := time.ParseDuration(os.Getenv("BSOND_TEST_LONG")); err == nil {
		lasts = long
	}
	address, ctx, user := begin(t, settings{connections: 20, auth: auth}), context.Background(), ""
	if auth {
		people(t)
		sql(t, "GRANT CREATE ON DATABASE "+text(t, sql(t), "SELECT quote_ident(current_database())")+" TO bsond_bob", "DROP SCHEMA IF EXISTS once_test CASCADE")
		user = "bsond_bob:lamp@"
	}
	db := connect(t, "mongodb://"+user+address).Database("once_test")
	if err := db.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"update", "modify", "insert", "many", "transaction", "delete", "bulk"}
	const clients = 8
	for _, kind := range kinds {
		for i := range clients {
			if _, err := db.Collection("log").InsertOne(ctx, bson.M{"_id": fmt.Sprint(kind, i), "ops": bson.A{}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var cuts, failures atomic.Int64
	through := cutter(t, address, 3*time.Second, &cuts)
	deadline := time.Now().Add(lasts)
	var all sync.WaitGroup
	acknowledged := make([]map[string][]int, clients)
	for i := range clients {
		acknowledged[i] = map[string][]int{}
		client := connect(t, "mongodb://"+user+through, options.Client().SetTimeout(time.Minute))
		all.Go(func() {
			items := client.Database("once_test")
			for n := 0; time.Now().Before(deadline); n++ {
				kind := kinds[n%len(kinds)]
				if err := operate(items, kind, i, n); err != nil {
					failures.Add(1)
					t.Logf("%s: %v", kind, err)
				} else {
					acknowledged[i][kind] = append(acknowledged[i][kind], n)
				}
			}
		})
	}
	kills := 0
	for time.Now().Add(every).Before(deadline) {
		time.Sleep(every)
		crash(t)
		kills++
	}
	all.Wait()
	done := 0
	for i := range clients {
		for _, kind := range kinds {
			seen := map[int]int{}
			for _, n := range operations(t, db, kind, i) {
				seen[n]++
			}
			for n, times := range seen {
				if times != 1 {
					t.Errorf("client %d: %s %d was done %d times", i, kind, n, times)
				}
			}
			for _, n := range acknowledged[i][kind] {
				if seen[n] != 1 {
					t.Errorf("client %d: %s %d was acknowledged, and done %d times", i, kind, n, seen[n])
				}
			}
			done += len(acknowledged[i][kind])
		}
	}
	t.Logf("%d operations done, %d failed; %d connections cut, PostgreSQL killed %d times", done, failures.Load(), cuts.Load(), kills)
	switch {
	case done == 0:
		t.Error("nothing was done")
	case done < 100 || cuts.Load() == 0 || kills == 0:
		t.Skip("too little happened, as on a busy machine")
	}
}

// operate does one operation, which leaves its number n
func operate(db *mongo.Database, kind string, client, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log, me := db.Collection("log"), bson.M{"_id": fmt.Sprint(kind, client)}
	push := bson.M{"$push": bson.M{"ops": n}, "$inc": bson.M{"n": 1}}
	switch kind {
	case "update":
		result, err := log.UpdateOne(ctx, me, push)
		if err == nil && result.ModifiedCount != 1 {
			err = fmt.Errorf("the answer says %d", result.ModifiedCount)
		}
		return err
	case "modify":
		return log.FindOneAndUpdate(ctx, me, push).Err()
	case "insert":
		_, err := db.Collection("inserted").InsertOne(ctx, bson.M{"_id": fmt.Sprint(client, "-", n), "client": client, "n": n})
		return err
	case "many":
		var list []any
		for part := range 3 {
			list = append(list, bson.M{"client": client, "n": n, "part": part})
		}
		_, err := db.Collection("many").InsertMany(ctx, list)
		return err
	case "delete":
		// one of two alike documents remains
		two := bson.M{"client": client, "n": n}
		if _, err := db.Collection("deleted").InsertMany(ctx, []any{two, two}); err != nil {
			return err
		}
		result, err := db.Collection("deleted").DeleteOne(ctx, two)
		if err == nil && result.DeletedCount != 1 {
			err = fmt.Errorf("the answer says %d", result.DeletedCount)
		}
		return err
	case "bulk":
		_, err := log.BulkWrite(ctx, []mongo.WriteModel{mongo.NewUpdateOneModel().SetFilter(me).SetUpdate(push),
			mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": fmt.Sprint("new", client)}).SetUpdate(push).SetUpsert(true)})
		return err
	}
	session, err := db.Client().StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
		if _, err := log.UpdateOne(ctx, me, push); err != nil {
			return nil, err
		}
		return log.UpdateOne(ctx, bson.M{"_id": fmt.Sprint("other", client)}, push, options.UpdateOne().SetUpsert(true))
	})
	return err
}

// operations are the numbers of those operations of a client that have left one, once for each time
func operations(t *testing.T, db *mongo.Database, kind string, client int) (numbers []int) {
	t.Helper()
	ctx := context.Background()
	list := func(id string) (ops []int) {
		var found struct {
			Ops []int
			N   int
		}
		if err := db.Collection("log").FindOne(ctx, bson.M{"_id": id}).Decode(&found); err != nil && err != mongo.ErrNoDocuments {
			t.Fatal(err)
		}
		if found.N != len(found.Ops) {
			t.Errorf("%s: %d operations, and the sum is %d", id, len(found.Ops), found.N)
		}
		return found.Ops
	}
	switch kind {
	case "insert", "many", "delete":
		collection, each := map[string]string{"insert": "inserted", "many": "many", "delete": "deleted"}[kind], map[string]int{"insert": 1, "many": 3, "delete": 1}[kind]
		var documents []struct{ N int }
		cursor, err := db.Collection(collection).Find(ctx, bson.M{"client": client})
		if err == nil {
			err = cursor.All(ctx, &documents)
		}
		if err != nil {
			t.Fatal(err)
		}
		counts := map[int]int{}
		for _, d := range documents {
			counts[d.N]++
		}
		for n, found := range counts {
			// two documents of which none was deleted are those of an operation that failed between
			if kind == "delete" && found == 2 {
				continue
			}
			if found%each != 0 {
				t.Errorf("%s %d of client %d left %d documents", kind, n, client, found)
			}
			for range found / each {
				numbers = append(numbers, n)
			}
		}
		return numbers
	case "bulk", "transaction":
		other := list(fmt.Sprint(map[string]string{"bulk": "new", "transaction": "other"}[kind], client))
		if numbers = list(fmt.Sprint(kind, client)); fmt.Sprint(numbers) != fmt.Sprint(other) {
			t.Errorf("%s of client %d: one half without the other: %v, %v", kind, client, numbers, other)
		}
		return numbers
	}
	return list(fmt.Sprint(kind, client))
}

// A write that a driver repeats under the same number has the answer of the first time, also if there is nothing left for it to do.
func TestRepeated(t *testing.T) {
	ctx, uri := context.Background(), "mongodb://"+begin(t, settings{})+"/"
	if err := connect(t, uri).Ping(ctx, nil); err != nil {
		t.Fatal(err)
	}
	client, err := wireclient.Connect(ctx, uri, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	id := make([]byte, 16)
	_, _ = crand.Read(id)
	doc, list := wirebson.MustDocument, wirebson.MustArray
	lsid, number := doc("id", wirebson.Binary{Subtype: wirebson.BinaryUUID, B: id}), int64(0)
	ask := func(pairs ...any) string {
		t.Helper()
		body, err := wire.NewOpMsg(doc(append(pairs, "lsid", lsid, "txnNumber", number, "$db", "go_test")...))
		if err != nil {
			t.Fatal(err)
		}
		_, answer, err := client.Request(ctx, body)
		if err != nil {
			t.Fatal(err)
		}
		raw, _, _ := bytes.Cut(answer.(*wire.OpMsg).Section0Raw()[4:], []byte("\x11operationTime\x00"))
		return string(raw)
	}
	one := doc("n", int32(1))
	number++
	ask("insert", "repeated", "documents", list(one, one, one, one))
	for _, command := range [][]any{
		{"delete", "repeated", "deletes", list(doc("q", one, "limit", int32(1)))},
		{"update", "repeated", "updates", list(doc("q", one, "u", doc("$set", doc("n", int32(2)))))},
		{"update", "repeated", "updates", list(doc("q", doc("n", int32(5)), "u", doc("n", int32(5)), "upsert", true))},
		{"delete", "repeated", "deletes", list(doc("q", doc("n", int32(5)), "limit", int32(1)))},
		{"findAndModify", "repeated", "query", one, "remove", true},
		{"delete", "repeated", "deletes", list(doc("q", doc(), "limit", int32(0)))},
	} {
		number++
		if first, second := ask(command...), ask(command...); first != second {
			t.Errorf("%v: %q, then %q", command, first, second)
		}
	}
	number++
	ask("drop", "repeated")
}
