package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A field of a wrong type must not stand for nothing: a deletion would find all documents.
func TestWrongTypes(t *testing.T) {
	db, ctx := start(t), context.Background()
	if _, err := db.Collection("kept").InsertOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string]bson.D{
		"delete":                    {{Key: "delete", Value: "kept"}, {Key: "deletes", Value: bson.A{bson.M{"q": 5, "limit": 0}}}},
		"no query":                  {{Key: "delete", Value: "kept"}, {Key: "deletes", Value: bson.A{bson.M{"limit": 0}}}},
		"a limit that is no number": {{Key: "delete", Value: "kept"}, {Key: "deletes", Value: bson.A{bson.M{"q": bson.M{}, "limit": "1"}}}},
		"a decimal":                 {{Key: "delete", Value: "kept"}, {Key: "deletes", Value: bson.A{bson.M{"q": bson.M{}, "limit": bson.NewDecimal128(0x3040<<48, 1)}}}},
		"a view of a number":        {{Key: "create", Value: "shown"}, {Key: "viewOn", Value: 5}},
		"no limit":                  {{Key: "delete", Value: "kept"}, {Key: "deletes", Value: bson.A{bson.M{"q": bson.M{}}}}},
		"multi":                     {{Key: "update", Value: "kept"}, {Key: "updates", Value: bson.A{bson.M{"q": bson.M{}, "u": bson.M{"$set": bson.M{"a": 1}}, "multi": "false"}}}},
		"find":                      {{Key: "find", Value: "kept"}, {Key: "filter", Value: "x"}},
		"update":                    {{Key: "update", Value: "kept"}, {Key: "updates", Value: bson.A{bson.M{"q": bson.M{}}}}},
		"pipeline":                  {{Key: "aggregate", Value: "kept"}, {Key: "pipeline", Value: bson.A{5}}, {Key: "cursor", Value: bson.M{}}},
	} {
		if err := db.RunCommand(ctx, command).Err(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if n, err := db.Collection("kept").CountDocuments(ctx, bson.M{}); n != 1 || err != nil {
		t.Errorf("%d documents, %v", n, err)
	}
}

// What is written into a view would replace the documents that it shows.
func TestOutToView(t *testing.T) {
	db, ctx := start(t), context.Background()
	if _, err := db.Collection("base").InsertMany(ctx, []any{bson.M{"_id": 1}, bson.M{"_id": 2}}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateView(ctx, "shown", "base", bson.A{}); err != nil {
		t.Fatal(err)
	}
	for _, last := range []bson.M{{"$out": "shown"}, {"$merge": bson.M{"into": "shown"}}} {
		_, err := db.Collection("base").Aggregate(ctx, bson.A{bson.M{"$match": bson.M{"_id": 1}}, last})
		if n, failed := db.Collection("base").CountDocuments(ctx, bson.M{}); code(err) != 166 || n != 2 || failed != nil {
			t.Error(last, err, n, failed)
		}
	}
}

// Names of more than 63 bytes may stand in the pipeline of a view, too.
func TestLongNames(t *testing.T) {
	db, ctx := start(t), context.Background()
	long := strings.Repeat("länger ", 25)
	if _, err := db.Collection(long).InsertOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateView(ctx, long+"view", long, bson.A{bson.M{"$lookup": bson.M{"from": long, "localField": "_id", "foreignField": "_id", "as": "same"}}, bson.M{"$unionWith": long}}); err != nil {
		t.Fatal(err)
	}
	if n, err := db.Collection(long+"view").CountDocuments(ctx, bson.M{"same._id": bson.M{"$in": bson.A{1, nil}}}); n != 2 || err != nil {
		t.Error(n, err)
	}
}

// The character that stands for the extension's schema in statements of ours is itself in names.
func TestNumberSign(t *testing.T) {
	db, ctx := start(t), context.Background()
	odd := db.Collection("a#b 100%")
	if _, err := odd.InsertMany(ctx, []any{bson.M{"_id": 1, "x#": 1}, bson.M{"_id": 2}}); err != nil {
		t.Fatal(err)
	}
	if r, err := odd.UpdateOne(ctx, bson.M{"_id": 1}, bson.M{"$set": bson.M{"y": 1}}); err != nil || r.ModifiedCount != 1 {
		t.Errorf("update: %v, %v", r, err)
	}
	if r, err := odd.DeleteOne(ctx, bson.M{"x#": 1}); err != nil || r.DeletedCount != 1 {
		t.Errorf("delete: %v, %v", r, err)
	}
	if _, err := odd.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "x#", Value: 1}}}); err != nil {
		t.Error(err)
	}
	for _, command := range []string{"collStats", "validate", "drop"} {
		if err := db.RunCommand(ctx, bson.D{{Key: command, Value: odd.Name()}}).Err(); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// Names of indexes and fields may begin with a dollar sign, and are no operators in what a stage tells of them.
func TestDollarNames(t *testing.T) {
	db, ctx := start(t), context.Background()
	kept := db.Collection("kept")
	if _, err := kept.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "$**", Value: 1}}}); err != nil {
		t.Fatal(err)
	}
	for stage, operand := range map[string]bson.M{"$indexStats": {}, "$collStats": {"storageStats": bson.M{}}} {
		var found []bson.M
		if cursor, err := kept.Aggregate(ctx, bson.A{bson.M{stage: operand}}); err != nil {
			t.Errorf("%s: %v", stage, err)
		} else if err = cursor.All(ctx, &found); err != nil || !strings.Contains(fmt.Sprint(found), "$**_1") {
			t.Errorf("%s: %v, %v", stage, found, err)
		}
	}
}

