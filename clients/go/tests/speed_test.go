package pgbson_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// How long it takes to encode and decode a document of about 200 bytes, 1 kB and 20 kB in binary format, beside what pgx does
// with a jsonb, without a server: the best of many turns, of both by turns
func TestSpeedOfValues(t *testing.T) {
	if os.Getenv("SPEED") == "" {
		t.Skip("SPEED is not set")
	}
	conn := connect(t, pgx.QueryExecModeCacheStatement)
	types := conn.TypeMap()
	element, _ := types.TypeForName("bson")
	time := func(once func()) float64 {
		count := 1
		for begin := processor(); ; begin = processor() {
			for i := 0; i < count; i++ {
				once()
			}
			if spent := processor() - begin; spent.Milliseconds() >= 8 {
				return float64(spent.Nanoseconds()) / float64(count) / 1000
			}
			count *= 2
		}
	}
	report := func(name string, ways ...func()) {
		best := []float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
		for turn := 0; turn < 12; turn++ {
			for i, once := range ways {
				best[i] = math.Min(best[i], time(once))
			}
		}
		fmt.Printf("speed | %s | %.2f | %.2f | %.2f | %.2f |\n", name, best[0], best[1], best[0]/best[1], best[2]/best[1])
	}
	var buffer []byte
	encode := func(oid uint32, value any) func() {
		return func() {
			var err error
			if buffer, err = types.Encode(oid, pgtype.BinaryFormatCode, value, buffer[:0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	decode := func(oid uint32, data []byte, target func() any) func() {
		return func() { check(t, types.Scan(oid, pgtype.BinaryFormatCode, data, target())) }
	}
	for _, size := range []int{0, 7, 160} {
		var full order
		check(t, json.Unmarshal([]byte(orderText(size)), &full))
		var plain map[string]any
		check(t, json.Unmarshal([]byte(orderText(size)), &plain))
		encode(pgtype.JSONBOID, plain)()
		text := bytes.Clone(buffer)
		encode(element.OID, plain)()
		data := bytes.Clone(buffer)
		name := fmt.Sprintf(" of %d bytes", len(text))
		// and mongo-driver's bson.Marshal and bson.Unmarshal
		marshal := func(value any) func() {
			return func() {
				_, err := bson.Marshal(value)
				check(t, err)
			}
		}
		unmarshal := func(target func() any) func() { return func() { check(t, bson.Unmarshal(data, target())) } }
		report("pgx, encoding a struct"+name, encode(element.OID, full), encode(pgtype.JSONBOID, full), marshal(full))
		report("pgx, encoding a `map[string]any`"+name, encode(element.OID, plain), encode(pgtype.JSONBOID, plain), marshal(plain))
		report("pgx, encoding a `bson.M`"+name, encode(element.OID, bson.M(plain)), encode(pgtype.JSONBOID, plain), marshal(bson.M(plain)))
		empty, fields, document := func() any { return new(order) }, func() any { return new(map[string]any) }, func() any { return new(bson.D) }
		report("pgx, decoding a struct"+name, decode(element.OID, data, empty), decode(pgtype.JSONBOID, text, empty), unmarshal(empty))
		report("pgx, decoding a `map[string]any`"+name, decode(element.OID, data, fields), decode(pgtype.JSONBOID, text, fields), unmarshal(fields))
		report("pgx, decoding an `any`"+name, decode(element.OID, data, func() any { return new(any) }), decode(pgtype.JSONBOID, text, fields), unmarshal(document))
	}
}

func orderText(items int) string {
	list := make([]string, items)
	for i := range list {
		list[i] = fmt.Sprintf(`{"sku": "A-%d", "name": "Item %d of the order", "quantity": %d, "price": %d.9, "gift": %t}`, i, i, i, 19+i, i%2 == 0)
	}
	return `{"id": 7, "customer": {"name": "Ada Lovelace", "email": "ada@example.com", "zip": "0150", "city": "Oslo"}, "total": 99.75, "note": null, "tags": ["new", "express"], "items": [` + strings.Join(list, ", ") + `]}`
}

type order struct {
	ID       int
	Total    float64
	Note     *string
	Tags     []string
	Customer struct{ Name, Email, Zip, City string }
	Items    []struct {
		SKU, Name string
		Quantity  int
		Price     float64
		Gift      bool
	}
}

func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// How long this process takes to fetch and decode the documents of test/clients/speed.sql, beside the driver's own jsonb
func TestSpeed(t *testing.T) {
	if os.Getenv("SPEED") == "" {
		t.Skip("SPEED is not set")
	}
	ctx := context.Background()
	const count = 10000
	report := func(name string, mode pgx.QueryExecMode, target func() any) {
		conn := connect(t, mode)
		columns := []string{"data", "plain", "extended"}
		best := []float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
		for turn := 0; turn < 5; turn++ {
			for i, column := range columns {
				begin := processor()
				rows, err := conn.Query(ctx, "SELECT "+column+" FROM speed")
				check(t, err)
				for rows.Next() {
					check(t, rows.Scan(target()))
				}
				check(t, rows.Err())
				best[i] = math.Min(best[i], float64((processor()-begin).Nanoseconds())/1000/count)
			}
		}
		fmt.Printf("speed | %s | %.1f | %.1f | %.2f | %.1f |\n", name, best[0], best[1], best[0]/best[1], best[2])
	}
	report("pgx, a struct", pgx.QueryExecModeCacheStatement, func() any { return new(order) })
	report("pgx, `map[string]any`", pgx.QueryExecModeCacheStatement, func() any { return new(map[string]any) })
}
