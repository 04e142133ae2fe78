package main

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Collections, views and indexes come, go and change their names while others read and write them: whatever a command meets, it has
// one of the errors that MongoDB has for it, and nobody waits for ever.
func TestAtOnce(t *testing.T) {
	address, ctx := begin(t, settings{connections: 20}), context.Background()
	client := connect(t, "mongodb://"+address)
	db := client.Database("go_at_once")
	names := []string{"a", "b", "c"}
	var clients sync.WaitGroup
	var mu sync.Mutex
	failed, end := map[string]int{}, time.Now().Add(15*time.Second)
	for number := range 10 {
		clients.Go(func() {
			r := rand.New(rand.NewSource(int64(number)))
			some := func() string { return names[r.Intn(len(names))] }
			run := func(pairs ...bson.E) error { return db.RunCommand(ctx, bson.D(pairs)).Err() }
			all := func(cursor *mongo.Cursor, err error) error {
				if err == nil {
					err = cursor.All(ctx, &[]bson.M{})
				}
				return err
			}
			for time.Now().Before(end) {
				name := some()
				coll, what := db.Collection(name), r.Intn(22)
				err := []func() error{
					func() error { _, err := coll.InsertOne(ctx, bson.M{"a": r.Intn(50)}); return err },
					func() error { _, err := coll.InsertMany(ctx, slices.Repeat([]any{bson.M{"a": 1}}, 60)); return err },
					func() error {
						_, err := coll.UpdateMany(ctx, bson.M{"a": bson.M{"$lt": 25}}, bson.M{"$inc": bson.M{"a": 1}})
						return err
					},
					func() error {
						_, err := coll.UpdateOne(ctx, bson.M{"a": r.Intn(9999)}, bson.M{"$set": bson.M{"z": 1}}, options.UpdateOne().SetUpsert(true))
						return err
					},
					func() error { _, err := coll.DeleteMany(ctx, bson.M{"a": bson.M{"$gt": r.Intn(1000)}}); return err },
					func() error {
						return all(coll.Find(ctx, bson.M{"a": bson.M{"$gt": 3}}, options.Find().SetSort(bson.M{"a": 1}).SetBatchSize(5)))
					},
					func() error {
						return all(coll.Aggregate(ctx, bson.A{bson.M{"$limit": 5}, bson.M{"$lookup": bson.M{"from": some(), "localField": "a", "foreignField": "a", "as": "x"}}}))
					},
					func() error { return all(coll.Aggregate(ctx, bson.A{bson.M{"$limit": 20}, bson.M{"$out": some()}})) },
					func() error { return all(coll.Aggregate(ctx, bson.A{bson.M{"$limit": 20}, bson.M{"$merge": some()}})) },
					func() error {
						_, err := coll.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "a", Value: 1}}})
						return err
					},
					func() error { return coll.Indexes().DropOne(ctx, "a_1") },
					func() error { return coll.Indexes().DropAll(ctx) },
					func() error { return all(coll.Indexes().List(ctx)) },
					func() error { return run(bson.E{Key: "create", Value: name}) },
					func() error { return coll.Drop(ctx) },
					func() error {
						return client.Database("admin").RunCommand(ctx, bson.D{{Key: "renameCollection", Value: "go_at_once." + name}, {Key: "to", Value: "go_at_once." + some()}, {Key: "dropTarget", Value: r.Intn(2) == 0}}).Err()
					},
					func() error {
						return run(bson.E{Key: "collMod", Value: name}, bson.E{Key: "validator", Value: bson.M{"a": bson.M{"$lt": 1e6}}})
					},
					func() error { return run(bson.E{Key: "listCollections", Value: 1}) },
					func() error {
						return run(bson.E{Key: "create", Value: "v" + name}, bson.E{Key: "viewOn", Value: name}, bson.E{Key: "pipeline", Value: bson.A{}})
					},
					func() error { return db.Collection("v" + name).Drop(ctx) },
					func() error { return all(db.Collection("v"+name).Find(ctx, bson.M{})) },
					func() error {
						if r.Intn(3) > 0 {
							return nil
						}
						return db.Drop(ctx)
					},
				}[what]()
				// no such namespace or index, or there is one, to itself, of another name, or a document or cursor that is gone
				if n := code(err); err != nil && !slices.Contains([]int32{20, 26, 27, 43, 48, 85, 86, 11000, 121, 237}, n) {
					mu.Lock()
					failed[fmt.Sprintf("%d: %v", what, err)]++
					mu.Unlock()
				}
			}
		})
	}
	clients.Wait()
	for text, n := range failed {
		t.Errorf("%d times %s", n, text)
	}
}

// A rename that waits for whoever waits for it gives up soon, before PostgreSQL finds the deadlock, and comes again.
func TestHurry(t *testing.T) {
	db, ctx := start(t), context.Background()
	for _, name := range []string{"one", "two"} {
		if _, err := db.Collection(name).InsertOne(ctx, bson.M{"_id": name}); err != nil {
			t.Fatal(err)
		}
	}
	other, watching := sql(t, "SELECT"), sql(t, "SELECT")
	// beside this one, only the rename's session could find the deadlock
	if _, err := other.Exec(ctx, "SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE go_test.two IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	before, renamed := text(t, watching, "SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()"), make(chan error)
	go func() {
		renamed <- db.Client().Database("admin").RunCommand(ctx, bson.D{{Key: "renameCollection", Value: "go_test.one"}, {Key: "to", Value: "go_test.two"}, {Key: "dropTarget", Value: true}}).Err()
	}()
	for end := time.Now().Add(5 * time.Second); text(t, watching, "SELECT count(*)::text FROM pg_locks WHERE NOT granted AND relation = 'go_test.two'::regclass") == "0" && time.Now().Before(end); {
	}
	if got := text(t, other, "SELECT data ->> '_id' FROM go_test.one"); got != "one" {
		t.Error(got)
	}
	if _, err := other.Exec(ctx, "COMMIT"); err != nil {
		t.Error(err)
	}
	if err := <-renamed; err != nil {
		t.Error(err)
	}
	time.Sleep(100 * time.Millisecond) // until what sessions have counted is told
	if after := text(t, watching, "SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()"); after != before {
		t.Errorf("%s deadlocks, %s before", after, before)
	}
}
