package pgbson_test

import (
	"context"
	"database/sql"
	"testing"

	"bson.example/pgbson"
	"github.com/jackc/pgx/v5"
)

// Read and write back what test/clients/conformance.sql lists, with each driver, where there is that table
func TestConformance(t *testing.T) {
	ctx := context.Background()
	plain, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer plain.Close(ctx)
	var there bool
	check(t, plain.QueryRow(ctx, "SELECT to_regclass('conformance') IS NOT NULL").Scan(&there))
	if !there {
		t.Skip("no table conformance")
	}
	_, err = plain.Exec(ctx, "DELETE FROM conformance_result WHERE client ~ 'pgx|lib/pq'")
	check(t, err)
	rows, err := plain.Query(ctx, "SELECT id FROM conformance WHERE id < 1000 ORDER BY id")
	check(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	check(t, err)

	type execute func(query string, args ...any) error
	use := func(client string, read func(id int) (any, bool, error), exec execute) {
		for _, id := range ids {
			value, null, err := read(id)
			if err == nil {
				var parameter any = pgbson.Of(value)
				if null {
					parameter = nil
				}
				err = exec("INSERT INTO conformance_result (client, id, data) VALUES ($1, $2, $3)", client, id, parameter)
			}
			if err != nil {
				check(t, exec("INSERT INTO conformance_result (client, id, error) VALUES ($1, $2, $3)", client, id, err.Error()))
			}
		}
	}
	for name, mode := range map[string]pgx.QueryExecMode{"pgx": pgx.QueryExecModeCacheStatement, "pgx, simple": pgx.QueryExecModeSimpleProtocol} {
		conn := connect(t, mode)
		use(name, func(id int) (any, bool, error) {
			var document pgbson.Document[any]
			err := conn.QueryRow(ctx, "SELECT data FROM conformance WHERE id = $1", id).Scan(&document)
			return document.V, !document.Valid, err
		}, func(query string, args ...any) error {
			_, err := conn.Exec(ctx, query, args...)
			return err
		})
		var list []any
		check(t, conn.QueryRow(ctx, "SELECT list FROM conformance WHERE id = 1000").Scan(&list))
		elements := make([]pgbson.Document[any], len(list))
		for i, value := range list {
			elements[i] = pgbson.Document[any]{V: value, Valid: value != nil}
		}
		_, err = conn.Exec(ctx, "INSERT INTO conformance_result (client, id, list) VALUES ($1, 1000, $2)", name, elements)
		check(t, err)
		var document any
		check(t, conn.QueryRow(ctx, "SELECT data FROM conformance WHERE id = 1001").Scan(&document))
		_, err = conn.CopyFrom(ctx, pgx.Identifier{"conformance_result"}, []string{"client", "id", "data"}, pgx.CopyFromRows([][]any{{name, 1001, document}}))
		check(t, err)
	}
	db, err := sql.Open("postgres", dsn)
	check(t, err)
	defer db.Close()
	use("lib/pq", func(id int) (any, bool, error) {
		var document pgbson.Document[any]
		err := db.QueryRow("SELECT data FROM conformance WHERE id = $1", id).Scan(&document)
		return document.V, !document.Valid, err
	}, func(query string, args ...any) error {
		_, err := db.Exec(query, args...)
		return err
	})
}
