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
		"delete":   {{Key: "delete", Value: "kept"}, {Key: "deletes", Value: bson.A{bson.M{"q": 5, "limit": 0}}}},
		"no query": {{Key: "delete", Value: "kept"}, {Key: "deletes", Value: bson.A{bson.M{"limit": 0}}}},
		"find":     {{Key: "find", Value: "kept"}, {Key: "filter", Value: "x"}},
		"update":   {{Key: "update", Value: "kept"}, {Key: "updates", Value: bson.A{bson.M{"q": bson.M{}}}}},
		"pipeline": {{Key: "aggregate", Value: "kept"}, {Key: "pipeline", Value: bson.A{5}}, {Key: "cursor", Value: bson.M{}}},
	} {
		if err := db.RunCommand(ctx, command).Err(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if n, err := db.Collection("kept").CountDocuments(ctx, bson.M{}); n != 1 || err != nil {
		t.Errorf("%d documents, %v", n, err)
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
		}
		err := db.RunCommand(ctx, bson.D{{Key: "explain", Value: command}, {Key: "verbosity", Value: "executionStats"}}).Decode(&reply)
		plan := reply.QueryPlanner.WinningPlan
		if err != nil || !strings.Contains(plan.Statement, want) || (want == "") != (plan.Stage == "EOF") {
			t.Errorf("%v: %+v, %v", command, plan, err)
		}
	}
	if n, err := db.Collection("plan").CountDocuments(ctx, bson.M{"n": 1}); n != 1 || err != nil {
		t.Errorf("%d documents, %v", n, err)
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
