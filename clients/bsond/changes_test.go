package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// streaming skips a test where PostgreSQL does not write what change streams need
func streaming(t *testing.T) settings {
	t.Helper()
	url := postgresOf(t)
	if level := text(t, sql(t), "SHOW wal_level"); level != "logical" {
		t.Skip("wal_level is " + level)
	}
	sql(t, "DO $$ BEGIN IF to_regrole('bson_streams') IS NULL THEN CREATE ROLE bson_streams LOGIN REPLICATION; END IF; END $$")
	return settings{changes: url + " user=bson_streams", window: 16}
}

type event struct {
	ID        bson.Raw       `bson:"_id"`
	Operation string         `bson:"operationType"`
	Time      bson.Timestamp `bson:"clusterTime"`
	Wall      time.Time      `bson:"wallTime"`
	Document  bson.M         `bson:"fullDocument"`
	Before    bson.M         `bson:"fullDocumentBeforeChange"`
	NS        struct{ DB, Coll string }
	Key       bson.M `bson:"documentKey"`
	Update    struct {
		Updated   bson.M   `bson:"updatedFields"`
		Removed   []string `bson:"removedFields"`
		Truncated []bson.D `bson:"truncatedArrays"`
	} `bson:"updateDescription"`
}

// next is the next event of a stream, in ten seconds
func next(t *testing.T, stream *mongo.ChangeStream) (e event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if !stream.Next(ctx) {
		t.Fatalf("no event: %v", stream.Err())
	}
	if err := stream.Decode(&e); err != nil {
		t.Fatal(err)
	}
	return e
}

// quiet tells that a stream has no event for a moment
func quiet(t *testing.T, stream *mongo.ChangeStream) {
	t.Helper()
	for range 2 {
		if stream.TryNext(context.Background()) {
			t.Errorf("an event too much: %v", stream.Current)
		}
	}
	if stream.Err() != nil {
		t.Error(stream.Err())
	}
}

func open(t *testing.T) func(*mongo.ChangeStream, error) *mongo.ChangeStream {
	return func(stream *mongo.ChangeStream, err error) *mongo.ChangeStream {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stream.Close(context.Background()) })
		return stream
	}
}

func streamed(t *testing.T) *mongo.Database {
	db := connect(t, "mongodb://"+begin(t, streaming(t))).Database("go_changes")
	if err := db.Drop(context.Background()); err != nil {
		t.Fatal(err)
	}
	return db
}

func slots(t *testing.T) string {
	return text(t, sql(t), "SELECT count(*)::text FROM pg_replication_slots WHERE temporary")
}