// A collection that does not exist answers as one without documents does, errors included, and reading does not make it.
func TestMissing(t *testing.T) {
	db, ctx := start(t), context.Background()
	if err := db.CreateCollection(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	within := bson.M{"loc": bson.M{"$geoWithin": bson.M{"$box": bson.A{bson.A{0, 0}, bson.A{1, 1}}}}}
	for _, filter := range []bson.M{{}, {"_id": 1}, {"a": bson.M{"$gt": 1, "$in": bson.A{1, 2}}}, within, {"a": bson.M{"$what": 1}}, {"$expr": bson.M{"$eq": bson.A{"$a", 1}}}, {"loc": bson.M{"$geoWithin": 5}}} {
		for name, command := range map[string]bson.D{
			"find":          {{Key: "filter", Value: filter}, {Key: "sort", Value: bson.M{"a": 1}}, {Key: "projection", Value: bson.M{"a": 1}}},
			"count":         {{Key: "query", Value: filter}, {Key: "limit", Value: 3}},
			"distinct":      {{Key: "key", Value: "a"}, {Key: "query", Value: filter}},
			"aggregate":     {{Key: "pipeline", Value: bson.A{bson.M{"$match": filter}, bson.M{"$lookup": bson.M{"from": "nowhere", "localField": "a", "foreignField": "b", "as": "c"}}, bson.M{"$group": bson.M{"_id": nil, "n": bson.M{"$sum": 1}}}}}, {Key: "cursor", Value: bson.M{}}},
			"update":        {{Key: "updates", Value: bson.A{bson.M{"q": filter, "u": bson.M{"$inc": bson.M{"a": 1}}, "multi": true}, bson.M{"q": filter, "u": bson.M{"$inc": bson.M{"a": 1}}}}}},
			"bad update":    {{Key: "updates", Value: bson.A{bson.M{"q": filter, "u": bson.M{"$what": bson.M{"a": 1}}}}}},
			"let":           {{Key: "updates", Value: bson.A{bson.M{"q": filter, "u": bson.A{bson.M{"$set": bson.M{"a": "$$v"}}}}}}, {Key: "let", Value: bson.M{"v": 1}}},
			"delete":        {{Key: "deletes", Value: bson.A{bson.M{"q": filter, "limit": 0}, bson.M{"q": filter, "limit": 1}}}},
			"findAndModify": {{Key: "query", Value: filter}, {Key: "update", Value: bson.M{"$set": bson.M{"a": 1}}}, {Key: "fields", Value: bson.M{"a": 1}}},
		} {
			answer := func(in string) string {
				kind := name
				if name == "bad update" || name == "let" {
					kind = "update"
				}
				var reply struct {
					N, Values   any
					Cursor      struct{ FirstBatch bson.A }
					Value       any
					WriteErrors []struct{ Code int }
				}
				err := db.RunCommand(ctx, append(bson.D{{Key: kind, Value: in}}, command...)).Decode(&reply)
				var known mongo.CommandError
				if errors.As(err, &known) {
					return fmt.Sprint("error ", known.Code)
				}
				return fmt.Sprint(reply, err)
			}
			if missing, empty := answer("missing"), answer("empty"); missing != empty {
				t.Errorf("%s %v: %s where there is no collection, and %s where there are no documents", name, filter, missing, empty)
			}
		}
		explain := bson.D{{Key: "explain", Value: bson.D{{Key: "update", Value: "missing"}, {Key: "updates", Value: bson.A{bson.M{"q": bson.M{"a": 1}, "u": bson.M{"$set": bson.M{"a": 1}}, "upsert": true}}}}}}
		if err := db.RunCommand(ctx, explain).Err(); err != nil {
			t.Error(err)
		}
	}
	if names, err := db.ListCollectionNames(ctx, bson.M{}); len(names) != 1 || err != nil {
		t.Errorf("%v, %v", names, err)
	}
}

// killAllSessions ends transactions that clients have left, whose locks others wait for; and count is refused in a transaction.
func TestKillAllSessions(t *testing.T) {
	db, ctx := start(t), context.Background()
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	inside := mongo.NewSessionContext(ctx, session)
	for _, work := range []func() error{func() error { return db.CreateCollection(ctx, "item") }, func() error { return session.StartTransaction() },
		func() error { _, err := db.Collection("item").InsertOne(inside, bson.M{"_id": 1}); return err },
		func() error { return db.RunCommand(ctx, bson.D{{Key: "killAllSessions", Value: bson.A{}}}).Err() }} {
		if err := work(); err != nil {
			t.Fatal(err)
		}
	}
	soon, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := db.Collection("item").Drop(soon); err != nil {
		t.Errorf("the transaction is open: %v", err)
	}
	var known mongo.CommandError
	if err := session.CommitTransaction(ctx); !errors.As(err, &known) || known.Code != 251 {
		t.Errorf("it was committed: %v", err)
	}
	if err := session.StartTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := db.RunCommand(inside, bson.D{{Key: "count", Value: "item"}}).Err(); !errors.As(err, &known) || known.Code != 263 {
		t.Errorf("count in a transaction: %v", err)
	}
}

// A field of a new document may begin with a dollar, where one of a document that is there may not.
func TestUpsertDollar(t *testing.T) {
	db, ctx := start(t), context.Background()
	items, change, upsert := db.Collection("item"), bson.M{"$set": bson.M{"$mine": 1}}, options.UpdateOne().SetUpsert(true)
	for round, wanted := range []bool{true, false} {
		if _, err := items.UpdateOne(ctx, bson.M{"_id": 1}, change, upsert); (err == nil) != wanted {
			t.Errorf("upsert %d: %v", round, err)
		}
	}
	if _, err := items.UpdateOne(ctx, bson.M{"_id": 2}, change); err == nil {
		t.Error("an update that finds nothing is not checked")
	}
	if n, err := items.CountDocuments(ctx, bson.M{"$expr": bson.M{"$eq": bson.A{bson.M{"$getField": bson.M{"$literal": "$mine"}}, 1}}}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// explain explains the statement that the command runs, and nothing is changed.
func TestExplain(t *testing.T) {
	db, ctx := start(t), context.Background()
	if _, err := db.Collection("plan").InsertOne(ctx, bson.M{"_id": 1, "n": 1}); err != nil {
		t.Fatal(err)
	}
	for want, command := range map[string]bson.D{
		"SELECT count(*)": {{Key: "count", Value: "plan"}, {Key: "query", Value: bson.M{"n": 1}}},
		"UPDATE":          {{Key: "update", Value: "plan"}, {Key: "updates", Value: bson.A{bson.M{"q": bson.M{"n": 1}, "u": bson.M{"$set": bson.M{"n": 2}}}}}},
		"DELETE":          {{Key: "delete", Value: "plan"}, {Key: "deletes", Value: bson.A{bson.M{"q": bson.M{"n": 1}, "limit": 1}}}},
		"bson_project":    {{Key: "findAndModify", Value: "plan"}, {Key: "query", Value: bson.M{"n": 1}}, {Key: "remove", Value: true}},
		"":                {{Key: "update", Value: "none"}, {Key: "updates", Value: bson.A{bson.M{"q": bson.M{}, "u": bson.M{"$set": bson.M{"n": 2}}, "upsert": true}}}},
	} {
		var reply struct {
			QueryPlanner struct {
				WinningPlan struct{ Stage, Statement string } `bson:"winningPlan"`
			} `bson:"queryPlanner"`
			ExecutionStats bson.M `bson:"executionStats"`
		}
		err := db.RunCommand(ctx, bson.D{{Key: "explain", Value: command}}).Decode(&reply)
		plan := reply.QueryPlanner.WinningPlan
		if err != nil || reply.ExecutionStats == nil || !strings.Contains(plan.Statement, want) || (want == "") != (plan.Stage == "EOF") {
			t.Errorf("%v: %+v, %v", command, plan, err)
		}
	}
	if n, err := db.Collection("plan").CountDocuments(ctx, bson.M{"n": 1}); n != 1 || err != nil {
		t.Errorf("%d documents, %v", n, err)
	}
	// aggregate can ask for its plan itself
	var reply struct {
		Command      struct{ Aggregate string }
		QueryPlanner bson.M `bson:"queryPlanner"`
	}
	if err := db.RunCommand(ctx, bson.D{{Key: "aggregate", Value: "plan"}, {Key: "pipeline", Value: bson.A{}}, {Key: "explain", Value: true}}).Decode(&reply); err != nil || reply.Command.Aggregate != "plan" || reply.QueryPlanner == nil {
		t.Errorf("%+v, %v", reply, err)
	}
}

// Whatever write a validator refuses, the error says which document it would not have.
func TestErrInfo(t *testing.T) {
	db, ctx := start(t), context.Background()
	if err := db.CreateCollection(ctx, "strict", options.CreateCollection().SetValidator(bson.M{"n": bson.M{"$gt": 0}})); err != nil {
		t.Fatal(err)
	}
	strict := db.Collection("strict")
	id := bson.NewObjectID()
	if _, err := strict.InsertOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "n", Value: 1}, {Key: "s", Value: strings.Repeat("x", 100)}}); err != nil {
		t.Fatal(err)
	}
	down := bson.M{"$set": bson.M{"n": -1}}
	_, err := strict.UpdateOne(ctx, bson.M{"n": 1}, down)
	var write mongo.WriteException
	if !errors.As(err, &write) || write.WriteErrors[0].Details.Lookup("failingDocumentId").ObjectID() != id {
		t.Errorf("update: %v", err)
	}
	err = strict.FindOneAndUpdate(ctx, bson.M{"n": 1}, down).Err()
	var command mongo.CommandError
	if !errors.As(err, &command) || command.Raw.Lookup("errInfo", "failingDocumentId").ObjectID() != id {
		t.Errorf("findAndModify: %v", err)
	}
	// nor in a transaction, which is over then
	if _, err = strict.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "s", Value: 1}}, Options: options.Index().SetUnique(true)}); err != nil {
		t.Fatal(err)
	}
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	inside := mongo.NewSessionContext(ctx, session)
	for field, refused := range map[string]bson.M{"errInfo": {"n": -1}, "keyValue": {"n": 1, "s": strings.Repeat("x", 100)}} {
		if err = session.StartTransaction(); err != nil {
			t.Fatal(err)
		}
		if _, err = strict.InsertOne(inside, bson.M{"n": 2}); err != nil {
			t.Error(err)
		}
		if _, err = strict.InsertOne(inside, refused); !errors.As(err, &write) {
			t.Errorf("in a transaction: %v", err)
		} else if _, failed := write.WriteErrors[0].Raw.LookupErr(field); failed != nil {
			t.Errorf("in a transaction, without %s: %v", field, err)
		}
		_ = session.AbortTransaction(ctx)
	}
	if n, err := strict.CountDocuments(ctx, bson.M{}); n != 1 || err != nil {
		t.Errorf("%d documents, %v", n, err)
	}
}

