package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"bson.example/bsond/command"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Whatever a message says, it has an answer, whose bytes are a document; nothing panics.
func FuzzAnswer(f *testing.F) {
	ctx := context.Background()
	postgres, err := session.Open(ctx, postgresOf(f), 4)
	if err != nil {
		f.Fatal(err)
	}
	server := &command.Server{PG: postgres, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Lifetime: time.Second}
	id := bson.D{{Key: "id", Value: bson.Binary{Subtype: 4, Data: make([]byte, 16)}}}
	for _, c := range []string{`{"find": "f", "filter": {"a": {"$gt": 1}}, "projection": {"a": 1}, "sort": {"_id": -1}, "skip": 1, "limit": 2, "batchSize": 1, "collation": {"locale": "de"}}`,
		`{"aggregate": "f", "pipeline": [{"$match": {"a": 1}}, {"$lookup": {"from": "g", "localField": "a", "foreignField": "_id", "as": "x"}}, {"$out": "g"}], "cursor": {}, "let": {"x": 1}}`,
		`{"insert": "f", "documents": [{"_id": 1, "a": [1, {"b": null}]}, {"a": 2.5}], "ordered": false}`, `{"update": "f", "updates": [{"q": {"_id": 1}, "u": {"$set": {"a.$[i]": 1}}, "arrayFilters": [{"i": 1}], "upsert": true}]}`,
		`{"delete": "f", "deletes": [{"q": {"a": 1}, "limit": 1}]}`, `{"findAndModify": "f", "query": {"a": 1}, "update": {"$inc": {"a": 1}}, "fields": {"a": 1}, "new": true}`, `{"count": "f", "query": {"a": 1}}`, `{"distinct": "f", "key": "a.b"}`,
		`{"bulkWrite": 1, "ops": [{"insert": 0, "document": {}}, {"update": 0, "filter": {}, "updateMods": {"$set": {"b": 1}}}, {"delete": 0, "filter": {}}], "nsInfo": [{"ns": "fuzz.f"}]}`,
		`{"createIndexes": "f", "indexes": [{"key": {"a": 1}, "name": "a_1", "unique": true, "expireAfterSeconds": 5, "partialFilterExpression": {"a": 1}}]}`, `{"listIndexes": "f"}`, `{"dropIndexes": "f", "index": "a_1"}`,
		`{"create": "v", "viewOn": "f", "pipeline": []}`, `{"collMod": "f", "validator": {"a": 1}}`, `{"listCollections": 1, "filter": {"name": "f"}}`, `{"drop": "v"}`, `{"renameCollection": "fuzz.f", "to": "fuzz.g", "dropTarget": true}`,
		`{"getMore": 1, "collection": "f"}`, `{"killCursors": "f", "cursors": [1]}`, `{"explain": {"find": "f"}, "verbosity": "queryPlanner"}`, `{"commitTransaction": 1, "txnNumber": 1, "autocommit": false}`,
		`{"find": "f", "txnNumber": 2, "autocommit": false, "startTransaction": true, "readConcern": {"level": "snapshot"}}`, `{"hello": 1}`, `{"usersInfo": 1}`, `{"collStats": "f", "scale": 2}`, `{"currentOp": 1}`, `{"saslStart": 1, "mechanism": "PLAIN", "payload": "x"}`} {
		var d bson.D
		if err := bson.UnmarshalExtJSON([]byte(c), false, &d); err != nil {
			f.Fatal(c, err)
		}
		f.Add(message(f, append(d, bson.E{Key: "lsid", Value: id}, bson.E{Key: "$db", Value: "fuzz"})))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.Read(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		limited, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		client := &command.Client{Pool: postgres.Own}
		defer server.Came(limited, client)()
		reply := server.Answer(m, client)
		if reply == nil {
			t.Fatal("no answer")
		}
		raw, err := reply.Encode()
		if err == nil {
			_, err = raw.DecodeDeep()
		}
		if err != nil {
			t.Error(err)
		}
	})
}
