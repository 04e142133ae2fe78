package pgbson_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"bson.example/pgbson"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
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

// pgx asks the server for types, or not, as behind PgBouncer
var modes = []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol}

func connect(t *testing.T, mode pgx.QueryExecMode) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	check(t, err)
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(context.Background(), config)
	check(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	check(t, pgbson.Register(context.Background(), conn, Doc{}, pgbson.Document[any]{}))
	return conn
}

func TestModes(t *testing.T) {
	ctx := context.Background()
	for _, mode := range modes {
		conn := connect(t, mode)
		sent := sample()
		var doc Doc
		var pointer, null *Doc
		var values bson.A
		var number int
		var text string
		check(t, conn.QueryRow(ctx, "SELECT $1::bson, $2::bson, NULL::bson, $3::bson, '15'::bson, '\"a\"'::bson -> 0 IS NULL, '\"zwei\"'::bson #>> '{}'",
			sent, &sent, bson.A{int32(1), "zwei"}).Scan(&doc, &pointer, &null, &values, &number, new(bool), &text))
		same(t, doc, sent)
		same(t, *pointer, sent)
		same(t, null == nil, true)
		same(t, values, bson.A{int32(1), "zwei"})
		same(t, number, 15)

		// NULL, in maps, pointers, arrays and fields of structs
		document := bson.M{"was": "there"}
		var some []*bson.M
		var docs []Doc
		check(t, conn.QueryRow(ctx, "SELECT NULL::bson, $1::bson[], $2::bson[]", []bson.M{{"a": int32(1)}, nil, {}}, []Doc{sent}).Scan(&document, &some, &docs))
		same(t, document, bson.M(nil))
		same(t, some, []*bson.M{{"a": int32(1)}, nil, {}})
		same(t, docs, []Doc{sent})
		var nulls int
		check(t, conn.QueryRow(ctx, "SELECT cardinality(array_positions($1::bson[], NULL))", []*bson.M{nil, {}, nil}).Scan(&nulls))
		same(t, nulls, 2)
		if err := conn.QueryRow(ctx, "SELECT NULL::bson").Scan(&doc); err == nil || !strings.Contains(err.Error(), "cannot scan NULL into *pgbson_test.Doc") {
			t.Fatal(err)
		}
		type row struct {
			ID   int
			Data *bson.M
		}
		rows, err := conn.Query(ctx, "SELECT 1 AS id, NULL::bson AS data UNION ALL SELECT 2, '{\"a\": 1}' ORDER BY id")
		check(t, err)
		read, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
		check(t, err)
		same(t, read, []row{{1, nil}, {2, &bson.M{"a": int32(1)}}})

		// values of any kind, as what they are
		rows, err = conn.Query(ctx, `SELECT '{"a": {"b": 1}}'::bson, '[1, "x"]'::bson, '{"$numberLong": "15"}'::bson, '1.5'::bson, 'null'::bson, NULL::bson, '{"": 1}'::bson`)
		check(t, err)
		rows.Next()
		all, err := rows.Values()
		check(t, err)
		same(t, all, []any{bson.D{{Key: "a", Value: bson.D{{Key: "b", Value: int32(1)}}}}, bson.A{int32(1), "x"}, int64(15), 1.5, nil, nil, bson.D{{Key: "", Value: int32(1)}}})
		rows.Close()
		var raw bson.RawValue
		check(t, conn.QueryRow(ctx, `SELECT '{"$numberLong": "15"}'::bson`).Scan(&raw))
		same(t, raw.Int64(), int64(15))
		if err := conn.QueryRow(ctx, `SELECT '15'::bson`).Scan(new(bson.Raw)); err == nil || !strings.Contains(err.Error(), "cannot scan a bson 32-bit integer into a bson.Raw") {
			t.Fatal(err)
		}
		if err := conn.QueryRow(ctx, `SELECT '15'::bson`).Scan(new(bson.M)); err == nil {
			t.Fatal("15 is no document")
		}

		// conditions
		var yes bool
		check(t, conn.QueryRow(ctx, `SELECT '{"n": 15}'::bson @> $1 AND '{"n": 15}'::bson -> 'n' > $2 AND '{"n": [1, 2]}'::bson -> 'n' = $3 AND bson_typeof($4) = 'null'`,
			bson.M{"n": 15}, 14, bson.A{1, 2}, pgbson.Of[any](nil)).Scan(&yes))
		same(t, yes, true)
		check(t, conn.QueryRow(ctx, `SELECT $1::bson IS NULL AND $2::bson IS NULL AND $3::bson = $4`, bson.M(nil), (*Doc)(nil), pgbson.Of(15), pgbson.Of(int64(15))).Scan(&yes))
		same(t, yes, true)
	}
}