// A document that is longer than a driver may send is refused.
func TestLongDocument(t *testing.T) {
	db, ctx := start(t), context.Background()
	_, err := db.Collection("long").InsertOne(ctx, bson.M{"s": strings.Repeat("x", 16<<20)})
	var write mongo.WriteException
	if !errors.As(err, &write) || write.WriteErrors[0].Code != 2 {
		t.Errorf("%v", err)
	}
}

// The values of distinct are one document, which is not longer than others.
func TestManyValues(t *testing.T) {
	db := start(t)
	sql(t, "CREATE SCHEMA IF NOT EXISTS go_test", "CREATE VIEW go_test.wide AS SELECT public.bson_build_object('_id', n, 'x', n || repeat('x', 1000000)) AS data FROM generate_series(1, 17) AS n")
	for most, want := range map[int]int32{16: 0, 17: 17217} {
		err := db.Collection("wide").Distinct(context.Background(), "x", bson.M{"_id": bson.M{"$lte": most}}).Err()
		if want == 0 && err != nil || want != 0 && code(err) != want {
			t.Errorf("%d values: %v", most, err)
		}
	}
}

// Where there is no document, an update is not evaluated, but must be one, whether there is the collection or not.
func TestUpdateOfNothing(t *testing.T) {
	db, ctx := start(t), context.Background()
	pipeline := bson.A{bson.M{"$set": bson.M{"n": bson.M{"$size": "$list"}}}}
	if r, err := db.Collection("nothing").UpdateOne(ctx, bson.M{}, pipeline); err != nil || r.MatchedCount != 0 {
		t.Errorf("%v, %v", r, err)
	}
	if err := db.CreateCollection(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nothing", "empty"} {
		of := db.Collection(name)
		for _, right := range []bson.M{{"$set": bson.M{"list.$.n": 1}}, {"$set": bson.M{"list.$[].n": 1}}, {"$push": bson.M{"list": 1}}} {
			if r, err := of.UpdateOne(ctx, bson.M{"list.n": 2}, right); err != nil || r.MatchedCount != 0 {
				t.Errorf("%s: %v, %v, %v", name, right, r, err)
			}
		}
		for _, wrong := range []any{bson.A{bson.M{"$wrong": 1}}, bson.M{"$wrong": bson.M{"n": 1}}, bson.M{"$set": bson.M{"list.$[x]": 1}}} {
			if _, err := of.UpdateOne(ctx, bson.M{"n": 1}, wrong); err == nil {
				t.Errorf("%s: %v is accepted", name, wrong)
			}
			if err := of.FindOneAndUpdate(ctx, bson.M{"_id": 1}, wrong).Err(); err == nil || errors.Is(err, mongo.ErrNoDocuments) {
				t.Errorf("%s: %v is accepted by findAndModify: %v", name, wrong, err)
			}
		}
	}
}

