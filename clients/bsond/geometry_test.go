package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Geometry is PostGIS's: an index, the nearest, what lies within, and $geoNear.
func TestGeometry(t *testing.T) {
	db, ctx := start(t), context.Background()
	places := db.Collection("places")
	name, err := places.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "loc", Value: "2dsphere"}}})
	if err != nil && strings.Contains(err.Error(), "postgis") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	point := func(x, y float64) bson.M { return bson.M{"type": "Point", "coordinates": bson.A{x, y}} }
	if _, err = places.InsertMany(ctx, []any{bson.M{"_id": "Paris", "loc": point(2.35, 48.85)}, bson.M{"_id": "Berlin", "loc": point(13.4, 52.5)}, bson.M{"_id": "Madrid", "loc": bson.A{-3.7, 40.4}}, bson.M{"_id": "nowhere"}}); err != nil {
		t.Fatal(err)
	}
	if _, err = places.InsertOne(ctx, bson.M{"loc": bson.A{0, 91}}); err == nil {
		t.Error("a latitude of 91 was inserted")
	}
	if err = places.FindOne(ctx, bson.M{"$or": bson.A{bson.M{"loc": bson.M{"$near": bson.A{0, 0}}}, bson.M{"a": 1}}}).Err(); err == nil {
		t.Error("$near stands in $or")
	}
	check := func(cursor *mongo.Cursor, err error, want ...string) {
		t.Helper()
		var found []struct {
			ID string `bson:"_id"`
		}
		if err == nil {
			err = cursor.All(ctx, &found)
		}
		ids := []string{}
		for _, each := range found {
			ids = append(ids, each.ID)
		}
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("%v, %v instead of %v", ids, err, want)
		}
	}
	cursor, err := places.Find(ctx, bson.M{"loc": bson.M{"$near": bson.M{"$geometry": point(4, 50), "$maxDistance": 1000000}}})
	check(cursor, err, "Paris", "Berlin")
	cursor, err = places.Find(ctx, bson.M{"loc": bson.M{"$geoWithin": bson.M{"$box": bson.A{bson.A{-10, 35}, bson.A{5, 45}}}}})
	check(cursor, err, "Madrid")
	cursor, err = places.Aggregate(ctx, bson.A{bson.M{"$geoNear": bson.M{"near": point(-4, 40), "distanceField": "far"}}, bson.M{"$match": bson.M{"far": bson.M{"$gt": 100000}}}})
	check(cursor, err, "Paris", "Berlin")
	if n, err := places.UpdateOne(ctx, bson.M{"loc": bson.M{"$nearSphere": point(13, 52)}}, bson.M{"$set": bson.M{"capital": true}}); err != nil || n.ModifiedCount != 1 {
		t.Errorf("%v, %v", n, err)
	}
	near := bson.M{"loc": bson.M{"$near": bson.A{-3, 40}}, "names": "Madrid"}
	if n, err := places.UpdateOne(ctx, bson.M{"_id": "Madrid"}, bson.M{"$set": bson.M{"names": bson.A{"Matrit", "Madrid"}}}); err != nil || n.ModifiedCount != 1 {
		t.Errorf("%v, %v", n, err)
	}
	var shown bson.M
	if err = places.FindOneAndUpdate(ctx, near, bson.M{"$set": bson.M{"names.$": "Madriz"}}, options.FindOneAndUpdate().SetProjection(bson.M{"names.$": 1})).Decode(&shown); err != nil || fmt.Sprint(shown["names"]) != "[Madrid]" {
		t.Errorf("updated %v, %v", shown, err)
	}
	near["names"] = "Madriz"
	if err = places.FindOne(ctx, near, options.FindOne().SetProjection(bson.M{"names.$": 1})).Decode(&shown); err != nil || fmt.Sprint(shown["names"]) != "[Madriz]" {
		t.Errorf("found %v, %v", shown, err)
	}
	if n, err := places.DeleteMany(ctx, bson.M{"loc": bson.M{"$geoWithin": bson.M{"$centerSphere": bson.A{bson.A{13, 52}, 0.1}}}}); err != nil || n.DeletedCount != 1 {
		t.Errorf("%v, %v", n, err)
	}
	if err = places.Indexes().DropOne(ctx, name); err != nil {
		t.Error(err)
	}
}