// Where pgx knows the types a parameter may be a plain value
func TestPlainValues(t *testing.T) {
	conn := connect(t, pgx.QueryExecModeCacheStatement)
	for _, value := range []any{15, int64(15), 1.5, true, []int{1, 2}, time.UnixMilli(0), map[string]any{"a": 1}, struct{ A int }{1}} {
		var back bson.RawValue
		check(t, conn.QueryRow(context.Background(), "SELECT $1::bson", value).Scan(&back))
		kind, data, err := bson.MarshalValue(value)
		check(t, err)
		same(t, []any{back.Type, back.Value}, []any{kind, data})
	}
}

// What is bytes or text in Go: JSON is JSON, at any depth, and nothing becomes {}
func TestBytesAndText(t *testing.T) {
	ctx := context.Background()
	document := json.RawMessage(`{"a": [1, {"$oid": "5f2b1c3d4e5f60718293a4b5"}]}`)
	for _, mode := range modes {
		conn := connect(t, mode)
		for _, each := range []struct {
			value any
			kind  string
		}{{document, "object"}, {&document, "object"}, {bson.M{"v": document}, "object"}, {bson.M{"v": json.RawMessage("1.5")}, "double"}, {bson.M{"v": json.RawMessage(nil)}, "null"},
			{bson.M{"v": json.Number("15")}, "long"}, {bson.M{"v": []byte{1}}, "binData"}, {bson.M{"v": net.IP{1, 2, 3, 4}}, "binData"}, {bson.M{"v": "text"}, "string"}, {bson.M{"v": time.Second}, "long"}} {
			var kind string
			check(t, conn.QueryRow(ctx, "SELECT coalesce(bson_typeof($1::bson -> 'v'), bson_typeof($1::bson))", each.value).Scan(&kind))
			same(t, kind, each.kind)
		}
		var id bool
		check(t, conn.QueryRow(ctx, "SELECT bson_typeof($1::bson -> 'v' -> 'a' -> 1) = 'objectId'", bson.M{"v": document}).Scan(&id))
		same(t, id, true)
		for _, wrong := range []any{bson.M{"v": json.RawMessage("{")}, bson.M{"v": big.NewInt(5)}, bson.M{"v": netip.MustParseAddr("1.2.3.4")}} {
			if _, err := conn.Exec(ctx, "SELECT $1::bson", wrong); err == nil || !strings.Contains(err.Error(), "no JSON") && !strings.Contains(err.Error(), "no exported fields") {
				t.Fatal(wrong, err)
			}
		}

		// a string and a []byte are JSON in each mode
		var text string
		var data []byte
		check(t, conn.QueryRow(ctx, `SELECT d, d FROM CAST($1 AS bson) d`, bson.M{"n": int32(1)}).Scan(&text, &data))
		same(t, strings.ReplaceAll(text, " ", ""), `{"n":1}`)
		same(t, string(data), text)
		check(t, conn.QueryRow(ctx, `SELECT '"zwei"'::bson, '15'::bson`).Scan(&text, &data))
		same(t, []string{text, string(data)}, []string{`"zwei"`, `15`})
	}
}

// A decimal of the digits that it is made of, such as a decimal.Decimal
type digits struct{ text string }

func (d digits) String() string { return d.text }