// What a session and its numbers must be. A session of no UUID, or of any length, would be everybody's, or fill memory; a cursor of a
// transaction reads by a connection that the transaction uses.
func TestSessions(t *testing.T) {
	db, ctx := start(t), context.Background()
	for i := range 50 {
		if _, err := db.Collection("item").InsertOne(ctx, bson.M{"_id": i}); err != nil {
			t.Fatal(err)
		}
	}
	uuid := func(n byte) bson.D {
		return bson.D{{Key: "id", Value: bson.Binary{Subtype: 4, Data: append(make([]byte, 15), n)}}}
	}
	inside := func(id any, number any, more ...bson.E) []bson.E {
		return append([]bson.E{{Key: "lsid", Value: id}, {Key: "txnNumber", Value: number}, {Key: "autocommit", Value: false}}, more...)
	}
	begins := bson.E{Key: "startTransaction", Value: true}
	run := func(name string, value any, more ...bson.E) (bson.M, int32) {
		var reply bson.M
		err := db.RunCommand(ctx, append(bson.D{{Key: name, Value: value}}, more...)).Decode(&reply)
		return reply, code(err)
	}
	for what, fields := range map[string][]bson.E{
		"no UUID":               inside(bson.D{{Key: "id", Value: "x"}}, int64(1), begins),
		"a long one":            inside(bson.D{{Key: "id", Value: strings.Repeat("x", 1<<20)}}, int64(1), begins),
		"more than a UUID":      inside(append(uuid(1), bson.E{Key: "x", Value: 1}), int64(1), begins),
		"a negative number":     inside(uuid(1), int64(-1), begins),
		"a number that is none": inside(uuid(1), "1", begins),
		"no number":             {{Key: "lsid", Value: uuid(1)}, {Key: "autocommit", Value: false}, begins},
		"no autocommit":         {{Key: "lsid", Value: uuid(1)}, {Key: "txnNumber", Value: int64(1)}, begins},
	} {
		if _, failed := run("find", "item", fields...); failed != 14 && failed != 72 {
			t.Errorf("%s: code %d", what, failed)
		}
	}
	reply, _ := run("find", "item", inside(uuid(1), int64(2), begins, bson.E{Key: "batchSize", Value: 2})...)
	id := reply["cursor"].(bson.D)[1].Value
	if n, isNumber := id.(int64); !isNumber || n == 0 {
		t.Fatal(reply)
	}
	more := bson.E{Key: "collection", Value: "item"}
	if _, failed := run("getMore", id, more); failed != 50740 {
		t.Errorf("a transaction's cursor outside of it: code %d", failed)
	}
	if _, failed := run("find", "item", inside(uuid(1), int64(1), begins)...); failed != 251 {
		t.Errorf("an older transaction: code %d", failed)
	}
	if reply, failed := run("getMore", id, inside(uuid(1), int64(2), more)...); failed != 0 {
		t.Errorf("in the transaction: code %d, %v", failed, reply)
	}
	if _, failed := run("commitTransaction", 1, inside(uuid(1), int64(2))...); failed != 251 && failed != 0 {
		t.Error(failed)
	}
}

