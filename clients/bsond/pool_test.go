package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"bson.example/bsond/session"
	"github.com/jackc/pgx/v5/pgconn"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Version 1.0 of the extension lacks what bsond calls: it does not start, and says what to do.
func TestOldExtension(t *testing.T) {
	sql(t, "DROP DATABASE IF EXISTS bsond_old", "CREATE DATABASE bsond_old")
	old := postgresOf(t) + " dbname=bsond_old"
	postgres, err := pgconn.Connect(context.Background(), old)
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Close(context.Background())
	for _, statement := range []string{"CREATE EXTENSION bson VERSION '1.0'", "ALTER EXTENSION bson UPDATE"} {
		if _, err := postgres.Exec(context.Background(), statement).ReadAll(); err != nil {
			t.Fatal(err)
		}
		p, err := session.Open(context.Background(), old, 2)
		if err == nil {
			p.Close()
		}
		if wanted := "run ALTER EXTENSION bson UPDATE"; statement != "ALTER EXTENSION bson UPDATE" && (err == nil || !strings.Contains(err.Error(), wanted)) || statement == "ALTER EXTENSION bson UPDATE" && err != nil {
			t.Errorf("after %s: %v", statement, err)
		}
	}
}

// Several daemons that begin at the same time on a new database all come up.
func TestBeginAtOnce(t *testing.T) {
	sql(t, "DROP DATABASE IF EXISTS bsond_new", "CREATE DATABASE bsond_new")
	failures := make(chan error, 4)
	for range cap(failures) {
		go func() {
			p, err := session.Open(context.Background(), postgresOf(t)+" dbname=bsond_new", 2)
			if err == nil {
				p.Close()
			}
			failures <- err
		}()
	}
	for range cap(failures) {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
}

// Two roles run the same statements, which bsond makes once for both, at the same time on one table. Each sees and changes its own
// rows only; also after code that the other one left in the table has run in its session, and turned the role, the path where names
// are found and the prepared statements there.
func TestSharedStatements(t *testing.T) {
	address := begin(t, settings{auth: true, connections: 8})
	admin, ctx := people(t), context.Background()
	clients := map[string]*mongo.Client{"bsond_alice": as(t, address, "bsond_alice", "pëncil=,", "maxPoolSize=1"), "bsond_bob": as(t, address, "bsond_bob", "lamp", "maxPoolSize=1")}
	if err := clients["bsond_bob"].Ping(ctx, nil); err != nil {
		t.Fatal(err) // with bsond, the extension is there
	}
	sql(t, `DROP SCHEMA IF EXISTS shared CASCADE`, `CREATE SCHEMA shared`, `GRANT ALL ON SCHEMA shared TO bsond_alice, bsond_bob`,
		`CREATE TABLE shared.rows (data bson NOT NULL CHECK ((bson_typeof(data -> '_id'::text) <> 'array') IS TRUE), owner name NOT NULL DEFAULT current_user)`,
		`CREATE UNIQUE INDEX ON shared.rows ((data -> '_id'::text))`, `ALTER TABLE shared.rows ENABLE ROW LEVEL SECURITY`,
		`CREATE POLICY own ON shared.rows USING (owner = current_user)`, `GRANT ALL ON shared.rows TO bsond_alice, bsond_bob`,
		`INSERT INTO shared.rows SELECT bson_build_object('_id', n, 'of', r, 'n', 0), r FROM unnest('{bsond_alice,bsond_bob}'::name[]) WITH ORDINALITY AS r(r, k), generate_series(k * 1000, k * 1000 + 99) AS n`)
	work := func(user string, round int) {
		own, foreign := 1000, 2000
		if user == "bsond_bob" {
			own, foreign = foreign, own
		}
		rows := clients[user].Database("shared").Collection("rows")
		for i := range 40 {
			for id, want := range map[int]int64{own + i: 1, foreign + i: 0} {
				var found bson.M
				if err := rows.FindOne(ctx, bson.M{"_id": id}).Decode(&found); (err == nil) != (want == 1) || err != nil && err != mongo.ErrNoDocuments {
					t.Errorf("%s finds %v, %v", user, found, err)
				}
				if n, err := rows.CountDocuments(ctx, bson.M{"_id": bson.M{"$gte": id, "$lt": id + 1}}); n != want || err != nil {
					t.Errorf("%s counts %d, %v", user, n, err)
				}
				if n, err := rows.UpdateOne(ctx, bson.M{"_id": id}, bson.M{"$inc": bson.M{"n": 1}}); err != nil || n.ModifiedCount != want {
					t.Errorf("%s updates %v, %v", user, n, err)
				}
				if n, err := rows.UpdateMany(ctx, bson.M{"_id": id}, bson.M{"$inc": bson.M{"n": 1}}); err != nil || n.ModifiedCount != want {
					t.Errorf("%s updates %v, %v", user, n, err)
				}
				if err := rows.FindOneAndUpdate(ctx, bson.M{"_id": id}, bson.M{"$inc": bson.M{"n": 1}}).Err(); (err == nil) != (want == 1) {
					t.Errorf("%s modifies: %v", user, err)
				}
			}
			if n, err := rows.DeleteOne(ctx, bson.M{"_id": foreign + 99}); err != nil || n.DeletedCount != 0 {
				t.Errorf("%s deletes %v, %v", user, n, err)
			}
			var owners []string
			found := rows.Distinct(ctx, "of", bson.M{})
			if err := errors.Join(found.Err(), found.Decode(&owners)); err != nil || len(owners) != 1 || owners[0] != user {
				t.Errorf("%s, round %d: %v, %v", user, round, owners, err)
			}
		}
	}
	names := []string{"bsond_alice", "bsond_bob"}
	for round := range 2 {
		var both sync.WaitGroup
		for _, user := range names {
			both.Go(func() { work(user, round) })
		}
		both.Wait()
		if round > 0 {
			break
		}
		// what bob leaves for alice's session, with functions that fit what bsond's statements call
		sql(t, `CREATE TABLE bobs.trap (data bson)`, `CREATE UNIQUE INDEX ON bobs.trap ((data -> '_id'::text))`, `ALTER TABLE bobs.trap OWNER TO bsond_bob`, `GRANT USAGE ON SCHEMA bobs TO bsond_alice`, `GRANT ALL ON bobs.trap TO bsond_alice`,
			`CREATE FUNCTION bobs.planted(public.bson, public.bson) RETURNS boolean LANGUAGE sql AS 'SELECT true'`, `CREATE OPERATOR bobs.= (FUNCTION = bobs.planted, LEFTARG = public.bson, RIGHTARG = public.bson)`,
			`CREATE OPERATOR bobs.@~ (FUNCTION = bobs.planted, LEFTARG = public.bson, RIGHTARG = public.bson)`,
			`CREATE FUNCTION bobs.format(text, name, name) RETURNS text LANGUAGE sql AS $$ SELECT 'bobs.fake' $$`, `CREATE TABLE bobs.fake AS SELECT '{"_id": 1, "of": "bob"}'::bson AS data`, `CREATE TABLE shared.late AS SELECT '{"_id": 1, "of": "alice"}'::bson AS data`,
			`ALTER TABLE bobs.fake OWNER TO bsond_bob`, `GRANT SELECT ON bobs.fake, shared.late TO bsond_alice, bsond_bob`,
			`CREATE FUNCTION bobs.turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				PERFORM pg_catalog.set_config('search_path', 'bobs, public, pg_catalog', false); PERFORM pg_catalog.set_config('row_security', CASE session_user WHEN 'bsond_alice' THEN 'off' ELSE 'on' END, false); PERFORM pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', false);
				BEGIN SET ROLE bsond_bob; EXCEPTION WHEN OTHERS THEN NULL; END; BEGIN SET ROLE postgres; EXCEPTION WHEN OTHERS THEN NULL; END;
				EXECUTE 'DEALLOCATE ALL'; RETURN NEW; END $$`, `CREATE TRIGGER turn BEFORE INSERT ON bobs.trap FOR EACH ROW EXECUTE FUNCTION bobs.turn()`)
		for i := range 8 {
			_, _ = clients["bsond_bob"].Database("bobs").Collection("trap").InsertOne(ctx, bson.M{"_id": fmt.Sprint(i)})
			if _, err := clients["bsond_alice"].Database("bobs").Collection("trap").InsertOne(ctx, bson.M{"_id": i}); err != nil && code(err) != 13 {
				t.Error(err)
			}
		}
		// what bob's session says of a collection
		var late struct{ Of string }
		_ = clients["bsond_bob"].Database("shared").Collection("late").FindOne(ctx, bson.M{"_id": 1}).Decode(&late)
		if late.Of != "bob" {
			t.Errorf("bob's session is not turned: %v", late)
		}
		if err := clients["bsond_alice"].Database("shared").Collection("late").FindOne(ctx, bson.M{"_id": 1}).Decode(&late); err != nil || late.Of != "alice" {
			t.Errorf("alice finds %v, %v", late, err)
		}
		sql(t, `DROP TRIGGER turn ON bobs.trap`)
		names = names[:1] // bob has turned his own session, which is his business
	}
	if left := text(t, admin, "SELECT count(*)::text || ' ' || sum((data ->> 'n')::int)::text || ' ' || bool_and(data ->> 'of' = owner)::text FROM shared.rows"); left != "200 360 true" {
		t.Errorf("what is left: %s", left)
	}
}

// A statement of a command whose time is over does not begin, as nothing would end it.
func TestTooLate(t *testing.T) {
	p, err := session.Open(context.Background(), postgresOf(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 30 {
		err := p.Own.With(context.Background(), func(c *session.Conn) error {
			_, err := c.Exec(ctx, "SELECT pg_sleep(10)")
			return err
		})
		if err != context.Canceled {
			t.Fatal(err)
		}
	}
}

// Who waits for a connection that a cursor gives away, whose statement is slow, waits no longer than it may.
func TestImpatient(t *testing.T) {
	db, ctx := connect(t, "mongodb://"+begin(t, settings{connections: 1})).Database("go_test"), context.Background()
	if err := errors.Join(db.Drop(ctx), db.CreateCollection(ctx, "some")); err != nil {
		t.Fatal(err)
	}
	sql(t, "CREATE VIEW go_test.slow AS SELECT public.bson_build_object('_id', n, 'pad', repeat('x', 9000), 'slept', CASE WHEN n > 3 THEN pg_sleep(0.5)::text END) AS data FROM generate_series(1, 23) AS n")
	cursor, err := db.Collection("slow").Find(ctx, bson.M{}, options.Find().SetBatchSize(2))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := db.RunCommand(ctx, bson.D{{Key: "find", Value: "some"}, {Key: "maxTimeMS", Value: 500}}).Err(); code(err) != 50 || time.Since(began) > 5*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	var all []bson.M
	if err := cursor.All(ctx, &all); err != nil || len(all) != 23 {
		t.Errorf("%d rows, %v", len(all), err)
	}
}
