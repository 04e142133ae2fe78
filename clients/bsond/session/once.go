package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
)

// A driver repeats a write whose answer it did not get, under the same number of its session. So the answer is kept with that
// number in the transaction of the write itself: of two that do the same write one commits, and the other gives that one's
// answer. A transaction of the client's is kept in the same way, so that its commit can be repeated.

// kept makes the table of these, whose name no client's database can have. A role sees its own rows only. The schema must belong
// to bsond's role, or to a superuser, as who owns it could have code of his run by whoever writes.
const kept = `DO $$ BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('bsond$', 0));
	IF to_regnamespace('bsond$') IS NULL THEN
		CREATE SCHEMA bsond$;
		CREATE TABLE bsond$.write (role oid NOT NULL DEFAULT quote_ident(session_user)::regrole::oid, session bytea NOT NULL, number bigint NOT NULL,
			answer bytea, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (role, session)) WITH (fillfactor = 50);
		COMMENT ON SCHEMA bsond$ IS 'what bsond keeps';
		COMMENT ON TABLE bsond$.write IS 'the last write, or transaction, of each session of a driver that may repeat it, and the answer; none if it was given up';
		ALTER TABLE bsond$.write ENABLE ROW LEVEL SECURITY;
		CREATE POLICY own ON bsond$.write USING (role = quote_ident(session_user)::regrole::oid);
		GRANT USAGE ON SCHEMA bsond$ TO PUBLIC;
		GRANT SELECT, INSERT, UPDATE ON bsond$.write TO PUBLIC;
	END IF; END $$`

// remember makes the table, or finds it
func (p *Postgres) remember(ctx context.Context, c *Conn) {
	_, err := c.Exec(ctx, kept)
	var row [][]byte
	if err == nil {
		row, err = c.One(ctx, `SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace JOIN pg_roles AS o ON o.oid = nspowner
			WHERE nspname = 'bsond$' AND relname = 'write' AND relowner = nspowner AND (rolsuper OR rolname = session_user)`)
	}
	if p.Once = err == nil && row != nil; err != nil {
		p.Forgets = err
	} else if row == nil {
		p.Forgets = errors.New("the schema bsond$ belongs to another role")
	}
}

// Clean removes what no driver will ask for: sessions end after half an hour.
func (p *Postgres) Clean(ctx context.Context) error {
	c, err := p.Own.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { c.Release(ctx.Err() != nil) }()
	_, err = c.Exec(ctx, "DELETE FROM bsond$.write WHERE at < now() - interval '30 minutes'")
	return err
}

// What a transaction keeps if it has written anything. A number that was kept before, or a higher one, is an error: a division by
// zero, as its message shows nothing of the row.
const (
	keep     = `INSERT INTO bsond$.write AS w (session, number, answer) SELECT $1::bytea, $2::bigint, $3::bytea WHERE $3::bytea IS NULL OR pg_current_xact_id_if_assigned() IS NOT NULL` + unless
	keeps    = `kept AS (INSERT INTO bsond$.write AS w (session, number, answer) SELECT $%d::bytea, $%d::bigint, $%d::bytea FROM (SELECT FROM changed LIMIT 1) AS one` + unless + `)`
	unless   = ` ON CONFLICT (role, session) DO UPDATE SET number = excluded.number / (w.number < excluded.number)::int, answer = excluded.answer, at = now()`
	repeated = "22012"
)

// commit commits a transaction with what it keeps, in one step, and tells whether that is anything
func (c *Conn) commit(ctx context.Context, id []byte, number int64, answer wirebson.RawDocument) (kept bool, err error) {
	if err = c.begin(ctx); err != nil {
		return false, err
	}
	batch := &pgconn.Batch{}
	if c.p.Once {
		values, formats := make([][]byte, 3), []int16{1, 0, 1}
		values[0], values[2] = id, answer
		values[1], _ = c.parameter(number)
		ready, err := c.prepare(ctx, c.Same("keep", func() string { return keep }).made)
		if err != nil {
			return false, err
		}
		batch.ExecStatement(ready, values, formats, nil)
	}
	batch.ExecParams("COMMIT", nil, nil, nil, nil)
	results, err := c.pg.ExecBatch(ctx, batch).ReadAll()
	if err == nil && results[len(results)-1].CommandTag.String() != "COMMIT" {
		err = errors.New("the transaction had failed before")
	}
	return err == nil && results[0].CommandTag.RowsAffected() > 0, err
}

// before is the answer of the write that has this number, nil if it was given up, or an error that a later one came
func (c *Conn) before(ctx context.Context, id []byte, number int64) (answer wirebson.RawDocument, found bool, err error) {
	row, err := c.One(ctx, "SELECT number, answer FROM bsond$.write WHERE role = quote_ident(session_user)::regrole::oid AND session = $1", wirebson.RawDocument(id))
	if err != nil || row == nil || Int(row[0]) < number {
		return nil, false, err
	}
	if Int(row[0]) > number {
		return nil, false, mongoerr.New(mongoerr.TransactionTooOld, "Cannot start transaction %d because a newer one %d has already started", number, Int(row[0]))
	}
	return row[1], true, nil
}