// A name in a pipeline is that of a collection of the database: not of the server's own tables, nor of another database.
func TestNamesInPipelines(t *testing.T) {
	db, ctx := start(t), context.Background()
	other := db.Client().Database("go_other")
	if err := other.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("n", 100)
	for _, coll := range []*mongo.Collection{db.Collection("item"), db.Collection("pg_class"), db.Collection(long), other.Collection("item")} {
		if _, err := coll.InsertOne(ctx, bson.M{"_id": coll.Database().Name() + "." + coll.Name()}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"pg_class": 2, long: 2, "pg_authid": 1, "go_other.item": 1, "pg_temp.item": 1, "": 1} {
		var all []bson.M
		cursor, err := db.Collection("item").Aggregate(ctx, bson.A{bson.M{"$unionWith": name}})
		if err == nil {
			err = cursor.All(ctx, &all)
		}
		if err != nil || len(all) != want {
			t.Errorf("$unionWith of %q: %v, %v", name, all, err)
		}
	}
	for _, into := range []any{"pg_class", long, bson.M{"into": bson.M{"db": "go_other", "coll": long}}} {
		cursor, err := db.Collection("item").Aggregate(ctx, bson.A{bson.M{"$merge": into}})
		if err == nil {
			err = cursor.All(ctx, &[]bson.M{})
		}
		if err != nil {
			t.Errorf("$merge into %v: %v", into, err)
		}
	}
	for _, coll := range []*mongo.Collection{db.Collection("pg_class"), db.Collection(long), other.Collection(long)} {
		if err := coll.FindOne(ctx, bson.M{"_id": "go_test.item"}).Err(); err != nil {
			t.Errorf("%s.%s: %v", coll.Database().Name(), coll.Name(), err)
		}
	}
}

// A write that is tried again and again has one error in the end.
func TestTriedAgain(t *testing.T) {
	db, ctx := start(t), context.Background()
	if err := db.CreateCollection(ctx, "item"); err != nil {
		t.Fatal(err)
	}
	sql(t, `CREATE OR REPLACE FUNCTION go_test.refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.data::text LIKE '%"_id": 2}' THEN RAISE EXCEPTION 'no' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$`,
		"CREATE TRIGGER refuses BEFORE INSERT ON go_test.item FOR EACH ROW EXECUTE FUNCTION go_test.refuses()")
	var reply struct {
		NErrors, NInserted int32
		Cursor             struct{ FirstBatch []bson.M }
	}
	op := func(id int) bson.D {
		return bson.D{{Key: "insert", Value: 0}, {Key: "document", Value: bson.M{"_id": id}}}
	}
	err := db.Client().Database("admin").RunCommand(ctx, bson.D{{Key: "bulkWrite", Value: 1}, {Key: "ops", Value: bson.A{op(1), op(2), op(3)}}, {Key: "nsInfo", Value: bson.A{bson.M{"ns": "go_test.item"}}}, {Key: "ordered", Value: false}}).Decode(&reply)
	if err != nil || reply.NErrors != 1 || reply.NInserted != 2 || len(reply.Cursor.FirstBatch) != 3 {
		t.Errorf("%v, %+v", err, reply)
	}
}

// The message of a key that is there twice spells it as MongoDB does, which programs read.
func TestDuplicateMessage(t *testing.T) {
	db, ctx := start(t), context.Background()
	coll, id := db.Collection("item"), bson.NewObjectID()
	if _, err := coll.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "a.b", Value: 1}, {Key: "c", Value: -1}}, Options: options.Index().SetName("own").SetUnique(true)}); err != nil {
		t.Fatal(err)
	}
	if _, err := coll.InsertOne(ctx, bson.M{"_id": id, "a": bson.M{"b": bson.NewDecimal128(0x3040000000000000, 10)}, "c": "x"}); err != nil {
		t.Fatal(err)
	}
	for want, document := range map[string]bson.M{
		`E11000 duplicate key error collection: go_test.item index: own dup key: { a.b: 10, c: "x" }`:                    {"a": bson.M{"b": bson.NewDecimal128(0x3040000000000000, 10)}, "c": "x"},
		`E11000 duplicate key error collection: go_test.item index: _id_ dup key: { _id: ObjectId('` + id.Hex() + `') }`: {"_id": id},
	} {
		if _, err := coll.InsertOne(ctx, document); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %s", err, want)
		}
	}
	_, err := coll.Aggregate(ctx, bson.A{bson.M{"$match": bson.M{"_id": id}}, bson.M{"$merge": bson.M{"into": "item", "whenMatched": "fail"}}})
	var failed mongo.CommandError
	if !errors.As(err, &failed) || failed.Code != 11000 || failed.Raw.Lookup("keyValue", "_id").ObjectID() != id || failed.Raw.Lookup("keyPattern", "_id").Int32() != 1 {
		t.Errorf("$merge: %v, %v", err, failed.Raw)
	}
	if _, err := coll.InsertMany(ctx, []any{bson.M{"c": 1, "d": 5}, bson.M{"c": 2, "d": 5}}); err != nil {
		t.Fatal(err)
	}
	_, err = coll.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "d", Value: 1}}, Options: options.Index().SetUnique(true).SetSparse(true)})
	if want := "E11000 duplicate key error collection: go_test.item index: d_1 dup key: { d: 5 }"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, and not %s", err, want)
	}
}