func TestChangeEvents(t *testing.T) {
	db, ctx := streamed(t), context.Background()
	items := db.Collection("item")
	whole := open(t)(db.Watch(ctx, mongo.Pipeline{}))
	all := open(t)(db.Client().Watch(ctx, mongo.Pipeline{{{Key: "$match", Value: bson.M{"ns.db": "go_changes", "operationType": "delete"}}}}))
	one := open(t)(items.Watch(ctx, mongo.Pipeline{{{Key: "$match", Value: bson.M{"operationType": bson.M{"$ne": "insert"}}}}, {{Key: "$addFields", Value: bson.M{"more": "$$ROOT"}}}},
		options.ChangeStream().SetFullDocument(options.UpdateLookup).SetFullDocumentBeforeChange(options.Required)))
	long := strings.Repeat("0123456789", 100_000)
	noise := make([]byte, 50_000) // which does not compress, and so is stored out of line
	for i := range noise {
		noise[i] = byte(i * i >> 3 * 7919 >> 5)
	}
	if _, err := items.InsertOne(ctx, bson.D{{Key: "_id", Value: 1}, {Key: "a", Value: bson.M{"b": 1}}, {Key: "list", Value: bson.A{1, 2, 3, 4}}, {Key: "old", Value: "$notAField"}, {Key: "noise", Value: noise}}); err != nil {
		t.Fatal(err)
	}
	e := next(t, whole)
	if e.Operation != "insert" || e.NS.DB != "go_changes" || e.NS.Coll != "item" || e.Document["old"] != "$notAField" || e.Key["_id"] != int32(1) || time.Since(e.Wall) > time.Minute || time.Since(time.Unix(int64(e.Time.T), 0)) > time.Minute {
		t.Errorf("%+v", e)
	}
	if _, err := items.UpdateOne(ctx, bson.M{"_id": 1}, bson.M{"$set": bson.M{"a.b": 2, "new": long}, "$unset": bson.M{"old": 1}, "$pop": bson.M{"list": 1}}); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []*mongo.ChangeStream{whole, one} {
		e = next(t, stream)
		if e.Operation != "update" || e.Update.Updated["a.b"] != int32(2) || e.Update.Updated["new"] != long || len(e.Update.Updated) != 2 || fmt.Sprint(e.Update.Removed) != "[old]" ||
			fmt.Sprint(e.Update.Truncated) != `[{"field":"list","newSize":{"$numberInt":"3"}}]` {
			t.Errorf("%.200v", e)
		}
		if (stream == one) != (e.Document["new"] == long) || (stream == one) != (e.Before["old"] == "$notAField") {
			t.Errorf("%.200v", e)
		}
	}
	// one whose document does not change is stored anew all the same, but what is out of line is not written again
	sql(t, "UPDATE go_changes.item SET data = data")
	if e = next(t, one); e.Operation != "update" || len(e.Update.Updated) != 0 || e.Document["new"] != long {
		t.Errorf("%.200v", e)
	}
	if _, err := items.DeleteOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []*mongo.ChangeStream{one, all} {
		if e = next(t, stream); e.Operation != "delete" || e.Key["_id"] != int32(1) {
			t.Errorf("%.200v", e)
		}
	}
	// a transaction comes when it is committed, as a whole
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	err = mongo.WithSession(ctx, session, func(inside context.Context) error {
		if err := session.StartTransaction(); err != nil {
			return err
		}
		_, err := items.InsertOne(inside, bson.M{"_id": 2})
		_, other := items.InsertOne(ctx, bson.M{"_id": 3})
		_, last := db.Collection("other").InsertOne(inside, bson.M{"_id": 4})
		return errors.Join(err, other, last, session.CommitTransaction(inside))
	})
	if err != nil {
		t.Fatal(err)
	}
	next(t, whole) // update, update, delete
	next(t, whole)
	for _, want := range []int32{3, 2, 4} {
		if e = next(t, whole); e.Key["_id"] != want {
			t.Errorf("%d: %v", want, e)
		}
	}
	if err := items.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"drop", "invalidate"} {
		if e = next(t, one); e.Operation != want {
			t.Errorf("%s: %v", want, e)
		}
	}
	if one.Next(ctx) || one.ID() != 0 {
		t.Error("the stream goes on", one.Err())
	}
	if err := db.RunCommand(ctx, bson.D{{Key: "insert", Value: "again"}, {Key: "documents", Value: bson.A{bson.M{"_id": 1}}}}).Err(); err != nil {
		t.Fatal(err)
	}
	e = next(t, whole)
	if e.Operation != "drop" {
		e = next(t, whole)
	}
	if err := db.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for e.Operation != "invalidate" {
		e = next(t, whole)
		seen = append(seen, e.Operation)
	}
	if s := fmt.Sprint(seen); !strings.HasSuffix(s, "drop drop dropDatabase invalidate]") {
		t.Error(s)
	}
	for code, pipeline := range map[int32]bson.A{20: {bson.M{"$changeStream": bson.M{}}, bson.M{"$lookup": bson.M{}}}, 40415: {bson.M{"$changeStream": bson.M{"x": 1}}}, 260: {bson.M{"$changeStream": bson.M{"resumeAfter": bson.M{"_data": "00"}}}},
		286: {bson.M{"$changeStream": bson.M{"resumeAfter": bson.M{"_data": "000000000000000100000000"}}}}} {
		var failed mongo.CommandError
		err := db.RunCommand(ctx, bson.D{{Key: "aggregate", Value: "item"}, {Key: "pipeline", Value: pipeline}, {Key: "cursor", Value: bson.M{}}}).Err()
		if !errors.As(err, &failed) || failed.Code != code {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// Eight writers, and a stream that is opened anew all the time, also by another daemon, has each event once, and of each writer in order
func TestChangesResume(t *testing.T) {
	s := streaming(t)
	db, ctx := connect(t, "mongodb://"+begin(t, s)).Database("go_resume"), context.Background()
	other := connect(t, "mongodb://"+begin(t, s)).Database("go_resume")
	if err := db.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	items := db.Collection("item")
	if err := db.CreateCollection(ctx, "item"); err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 60
	stream := open(t)(items.Watch(ctx, mongo.Pipeline{}))
	first := stream.ResumeToken()
	began := bson.Timestamp{T: uint32(time.Now().Unix()), I: 1}
	var all sync.WaitGroup
	into := items
	for w := range writers {
		all.Go(func() {
			for i := range each {
				var list []any
				for n := range 3 {
					list = append(list, bson.M{"_id": fmt.Sprint(w, " ", i, " ", n), "w": w, "i": 3*i + n})
				}
				if _, err := into.InsertMany(ctx, list); err != nil {
					t.Error(err)
				}
			}
		})
	}
	last := map[int32]int32{}
	for n := range writers * each * 3 {
		e := next(t, stream)
		w, i := e.Document["w"].(int32), e.Document["i"].(int32)
		if want := last[w]; i != want {
			t.Fatalf("writer %d: %d, not %d", w, i, want)
		}
		last[w] = i + 1
		if n%50 == 7 {
			token := stream.ResumeToken()
			if err := stream.Close(ctx); err != nil {
				t.Fatal(err)
			}
			items = other.Collection("item")
			if n%100 == 7 {
				items = db.Collection("item")
			}
			stream = open(t)(items.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetResumeAfter(token)))
		}
	}
	all.Wait()
	quiet(t, stream)
	for _, option := range map[string]*options.ChangeStreamOptionsBuilder{"startAfter": options.ChangeStream().SetStartAfter(first), "startAtOperationTime": options.ChangeStream().SetStartAtOperationTime(&began)} {
		again := open(t)(items.Watch(ctx, mongo.Pipeline{}, option.SetBatchSize(7)))
		for range writers * each * 3 {
			next(t, again)
		}
		quiet(t, again)
		_ = again.Close(ctx)
	}
	_ = stream.Close(ctx)
	for until := time.Now().Add(10 * time.Second); slots(t) != "0"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s slots after all streams are closed", slots(t))
		}
	}
	// a client that goes without a word
	gone := connect(t, "mongodb://"+begin(t, s))
	open(t)(gone.Database("go_resume").Collection("item").Watch(ctx, mongo.Pipeline{}))
	if n := slots(t); n != "1" {
		t.Errorf("%s slots of one stream", n)
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	_ = gone.Disconnect(short)
	cancel()
	for until := time.Now().Add(10 * time.Second); slots(t) != "0"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s slots after the client has gone", slots(t))
		}
	}
}