// Exactly runs the writes of one command in a transaction, unless they were done before; then it returns the answer of that time.
func (c *Conn) Exactly(ctx context.Context, id []byte, number int64, work func() (*wirebson.Document, error)) (*wirebson.Document, error) {
	c.atomic, c.marked, c.pending, c.last = true, false, true, last{id: id, number: number}
	answer, err := work()
	undone := !c.atomic || c.last.undone
	c.atomic = false
	if err == nil && c.last.kept {
		c.pending = false
		return answer, nil
	}
	if err == nil && !undone {
		kept, encoded := false, wirebson.RawDocument(nil)
		if encoded, err = wire.Bytes(answer); err == nil {
			kept, err = c.commit(ctx, id, number, encoded)
		}
		if kept {
			return answer, nil
		}
	}
	c.pending = false
	if c.pg.IsClosed() {
		return nil, err
	}
	// the client may have gone, and the transaction must end all the same
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if c.pg.TxStatus() != 'I' {
		if _, failed := c.Exec(clean, "ROLLBACK"); failed != nil {
			return nil, errors.Join(err, failed)
		}
	}
	// it failed, or found nothing to do, perhaps because it was done before: a key is there already, its number, or no document
	if old, found, failed := c.before(clean, id, number); found || failed != nil {
		if old == nil {
			return nil, failed
		}
		return old.Decode()
	}
	return answer, err
}

// last is the write of which Exactly keeps the answer: its session and number, and what became of it if it was one statement
type last struct {
	id           []byte
	number       int64
	kept, undone bool
}

// Only runs the only write of a command, whose text is the same wherever "key" is, up to what it is "returning", after which "answer"
// is the command's if it is about any row. Under Exactly, the statement itself keeps the answer then, in one step instead of a
// transaction's three.
func (c *Conn) Only(ctx context.Context, key string, text func() string, returning string, answer wirebson.RawDocument, args ...any) (int64, error) {
	if answer == nil || !c.pending {
		return c.Start(ctx, c.Same(key, func() string { return text() + returning }, args...)).Count()
	}
	c.pending = false
	result := c.Start(ctx, c.Same("once "+key, func() string {
		last := len(args)
		return "WITH changed AS (" + text() + cmp.Or(returning, " RETURNING 1") + "), " + fmt.Sprintf(keeps, last+1, last+2, last+3) + " SELECT count(*) FROM changed"
	}, append(slices.Clip(args), wirebson.RawDocument(c.last.id), c.last.number, answer)...)).Read()
	if c.last.undone = result.Err != nil; c.last.undone {
		return 0, result.Err
	}
	n := Int(result.Rows[0][0])
	c.last.kept, c.pending = n > 0, n == 0
	return n, nil
}

// Mark begins a part of a transaction of bsond's own, which an error undoes alone.
func (c *Conn) Mark(ctx context.Context) error {
	if !c.atomic {
		return nil
	}
	text := "SAVEPOINT bsond"
	if c.marked {
		text = "RELEASE SAVEPOINT bsond; SAVEPOINT bsond"
	}
	c.marked = true
	return c.Script(ctx, text)
}

// Recover undoes what an error leaves: the part of the transaction that was marked last, or the whole. A client's transaction is
// over with its first error.
func (c *Conn) Recover(ctx context.Context) error {
	if c.pg.IsClosed() || c.pg.TxStatus() != 'E' {
		return nil
	}
	if c.atomic && c.marked {
		return c.Script(ctx, "ROLLBACK TO SAVEPOINT bsond")
	}
	c.atomic = false
	return c.Script(ctx, "ROLLBACK")
}

// Try runs work of which an error undoes that alone.
func (c *Conn) Try(ctx context.Context, work func() error) error {
	if !c.atomic {
		return work()
	}
	if err := c.Script(ctx, "SAVEPOINT bsond_try"); err != nil {
		return err
	}
	err := work()
	if err != nil && !c.pg.IsClosed() && c.pg.TxStatus() == 'E' {
		if failed := c.Script(ctx, "ROLLBACK TO SAVEPOINT bsond_try"); failed != nil {
			return failed
		}
	}
	return err
}

// Atomically tells whether the connection is in a transaction of bsond's own.
func (c *Conn) Atomically() bool { return c.atomic }

// Lost tells whether the connection has broken.
func (c *Conn) Lost() bool { return c.pg.IsClosed() }

// ErrLost is an error of a connection that has broken; what it did last may be done or not.
var ErrLost = errors.New("the connection to PostgreSQL was lost")

// Fate is an error of work with a connection, told apart if the connection has broken.
func (c *Conn) Fate(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !c.pg.IsClosed() {
		return err
	}
	lost := mongoerr.New(mongoerr.HostUnreachable, "the connection to PostgreSQL was lost")
	lost.Cause = errors.Join(ErrLost, err)
	return lost
}
