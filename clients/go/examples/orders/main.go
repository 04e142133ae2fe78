// Command orders keeps orders in a bson column, by pgx, in the database that PGHOST, PGDATABASE and so on name.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"bson.example/pgbson"
	"github.com/jackc/pgx/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
)

type order struct {
	ID       bson.ObjectID `bson:"_id"`
	Customer customer
	Placed   time.Time
	Total    bson.Decimal128
	Items    []item
}

type customer struct{ Name, City string }

type item struct {
	SKU      string
	Quantity int
}

func newOrder(name, city string, day int, total string, items ...item) order {
	exact, err := bson.ParseDecimal128(total)
	check(err)
	return order{bson.NewObjectID(), customer{name, city}, time.Date(2024, 3, day, 12, 13, 14, 0, time.UTC), exact, items}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, "")
	check(err)
	defer conn.Close(ctx)
	exec := func(statement string, arguments ...any) {
		_, err := conn.Exec(ctx, statement, arguments...)
		check(err)
	}
	exec("CREATE EXTENSION IF NOT EXISTS bson")
	check(pgbson.Register(ctx, conn))
	exec("CREATE TEMP TABLE orders (id serial PRIMARY KEY, data bson NOT NULL)")
	exec("CREATE INDEX ON orders USING gin (data)")
	ada := newOrder("Ada", "Oslo", 3, "24.50", item{"A-1", 2})
	for _, each := range []order{ada, newOrder("Grace", "Bergen", 4, "12.00", item{"B-7", 1}), newOrder("Linus", "Oslo", 5, "99.90", item{"A-1", 1}, item{"C-2", 5})} {
		exec("INSERT INTO orders (data) VALUES ($1)", each)
	}

	// a query of MongoDB, and containment
	rows, err := conn.Query(ctx, "SELECT data FROM orders WHERE data @~ $1 ORDER BY id", bson.M{"customer.city": "Oslo", "total": bson.M{"$gt": 20}})
	check(err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[order])
	check(err)
	for _, each := range found {
		fmt.Printf("%s: %s\n", each.Customer.Name, each.Total)
	}
	var count int
	check(conn.QueryRow(ctx, "SELECT count(*) FROM orders WHERE data @> $1", bson.M{"items": bson.A{bson.M{"sku": "A-1"}}}).Scan(&count))
	fmt.Println("orders with A-1:", count)

	// one field is changed by the server, and values are read as SQL's
	exec("UPDATE orders SET data['shipped'] = $1 WHERE data -> '_id' = $2", time.Now(), ada.ID)
	var city, total, types string
	rows, err = conn.Query(ctx, "SELECT data #>> '{customer,city}', sum(bson_get_numeric(data, 'total'))::text FROM orders GROUP BY 1 ORDER BY 1")
	check(err)
	_, err = pgx.ForEachRow(rows, []any{&city, &total}, func() error {
		fmt.Printf("%s: %s\n", city, total)
		return nil
	})
	check(err)
	check(conn.QueryRow(ctx, "SELECT string_agg(concat_ws(' ', key, bson_typeof(value)), ', ') FROM orders, bson_each(data) WHERE id = 1").Scan(&types))
	fmt.Println(types)
}