// A transaction that makes a collection has its first document told, though the log has it before other sessions see the table: here as
// long as it waits for a standby that there is not.
func TestChangesOfNewTable(t *testing.T) {
	db, ctx := streamed(t), context.Background()
	stream := open(t)(db.Collection("item").Watch(ctx, mongo.Pipeline{}))
	standby := func(name string) {
		sql(t, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'", "SELECT pg_reload_conf()")
	}
	made, ended, other := make(chan error), make(chan bool), sql(t, "CREATE SCHEMA go_changes")
	standby("nobody")
	t.Cleanup(func() { standby("") })
	time.Sleep(200 * time.Millisecond) // until the server knows the setting
	go func() {
		_, err := other.Exec(ctx, `BEGIN; CREATE TABLE go_changes.item (data bson); ALTER TABLE go_changes.item REPLICA IDENTITY FULL; INSERT INTO go_changes.item VALUES ('{"_id": 1}'); COMMIT`)
		made <- err
	}()
	time.AfterFunc(time.Second, func() {
		standby("")
		close(ended)
	})
	if e := next(t, stream); e.Operation != "insert" || e.Key["_id"] != int32(1) {
		t.Errorf("%+v", e)
	}
	if err := <-made; err != nil {
		t.Error(err)
	}
	<-ended
}

// A role sees changes of what it may read, and its session nothing of anything else.
func TestChangesOfOthers(t *testing.T) {
	s := streaming(t)
	s.auth = true
	admin, ctx := people(t), context.Background()
	address := begin(t, s)
	alice, bob := as(t, address, "bsond_alice", "pëncil=,", ""), as(t, address, "bsond_bob", "lamp", "")
	mine, secret := alice.Database("alices").Collection("open"), alice.Database("alices").Collection("secret")
	for _, each := range []*mongo.Collection{mine, secret} {
		if _, err := each.InsertOne(ctx, bson.M{"_id": 0}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bob.Database("alices").Collection("open").Watch(ctx, mongo.Pipeline{}); code(err) != 13 {
		t.Errorf("watching without a right to: %v", err)
	}
	sql(t, "GRANT SELECT ON alices.open TO bsond_bob")
	if _, err := bob.Database("alices").Collection("open").Watch(ctx, mongo.Pipeline{}); code(err) != 13 {
		t.Errorf("watching without a right to the schema: %v", err)
	}
	sql(t, "GRANT USAGE ON SCHEMA alices TO bsond_bob")
	one := open(t)(bob.Database("alices").Collection("open").Watch(ctx, mongo.Pipeline{}))
	all := open(t)(bob.Database("alices").Watch(ctx, mongo.Pipeline{}))
	begun := all.ResumeToken()
	both := []any{bson.M{"_id": "secret"}}
	for _, each := range []*mongo.Collection{secret, mine} {
		if _, err := each.InsertMany(ctx, both); err != nil {
			t.Fatal(err)
		}
	}
	for _, stream := range []*mongo.ChangeStream{one, all} {
		if e := next(t, stream); e.NS.Coll != "open" {
			t.Errorf("%v", e)
		}
		quiet(t, stream)
	}
	// a table of the same name, in the place of the one that he may not read; the old one's changes are not its own
	sql(t, "DROP TABLE alices.secret", "GRANT CREATE ON SCHEMA alices TO bsond_bob")
	for _, name := range []string{"secret", "other"} {
		if _, err := bob.Database("alices").Collection(name).InsertOne(ctx, bson.M{"_id": "bob's"}); err != nil {
			t.Fatal(err)
		}
	}
	again := open(t)(bob.Database("alices").Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetResumeAfter(begun)))
	for _, want := range []string{"secret in open", "bob's in secret", "bob's in other"} {
		if e := next(t, again); fmt.Sprint(e.Key["_id"], " in ", e.NS.Coll) != want {
			t.Errorf("%s: %v", want, e)
		}
	}
	quiet(t, again)
	// what code in his session finds there: tables and operators of his, that the check could take for the server's
	sql(t, "CREATE FUNCTION bobs.plant() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$ BEGIN "+
		"CREATE TEMPORARY TABLE IF NOT EXISTS pg_class AS SELECT oid, relname, relnamespace, relowner, false AS relrowsecurity, false AS relforcerowsecurity FROM pg_catalog.pg_class; RETURN NEW; END $$",
		"ALTER FUNCTION bobs.plant() OWNER TO bsond_bob", "CREATE TRIGGER plant BEFORE INSERT ON alices.other FOR EACH ROW EXECUTE FUNCTION bobs.plant()")
	if _, err := bob.Database("alices").Collection("other").InsertOne(ctx, bson.M{"_id": "planted"}); err != nil {
		t.Fatal(err)
	}
	if e := next(t, again); e.Key["_id"] != "planted" {
		t.Errorf("%v", e)
	}
	// row security, and a right that is taken away while the stream is open
	sql(t, "ALTER TABLE alices.open ENABLE ROW LEVEL SECURITY", "CREATE POLICY own ON alices.open USING (true)")
	if _, err := mine.InsertOne(ctx, bson.M{"_id": "hidden"}); err != nil {
		t.Fatal(err)
	}
	quiet(t, again)
	if one.TryNext(ctx); code(one.Err()) != 13 {
		t.Errorf("with row security: %v", one.Err())
	}
	owned := open(t)(mine.Watch(ctx, mongo.Pipeline{}))
	if _, err := mine.InsertOne(ctx, bson.M{"_id": "owner's"}); err != nil {
		t.Fatal(err)
	}
	if e := next(t, owned); e.Key["_id"] != "owner's" {
		t.Errorf("%v", e)
	}
	sql(t, "ALTER TABLE alices.open FORCE ROW LEVEL SECURITY")
	if owned.TryNext(ctx); code(owned.Err()) != 13 {
		t.Errorf("with row security for its owner, too: %v", owned.Err())
	}
	sql(t, "ALTER TABLE alices.open DISABLE ROW LEVEL SECURITY", "ALTER TABLE alices.open REPLICA IDENTITY DEFAULT")
	if _, err := mine.Watch(ctx, mongo.Pipeline{}); code(err) != 280 || !strings.Contains(err.Error(), `ALTER TABLE "alices"."open" REPLICA IDENTITY FULL`) {
		t.Errorf("without old rows: %v", err)
	}
	// another's cursor
	theirs := open(t)(secretWatch(t, alice))
	if err := bob.Database("alices").RunCommand(ctx, bson.D{{Key: "getMore", Value: theirs.ID()}, {Key: "collection", Value: "mine"}}).Err(); code(err) != 43 {
		t.Errorf("another's stream: %v", err)
	}
	if n := text(t, admin, "SELECT count(*)::text FROM pg_stat_activity WHERE application_name LIKE 'bsond%' AND backend_type = 'walsender' AND usename LIKE 'bsond%'"); n != "0" {
		t.Errorf("%s roles of clients replicate", n)
	}
}

func secretWatch(t *testing.T, client *mongo.Client) (*mongo.ChangeStream, error) {
	if err := client.Database("alices").CreateCollection(context.Background(), "mine"); err != nil {
		t.Fatal(err)
	}
	return client.Database("alices").Collection("mine").Watch(context.Background(), mongo.Pipeline{})
}

// The log of PostgreSQL that is kept for streams is bounded, and what is older than that is an error, not a gap.
func TestChangesBounded(t *testing.T) {
	s := streaming(t)
	ctx := context.Background()
	postgres, err := session.Open(ctx, s.changes, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Close()
	changes, err := postgres.Follow(s.changes, 1<<20)
	if err == nil {
		err = changes.Keep(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	old, err := changes.Watch(ctx, session.Position{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	from := old.At()
	old.Close()
	conn := sql(t, "CREATE TABLE IF NOT EXISTS public.filler AS SELECT 1 AS n, '' AS text", "CHECKPOINT")
	for range 2 {
		// the server notes from time to time from where a slot can go on
		sql(t, "INSERT INTO public.filler SELECT n, repeat(md5(n::text), 20) FROM generate_series(1, 20000) AS n", "CHECKPOINT")
		if err := changes.Keep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		sql(t, "INSERT INTO public.filler SELECT n, repeat(md5(n::text), 20) FROM generate_series(1, 4000) AS n")
		if err := changes.Keep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if kept := text(t, conn, "SELECT string_agg(slot_name || ': ' || (pg_current_wal_lsn() - restart_lsn)::text, ', ') FROM pg_replication_slots WHERE pg_current_wal_lsn() - restart_lsn > 16000000 AND slot_name LIKE 'bsond%'"+
		" HAVING count(*) > 0 UNION ALL SELECT '' LIMIT 1"); kept != "" {
		t.Errorf("bytes of the log are kept: %s", kept)
	}
	if _, err = changes.Watch(ctx, from, 0, 0); mongoerr.Of(err).Code != mongoerr.ChangeStreamHistoryLost {
		t.Errorf("a stream from before that: %v", err)
	}
	// what happens now is read from a place near the end of the log, not from the beginning of the window
	wide, err := postgres.Follow(s.changes, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	sql(t, "INSERT INTO public.filler SELECT n, repeat(md5(n::text), 20) FROM generate_series(1, 20000) AS n", "CHECKPOINT")
	if err := wide.Keep(ctx); err != nil {
		t.Fatal(err)
	}
	var begins [2]uint64
	for i, since := range []int64{1, time.Now().Add(time.Second).UnixMicro()} {
		stream, err := wide.Watch(ctx, session.Position{}, since, 0)
		if err != nil {
			t.Fatal(err)
		}
		begins[i] = stream.At().LSN
		stream.Close()
	}
	if begins[1] < begins[0]+8<<20 {
		t.Errorf("a stream from now on begins at %x, one from long ago at %x", begins[1], begins[0])
	}
	sql(t, "DROP TABLE public.filler")
}

// A stream goes on where it was, after PostgreSQL has crashed while others write.
func TestChangesCrash(t *testing.T) {
	db, ctx := streamed(t), context.Background()
	items := db.Collection("item")
	if err := db.CreateCollection(ctx, "item"); err != nil {
		t.Fatal(err)
	}
	stream := open(t)(items.Watch(ctx, mongo.Pipeline{}))
	const documents = 600
	failed := make(chan error, 1)
	go func() {
		var err error
		for n := 0; n < documents && err == nil; n++ {
			if _, err = items.InsertOne(ctx, bson.M{"_id": n}); n%200 == 100 {
				crash(t)
			}
		}
		failed <- err
	}()
	for n := range documents {
		wait, cancel := context.WithTimeout(ctx, time.Minute)
		if !stream.Next(wait) {
			t.Fatalf("%d: %v", n, stream.Err())
		}
		cancel()
		var e event
		if err := stream.Decode(&e); err != nil || e.Key["_id"] != int32(n) {
			t.Fatalf("%d: %v, %v", n, e, err)
		}
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
	quiet(t, stream)
}

// A stream begins with its command, not when all is ready for it: here it waits for a collation that another session makes.
func TestChangesBegin(t *testing.T) {
	db, ctx := streamed(t), context.Background()
	items := db.Collection("item")
	if _, err := items.InsertOne(ctx, bson.M{"_id": 0}); err != nil {
		t.Fatal(err)
	}
	const waits = "SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'bsond' AND wait_event_type = 'Lock'"
	watching, other := sql(t, `DROP COLLATION IF EXISTS public."eo-u-ks-level1"`), sql(t, "BEGIN", `SELECT public.bson_collation('{"locale": "eo", "strength": 1}')`)
	streams := make(chan *mongo.ChangeStream)
	go func() {
		stream, err := items.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetCollation(options.Collation{Locale: "eo", Strength: 1}))
		if err != nil {
			t.Error(err)
		}
		streams <- stream
	}()
	for end := time.Now().Add(5 * time.Second); text(t, watching, waits) == "0" && time.Now().Before(end); {
	}
	if _, err := items.InsertOne(ctx, bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(ctx, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if stream := <-streams; stream != nil {
		if e := next(t, open(t)(stream, nil)); e.Key["_id"] != int32(1) {
			t.Errorf("%+v", e)
		}
	}
}

// A replacement is told as one, whichever command makes it, and nothing else is: not what a trigger changes after it, nor what changes
// in the same transaction after one that was undone. A stream can be opened again at any place in between.
func TestChangesReplaced(t *testing.T) {
	db, ctx := streamed(t), context.Background()
	items := db.Collection("item")
	if _, err := items.InsertMany(ctx, []any{bson.M{"_id": 1, "n": 1}, bson.M{"_id": 2, "n": 2}, bson.M{"_id": 3, "n": 3}}); err != nil {
		t.Fatal(err)
	}
	defer sql(t, "DROP FUNCTION IF EXISTS go_changes.after CASCADE")
	sql(t, `CREATE OR REPLACE FUNCTION go_changes.after() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$ BEGIN
			IF new.data ->> 'bad' IS NOT NULL THEN RAISE division_by_zero; END IF;
			IF new.data ->> 'follow' IS NOT NULL THEN UPDATE go_changes.item SET data = bson_set(data, '{seen}', 'true') WHERE data -> '_id' = '3'; END IF; RETURN NULL; END $$`,
		"CREATE TRIGGER after AFTER UPDATE ON go_changes.item FOR EACH ROW EXECUTE FUNCTION go_changes.after()")
	stream := open(t)(items.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetFullDocumentBeforeChange(options.Required)))
	run := func(name string, pairs ...bson.E) {
		t.Helper()
		if err := db.RunCommand(ctx, append(bson.D{{Key: name, Value: "item"}}, pairs...)).Err(); err != nil {
			t.Error(name, err)
		}
	}
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	for n := range 3 { // the third time by a prepared statement
		must(items.ReplaceOne(ctx, bson.M{"_id": 1}, bson.M{"a": n}))
	}
	must(items.ReplaceOne(ctx, bson.M{"_id": 1}, bson.M{"a": 2}))
	must(items.ReplaceOne(ctx, bson.M{"n": 2}, bson.M{"n": 2, "a": 3}))
	must(items.ReplaceOne(ctx, bson.M{"_id": 4}, bson.M{"a": 4}, options.Replace().SetUpsert(true)))
	must(items.ReplaceOne(ctx, bson.M{"_id": 4}, bson.M{}, options.Replace().SetUpsert(true)))
	must(nil, items.FindOneAndReplace(ctx, bson.M{"_id": 2}, bson.M{"a": 5}).Err())
	must(items.UpdateOne(ctx, bson.M{"_id": 2}, bson.A{bson.M{"$replaceWith": bson.M{"a": 6}}}))
	run("findAndModify", bson.E{Key: "query", Value: bson.M{"_id": 2}}, bson.E{Key: "update", Value: bson.M{"a": 7}}, bson.E{Key: "let", Value: bson.M{"x": 1}}, bson.E{Key: "fields", Value: bson.M{"y": "$$x"}})
	run("update", bson.E{Key: "updates", Value: bson.A{bson.M{"q": bson.M{"$expr": bson.M{"$eq": bson.A{"$_id", "$$x"}}}, "u": bson.M{"a": 8}}}}, bson.E{Key: "let", Value: bson.M{"x": 2}})
	must(items.ReplaceOne(ctx, bson.M{"_id": 1}, bson.M{"follow": true}))
	must(nil, db.Client().UseSession(ctx, func(inside context.Context) error {
		_, err := mongo.SessionFromContext(inside).WithTransaction(inside, func(inside context.Context) (any, error) {
			_, err := items.ReplaceOne(inside, bson.M{"_id": 2}, bson.M{"a": 9})
			_, other := items.UpdateOne(inside, bson.M{"_id": 2}, bson.M{"$set": bson.M{"b": 1}})
			_, third := items.ReplaceOne(inside, bson.M{"_id": 2}, bson.M{"a": 10})
			_, same := items.ReplaceOne(inside, bson.M{"_id": 2}, bson.M{"a": 10})
			_, last := items.UpdateOne(inside, bson.M{"_id": 4}, bson.M{"$set": bson.M{"b": 1}})
			return nil, errors.Join(err, other, third, same, last)
		})
		return err
	}))
	_, err := items.BulkWrite(ctx, []mongo.WriteModel{mongo.NewReplaceOneModel().SetFilter(bson.M{"_id": 4}).SetReplacement(bson.M{"a": 11}),
		mongo.NewReplaceOneModel().SetFilter(bson.M{"_id": 4}).SetReplacement(bson.M{"bad": true}),
		mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": 4}).SetUpdate(bson.M{"$set": bson.M{"b": 2}})}, options.BulkWrite().SetOrdered(false))
	if err == nil {
		t.Error("the trigger has raised no error")
	}
	must(db.Client().BulkWrite(ctx, []mongo.ClientBulkWrite{{Database: "go_changes", Collection: "item", Model: mongo.NewClientReplaceOneModel().SetFilter(bson.M{"_id": 4}).SetReplacement(bson.M{"a": 12})},
		{Database: "go_changes", Collection: "item", Model: mongo.NewClientUpdateOneModel().SetFilter(bson.M{"_id": 4}).SetUpdate(bson.M{"$set": bson.M{"b": 3}})}}))
	must(items.DeleteOne(ctx, bson.M{"_id": 4}))
	want := []string{"replace 1 0", "replace 1 1", "replace 1 2", "replace 2 3", "insert 4 4", "replace 4", "replace 2 5", "update 2", "replace 2 7", "replace 2 8", "replace 1", "update 3",
		"replace 2 9", "update 2", "replace 2 10", "update 4", "replace 4 11", "update 4", "replace 4 12", "update 4", "delete 4"}
	var tokens []bson.Raw
	tell := func(e event) string {
		text := fmt.Sprint(e.Operation, " ", e.Key["_id"])
		if a := e.Document["a"]; a != nil {
			text += fmt.Sprint(" ", a)
		}
		if (e.Operation != "insert") != (e.Before != nil) || (e.Operation == "update") != (e.Update.Updated != nil) {
			t.Errorf("%s: %+v", text, e)
		}
		return text
	}
	for i := range want {
		e := next(t, stream)
		if got := tell(e); got != want[i] {
			t.Errorf("event %d: %s, not %s", i, got, want[i])
		}
		tokens = append(tokens, e.ID)
	}
	quiet(t, stream)
	for i, token := range tokens[:len(tokens)-1] {
		again, err := items.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetResumeAfter(token).SetFullDocumentBeforeChange(options.Required))
		if err != nil {
			t.Fatal(err)
		}
		if got := tell(next(t, again)); got != want[i+1] {
			t.Errorf("after event %d: %s, not %s", i, got, want[i+1])
		}
		_ = again.Close(ctx)
	}
}

// A slot is made when all transactions have ended. Who opens a stream waits no longer for that than it may.
func TestChangesSlot(t *testing.T) {
	s, ctx := streaming(t), context.Background()
	other := sql(t, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active", "BEGIN", "SELECT pg_current_xact_id()")
	defer time.AfterFunc(8*time.Second, func() { _, _ = other.Exec(ctx, "ROLLBACK") }).Stop()
	db, began := connect(t, "mongodb://"+begin(t, s)).Database("go_changes"), time.Now()
	err := db.RunCommand(ctx, bson.D{{Key: "aggregate", Value: 1}, {Key: "pipeline", Value: bson.A{bson.M{"$changeStream": bson.M{}}}}, {Key: "cursor", Value: bson.M{}}, {Key: "maxTimeMS", Value: 500}}).Err()
	if code(err) != 50 || time.Since(began) > 5*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

// explain of a change stream opens none.
func TestChangesExplained(t *testing.T) {
	db := streamed(t)
	pipeline := bson.D{{Key: "aggregate", Value: "item"}, {Key: "pipeline", Value: bson.A{bson.M{"$changeStream": bson.M{}}}}, {Key: "cursor", Value: bson.M{}}}
	for _, command := range []bson.D{{{Key: "explain", Value: pipeline}}, append(pipeline, bson.E{Key: "explain", Value: true})} {
		if err := db.RunCommand(context.Background(), command).Err(); err == nil || slots(t) != "0" {
			t.Errorf("%v: %v, %s streams", command, err, slots(t))
		}
	}
}
