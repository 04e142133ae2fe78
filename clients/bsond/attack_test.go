package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// hostile strings end a constant, an identifier, a comment or a statement of SQL where they are not quoted
var hostile = []string{`'; CREATE TABLE public.owned (); --`, `"; CREATE TABLE public.owned (); --`, `\'; CREATE TABLE public.owned (); --`, `$$; CREATE TABLE public.owned (); --`,
	`*/ CREATE TABLE public.owned (); --`, "\n; CREATE TABLE public.owned ();\n--", `%I %L %s`, `#`, `#bson`, `pg_catalog`, `x::regclass`, `"a"."b"`, `$1`, `{"a": 1}`, strings.Repeat("ü'", 200)}

// What bob may not do to alice, in the order of the table in threat-model.md. Each attack is a client's of bob's, or what bob leaves
// in the database for alice's client to meet. Afterwards nothing has changed that is not bob's.
func TestAttacks(t *testing.T) {
	address := begin(t, settings{auth: true})
	admin, ctx := people(t), context.Background()
	sql(t, `DROP TABLE IF EXISTS public.owned`, `CREATE SCHEMA IF NOT EXISTS shared`, `DROP SCHEMA shared CASCADE`, `CREATE SCHEMA shared`, `GRANT ALL ON SCHEMA shared TO bsond_alice, bsond_bob`,
		// row security: each sees his own documents only
		`CREATE TABLE shared.rows (data bson, owner name DEFAULT current_user)`, `CREATE UNIQUE INDEX ON shared.rows ((data -> '_id'::text))`, `ALTER TABLE shared.rows ENABLE ROW LEVEL SECURITY`,
		`CREATE POLICY own ON shared.rows USING (owner = current_user)`, `GRANT ALL ON shared.rows TO bsond_alice, bsond_bob`)
	alice, bob := as(t, address, "bsond_alice", "pëncil=,", ""), as(t, address, "bsond_bob", "lamp", "")
	if _, err := alice.Database("alices").Collection("secret").InsertOne(ctx, bson.M{"_id": 1, "v": "secret"}); err != nil {
		t.Fatal(err)
	}
	before := text(t, admin, "SELECT data::text FROM alices.secret")
	run := func(db *mongo.Database, command any) error { return db.RunCommand(ctx, command).Err() }
	refused := func(what string, err error) {
		t.Helper()
		if code(err) != 13 {
			t.Errorf("%s: %v", what, err)
		}
	}

	// another's collections, by each kind of command
	theirs := bob.Database("alices")
	for what, command := range map[string]bson.D{
		"find":     {{Key: "find", Value: "secret"}},
		"count":    {{Key: "count", Value: "secret"}},
		"distinct": {{Key: "distinct", Value: "secret"}, {Key: "key", Value: "v"}},
		"drop":     {{Key: "drop", Value: "secret"}},
		"rename":   {{Key: "renameCollection", Value: "alices.secret"}, {Key: "to", Value: "bobs.mine"}},
		"stats":    {{Key: "collStats", Value: "secret"}},
		"index":    {{Key: "createIndexes", Value: "secret"}, {Key: "indexes", Value: bson.A{bson.M{"key": bson.M{"v": 1}, "name": "v_1"}}}},
		"modify":   {{Key: "findAndModify", Value: "secret"}, {Key: "remove", Value: true}},
		"explain":  {{Key: "explain", Value: bson.M{"find": "secret"}}},
		"validate": {{Key: "collMod", Value: "secret"}, {Key: "validator", Value: bson.M{"a": 1}}},
	} {
		switch what {
		case "rename":
			refused(what, run(bob.Database("admin"), command))
		default:
			refused(what, run(theirs, command))
		}
	}
	_, err := theirs.Collection("secret").InsertOne(ctx, bson.M{"a": 1})
	refused("insert", err)
	_, err = theirs.Collection("secret").UpdateOne(ctx, bson.M{}, bson.M{"$set": bson.M{"v": "changed"}})
	refused("update", err)
	_, err = theirs.Collection("secret").DeleteOne(ctx, bson.M{})
	refused("delete", err)

	// $out, $merge and $lookup reach no further
	mine := bob.Database("bobs").Collection("mine")
	if _, err := mine.InsertOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	for what, stage := range map[string]bson.M{
		"$out":       {"$out": bson.M{"db": "alices", "coll": "secret"}},
		"$merge":     {"$merge": bson.M{"into": bson.M{"db": "alices", "coll": "secret"}}},
		"$out, new":  {"$out": bson.M{"db": "alices", "coll": "new"}},
		"$lookup":    {"$lookup": bson.M{"from": bson.M{"db": "alices", "coll": "secret"}, "localField": "_id", "foreignField": "_id", "as": "x"}},
		"$unionWith": {"$unionWith": bson.M{"db": "alices", "coll": "secret"}},
	} {
		cursor, err := mine.Aggregate(ctx, bson.A{stage})
		if err == nil {
			var all []bson.M
			if err = cursor.All(ctx, &all); err == nil && strings.Contains(fmt.Sprint(all), "secret") || err == nil && stage["$out"] != nil {
				t.Errorf("%s: %v", what, all)
			}
		}
	}
	for _, db := range []string{"pg_catalog", "information_schema", "bsond$", "pg_temp"} {
		if err := run(bob.Database(db), bson.D{{Key: "find", Value: "pg_authid"}}); err == nil {
			t.Errorf("the schema %s is a database", db)
		}
	}

	// row security
	for _, each := range []*mongo.Client{alice, bob} {
		if _, err := each.Database("shared").Collection("rows").InsertOne(ctx, bson.M{"a": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := bob.Database("shared").Collection("rows").CountDocuments(ctx, bson.M{}); n != 1 || err != nil {
		t.Errorf("row security: %d, %v", n, err)
	}
	if n := text(t, sql(t, "SET ROLE bsond_bob"), "SELECT count(*)::text FROM bsond$.write WHERE role = 'bsond_alice'::regrole"); n != "0" {
		t.Errorf("bob sees %s of alice's writes", n)
	}

	// names of everything
	for _, text := range hostile {
		names := bob.Database("bobs").Collection("n" + strings.NewReplacer("$", "", "\n", "").Replace(text))
		_, _ = names.InsertOne(ctx, bson.M{"_id": text, text: text})
		_, _ = names.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: text, Value: 1}}, Options: options.Index().SetName(text)})
		_, _ = names.UpdateOne(ctx, bson.M{text: text}, bson.M{"$set": bson.M{"x": text}})
		_, _ = names.Find(ctx, bson.M{text: bson.M{"$regex": text}}, options.Find().SetSort(bson.M{text: 1}).SetProjection(bson.M{text: 1}).SetComment(text))
		_, _ = names.Aggregate(ctx, bson.A{bson.M{"$group": bson.M{"_id": "$" + text, "x": bson.M{"$first": text}}}, bson.M{"$lookup": bson.M{"from": text, "localField": text, "foreignField": text, "as": text}}})
		_ = names.Distinct(ctx, text, bson.M{})
		for _, command := range []bson.D{{{Key: "create", Value: "v" + text}, {Key: "validator", Value: bson.M{text: text}}, {Key: "comment", Value: text}}, {{Key: "create", Value: "w" + text}, {Key: "viewOn", Value: "mine"}, {Key: "pipeline", Value: bson.A{bson.M{"$match": bson.M{text: text}}}}},
			{{Key: "listCollections", Value: 1}, {Key: "filter", Value: bson.M{"name": text}}}, {{Key: "dropIndexes", Value: names.Name()}, {Key: "index", Value: text}}, {{Key: "dropUser", Value: text}},
			{{Key: "collMod", Value: names.Name()}, {Key: "index", Value: bson.M{"name": text, "hidden": true}}}, {{Key: text, Value: text}}, {{Key: "getMore", Value: int64(1)}, {Key: "collection", Value: text}}} {
			_ = run(bob.Database("bobs"), command)
		}
		_ = run(bob.Database(text), bson.D{{Key: "find", Value: text}})
	}

	// what bob leaves where alice works: functions that fit the calls of her statements, and a way to roles for code that runs as she
	for _, schema := range []string{"shared", "bobs"} {
		for _, f := range []string{"bson_match(public.bson, public.bson)", "count(public.bson)", "set_config(unknown, unknown, boolean)", "quote_ident(unknown)", "hashtextextended(text, integer)", "bson_with_id(public.bson)", "bson_find_sql(regclass, public.bson)"} {
			_, _ = admin.Exec(ctx, "CREATE FUNCTION "+schema+"."+f+" RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted'; END $$; ALTER FUNCTION "+schema+"."+f+" OWNER TO bsond_bob")
		}
	}
	sql(t, "GRANT USAGE ON SCHEMA bobs TO bsond_alice", "GRANT ALL ON bobs.mine TO bsond_alice",
		`CREATE FUNCTION bobs.planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RESET ROLE; RESET SESSION AUTHORIZATION; NEW.data = public.bson_set(NEW.data, '{who}', public.to_bson(session_user::text || ' ' || current_user)); 
			BEGIN SET ROLE postgres; NEW.data = '{"_id": "superuser"}'; EXCEPTION WHEN OTHERS THEN NULL; END;
			BEGIN SET SESSION AUTHORIZATION postgres; NEW.data = '{"_id": "superuser"}'; EXCEPTION WHEN OTHERS THEN NULL; END;
			SET search_path = bobs; RETURN NEW; END $$`,
		"ALTER FUNCTION bobs.planted() OWNER TO bsond_bob", "CREATE TRIGGER planted BEFORE INSERT ON bobs.mine FOR EACH ROW EXECUTE FUNCTION bobs.planted()")
	for _, each := range []*mongo.Client{alice, bob} {
		coll := each.Database("bobs").Collection("mine")
		if _, err := coll.InsertOne(ctx, bson.M{"_id": fmt.Sprint(each == alice)}); err != nil {
			t.Fatal(err)
		}
	}
	if who := text(t, admin, "SELECT string_agg(data ->> 'who', ', ' ORDER BY data ->> 'who') FROM bobs.mine"); who != "bsond_alice bsond_alice, bsond_bob bsond_bob" {
		t.Errorf("code in a table runs as: %s", who)
	}
	lookup := bson.A{bson.M{"$lookup": bson.M{"from": "rows", "localField": "_id", "foreignField": "_id", "as": "x"}}, bson.M{"$count": "n"}}
	for range 3 {
		var all []bson.M
		cursor, err := alice.Database("shared").Collection("rows").Aggregate(ctx, lookup)
		if err == nil {
			err = cursor.All(ctx, &all)
		}
		if err != nil || len(all) != 1 {
			t.Errorf("a pipeline in a schema of planted functions: %v, %v", all, err)
		}
	}

	// what belongs to another's session: a cursor, a transaction, an operation
	many := make([]any, 300)
	for i := range many {
		many[i] = bson.M{"_id": i}
	}
	if _, err := alice.Database("alices").Collection("many").InsertMany(ctx, many); err != nil {
		t.Fatal(err)
	}
	cursor, err := alice.Database("alices").Collection("many").Find(ctx, bson.M{}, options.Find().SetBatchSize(10))
	if err != nil {
		t.Fatal(err)
	}
	if err := run(theirs, bson.D{{Key: "getMore", Value: cursor.ID()}, {Key: "collection", Value: "many"}}); code(err) != 43 {
		t.Errorf("another's cursor: %v", err)
	}
	if err := run(theirs, bson.D{{Key: "killCursors", Value: "many"}, {Key: "cursors", Value: bson.A{cursor.ID()}}}); err != nil {
		t.Error(err)
	}
	var all []bson.M
	if err := cursor.All(ctx, &all); err != nil || len(all) != 300 {
		t.Errorf("after another killed the cursor: %d, %v", len(all), err)
	}
	session, err := alice.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	err = mongo.WithSession(ctx, session, func(inside context.Context) error {
		if err := session.StartTransaction(); err != nil {
			return err
		}
		if _, err := alice.Database("alices").Collection("many").InsertOne(inside, bson.M{"_id": "new"}); err != nil {
			return err
		}
		for _, name := range []string{"find", "commitTransaction", "abortTransaction"} {
			err := run(bob.Database("admin"), bson.D{{Key: name, Value: "many"}, {Key: "lsid", Value: session.ID()}, {Key: "txnNumber", Value: int64(1)}, {Key: "autocommit", Value: false}})
			var failed mongo.CommandError
			if !errors.As(err, &failed) {
				t.Errorf("%s in another's transaction: %v", name, err)
			}
		}
		return session.CommitTransaction(inside)
	})
	if err != nil {
		t.Errorf("a transaction beside another's attempts to end it: %v", err)
	}

	// comments that are no documents, and a view that is not alice's, on what alice lists and renames
	sql(t, "CREATE TABLE bobs.broken (data bson)", `COMMENT ON TABLE bobs.broken IS E'restored by bson-copy from bobs.broken\n{"held": tru'`,
		"CREATE TABLE bobs.odd (data bson, CONSTRAINT c CHECK (true))", `COMMENT ON TABLE bobs.odd IS E'restored by bson-copy from bobs.odd\n{"options": 5, "indexes": [5, {"key": 5}]}'`,
		`COMMENT ON CONSTRAINT c ON bobs.odd IS '{"validator": '`, "CREATE INDEX odd_a ON bobs.odd ((data -> 'a'))", `COMMENT ON INDEX bobs.odd_a IS '{"key": {"a": 1}, "expireAfterSeconds": '`,
		"GRANT USAGE ON SCHEMA alices TO bsond_bob", "CREATE VIEW bobs.on_many AS SELECT data FROM alices.many", `COMMENT ON VIEW bobs.on_many IS E'restored by bson-copy from bobs.on_many\n{"options": {"viewOn": "many", "pipeline": []}}'`,
		"ALTER VIEW bobs.on_many OWNER TO bsond_bob")
	for what, err := range map[string]error{
		"listDatabases":   run(alice.Database("admin"), bson.D{{Key: "listDatabases", Value: 1}}),
		"listCollections": run(alice.Database("bobs"), bson.D{{Key: "listCollections", Value: 1}}),
		"dbStats":         run(alice.Database("bobs"), bson.D{{Key: "dbStats", Value: 1}}),
		"rename":          run(alice.Database("admin"), bson.D{{Key: "renameCollection", Value: "alices.many"}, {Key: "to", Value: "alices.more"}}),
	} {
		if err != nil {
			t.Errorf("%s beside what bob has left: %v", what, err)
		}
	}
	if n := text(t, admin, "SELECT count(*)::text FROM pg_class WHERE relname LIKE 'owned'"); n != "0" {
		t.Error("a string became SQL")
	}
	if after := text(t, admin, "SELECT data::text FROM alices.secret"); after != before {
		t.Errorf("alice's document is %s", after)
	}
	if roles := text(t, admin, "SELECT string_agg(DISTINCT usename, ', ' ORDER BY usename) FROM pg_stat_activity WHERE application_name = 'bsond' AND usename LIKE 'bsond%'"); roles != "bsond_alice, bsond_bob" {
		t.Errorf("sessions of %s", roles)
	}
}
