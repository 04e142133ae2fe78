package pgbson_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// Applications written for jsonb on a bson column: read, change, write back

const jsonbTable = `CREATE TABLE jsonb_doc (id serial PRIMARY KEY, data bson CONSTRAINT is_document CHECK (bson_typeof(data) = 'object'))`
const jsonbStored = `{"n": 1, "_id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}, "double": 1.5}`

// pgx gives no map of a bson, nor takes one, until it is told of the type
func TestJsonbPgx(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, strings.Replace(jsonbTable, "TABLE", "TEMP TABLE", 1))
	check(t, err)
	_, err = conn.Exec(ctx, `INSERT INTO jsonb_doc (data) VALUES ($1)`, jsonbStored)
	check(t, err)

	var data map[string]any
	if err = conn.QueryRow(ctx, `SELECT data FROM jsonb_doc`).Scan(&data); err == nil {
		t.Fatal("an unknown type became a map")
	}
	var oid uint32
	check(t, conn.QueryRow(ctx, `SELECT 'bson'::regtype::oid`).Scan(&oid))
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "bson", OID: oid, Codec: &pgtype.JSONCodec{Marshal: json.Marshal, Unmarshal: json.Unmarshal}})
	check(t, conn.QueryRow(ctx, `SELECT data FROM jsonb_doc`).Scan(&data))
	data["n"] = 2
	_, err = conn.Exec(ctx, `UPDATE jsonb_doc SET data = $1`, data)
	check(t, err)
	var text, kind string
	check(t, conn.QueryRow(ctx, `SELECT data::json, bson_typeof(data -> '_id') FROM jsonb_doc`).Scan(&text, &kind))
	var written map[string]any
	check(t, json.Unmarshal([]byte(text), &written))
	if written["n"] != 2.0 || written["double"] != 1.5 || kind != "objectId" {
		t.Fatal(text, kind)
	}
}

// GORM's serializer for json parses strings by itself
func TestJsonbGorm(t *testing.T) {
	type JsonbDoc struct {
		ID   int
		Data map[string]any `gorm:"type:jsonb;serializer:json"`
	}
	type Told struct {
		ID   int
		Data map[string]any `gorm:"type:bson;serializer:json"`
	}
	db, err := gorm.Open(postgres.Open(dsn), &gorm.Config{})
	check(t, err)
	run := func(sql string, args ...any) {
		t.Helper()
		check(t, db.Exec(sql, args...).Error)
	}
	run(`DROP TABLE IF EXISTS jsonb_docs`)
	run(strings.Replace(jsonbTable, "jsonb_doc", "jsonb_docs", 1))
	defer run(`DROP TABLE jsonb_docs`)
	run(`INSERT INTO jsonb_docs (data) VALUES (?::text::bson)`, jsonbStored)

	var doc JsonbDoc
	check(t, db.First(&doc).Error)
	doc.Data["n"] = 2.0
	check(t, db.Save(&doc).Error)
	var again JsonbDoc
	check(t, db.First(&again).Error)
	same(t, again, doc)
	// its schema diff makes the column a jsonb, unless the model says bson
	kind := func(model any) (kind string) {
		t.Helper()
		check(t, db.Table("jsonb_docs").AutoMigrate(model))
		check(t, db.Raw(`SELECT pg_typeof(data)::text FROM jsonb_docs`).Scan(&kind).Error)
		return kind
	}
	same(t, kind(&Told{}), "bson")
	same(t, kind(&JsonbDoc{}), "jsonb")
}