// An index that collMod makes unique refuses what is there twice, from the preparation on, and not what is there already.
func TestMadeUnique(t *testing.T) {
	db, ctx := start(t), context.Background()
	coll := db.Collection("item")
	if _, err := coll.InsertMany(ctx, []any{bson.M{"_id": 1, "x": 1, "y": 1}, bson.M{"_id": 2, "x": 2, "y": 1}}); err != nil {
		t.Fatal(err)
	}
	change := func(field, option string, value bool) error {
		return db.RunCommand(ctx, bson.D{{Key: "collMod", Value: "item"}, {Key: "index", Value: bson.M{"keyPattern": bson.M{field: 1}, option: value}}, {Key: "maxTimeMS", Value: 10000}}).Err()
	}
	for _, field := range []string{"x", "y"} {
		if _, err := coll.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.M{field: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	reader := sql(t, "BEGIN", "SELECT FROM "+db.Name()+".item")
	if err := change("y", "hidden", true); err != nil {
		t.Error("beside a reader:", err)
	}
	_ = reader.Close(ctx)
	if err := change("y", "unique", true); code(err) != 359 {
		t.Errorf("two documents with one value: %v", err)
	}
	for i, step := range []struct {
		option string
		value  bool
		code   int32
	}{{"prepareUnique", true, 11000}, {"prepareUnique", false, 0}, {"prepareUnique", true, 11000}, {"unique", true, 11000}} {
		if err := change("x", step.option, step.value); err != nil {
			t.Error(step, err)
		}
		if _, err := coll.InsertOne(ctx, bson.M{"_id": 10 + i, "x": 1}); code(err) != step.code {
			t.Error(step, err)
		}
		if _, err := coll.DeleteOne(ctx, bson.M{"_id": 10 + i}); err != nil {
			t.Error(err)
		}
	}
}

// The index of _id is listed with its size and its use, and can be neither changed nor dropped, also when what is dropped stays for a view.
func TestIDIndex(t *testing.T) {
	db, ctx := start(t), context.Background()
	items := db.Collection("item")
	if _, err := items.InsertOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	sql(t, "CREATE UNIQUE INDEX ON go_test.item ((data -> 'a' -> '_id'))", "CREATE UNIQUE INDEX ON go_test.item ((data -> '_id')) WHERE data ? 'a'", "ALTER TABLE go_test.item ADD j jsonb", "CREATE UNIQUE INDEX ON go_test.item ((j -> '_id'))", "COMMENT ON INDEX go_test.item_expr_idx IS 'by _id'")
	var stats struct {
		Total int64            `bson:"totalIndexSize"`
		Sizes map[string]int64 `bson:"indexSizes"`
	}
	if err := db.RunCommand(ctx, bson.D{{Key: "collStats", Value: "item"}}).Decode(&stats); err != nil || len(stats.Sizes) != 1 || stats.Sizes["_id_"] != 16384 || stats.Total <= 16384 {
		t.Errorf("%+v, %v", stats, err)
	}
	if index := text(t, sql(t, "SET search_path = ''"), "SELECT index::text FROM public.bson_list_indexes('go_test.item')"); index != "go_test.item_expr_idx" {
		t.Error(index)
	}
	for option, value := range map[string]any{"hidden": true, "expireAfterSeconds": 5} {
		if err := db.RunCommand(ctx, bson.D{{Key: "collMod", Value: "item"}, {Key: "index", Value: bson.M{"name": "_id_", option: value}}}).Err(); code(err) != 2 {
			t.Errorf("%s: %v", option, err)
		}
	}
	if err := db.CreateView(ctx, "view", "item", bson.A{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(items.Drop(ctx), db.CreateCollection(ctx, "item")); err != nil {
		t.Fatal(err)
	}
	_, err := items.InsertMany(ctx, []any{bson.M{"_id": 1}, bson.M{"_id": 1}})
	if !mongo.IsDuplicateKeyError(err) {
		t.Errorf("two documents with one _id: %v", err)
	}
}

// A hint that names no index is an error, until there is one, and again when it has gone. Numbers in its key may be of any type.
func TestHint(t *testing.T) {
	db, ctx := start(t), context.Background()
	items := db.Collection("item")
	if _, err := items.InsertOne(ctx, bson.M{"_id": 1, "a": 1}); err != nil {
		t.Fatal(err)
	}
	all := func(hint any) (codes []int32) {
		for name, command := range map[string]bson.D{"find": nil, "count": nil, "distinct": {{Key: "key", Value: "a"}}, "aggregate": {{Key: "pipeline", Value: bson.A{}}, {Key: "cursor", Value: bson.M{}}},
			"findAndModify": {{Key: "update", Value: bson.M{"$inc": bson.M{"n": 1}}}},
			"update":        {{Key: "updates", Value: bson.A{bson.M{"q": bson.M{}, "u": bson.M{"$inc": bson.M{"n": 1}}, "hint": hint}}}},
			"delete":        {{Key: "deletes", Value: bson.A{bson.M{"q": bson.M{"_id": 2}, "limit": 1, "hint": hint}}}}} {
			command = append(bson.D{{Key: name, Value: "item"}}, command...)
			if name != "update" && name != "delete" {
				command = append(command, bson.E{Key: "hint", Value: hint})
			}
			var reply struct{ WriteErrors []struct{ Code int32 } }
			if err := db.RunCommand(ctx, command).Decode(&reply); err != nil {
				codes = append(codes, code(err))
			}
			for _, each := range reply.WriteErrors {
				codes = append(codes, each.Code)
			}
		}
		return codes
	}
	expect := func(want string, hints ...any) {
		t.Helper()
		for _, hint := range hints {
			if got := fmt.Sprint(all(hint)); got != want {
				t.Errorf("%v: %s, not %s", hint, got, want)
			}
		}
	}
	const fail = "[2 2 2 2 2 2 2]"
	expect("[]", "_id_", bson.M{"_id": 1.0}, bson.M{"$natural": -1}, bson.M{}, nil)
	for range 2 {
		expect(fail, "a_1", bson.M{"a": 1})
		if _, err := items.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.M{"a": 1}}); err != nil {
			t.Fatal(err)
		}
		expect("[]", "a_1", bson.M{"a": 1.0}, bson.M{"a": int64(1)})
		expect(fail, "a_2", bson.M{"a": -1})
		if err := db.RunCommand(ctx, bson.D{{Key: "dropIndexes", Value: "item"}, {Key: "index", Value: bson.M{"a": 1.0}}}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := items.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	expect("[]", "a_1")
}
