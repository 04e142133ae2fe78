package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// sql runs statements as the superuser that the tests' server has
func sql(t *testing.T, statements ...string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), os.Getenv("BSOND_TEST_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	for _, statement := range statements {
		if _, err := conn.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return conn
}

func text(t *testing.T, conn *pgx.Conn, query string, args ...any) (found string) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), query, args...).Scan(&found); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}

// people makes the roles alice and bob, who have passwords, and mallory, whom the server trusts without one
func people(t *testing.T) *pgx.Conn {
	t.Helper()
	admin := sql(t,
		`DO $$ DECLARE r name; BEGIN FOR r IN SELECT rolname FROM pg_roles WHERE rolname LIKE 'bsond\_%' AND rolname <> 'bsond_people' LOOP
			EXECUTE format('DROP OWNED BY %I CASCADE', r); EXECUTE format('DROP ROLE %I', r); END LOOP;
			IF to_regrole('bsond_people') IS NULL THEN CREATE ROLE bsond_people; END IF; END $$`,
		`CREATE ROLE bsond_alice LOGIN PASSWORD 'pëncil=,' IN ROLE bsond_people`, `CREATE ROLE bsond_bob LOGIN PASSWORD 'lamp' IN ROLE bsond_people`,
		`CREATE ROLE bsond_mallory LOGIN PASSWORD 'known'`,
		`CREATE ROLE "bsond_o=d, ""d'" LOGIN PASSWORD 'odd' IN ROLE bsond_people`,
		`DROP SCHEMA IF EXISTS alices CASCADE`, `DROP SCHEMA IF EXISTS bobs CASCADE`,
		`CREATE SCHEMA alices AUTHORIZATION bsond_alice`, `CREATE SCHEMA bobs AUTHORIZATION bsond_bob`,
		// the server's file of who authenticates how, one line more at its beginning
		`DO $$ DECLARE line text := 'local all +bsond_people scram-sha-256'; old text := pg_read_file(current_setting('hba_file')); BEGIN
			IF old NOT LIKE line || '%' THEN EXECUTE format('COPY (SELECT regexp_split_to_table(%L, %L)) TO %L', line || chr(10) || old, chr(10), current_setting('hba_file')); END IF; END $$`,
		`SELECT pg_reload_conf()`)
	// until the server goes by that line
	for range 300 {
		conn, err := pgx.Connect(context.Background(), os.Getenv("BSOND_TEST_POSTGRES")+" user=bsond_bob password=wrong")
		if err != nil {
			return admin
		}
		_ = conn.Close(context.Background())
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the server asks nobody for a password")
	return nil
}

func as(t *testing.T, address, user, password, more string) *mongo.Client {
	t.Helper()
	return connect(t, fmt.Sprintf("mongodb://%s@%s/?%s", url.UserPassword(user, password), address, more))
}

// code is that of the error that MongoDB's driver reports
func code(err error) int32 {
	var failed mongo.CommandError
	var write mongo.WriteException
	switch {
	case errors.As(err, &failed):
		return failed.Code
	case errors.As(err, &write) && len(write.WriteErrors) > 0:
		return int32(write.WriteErrors[0].Code)
	}
	return 0
}

// Who does not know a role's password, or whom PostgreSQL did not ask for it, gets nothing; who does has that role's session.
func TestAuthentication(t *testing.T) {
	address := begin(t, settings{auth: true})
	people(t)
	ctx := context.Background()
	for _, each := range []struct {
		user, password, more string
		good                 bool
	}{
		{"bsond_alice", "pëncil=,", "", true}, {"bsond_alice", "pencil", "", false}, {"bsond_alice", "", "", false}, {"bsond_nobody", "lamp", "", false},
		{`bsond_o=d, "d'`, "odd", "", true}, {"bsond_mallory", "known", "", false}, {"postgres", "known", "", false},
		{"bsond_bob", "lamp", "authSource=elsewhere", true}, {"bsond_bob", "lamp", "authMechanism=SCRAM-SHA-256", true},
		{"bsond_bob", "lamp", "authMechanism=SCRAM-SHA-1", false}, {"bsond_bob", "lamp", "authMechanism=PLAIN&authSource=$external", false},
		{"bsond_alice\x00options\x00-crole=postgres", "pëncil=,", "", false}, {"bsond_alice\x00user\x00postgres", "pëncil=,", "", false},
		{"bsond_alice" + strings.Repeat("x", 60), "pëncil=,", "", false},
	} {
		client := as(t, address, each.user, each.password, each.more)
		err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "listDatabases", Value: 1}}).Err()
		if (err == nil) != each.good {
			t.Errorf("%q, %q, %s: %v", each.user, each.password, each.more, err)
		}
		if err != nil && !strings.Contains(err.Error(), "auth") {
			t.Errorf("%q: the error does not say that it is about authentication: %v", each.user, err)
		}
	}
	if err := connect(t, "mongodb://"+address).Database("alices").RunCommand(ctx, bson.D{{Key: "count", Value: "x"}}).Err(); code(err) != 13 {
		t.Errorf("without authentication: %v", err)
	}
	var status struct {
		AuthInfo struct{ AuthenticatedUsers []struct{ User string } }
	}
	err := as(t, address, "bsond_alice", "pëncil=,", "").Database("admin").RunCommand(ctx, bson.D{{Key: "connectionStatus", Value: 1}}).Decode(&status)
	if err != nil || len(status.AuthInfo.AuthenticatedUsers) != 1 || status.AuthInfo.AuthenticatedUsers[0].User != "bsond_alice" {
		t.Errorf("connectionStatus: %v, %v", status, err)
	}
}

