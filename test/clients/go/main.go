// Documents of mongo-driver's bson in a bson column, as BSON bytes in binary format.
package main

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Copy from here: whatever bson.Marshal takes is a parameter, whatever bson.Unmarshal fills a result
type BsonCodec struct{}

func (BsonCodec) FormatSupported(format int16) bool { return format == pgtype.BinaryFormatCode }
func (BsonCodec) PreferredFormat() int16            { return pgtype.BinaryFormatCode }

func (BsonCodec) PlanEncode(*pgtype.Map, uint32, int16, any) pgtype.EncodePlan { return bsonPlan{} }
func (BsonCodec) PlanScan(*pgtype.Map, uint32, int16, any) pgtype.ScanPlan     { return bsonPlan{} }

func (BsonCodec) DecodeDatabaseSQLValue(_ *pgtype.Map, _ uint32, _ int16, src []byte) (driver.Value, error) {
	return bytes.Clone(src), nil
}

func (BsonCodec) DecodeValue(_ *pgtype.Map, _ uint32, _ int16, src []byte) (any, error) {
	if src == nil {
		return nil, nil
	}
	return bson.Raw(bytes.Clone(src)), nil
}

type bsonPlan struct{}

func (bsonPlan) Encode(value any, buf []byte) ([]byte, error) {
	document, err := bson.Marshal(value)
	return append(buf, document...), err
}

func (bsonPlan) Scan(src []byte, target any) error {
	if src == nil {
		return fmt.Errorf("cannot scan NULL into %T", target)
	}
	return bson.Unmarshal(src, target)
}

func RegisterBson(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	err := conn.QueryRow(ctx, "SELECT 'bson'::regtype::oid").Scan(&oid)
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "bson", OID: oid, Codec: BsonCodec{}})
	return err
}

// to here

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

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv("DATABASE_DSN"))
	check(err)
	check(RegisterBson(ctx, conn))
	_, err = conn.Exec(ctx, "CREATE TEMP TABLE doc (id serial, data bson)")
	check(err)

	id, _ := bson.ObjectIDFromHex("5f2b1c3d4e5f60718293a4b5")
	decimal, _ := bson.ParseDecimal128("1.10")
	sent := Doc{id, 15, 15, 15.0, time.UnixMilli(1646309594789).UTC(), decimal, []byte{0, 1, 255},
		bson.D{{Key: "list", Value: bson.A{int32(1), "zwei", bson.D{{Key: "drei", Value: int64(3)}}}}}}
	_, err = conn.Exec(ctx, "INSERT INTO doc (data) VALUES ($1)", sent)
	check(err)

	var fetched Doc
	var raw bson.Raw
	var typename string
	check(conn.QueryRow(ctx, "SELECT data, data, bson_typeof(data -> 'int64') FROM doc WHERE data @> $1",
		bson.M{"nested": bson.M{"list": bson.A{"zwei"}}}).Scan(&fetched, &raw, &typename))
	bytesSent, _ := bson.Marshal(sent)
	if !reflect.DeepEqual(fetched, sent) || !bytes.Equal(raw, bytesSent) || typename != "long" {
		check(fmt.Errorf("sent %v, fetched %v, %s", sent, fetched, typename))
	}
	fmt.Println("ok go")
}
