package pgbson_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"bson.example/pgbson"
	"github.com/jackc/pgx/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// The same document as a bson.D and, in the order of its fields, as a struct
type everyType struct {
	String  string           `bson:"string"`
	Digits  string           `bson:"string of digits"`
	JSON    string           `bson:"string of JSON"`
	Int     int32            `bson:"int"`
	Small   int64            `bson:"long within 32 bits"`
	Long    int64            `bson:"long"`
	Double  float64          `bson:"double"`
	Whole   float64          `bson:"whole double"`
	Decimal bson.Decimal128  `bson:"decimal"`
	Bool    bool             `bson:"bool"`
	Null    *int             `bson:"null"`
	ID      bson.ObjectID    `bson:"objectId"`
	Date    time.Time        `bson:"date"`
	Binary  []byte           `bson:"binData"`
	UUID    bson.Binary      `bson:"UUID"`
	Regex   bson.Regex       `bson:"regex"`
	Time    bson.Timestamp   `bson:"timestamp"`
	Code    bson.JavaScript  `bson:"code"`
	MinKey  bson.MinKey      `bson:"minKey"`
	Nested  bson.D           `bson:"document"`
	Array   []any            `bson:"array"`
	Other   map[string]int64 `bson:"document of another class"`
	Last    bson.ObjectID    `bson:"_id"`
}

func every() everyType {
	id, date := sample().ID, time.UnixMilli(1646309594789).UTC()
	uuid := []byte{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
	return everyType{`it's \ " é`, "15", `{"a": 1}`, 15, 15, 9007199254740993, 1.5, 15, sample().Decimal, true, nil, id, date,
		[]byte{0, 1, 255}, bson.Binary{Subtype: 4, Data: uuid}, bson.Regex{Pattern: "^a", Options: "i"}, bson.Timestamp{T: 1, I: 7}, "x()", bson.MinKey{},
		bson.D{{Key: "_id", Value: 1}, {Key: "a", Value: bson.M{"date": date}}}, []any{1, bson.A{int64(3), map[string]any{"a": sample().Decimal}}},
		map[string]int64{"b": 1}, id}
}

type gormWay struct {
	Way  string `gorm:"primaryKey"`
	Data pgbson.Document[any]
}

func (gormWay) TableName() string { return "conformance_way" }

// Write a document of every type in each way that doc/drivers.md has, for test/clients/conformance
func TestConformanceWays(t *testing.T) {
	ctx := context.Background()
	plain, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer plain.Close(ctx)
	var there bool
	check(t, plain.QueryRow(ctx, "SELECT to_regclass('conformance_way') IS NOT NULL").Scan(&there))
	if !there {
		t.Skip("no table conformance_way")
	}
	_, err = plain.Exec(ctx, "DELETE FROM conformance_way WHERE language = 'Go' OR language IS NULL AND way <> ''")
	check(t, err)

	const insert = "INSERT INTO conformance_way (way, data) VALUES ($1, $2)"
	structure := every()
	data, err := bson.Marshal(structure)
	check(t, err)
	var ordered bson.D
	check(t, bson.Unmarshal(data, &ordered))
	values := []struct {
		name  string
		value any
	}{{"a struct", structure}, {"a pointer", &structure}, {"a `bson.D`", ordered}, {"a `bson.Raw`", bson.Raw(data)}, {"a `Document`", pgbson.Of(structure)},
		{"a `Document[any]`", pgbson.Of[any](ordered)}, {"a `bson.RawValue`", bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}}}
	for _, mode := range modes {
		conn := connect(t, mode)
		check(t, pgbson.Register(ctx, conn, structure, pgbson.Of(structure)))
		name := fmt.Sprintf("pgx %s, ", mode)
		var batch pgx.Batch
		for _, each := range values {
			_, err := conn.Exec(ctx, insert, name+each.name, each.value)
			check(t, err)
		}
		batch.Queue(insert, name+"`SendBatch`", structure)
		check(t, conn.SendBatch(ctx, &batch).Close())
		_, err = conn.CopyFrom(ctx, pgx.Identifier{"conformance_way"}, []string{"way", "data"}, pgx.CopyFromRows([][]any{{name + "`CopyFrom`", structure}}))
		check(t, err)
		_, err = conn.Exec(ctx, "INSERT INTO conformance_way (way, data) SELECT $1, unnest($2::bson[])", name+"a `bson[]`", []everyType{structure})
		check(t, err)
	}
	for _, driver := range []string{"postgres", "pgx"} {
		db, err := sql.Open(driver, dsn)
		check(t, err)
		name := map[string]string{"postgres": "lib/pq", "pgx": "database/sql with pgx"}[driver]
		_, err = db.Exec(insert, name+", a `Document`", pgbson.Of(structure))
		check(t, err)
		_, err = db.Exec(insert, name+", a `Document[any]`", pgbson.Of[any](ordered))
		check(t, err)
		_, err = db.Exec("INSERT INTO conformance_way (way, data) VALUES ($1, $2::bytea)", name+", bytes", data)
		check(t, err)
		check(t, db.Close())
	}
	db, err := gorm.Open(postgres.Open(dsn), &gorm.Config{})
	check(t, err)
	check(t, db.Create(&gormWay{"GORM, `Create`", pgbson.Of[any](structure)}).Error)
	check(t, db.Create([]gormWay{{"GORM, `Create` of many", pgbson.Of[any](ordered)}, {Way: "GORM, `Save`"}, {Way: "GORM, `Update`"}}).Error)
	check(t, db.Save(&gormWay{"GORM, `Save`", pgbson.Of[any](structure)}).Error)
	check(t, db.Model(&gormWay{}).Where("way = ?", "GORM, `Update`").Update("data", pgbson.Of[any](structure)).Error)
	_, err = plain.Exec(ctx, "UPDATE conformance_way SET language = 'Go' WHERE language IS NULL AND way <> ''")
	check(t, err)
}
