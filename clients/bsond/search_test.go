package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A collection's collation is that of its commands and indexes, unless they have one.
func TestCollationOfCollection(t *testing.T) {
	db, ctx := start(t), context.Background()
	anyCase := &options.Collation{Locale: "en", Strength: 2}
	if err := db.CreateCollection(ctx, "people", options.CreateCollection().SetCollation(anyCase)); err != nil {
		t.Fatal(err)
	}
	people := db.Collection("people")
	if err := db.RunCommand(ctx, bson.D{{Key: "create", Value: "other"}, {Key: "collation", Value: bson.D{}}}).Err(); err == nil {
		t.Error("an empty collation was taken")
	}
	if _, err := people.Indexes().CreateMany(ctx, []mongo.IndexModel{{Keys: bson.D{{Key: "mail", Value: 1}}, Options: options.Index().SetUnique(true)},
		{Keys: bson.D{{Key: "mail", Value: 1}}, Options: options.Index().SetName("bytes").SetCollation(&options.Collation{Locale: "simple"})}}); err != nil {
		t.Fatal(err)
	}
	// as a dump has it, which is no other index
	if _, err := people.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "mail", Value: 1}}, Options: options.Index().SetUnique(true).SetCollation(&options.Collation{Locale: "en", Strength: 2, CaseFirst: "off", Alternate: "non-ignorable", MaxVariable: "punct"})}); err != nil {
		t.Error(err)
	}
	if _, err := people.InsertMany(ctx, []any{bson.M{"_id": "a", "mail": "a@x", "n": 1}, bson.M{"_id": "b", "mail": "b@x", "n": 2}}); err != nil {
		t.Fatal(err)
	}
	for name, count := range map[string]func() (int64, error){
		"find": func() (int64, error) { return people.CountDocuments(ctx, bson.M{"mail": "A@X"}) },
		"_id":  func() (int64, error) { return people.CountDocuments(ctx, bson.M{"_id": "B"}) },
		"update": func() (int64, error) {
			r, err := people.UpdateOne(ctx, bson.M{"mail": "B@x"}, bson.M{"$inc": bson.M{"n": 1}})
			return r.ModifiedCount, err
		},
		"delete": func() (int64, error) {
			r, err := people.DeleteOne(ctx, bson.M{"mail": "C@x"})
			return r.DeletedCount + 1, err
		},
	} {
		if n, err := count(); err != nil || n != 1 {
			t.Errorf("%s: %d documents, %v", name, n, err)
		}
	}
	if n, err := people.CountDocuments(ctx, bson.M{"mail": "A@X"}, options.Count().SetCollation(&options.Collation{Locale: "simple"})); err != nil || n != 0 {
		t.Errorf("bytes: %d documents, %v", n, err)
	}
	cursor, err := people.Aggregate(ctx, bson.A{bson.M{"$match": bson.M{"mail": "A@X"}}, bson.M{"$project": bson.M{"same": bson.M{"$eq": bson.A{"$_id", "A"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	var found []bson.M
	if err = cursor.All(ctx, &found); err != nil || len(found) != 1 || found[0]["same"] != true {
		t.Errorf("aggregate: %v, %v", found, err)
	}
	for _, twice := range []struct{ document, key bson.M }{{bson.M{"_id": "A"}, bson.M{"_id": "A"}}, {bson.M{"_id": "c", "mail": "A@x"}, bson.M{"mail": "A@x"}}} {
		_, err = people.InsertOne(ctx, twice.document)
		var failed mongo.WriteException
		if !mongo.IsDuplicateKeyError(err) || !errors.As(err, &failed) {
			t.Fatalf("%v was inserted: %v", twice.document, err)
		}
		var value bson.M
		if err = bson.Unmarshal(failed.WriteErrors[0].Raw.Lookup("keyValue").Document(), &value); err != nil || !reflect.DeepEqual(value, twice.key) {
			t.Errorf("keyValue of %v is %v, %v", twice.document, value, err)
		}
	}
	specs, err := people.Indexes().ListSpecifications(ctx)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, spec := range specs {
		names = append(names, spec.Name)
	}
	if !reflect.DeepEqual(names, []string{"_id_", "mail_1", "bytes"}) {
		t.Errorf("indexes: %v", names)
	}
}

// Text indexes are made, listed and dropped, and searches use them.
func TestText(t *testing.T) {
	db, ctx := start(t), context.Background()
	articles := db.Collection("articles")
	if _, err := articles.InsertMany(ctx, []any{bson.M{"_id": 1, "title": "Coffee shop", "body": "cakes"}, bson.M{"_id": 2, "title": "Cake", "body": "coffee", "tags": bson.A{"a", "b"}}, bson.M{"_id": 3, "title": "Tea"}}); err != nil {
		t.Fatal(err)
	}
	search := bson.M{"$text": bson.M{"$search": "coffee"}}
	var failed mongo.CommandError
	if err := articles.FindOne(ctx, search).Err(); !errors.As(err, &failed) || failed.Code != 27 {
		t.Errorf("without an index: %v", err)
	}
	index := mongo.IndexModel{Keys: bson.D{{Key: "title", Value: "text"}, {Key: "body", Value: "text"}}, Options: options.Index().SetWeights(bson.M{"title": 10}).SetName("words")}
	for range 2 { // the second time nothing is done
		if _, err := articles.Indexes().CreateOne(ctx, index); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := articles.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "n", Value: 1}, {Key: "$**", Value: "text"}}}); !errors.As(err, &failed) || failed.Code != 67 {
		t.Errorf("a second text index: %v", err)
	}
	cursor, err := articles.Find(ctx, search, options.Find().SetSort(bson.M{"s": bson.M{"$meta": "textScore"}}).SetProjection(bson.M{"title": 1, "s": bson.M{"$meta": "textScore"}}))
	if err != nil {
		t.Fatal(err)
	}
	var found []struct {
		ID int `bson:"_id"`
		S  float64
	}
	if err = cursor.All(ctx, &found); err != nil || len(found) != 2 || found[0].ID != 1 || found[0].S <= found[1].S {
		t.Errorf("found %v, %v", found, err)
	}
	if n, err := articles.CountDocuments(ctx, search); err != nil || n != 2 {
		t.Errorf("counted %d, %v", n, err)
	}
	if r, err := articles.UpdateOne(ctx, bson.M{"$text": bson.M{"$search": "coffee"}, "tags": "b"}, bson.M{"$set": bson.M{"tags.$": "c"}}); err != nil || r.ModifiedCount != 1 {
		t.Errorf("updated %v, %v", r, err)
	}
	both := bson.M{"$and": bson.A{search, bson.M{"tags": "c"}}}
	var shown bson.M
	if err = articles.FindOneAndUpdate(ctx, both, bson.M{"$set": bson.M{"tags.$": "d"}}, options.FindOneAndUpdate().SetProjection(bson.M{"tags.$": 1})).Decode(&shown); err != nil || fmt.Sprint(shown["tags"]) != "[c]" {
		t.Errorf("updated %v, %v", shown, err)
	}
	if err = articles.FindOne(ctx, bson.M{"$and": bson.A{search, bson.M{"tags": "d"}}}, options.FindOne().SetProjection(bson.M{"tags.$": 1})).Decode(&shown); err != nil || fmt.Sprint(shown["tags"]) != "[d]" {
		t.Errorf("found %v, %v", shown, err)
	}
	if r, err := articles.DeleteMany(ctx, bson.M{"$text": bson.M{"$search": "cake -tea"}}); err != nil || r.DeletedCount != 2 {
		t.Errorf("deleted %v, %v", r, err)
	}
	if err = articles.Indexes().DropOne(ctx, "words"); err != nil {
		t.Error(err)
	}
}
