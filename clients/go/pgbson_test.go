package pgbson_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"pgbson"
)

var dsn = fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable",
	os.Getenv("PGHOST"), os.Getenv("PGPORT"), os.Getenv("PGUSER"), os.Getenv("PGDATABASE"))

type Doc struct {
	ID      bson.ObjectID   `bson:"_id"`
	Int64   int64           `bson:"int64"`
	Int32   int32           `bson:"int32"`
	Double  float64         `bson:"double"`
	Date    time.Time       `bson:"date"`
	Decimal bson.Decimal128 `bson:"decimal"`
	Binary  []byte          `bson:"binary"`
	Nested  bson.D          `bson:"nested"`
}

func sample() Doc {
	id, _ := bson.ObjectIDFromHex("5f2b1c3d4e5f60718293a4b5")
	decimal, _ := bson.ParseDecimal128("1.10")
	return Doc{id, 15, 15, 15.0, time.UnixMilli(1646309594789).UTC(), decimal, []byte{0, 1, 255},
		bson.D{{Key: "list", Value: bson.A{int32(1), "zwei", bson.D{{Key: "drei", Value: int64(3)}}}}}}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestPgx(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer conn.Close(ctx)
	err = pgbson.Register(ctx, conn) // with pgxpool: in AfterConnect
	check(t, err)
	_, err = conn.Exec(ctx, "CREATE TEMP TABLE doc (id serial, data bson)")
	check(t, err)

	sent := sample()
	_, err = conn.Exec(ctx, "INSERT INTO doc (data) VALUES ($1)", sent)
	check(t, err)
	var fetched Doc
	var raw bson.Raw
	var wrapped pgbson.Document[Doc]
	var typename string
	_, err = conn.Exec(ctx, "INSERT INTO doc (data) VALUES ($1), ($2)", pgbson.Of(bson.M{"wrapped": 1}), pgbson.Document[bson.M]{})
	check(t, err)
	check(t, conn.QueryRow(ctx, "SELECT data, data, data, bson_typeof(data -> 'int64') FROM doc WHERE data @> $1",
		bson.M{"nested": bson.M{"list": bson.A{"zwei"}}}).Scan(&fetched, &raw, &wrapped, &typename))
	sentBytes, _ := bson.Marshal(sent)
	same(t, fetched, sent)
	same(t, wrapped, pgbson.Of(sent))
	same(t, []byte(raw), sentBytes)
	same(t, typename, "long")

	_, err = conn.Exec(ctx, "TRUNCATE doc")
	check(t, err)
	_, err = conn.Exec(ctx, "INSERT INTO doc (data) VALUES ($1)", bson.M{"_id": bson.NewObjectID(), "n": int64(15)})
	check(t, err)
	var document bson.D
	err = conn.QueryRow(ctx, "SELECT data FROM doc WHERE data @> $1", bson.M{"n": 15}).Scan(&document)
	check(t, err)
	same(t, document[len(document)-1].Value != nil, true)

	var many []bson.M
	check(t, conn.QueryRow(ctx, "SELECT $1::bson[]", []bson.M{{"a": int32(1)}, {"b": int32(2)}}).Scan(&many))
	same(t, many, []bson.M{{"a": int32(1)}, {"b": int32(2)}})
	copied, err := conn.CopyFrom(ctx, pgx.Identifier{"doc"}, []string{"data"}, pgx.CopyFromRows([][]any{{bson.M{"n": 1}}, {bson.M{"n": 2}}}))
	check(t, err)
	same(t, copied, int64(2))
}

// What JSON text sent as bytes is told
func TestUnregistered(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer conn.Close(ctx)
	var wrong *pgconn.PgError
	if _, err = conn.Exec(ctx, "SELECT $1::bson", []byte(`{"a": 1}`)); !errors.As(err, &wrong) || !strings.Contains(wrong.Hint, "look like JSON text") {
		t.Fatal(err)
	}
	var text string
	check(t, conn.QueryRow(ctx, "SELECT $1::bson", `{"a": 1}`).Scan(&text))
	same(t, text, `{"a": 1}`)
}

func TestDatabaseSQL(t *testing.T) {
	for _, driver := range []string{"postgres", "pgx"} {
		db, err := sql.Open(driver, dsn)
		check(t, err)
		db.SetMaxOpenConns(1)
		_, err = db.Exec("CREATE TEMP TABLE doc (id serial, data bson)")
		check(t, err)
		sent := sample()
		_, err = db.Exec("INSERT INTO doc (data) VALUES ($1), (NULL)", pgbson.Of(sent))
		check(t, err)
		var fetched pgbson.Document[Doc]
		err = db.QueryRow("SELECT data FROM doc WHERE data @~ $1", pgbson.Of(bson.M{"int64": bson.M{"$gt": 14}})).Scan(&fetched)
		check(t, err)
		same(t, fetched, pgbson.Of(sent))
		check(t, db.QueryRow("SELECT data::bytea FROM doc WHERE data -> 'int32' = $1::int", 15).Scan(&fetched))
		same(t, fetched, pgbson.Of(sent))
		check(t, db.QueryRow("SELECT data FROM doc WHERE data IS NULL").Scan(&fetched))
		same(t, fetched.Valid, false)
		check(t, db.Close())
	}
}

type Thing struct {
	ID   uint
	Data pgbson.Document[Doc]
}

func TestGorm(t *testing.T) {
	db, err := gorm.Open(postgres.Open(dsn), &gorm.Config{})
	check(t, err)
	check(t, db.Migrator().DropTable(&Thing{}))
	check(t, db.AutoMigrate(&Thing{}))
	check(t, db.AutoMigrate(&Thing{}))
	defer db.Migrator().DropTable(&Thing{})
	sent := sample()
	check(t, db.Create(&Thing{Data: pgbson.Of(sent)}).Error)
	var thing Thing
	err = db.Where("data @~ ?", pgbson.Of(bson.M{"int64": 15})).First(&thing).Error
	check(t, err)
	same(t, thing.Data.V, sent)
	thing.Data.V.Int32 = 16
	check(t, db.Save(&thing).Error)
	var count int64
	check(t, db.Model(&Thing{}).Where("data -> 'int32' = ?::int", 16).Count(&count).Error)
	same(t, count, int64(1))
}