// One type for what JSON and what SQL wrote
func TestPrices(t *testing.T) {
	ctx := context.Background()
	defer pgbson.UseNumbers(pgbson.Stored)
	const prices = `SELECT bson_build_object('sql', 12.50::numeric, 'long', 15::int8) || '{"json": 12.5, "int": 15}'`
	decimal, _ := bson.ParseDecimal128("12.50")
	for _, each := range []struct {
		numbers pgbson.Numbers
		want    bson.M
	}{
		{pgbson.Stored, bson.M{"sql": decimal, "json": 12.5, "int": int32(15), "long": int64(15)}},
		{pgbson.Native, bson.M{"sql": 12.5, "json": 12.5, "int": 15.0, "long": 15.0}},
		{pgbson.Decimals(func(text string) (digits, error) { return digits{text}, nil }), bson.M{"sql": digits{"12.50"}, "json": digits{"12.5"}, "int": digits{"15"}, "long": digits{"15"}}},
	} {
		pgbson.UseNumbers(each.numbers)
		for _, mode := range modes {
			conn := connect(t, mode)
			var document bson.M
			check(t, conn.QueryRow(ctx, prices).Scan(&document))
			same(t, document, each.want)
			// a float64 takes each of them, whatever was said
			var order struct{ SQL, JSON, Int, Long float64 }
			check(t, conn.QueryRow(ctx, prices).Scan(&order))
			same(t, order.SQL+order.JSON+order.Int+order.Long, 55.0)
		}
	}
	pgbson.UseNumbers(pgbson.Native)
	var any15 any
	check(t, connect(t, modes[0]).QueryRow(ctx, "SELECT '15'::bson").Scan(&any15))
	same(t, any15, 15.0)
	pgbson.UseNumbers(pgbson.Decimals(func(text string) (digits, error) { return digits{text}, nil }))
	var kind string
	check(t, connect(t, modes[0]).QueryRow(ctx, "SELECT bson_typeof($1::bson -> 'price')", bson.M{"price": digits{"12.50"}}).Scan(&kind))
	same(t, kind, "decimal")
}

// What an any, a map and so on are filled with is what mongo-driver fills them with, and damage is an error
func TestReading(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, modes[0])
	var documents []bson.Raw
	rows, err := conn.Query(ctx, "SELECT data FROM conformance WHERE bson_typeof(data) = 'object' AND bson_depth(data) < 100 UNION ALL SELECT data FROM conformance_way WHERE way = ''")
	check(t, err)
	for rows.Next() {
		var raw bson.Raw
		check(t, rows.Scan(&raw))
		documents = append(documents, raw)
	}
	if len(documents) == 0 {
		t.Skip("no table conformance")
	}
	for _, raw := range documents {
		scan := pgbson.Codec{}.PlanScan(nil, 0, pgtype.BinaryFormatCode, new(bson.D)).Scan
		for _, target := range []func() any{func() any { return new(any) }, func() any { return new(bson.D) }, func() any { return new(bson.M) }, func() any { return new(map[string]any) }} {
			got, want := target(), target()
			check(t, scan(raw, got))
			check(t, bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw}.Unmarshal(want))
			same(t, fmt.Sprintf("%#v", reflect.ValueOf(got).Elem()), fmt.Sprintf("%#v", reflect.ValueOf(want).Elem()))
		}
		for i := range raw {
			damaged := bytes.Clone(raw)
			for _, each := range []byte{0, 1, 0x7f, 0xff, raw[i] ^ 3} {
				damaged[i] = each
				var document any
				_ = scan(damaged, &document) // which must not panic
			}
			var document any
			if err := scan(raw[:i], &document); err == nil {
				t.Fatal(raw, i)
			}
		}
	}
}

// Documents within documents as encoding/json has them
func TestMaps(t *testing.T) {
	defer pgbson.UseMaps(false)
	for _, maps := range []bool{false, true} {
		if maps {
			pgbson.UseMaps(true)
		}
		for _, mode := range modes {
			var document map[string]any
			var field struct{ A any }
			check(t, connect(t, mode).QueryRow(context.Background(), `SELECT d, d FROM (VALUES ('{"a": [{"b": "x"}]}'::bson)) v (d)`).Scan(&document, &field))
			want := any(bson.A{bson.D{{Key: "b", Value: "x"}}})
			if maps {
				want = []any{map[string]any{"b": "x"}}
			}
			same(t, document, map[string]any{"a": want})
			same(t, field.A, want)
		}
	}
}

