package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// begin runs bsond on the server that BSOND_TEST_POSTGRES names, and returns its address
func begin(t *testing.T, s settings) string {
	t.Helper()
	s.postgres = postgresOf(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.listen, s.level = cmp.Or(s.listen, free.Addr().String()), cmp.Or(s.level, "error")
	s.connections, s.memory, s.files, s.transactions = cmp.Or(s.connections, 10), cmp.Or(s.memory, 256), cmp.Or(s.files, 1024), cmp.Or(s.transactions, time.Minute)
	free.Close()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, &s) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s.listen
}

// connect connects MongoDB's driver to bsond
func connect(t *testing.T, uri string, more ...*options.ClientOptions) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(append([]*options.ClientOptions{options.Client().ApplyURI(uri).SetServerSelectionTimeout(20 * time.Second)}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client
}

// start does both, without authentication
func start(t *testing.T) *mongo.Database {
	t.Helper()
	db := connect(t, "mongodb://"+begin(t, settings{})).Database("go_test")
	if err := db.Drop(context.Background()); err != nil {
		t.Fatal(err)
	}
	return db
}

// A result of many batches, and one that is given up, cost no more than their rows, and their connections come back.
func TestCursors(t *testing.T) {
	db, ctx := start(t), context.Background()
	var documents []any
	for i := range 5000 {
		documents = append(documents, bson.M{"_id": i, "text": fmt.Sprintf("document %d", i)})
	}
	if _, err := db.Collection("many").InsertMany(ctx, documents); err != nil {
		t.Fatal(err)
	}
	for range 30 { // more than there are connections
		cursor, err := db.Collection("many").Find(ctx, bson.M{}, options.Find().SetBatchSize(10))
		if err != nil {
			t.Fatal(err)
		}
		cursor.Next(ctx)
		if err = cursor.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	admin, newest := sql(t), "SELECT max(backend_start)::text FROM pg_stat_activity WHERE application_name = 'bsond'"
	before := ""
	for round := range 4 {
		cursor, err := db.Collection("many").Find(ctx, bson.M{}, options.Find().SetBatchSize(7))
		var all []bson.M
		if err == nil {
			err = cursor.All(ctx, &all)
		}
		if err != nil || len(all) != 5000 {
			t.Errorf("%d documents, %v", len(all), err)
		}
		now := text(t, admin, newest)
		if round > 0 && now != before {
			t.Error("a cursor that was read to its end has cost its connection")
		}
		before = now
	}
}

// sum adds a value 5,000 times, as an expression
func sum(value any) bson.M {
	return bson.M{"$reduce": bson.M{"input": bson.M{"$range": bson.A{0, 5000}}, "initialValue": 0, "in": bson.M{"$add": bson.A{"$$value", value}}}}
}

// What programs look at in errors.
func TestErrors(t *testing.T) {
	db, ctx := start(t), context.Background()
	items := db.Collection("item")
	_, err := items.InsertMany(ctx, []any{bson.M{"_id": 1}, bson.M{"_id": 2}, bson.M{"_id": 1}, bson.M{"_id": 3}})
	var bulk mongo.BulkWriteException
	if !errors.As(err, &bulk) || len(bulk.WriteErrors) != 1 || bulk.WriteErrors[0].Index != 2 || bulk.WriteErrors[0].Code != 11000 {
		t.Errorf("two documents with one _id: %v", err)
	}
	if n, err := items.CountDocuments(ctx, bson.M{}); n != 2 || err != nil {
		t.Errorf("an ordered insert keeps what came before its error, and nothing after: %d, %v", n, err)
	}
	if _, err := items.InsertOne(ctx, bson.M{"_id": 4, "s": "x"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command any
		code    int32
	}{
		"unknown command":   {bson.D{{Key: "nothing", Value: 1}}, 59},
		"unknown operator":  {bson.D{{Key: "find", Value: "item"}, {Key: "filter", Value: bson.M{"a": bson.M{"$x": 1}}}}, 2},
		"unknown stage":     {bson.D{{Key: "aggregate", Value: "item"}, {Key: "pipeline", Value: bson.A{bson.M{"$x": 1}}}, {Key: "cursor", Value: bson.M{}}}, 40324},
		"unknown update":    {bson.D{{Key: "findAndModify", Value: "item"}, {Key: "update", Value: bson.M{"$x": bson.M{"a": 1}}}}, 9},
		"change of an _id":  {bson.D{{Key: "findAndModify", Value: "item"}, {Key: "query", Value: bson.M{"_id": 1}}, {Key: "update", Value: bson.M{"$set": bson.M{"_id": 7}}}}, 66},
		"cursor":            {bson.D{{Key: "getMore", Value: int64(5)}, {Key: "collection", Value: "item"}}, 43},
		"no such log":       {bson.D{{Key: "getLog", Value: "x"}}, 96},
		"create again":      {bson.D{{Key: "create", Value: "item"}}, 48},
		"name":              {bson.D{{Key: "create", Value: "a$b"}}, 73},
		"index":             {bson.D{{Key: "dropIndexes", Value: "item"}, {Key: "index", Value: "none"}}, 27},
		"no collection":     {bson.D{{Key: "listIndexes", Value: "none"}}, 26},
		"not there: capped": {bson.D{{Key: "create", Value: "c"}, {Key: "capped", Value: true}, {Key: "size", Value: 1000}}, 115},
		"no limit":          {bson.D{{Key: "find", Value: "item"}, {Key: "maxTimeMS", Value: "5"}}, 14},
		"endless limit":     {bson.D{{Key: "count", Value: "item"}, {Key: "maxTimeMS", Value: math.Inf(1)}}, 2},
		"change stream":     {bson.D{{Key: "aggregate", Value: "item"}, {Key: "pipeline", Value: bson.A{bson.M{"$changeStream": bson.M{}}}}, {Key: "cursor", Value: bson.M{}}}, 40573},
		"variable":          {bson.D{{Key: "find", Value: "item"}, {Key: "filter", Value: bson.M{"$expr": bson.M{"$eq": bson.A{"$_id", "$$id"}}}}}, 17276},
		"keys of indexes":   {bson.D{{Key: "find", Value: "item"}, {Key: "returnKey", Value: true}}, 238},
		"no authentication": {bson.D{{Key: "saslContinue", Value: 1}, {Key: "conversationId", Value: 0}, {Key: "payload", Value: "x"}}, 17},
		"too slow": {bson.D{{Key: "aggregate", Value: 1}, {Key: "pipeline", Value: bson.A{bson.M{"$documents": bson.A{bson.M{}}},
			bson.M{"$project": bson.M{"n": sum(sum(1))}}}}, {Key: "cursor", Value: bson.M{}}, {Key: "maxTimeMS", Value: 50}}, 50},
	} {
		var failed mongo.CommandError
		if err := db.RunCommand(ctx, c.command).Err(); !errors.As(err, &failed) || failed.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		change any
		code   int32
	}{
		{bson.M{"$inc": bson.M{"s": 1}}, 14}, {bson.M{"$inc": bson.M{"n": "x"}}, 14}, {bson.M{"$mul": bson.M{"s": 2}}, 14}, {bson.M{"$pop": bson.M{"s": 1}}, 14},
		{bson.M{"$push": bson.M{"s": 1}}, 2}, {bson.M{"$addToSet": bson.M{"s": 1}}, 2}, {bson.M{"$pull": bson.M{"s": 1}}, 2}, {bson.M{"$bit": bson.M{"s": bson.M{"and": 1}}}, 2},
		{bson.M{"$set": bson.M{"s.a": 1}}, 28}, {bson.M{"$push": bson.M{"s.a": 1}}, 28}, {bson.M{"$set": bson.M{"s": 1}, "$unset": bson.M{"s": 1}}, 40}, {bson.M{"$set": bson.M{"o": 1, "o.a": 1}}, 40},
		{bson.A{bson.M{"$set": bson.M{"n": bson.M{"$toInt": "$s"}}}}, 241},
	} {
		if _, err := items.UpdateOne(ctx, bson.M{"s": "x"}, c.change); code(err) != c.code {
			t.Errorf("%v: %v", c.change, err)
		}
	}
}

// A database is dropped while others write to it.
func TestDropDatabase(t *testing.T) {
	db, ctx := start(t), context.Background()
	failures := make(chan error, 8)
	for n := range 8 {
		go func() {
			var err error
			for i := 0; i < 5 && err == nil; i++ {
				if n%2 == 0 {
					err = db.Drop(ctx)
				} else {
					err = db.CreateCollection(ctx, fmt.Sprintf("made %d %d", n, i))
				}
			}
			failures <- err
		}()
	}
	for range 8 {
		if err := <-failures; err != nil && !mongo.IsDuplicateKeyError(err) {
			t.Error(err)
		}
	}
	if err := db.Drop(ctx); err != nil {
		t.Error(err)
	}
}

// The collections that stages name are those of the database, also where the extension lies.
func TestStages(t *testing.T) {
	ctx := context.Background()
	client := start(t).Client()
	for _, name := range []string{"go_test", "public"} {
		items := client.Database(name).Collection("go.item")
		if err := items.Drop(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := items.InsertMany(ctx, []any{bson.M{"_id": 1}, bson.M{"_id": 2, "boss": 1}}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			cursor, err := items.Aggregate(ctx, bson.A{bson.M{"$lookup": bson.M{"from": "go.item", "localField": "boss", "foreignField": "_id", "as": "b"}}, bson.M{"$match": bson.M{"b._id": 1}}})
			var all []bson.M
			if err == nil {
				err = cursor.All(ctx, &all)
			}
			if err != nil || len(all) != 1 {
				t.Errorf("%s: %v, %v", name, all, err)
			}
			// a collection that does not exist has no documents
			cursor, err = items.Aggregate(ctx, bson.A{bson.M{"$lookup": bson.M{"from": "go.none", "localField": "boss", "foreignField": "_id", "as": "b"}}, bson.M{"$unionWith": "go.none"}, bson.M{"$match": bson.M{"b": bson.A{}}}})
			if err == nil {
				err = cursor.All(ctx, &all)
			}
			if err != nil || len(all) != 2 {
				t.Errorf("%s: %v, %v", name, all, err)
			}
			if n, err := items.CountDocuments(ctx, bson.M{}); n != 2 || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		if err := items.Drop(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// Two clients that write the same documents in transactions lose nothing: the driver runs one of them again.
func TestTransactions(t *testing.T) {
	db, ctx := start(t), context.Background()
	counter := db.Collection("counter")
	if _, err := counter.InsertOne(ctx, bson.M{"_id": 1, "n": 0}); err != nil {
		t.Fatal(err)
	}
	const clients, rounds = 4, 10
	failures := make(chan error, clients)
	for range clients {
		go func() {
			session, err := db.Client().StartSession()
			for i := 0; i < rounds && err == nil; i++ {
				_, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
					return counter.UpdateOne(ctx, bson.M{"_id": 1}, bson.M{"$inc": bson.M{"n": 1}})
				})
			}
			failures <- err
		}()
	}
	for range clients {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	var found struct{ N int }
	if err := counter.FindOne(ctx, bson.M{"_id": 1}).Decode(&found); err != nil || found.N != clients*rounds {
		t.Errorf("the counter is %d, %v", found.N, err)
	}
}

// A transaction that lasts too long ends, whatever it is doing.
func TestTransactionsEnd(t *testing.T) {
	client, ctx := connect(t, "mongodb://"+begin(t, settings{transactions: 100 * time.Millisecond})), context.Background()
	session, err := client.StartSession()
	if err == nil {
		err = session.StartTransaction()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	slow := bson.A{bson.M{"$documents": bson.A{bson.M{}}}, bson.M{"$project": bson.M{"n": bson.A{sum(sum(1)), sum(sum(2)), sum(sum(3))}}}}
	if _, err = client.Database("go_test").Aggregate(mongo.NewSessionContext(ctx, session), slow); code(err) != 251 {
		t.Error(err)
	}
}

// dumped is what mongodump reads of a database: of each collection its options, its indexes and its documents as they are
func dumped(t *testing.T, db *mongo.Database) map[string][]bson.Raw {
	t.Helper()
	ctx, all := context.Background(), map[string][]bson.Raw{}
	collections, err := db.ListCollectionSpecifications(ctx, bson.M{"type": "collection"})
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range collections {
		indexes, err := db.Collection(each.Name).Indexes().List(ctx)
		var specs, documents []bson.Raw
		if err == nil {
			err = indexes.All(ctx, &specs)
		}
		cursor, failed := db.Collection(each.Name).Find(ctx, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
		if failed == nil {
			failed = cursor.All(ctx, &documents)
		}
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		all[each.Name] = append([]bson.Raw{each.Options, bson.Raw(must(bson.Marshal(bson.M{"n": len(specs)})))}, append(specs, documents...)...)
	}
	return all
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// What a program like mongodump reads, one like mongorestore brings back, byte by byte.
func TestDumpAndRestore(t *testing.T) {
	db, ctx := start(t), context.Background()
	copied := db.Client().Database("go_test_copy")
	if err := copied.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	for _, command := range []bson.D{
		{{Key: "create", Value: "person"}, {Key: "validator", Value: bson.M{"name": bson.M{"$type": "string"}}}, {Key: "validationLevel", Value: "moderate"}, {Key: "validationAction", Value: "error"}},
		{{Key: "createIndexes", Value: "person"}, {Key: "indexes", Value: bson.A{
			bson.D{{Key: "key", Value: bson.D{{Key: "name", Value: 1}, {Key: "age", Value: -1}}}, {Key: "name", Value: "by name"}, {Key: "unique", Value: true}},
			bson.D{{Key: "key", Value: bson.D{{Key: "seen", Value: 1}}}, {Key: "name", Value: "seen_1"}, {Key: "expireAfterSeconds", Value: 3600}},
			bson.D{{Key: "key", Value: bson.D{{Key: "at", Value: "2dsphere"}}}, {Key: "name", Value: "at_2dsphere"}, {Key: "unique", Value: true}},
			bson.D{{Key: "key", Value: bson.D{{Key: "$**", Value: 1}}}, {Key: "name", Value: "all"}, {Key: "hidden", Value: true}},
			bson.D{{Key: "key", Value: bson.D{{Key: "n", Value: 1}}}, {Key: "name", Value: "some"}, {Key: "sparse", Value: true}},
			bson.D{{Key: "key", Value: bson.D{{Key: "m", Value: 1}}}, {Key: "name", Value: "few"}, {Key: "partialFilterExpression", Value: bson.M{"m": bson.M{"$gt": 5}}}}}}},
		{{Key: "create", Value: "empty"}, {Key: "collation", Value: bson.M{"locale": "fr"}}},
	} {
		if err := db.RunCommand(ctx, command).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Collection("person").InsertMany(ctx, []any{
		bson.D{{Key: "_id", Value: 1}, {Key: "name", Value: "Ada"}, {Key: "at", Value: bson.A{1.5, int64(2)}}, {Key: "seen", Value: time.Now()}},
		bson.D{{Key: "_id", Value: "x"}, {Key: "name", Value: "Bob"}, {Key: "age", Value: bson.NewObjectID()}, {Key: "r", Value: bson.Regex{Pattern: "a", Options: "i"}},
			{Key: "d", Value: bson.NewDecimal128(5, 7)}, {Key: "min", Value: bson.MinKey{}}, {Key: "code", Value: bson.JavaScript("f()")}, {Key: "n", Value: nil}}}); err != nil {
		t.Fatal(err)
	}
	before := dumped(t, db)
	if err := before["person"][0].Lookup("validator", "name", "$type").Validate(); err != nil {
		t.Errorf("the validator is not listed: %v", err)
	}
	for name, raw := range before {
		create := bson.D{{Key: "create", Value: name}}
		elements, _ := raw[0].Elements()
		for _, e := range elements {
			create = append(create, bson.E{Key: e.Key(), Value: e.Value()})
		}
		count := 2 + int(raw[1].Lookup("n").AsInt64())
		// mongorestore sends these, too, and MongoDB does not keep them
		create = append(create, bson.E{Key: "idIndex", Value: bson.D{{Key: "key", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "ns", Value: "a." + name}, {Key: "name", Value: "_id_"}}})
		var specs []bson.D
		for _, each := range raw[2:count] {
			var spec bson.D
			if err := bson.Unmarshal(each, &spec); err != nil {
				t.Fatal(err)
			}
			specs = append(specs, append(spec, bson.E{Key: "ns", Value: "a." + name}))
		}
		if err := errors.Join(copied.RunCommand(ctx, create).Err(), copied.RunCommand(ctx, bson.D{{Key: "createIndexes", Value: name}, {Key: "indexes", Value: specs}}).Err()); err != nil {
			t.Fatal(err)
		}
		if len(raw) > count {
			if _, err := copied.Collection(name).InsertMany(ctx, raw[count:]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := dumped(t, copied); len(before) != 2 || len(before["person"]) != 2+7+2 || !reflect.DeepEqual(before, after) {
		t.Errorf("%v\nbecame\n%v", before, after)
	}
	if err := copied.Drop(ctx); err != nil {
		t.Error(err)
	}
}

// Many documents come by COPY, and what one of them causes is told as of one alone.
func TestManyDocuments(t *testing.T) {
	db, ctx := start(t), context.Background()
	items := db.Collection("bulk")
	for _, last := range []any{bson.D{{Key: "_id", Value: 7}}, bson.D{{Key: "a", Value: 1}, {Key: "_id", Value: bson.A{1}}}} {
		if err := items.Drop(ctx); err != nil {
			t.Fatal(err)
		}
		var list []any
		for n := range 200 {
			list = append(list, bson.D{{Key: "_id", Value: n}, {Key: "x", Value: "y"}})
		}
		if _, err := items.InsertMany(ctx, list); err != nil {
			t.Fatal(err)
		}
		for n := range list {
			list[n] = bson.D{{Key: "_id", Value: n + 1000}}
		}
		list[100] = last
		_, err := items.InsertMany(ctx, list, options.InsertMany().SetOrdered(false))
		var bulk mongo.BulkWriteException
		if !errors.As(err, &bulk) || len(bulk.WriteErrors) != 1 || bulk.WriteErrors[0].Index != 100 {
			t.Errorf("%v: %v", last, err)
		}
		if n, err := items.CountDocuments(ctx, bson.M{}); n != 399 || err != nil {
			t.Errorf("%v: %d, %v", last, n, err)
		}
	}
}

// mongostat reads these of the server, with these types.
func TestServerStatus(t *testing.T) {
	db, ctx := start(t), context.Background()
	type status struct {
		Uptime     int64
		Opcounters struct{ Insert, Query, Update, Delete, Getmore, Command int64 }
		Network    struct{ BytesIn, BytesOut, NumRequests int64 }
	}
	var before, after status
	if err := db.RunCommand(ctx, bson.D{{Key: "serverStatus", Value: 1}}).Decode(&before); err != nil {
		t.Fatal(err)
	}
	if err := db.Collection("nothing").FindOne(ctx, bson.D{}).Err(); err != mongo.ErrNoDocuments {
		t.Fatal(err)
	}
	if err := db.RunCommand(ctx, bson.D{{Key: "serverStatus", Value: 1}}).Decode(&after); err != nil {
		t.Fatal(err)
	}
	if after.Opcounters.Query == before.Opcounters.Query || after.Opcounters.Command == before.Opcounters.Command || after.Network.NumRequests < before.Network.NumRequests+2 ||
		after.Network.BytesIn <= before.Network.BytesIn || after.Network.BytesOut <= before.Network.BytesOut {
		t.Errorf("%+v\nbecame\n%+v", before, after)
	}
}

// Views outlive the collections that they are of, as in MongoDB, and those are not there until they are made again.
func TestViewsStay(t *testing.T) {
	db, ctx := start(t), context.Background()
	run := func(command ...bson.E) {
		t.Helper()
		if err := db.RunCommand(ctx, bson.D(command)).Err(); err != nil {
			t.Fatal(command, err)
		}
	}
	names := func() string {
		list, err := db.ListCollectionNames(ctx, bson.D{}, options.ListCollections().SetNameOnly(true))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(list, " ")
	}
	seen := func(view string) (n int64) {
		t.Helper()
		n, err := db.Collection(view).CountDocuments(ctx, bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	view := func(name, of string) {
		t.Helper()
		run(bson.E{Key: "create", Value: name}, bson.E{Key: "viewOn", Value: of}, bson.E{Key: "pipeline", Value: bson.A{bson.M{"$match": bson.M{"n": bson.M{"$gt": 1}}}}})
	}
	insert := func(name string, n int) {
		t.Helper()
		if _, err := db.Collection(name).InsertOne(ctx, bson.M{"n": n}); err != nil {
			t.Fatal(err)
		}
	}

	view("first", "item") // of what is not there yet
	if got := names(); got != "first" {
		t.Fatal(got)
	}
	french := bson.E{Key: "collation", Value: bson.M{"locale": "fr"}}
	run(bson.E{Key: "create", Value: "item"}, bson.E{Key: "validator", Value: bson.M{"n": bson.M{"$type": "int"}}}, french)
	if err := db.RunCommand(ctx, bson.D{{Key: "create", Value: "item"}}).Err(); err == nil {
		t.Fatal("a collection was made twice")
	}
	view("second", "first")
	insert("item", 5)
	run(bson.E{Key: "createIndexes", Value: "item"}, bson.E{Key: "indexes", Value: bson.A{bson.M{"key": bson.M{"n": 1}, "name": "n_1", "unique": true}}})
	if got := names(); got != "first item second" || seen("second") != 1 {
		t.Fatal(got, seen("second"))
	}
	for range 2 { // a collection that is not there is dropped without an error
		if err := db.Collection("item").Drop(ctx); err != nil {
			t.Fatal(err)
		}
		if got := names(); got != "first second" || seen("first") != 0 || seen("second") != 0 {
			t.Fatal(got)
		}
	}
	for _, command := range []bson.D{{{Key: "listIndexes", Value: "item"}}, {{Key: "dropIndexes", Value: "item"}, {Key: "index", Value: "*"}}, {{Key: "validate", Value: "item"}},
		{{Key: "collMod", Value: "item"}, {Key: "validator", Value: bson.M{"n": 1}}}} {
		var failed mongo.CommandError
		if err := db.RunCommand(ctx, command).Err(); !errors.As(err, &failed) || failed.Code != 26 {
			t.Error(command, err)
		}
	}
	// the first index makes a collection, too
	run(bson.E{Key: "createIndexes", Value: "item"}, bson.E{Key: "indexes", Value: bson.A{bson.M{"key": bson.M{"n": 1}, "name": "n_1"}}})
	if got := names(); got != "first item second" {
		t.Fatal(got)
	}
	if err := db.Collection("item").Drop(ctx); err != nil {
		t.Fatal(err)
	}
	insert("item", 5)
	if _, err := db.Collection("item").InsertOne(ctx, bson.M{"n": "no integer, and not unique"}); err != nil {
		t.Fatal("an option outlived its collection:", err)
	}
	if specs, err := db.Collection("item").Indexes().ListSpecifications(ctx); err != nil || len(specs) != 1 {
		t.Fatal(specs, err)
	}
	if got := names(); got != "first item second" || seen("second") != 1 {
		t.Fatal(got)
	}

	// what takes the name of a collection takes its views
	insert("other", 7)
	insert("other", 8)
	if err := db.Client().Database("admin").RunCommand(ctx, bson.D{{Key: "renameCollection", Value: "go_test.other"}, {Key: "to", Value: "go_test.item"}, {Key: "dropTarget", Value: true}}).Err(); err != nil {
		t.Fatal(err)
	}
	if got := names(); got != "first item second" || seen("second") != 2 {
		t.Fatal(got, seen("second"))
	}
	// and they stay where it has gone by another name, also those that only look something up there
	rename := func(from, to string) {
		t.Helper()
		if err := db.Client().Database("admin").RunCommand(ctx, bson.D{{Key: "renameCollection", Value: "go_test." + from}, {Key: "to", Value: "go_test." + to}}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	insert("one", 7)
	run(bson.E{Key: "create", Value: "plain"}, bson.E{Key: "viewOn", Value: "item"})
	run(bson.E{Key: "create", Value: "third"}, bson.E{Key: "viewOn", Value: "one"}, bson.E{Key: "pipeline", Value: bson.A{
		bson.M{"$lookup": bson.M{"from": "item", "localField": "n", "foreignField": "n", "as": "a"}}, bson.M{"$unwind": "$a"}}})
	rename("item", "moved")
	if got := names(); got != "first moved one plain second third" || seen("first")+seen("second")+seen("third")+seen("plain") != 0 || seen("moved") != 2 {
		t.Fatal(got, seen("second"), seen("third"))
	}
	rename("moved", "item")
	if got := names(); got != "first item one plain second third" || seen("second") != 2 || seen("third") != 1 || seen("plain") != 2 {
		t.Fatal(got, seen("second"), seen("third"))
	}
	for _, name := range []string{"third", "one", "plain"} {
		if err := db.Collection(name).Drop(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Collection("first").Drop(ctx); err != nil {
		t.Fatal(err)
	}
	if got := names(); got != "item second" || seen("second") != 0 {
		t.Fatal(got)
	}
	view("first", "item")
	if seen("second") != 2 {
		t.Fatal(seen("second"))
	}
	view("alone", "nothing")
	if err := db.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	if got := names(); got != "" {
		t.Fatal(got)
	}
	if databases, err := db.Client().ListDatabaseNames(ctx, bson.M{"name": "go_test"}); err != nil || len(databases) != 0 {
		t.Fatal(databases, err)
	}
}

// A type that no command takes, such as the JavaScript of mapReduce, is an error, and not the end of the connection. So is an option
// that the index on _id cannot have. A collection may be named by a symbol.
func TestStrangeFields(t *testing.T) {
	db, ctx := start(t), context.Background()
	for _, of := range []struct {
		command bson.D
		code    int32
	}{
		{bson.D{{Key: "mapReduce", Value: "item"}, {Key: "map", Value: bson.JavaScript("f")}}, 115},
		{bson.D{{Key: "ping", Value: 1}, {Key: "comment", Value: bson.MinKey{}}}, 9},
		{bson.D{{Key: "explain", Value: bson.D{{Key: "find", Value: "item"}}}, {Key: "verbosity", Value: "all"}}, 2},
		{bson.D{{Key: "ping", Value: 1}, {Key: "maxTimeMS", Value: 0.1}}, 2},
		{bson.D{{Key: "ping", Value: 1}, {Key: "maxTimeMS", Value: -1}}, 2},
		{bson.D{{Key: "ping", Value: 1}, {Key: "maxTimeMS", Value: int64(1) << 31}}, 2},
		{bson.D{{Key: "createIndexes", Value: "item"}, {Key: "indexes", Value: bson.A{bson.M{"key": bson.M{"_id": 1}, "name": "i", "unique": true}}}}, 197},
		{bson.D{{Key: "update", Value: "item"}, {Key: "updates", Value: bson.A{bson.D{{Key: "q", Value: bson.D{}}, {Key: "u", Value: bson.Symbol("s")}}}}}, 9},
	} {
		var failed mongo.CommandError
		if err := db.RunCommand(ctx, of.command).Err(); !errors.As(err, &failed) || failed.Code != of.code {
			t.Error(of.command, err)
		}
	}
	if err := db.RunCommand(ctx, bson.D{{Key: "create", Value: bson.Symbol("named")}}).Err(); err != nil {
		t.Error(err)
	}
}

// A client that looks for a replica set finds one, by the address by which it came or another that is given, and has transactions.
func TestReplicaSet(t *testing.T) {
	ctx := context.Background()
	for _, set := range []string{"rs0", "rs0/"} {
		s := settings{set: set}
		if set == "rs0/" {
			free, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(free.Addr().String())
			free.Close()
			s.listen, s.set = "127.0.0.1:"+port, set+"localhost:"+port
		}
		address := begin(t, s)
		client := connect(t, "mongodb://"+address+"/?replicaSet=rs0&readPreference=secondaryPreferred")
		var hello struct {
			Me, SetName string
			Hosts       []string
		}
		if err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err != nil || hello.SetName != "rs0" || !slices.Equal(hello.Hosts, []string{hello.Me}) || (hello.Me == address) != (set == "rs0") {
			t.Errorf("%+v, %v", hello, err)
		}
		session, err := client.StartSession()
		if err != nil {
			t.Fatal(err)
		}
		defer session.EndSession(ctx)
		if _, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
			return client.Database("go_test").Collection("set").InsertOne(ctx, bson.M{"a": 1})
		}); err != nil {
			t.Error(err)
		}
		if err = connect(t, "mongodb://"+address+"/?replicaSet=rs1", options.Client().SetServerSelectionTimeout(300*time.Millisecond)).Ping(ctx, nil); err == nil {
			t.Error("a set of another name was found")
		}
	}
}
