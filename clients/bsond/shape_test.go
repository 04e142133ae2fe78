package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// inSQL is a connection to PostgreSQL, past bsond, which ends with the test
func inSQL(t *testing.T) *pgconn.PgConn {
	t.Helper()
	postgres, err := pgconn.Connect(context.Background(), os.Getenv("BSOND_TEST_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { postgres.Close(context.Background()) })
	return postgres
}

// What bsond keeps of collections and statements is not believed any longer when SQL has changed the table behind its back.
func TestOutdated(t *testing.T) {
	db, ctx := start(t), context.Background()
	items := db.Collection("kept")
	postgres := inSQL(t)
	for n := range 20 {
		if _, err := items.InsertOne(ctx, bson.M{"_id": n, "a": n % 5, "b": "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, change := range []string{"SELECT", "CREATE TABLE go_test.later (data public.bson); INSERT INTO go_test.later SELECT public.bson_build_object('_id', n) FROM generate_series(0, 4) AS n", "CREATE INDEX kept_a ON go_test.kept ((data OPERATOR(public.->) 'a'))", "DROP INDEX go_test.kept_a",
		"ALTER TABLE go_test.kept RENAME data TO document", "ALTER TABLE go_test.kept ADD COLUMN data public.bson NOT NULL DEFAULT '{}'; UPDATE go_test.kept SET data = document; ALTER TABLE go_test.kept DROP COLUMN document; CREATE UNIQUE INDEX ON go_test.kept ((data OPERATOR(public.->) '_id'))",
		"ALTER TABLE go_test.kept RENAME TO other; CREATE TABLE go_test.kept AS SELECT * FROM go_test.other; CREATE UNIQUE INDEX ON go_test.kept ((data OPERATOR(public.->) '_id')); DROP TABLE go_test.other",
		"DEALLOCATE ALL"} {
		if _, err := postgres.Exec(ctx, change).ReadAll(); err != nil {
			t.Fatal(change, err)
		}
		// a collection that a stage has named before it was there
		later := min(i, 1)
		for round := range 3 {
			for a := range 5 {
				if n, err := items.CountDocuments(ctx, bson.M{"a": a}); n != 4 || err != nil {
					t.Errorf("%s: count %d, %v", change, n, err)
				}
				var found struct {
					ID int `bson:"_id"`
					A  int
				}
				if err := items.FindOne(ctx, bson.M{"_id": a + 5*round}).Decode(&found); err != nil || found.ID != a+5*round || found.A != a {
					t.Errorf("%s: found %v, %v", change, found, err)
				}
				if result, err := items.UpdateOne(ctx, bson.M{"_id": a}, bson.M{"$inc": bson.M{"n": 1}}); err != nil || result.ModifiedCount != 1 {
					t.Errorf("%s: update %v, %v", change, result, err)
				}
				if err := items.FindOneAndUpdate(ctx, bson.M{"_id": a + 10}, bson.M{"$inc": bson.M{"n": 1}}).Err(); err != nil {
					t.Errorf("%s: findAndModify %v", change, err)
				}
			}
			for n := range int32(3) {
				cursor, err := items.Aggregate(ctx, bson.A{bson.M{"$match": bson.M{"_id": bson.M{"$gte": n}, "a": bson.M{"$lt": n + 1}}}, bson.M{"$match": bson.M{"a": n}},
					bson.M{"$lookup": bson.M{"from": "kept", "localField": "a", "foreignField": "_id", "as": "same"}}, bson.M{"$lookup": bson.M{"from": "later", "localField": "a", "foreignField": "_id", "as": "later"}}, bson.M{"$sort": bson.M{"_id": 1}}})
				var found []struct {
					ID          int32 `bson:"_id"`
					Same, Later []bson.M
				}
				if err == nil {
					err = cursor.All(ctx, &found)
				}
				if err != nil || len(found) != 4 || found[0].ID != n || len(found[3].Same) != 1 || len(found[3].Later) != later {
					t.Errorf("%s: pipeline %v, %v", change, found, err)
				}
			}
			if _, err := items.InsertMany(ctx, []any{bson.M{"_id": 100, "a": 7}, bson.M{"_id": 101, "a": 7}, bson.M{"_id": 102, "a": 8}}); err != nil {
				t.Error(err)
			}
			for a, n := range map[int]int64{7: 2, 8: 1, 9: 0} {
				if result, err := items.DeleteMany(ctx, bson.M{"a": a}); err != nil || result.DeletedCount != n {
					t.Errorf("%s: deletion of many %v, %v", change, result, err)
				}
			}
			var values []string
			if err := items.Distinct(ctx, "b", bson.M{"a": round}).Decode(&values); err != nil || len(values) != 1 {
				t.Errorf("%s: distinct %v, %v", change, values, err)
			}
		}
	}
	if _, err := postgres.Exec(ctx, "DROP TABLE go_test.kept").ReadAll(); err != nil {
		t.Fatal(err)
	}
	if n, err := items.CountDocuments(ctx, bson.M{"a": 1}); n != 0 || err != nil {
		t.Errorf("no table: %d, %v", n, err)
	}
	if _, err := items.InsertOne(ctx, bson.M{"_id": 1, "a": 1}); err != nil {
		t.Error(err)
	}
}

// In a transaction, too, what is kept is used, and what has changed since is noticed: the driver repeats the transaction then.
func TestOutdatedTransaction(t *testing.T) {
	db, ctx := start(t), context.Background()
	items := db.Collection("kept")
	postgres := inSQL(t)
	var list []any
	for n := range 300 {
		list = append(list, bson.M{"_id": n, "a": n % 5, "b": n})
	}
	if _, err := items.InsertMany(ctx, list); err != nil {
		t.Fatal(err)
	}
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	for _, change := range []string{"SELECT", "CREATE INDEX kept_a ON go_test.kept ((data OPERATOR(public.->) 'a'))", "SELECT", "DROP INDEX go_test.kept_a",
		"ALTER TABLE go_test.kept RENAME data TO document", "ALTER TABLE go_test.kept RENAME document TO data",
		"ALTER TABLE go_test.kept RENAME TO other; CREATE TABLE go_test.kept AS SELECT * FROM go_test.other; CREATE UNIQUE INDEX ON go_test.kept ((data OPERATOR(public.->) '_id')); DROP TABLE go_test.other",
		"DEALLOCATE ALL"} {
		if _, err := postgres.Exec(ctx, change).ReadAll(); err != nil {
			t.Fatal(change, err)
		}
		for n := range 4 {
			tries := 0
			_, err := session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
				if tries++; tries > 2 {
					t.Fatalf("%s: repeated without end", change)
				}
				// three cursors at once, of which one is not read to its end
				cursor, err := items.Find(ctx, bson.M{"a": n}, options.Find().SetBatchSize(7).SetSort(bson.M{"_id": 1}))
				if err != nil {
					return nil, err
				}
				defer cursor.Close(ctx)
				part, err := items.Find(ctx, bson.M{"a": n}, options.Find().SetBatchSize(20))
				if err != nil {
					return nil, err
				}
				found := 0
				for ; cursor.Next(ctx); found++ {
					var d struct{ B int }
					if err := cursor.Decode(&d); err != nil || d.B != n+5*found {
						t.Errorf("%s: %v instead of %d, %v", change, d, n+5*found, err)
					}
					if found == 30 {
						_ = part.Close(ctx)
						if _, err := items.UpdateOne(ctx, bson.M{"_id": n + 250}, bson.M{"$inc": bson.M{"n": 1}}); err != nil {
							return nil, err
						}
						var page []struct {
							ID int `bson:"_id"`
						}
						cursor, err := items.Find(ctx, bson.M{"a": n}, options.Find().SetSort(bson.M{"_id": -1}).SetSkip(int64(3+n)).SetLimit(17))
						if err == nil {
							err = cursor.All(ctx, &page)
						}
						if err != nil {
							return nil, err
						}
						if len(page) != 17 || page[16].ID != 295+n-5*(3+n+16) {
							t.Errorf("%s: page %v", change, page)
						}
					}
				}
				if found != 60 && cursor.Err() == nil {
					t.Errorf("%s: %d documents", change, found)
				}
				return nil, cursor.Err()
			})
			if err != nil {
				t.Errorf("%s: %v", change, err)
			}
			if change == "SELECT" && n > 0 && tries > 1 {
				t.Errorf("nothing has changed, and the transaction came %d times", tries)
			}
		}
	}
}

// What bsond itself has dropped and made again is known at once, also by a transaction that has begun; what SQL has changed is looked at
// again when a transaction begins, which no driver sees.
func TestMadeAgain(t *testing.T) {
	db, ctx := start(t), context.Background()
	items, moved := db.Collection("again"), db.Collection("moved")
	postgres := inSQL(t)
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	for n := range 6 {
		if err := moved.Drop(ctx); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			if err := db.Client().Database("admin").RunCommand(ctx, bson.D{{Key: "renameCollection", Value: "go_test.again"}, {Key: "to", Value: "go_test.moved"}}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		// the indexes of what went by another name keep theirs
		if _, err := items.InsertOne(ctx, bson.M{"_id": n, "a": n}); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			if _, err := items.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.M{"a": 1}}); err != nil {
				t.Fatal(err)
			}
		}
		for try := range 6 {
			if err := session.StartTransaction(); err != nil {
				t.Fatal(err)
			}
			in := mongo.NewSessionContext(ctx, session)
			for range 2 {
				if count, err := items.CountDocuments(in, bson.M{"a": n}); err != nil || count != 1 {
					t.Error(n, try, count, err)
				}
				if err := items.FindOne(in, bson.M{"_id": n}).Err(); err != nil {
					t.Error(n, try, err)
				}
			}
			if err := session.CommitTransaction(in); err != nil {
				t.Fatal(err)
			}
			if try == 3 {
				if _, err := postgres.Exec(ctx, "CREATE INDEX ON go_test.again ((data OPERATOR(public.->) 'a'))").ReadAll(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// An error that a trigger raises is its own, whatever it is called, and no reason to do the write again.
func TestRaised(t *testing.T) {
	db, ctx := start(t), context.Background()
	items := db.Collection("item")
	if _, err := items.InsertOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	sql(t, `CREATE SEQUENCE go_test.runs`, `CREATE FUNCTION go_test.raises() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('go_test.runs'); RAISE undefined_table; END $$`,
		`CREATE TRIGGER raises BEFORE INSERT ON go_test.item FOR EACH ROW EXECUTE FUNCTION go_test.raises()`)
	defer sql(t, "DROP SEQUENCE go_test.runs", "DROP FUNCTION go_test.raises CASCADE")
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	for name, write := range map[string]func() error{
		"by a driver that repeats": func() error { _, err := items.InsertOne(ctx, bson.M{}); return err },
		"by one that does not": func() error {
			return db.RunCommand(ctx, bson.D{{Key: "insert", Value: "item"}, {Key: "documents", Value: bson.A{bson.M{}}}}).Err()
		},
		"upsert": func() error {
			_, err := items.UpdateOne(ctx, bson.M{"_id": 2}, bson.M{"$set": bson.M{"a": 1}}, options.UpdateOne().SetUpsert(true))
			return err
		},
		"in a transaction": func() error {
			_, err := session.WithTransaction(ctx, func(ctx context.Context) (any, error) { return items.InsertOne(ctx, bson.M{}) })
			return err
		},
	} {
		sql(t, "SELECT setval('go_test.runs', 1, false)")
		if err := write(); code(err) != 26 && !strings.Contains(fmt.Sprint(err), "undefined_table") {
			t.Errorf("%s: %v", name, err)
		}
		if runs := text(t, sql(t), "SELECT last_value::text || is_called FROM go_test.runs"); runs != "1true" {
			t.Errorf("%s: %s runs", name, runs)
		}
	}
}