// As many authentications go on as there is room for, and who waits for others waits no longer than its command may.
func TestAuthenticationsAtOnce(t *testing.T) {
	address := begin(t, settings{auth: true})
	people(t)
	began := time.Now()
	for n := range 17 {
		conn, reply := dial(t, address), make([]byte, 1<<10)
		start := bson.D{{Key: "saslStart", Value: 1}, {Key: "mechanism", Value: "SCRAM-SHA-256"}, {Key: "payload", Value: []byte("n,,n=bsond_alice,r=nonce")}, {Key: "$db", Value: "admin"}, {Key: "maxTimeMS", Value: 3000}}
		_, err := conn.Write(message(t, start))
		if err == nil {
			_, err = conn.Read(reply)
		}
		if done := bytes.Contains(reply, []byte("conversationId")); err != nil || done != (n < 16) || time.Since(began) > 15*time.Second {
			t.Fatalf("%d, after %s: %q, %v", n, time.Since(began), reply, err)
		}
	}
}

// A role has one connection to PostgreSQL for each client's connection. Open cursors and transactions do not stop a client that
// has one connection.
func TestOneConnection(t *testing.T) {
	address := begin(t, settings{auth: true})
	people(t)
	ctx := context.Background()
	client := connect(t, fmt.Sprintf("mongodb://%s@%s/", url.UserPassword("bsond_alice", "pëncil=,"), address), options.Client().SetMaxPoolSize(1))
	items := client.Database("alices").Collection("item")
	var many []any
	for i := range 1000 {
		many = append(many, bson.M{"_id": i})
	}
	if _, err := items.InsertMany(ctx, many); err != nil {
		t.Fatal(err)
	}
	first, err := items.Find(ctx, bson.M{}, options.Find().SetBatchSize(10).SetSort(bson.M{"_id": 1}))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; first.Next(ctx); n++ {
		if n%100 == 0 {
			if _, err := items.UpdateOne(ctx, bson.M{"_id": n}, bson.M{"$set": bson.M{"seen": true}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != 1000 || first.Err() != nil {
		t.Errorf("%d documents, %v", n, first.Err())
	}
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, func(inside context.Context) (any, error) {
		if _, err := items.InsertOne(inside, bson.M{"_id": "new"}); err != nil {
			return nil, err
		}
		n, err := items.CountDocuments(ctx, bson.M{"_id": "new"})
		if n != 0 {
			t.Error("another session sees what is not committed")
		}
		return nil, err
	})
	if n, failed := items.CountDocuments(ctx, bson.M{"_id": "new"}); err != nil || n != 1 || failed != nil {
		t.Errorf("%v, %d, %v", err, n, failed)
	}
}