// A number that the program's type cannot hold does not make the document unreadable
func TestNaN(t *testing.T) {
	defer pgbson.UseNumbers(pgbson.Stored)
	parse := func(text string) (digits, error) {
		if strings.ContainsAny(text, "Nn") {
			return digits{}, errors.New("not a number")
		}
		return digits{text}, nil
	}
	for _, each := range []struct {
		numbers pgbson.Numbers
		kind    string
	}{{pgbson.Stored, "bson.Decimal128 float64 bson.Decimal128 bson.Decimal128"}, {pgbson.Native, "float64 float64 float64 float64"}, {pgbson.Decimals(parse), "bson.Decimal128 float64 bson.Decimal128 pgbson_test.digits"}} {
		pgbson.UseNumbers(each.numbers)
		for _, mode := range modes {
			var list bson.A
			check(t, connect(t, mode).QueryRow(context.Background(), `SELECT '[{"$numberDecimal": "NaN"}, {"$numberDouble": "NaN"}, {"$numberDecimal": "-Infinity"}, {"$numberDecimal": "1.5"}]'::bson`).Scan(&list))
			same(t, fmt.Sprintf("%T %T %T %T", list...), each.kind)
		}
	}
	pgbson.UseNumbers(pgbson.Native)
	var list bson.A
	check(t, connect(t, modes[0]).QueryRow(context.Background(), `SELECT '[{"$numberLong": "15"}, 9007199254740993, 9223372036854775807]'::bson`).Scan(&list))
	same(t, list, bson.A{15.0, int64(9007199254740993), int64(9223372036854775807)})
}

func TestJSON(t *testing.T) {
	type thing struct{ Data, None pgbson.Document[bson.M] }
	sent := thing{Data: pgbson.Of(bson.M{"_id": sample().ID, "n": 1.5})}
	text, err := json.Marshal(sent)
	check(t, err)
	same(t, string(text), `{"Data":{"_id":"5f2b1c3d4e5f60718293a4b5","n":1.5},"None":null}`)
	var back thing
	check(t, json.Unmarshal(text, &back))
	same(t, back, thing{Data: pgbson.Of(bson.M{"_id": "5f2b1c3d4e5f60718293a4b5", "n": 1.5})})
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
		var number pgbson.Document[int]
		var list pgbson.Document[[]string]
		check(t, db.QueryRow("SELECT $1::bson, $2::bson", pgbson.Of(15), pgbson.Of([]string{"a"})).Scan(&number, &list))
		same(t, number, pgbson.Of(15))
		same(t, list, pgbson.Of([]string{"a"}))
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

// A Document within another document is what it holds
func TestDocumentWithin(t *testing.T) {
	type outer struct {
		Order, None pgbson.Document[bson.D]
		Count       pgbson.Document[int64]
	}
	sent := outer{Order: pgbson.Of(bson.D{{Key: "n", Value: int64(15)}}), Count: pgbson.Of(int64(5))}
	conn := connect(t, pgx.QueryExecModeCacheStatement)
	for _, value := range []any{sent, &sent, bson.M{"order": sent.Order, "none": sent.None, "count": sent.Count}} {
		var kinds string
		check(t, conn.QueryRow(context.Background(), "SELECT concat_ws(' ', bson_typeof($1::bson -> 'order' -> 'n'), bson_typeof($1 -> 'none'), bson_typeof($1 -> 'count'))", value).Scan(&kinds))
		if kinds != "long null long" {
			t.Errorf("%T: %s", value, kinds)
		}
	}
	var fetched outer
	check(t, conn.QueryRow(context.Background(), "SELECT $1::bson", sent).Scan(&fetched))
	if !reflect.DeepEqual(fetched, sent) {
		t.Errorf("%v", fetched)
	}
}

// What mongo-driver or, where it asks for no types, pgx would send as another type
func TestKinds(t *testing.T) {
	_, array, err := bson.MarshalValue(bson.A{int64(3)})
	check(t, err)
	for _, mode := range modes {
		conn := connect(t, mode)
		check(t, pgbson.Register(context.Background(), conn))
		for _, each := range []struct {
			value any
			kind  string
		}{{bson.Regex{Pattern: "a"}, "regex"}, {bson.CodeWithScope{Code: "x", Scope: bson.D{}}, "javascriptWithScope"}, {bson.Binary{Data: []byte{1}}, "binData"},
			{bson.Timestamp{T: 1}, "timestamp"}, {bson.DateTime(5), "date"}, {bson.RawArray(array), "array"}, {bson.D{{Key: "v", Value: bson.RawArray(array)}}, "array"}} {
			var kind string
			check(t, conn.QueryRow(context.Background(), "SELECT bson_typeof(coalesce(v -> 'v', v)) FROM (SELECT $1::bson) AS x (v)", each.value).Scan(&kind))
			if kind != each.kind {
				t.Errorf("%s: a %T is a %s", mode, each.value, kind)
			}
		}
	}
}
