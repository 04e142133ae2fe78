package session

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
)

// Transaction is one that a client began in its session.
type Transaction struct {
	number int64
	conn   *Conn
	ctx    context.Context // ends when it has lasted too long
	busy   sync.Mutex
	timer  *time.Timer
	over   bool
}

// Transactions are those that are open, by the bytes of the session's id.
type Transactions struct {
	mu        sync.Mutex
	open      map[string]*Transaction
	committed map[string]int64 // the numbers of those that were committed last, as a driver may ask again
}

func noTransaction(number int64) error {
	err := mongoerr.New(mongoerr.NoSuchTransaction, "Given transaction number %d does not match any in-progress transactions", number)
	err.Labels = []string{"TransientTransactionError"}
	return err
}

// Begin begins the transaction of this number in a session, and ends an older one.
func (all *Transactions) Begin(ctx context.Context, pool *Pool, cursors *Cursors, session string, number int64, lifetime time.Duration) error {
	all.mu.Lock()
	newer := all.open[session] != nil && all.open[session].number > number
	all.mu.Unlock()
	if newer {
		return noTransaction(number)
	}
	_ = all.End(ctx, cursors, session, -1, "ROLLBACK")
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// as in MongoDB, a write that would have to wait for another transaction is refused, and its transaction with it
	if err = conn.Script(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = 20"); err != nil {
		err = conn.Fate(ctx, err)
		conn.Release(ctx.Err() != nil)
		return err
	}
	conn.InTransaction, conn.altered = true, false
	t := &Transaction{number: number, conn: conn}
	var expire context.CancelFunc
	t.ctx, expire = context.WithCancel(context.Background())
	t.timer = time.AfterFunc(lifetime, func() {
		expire() // a command that runs is cancelled
		_ = all.finish(context.Background(), cursors, session, t, "ROLLBACK")
	})
	all.mu.Lock()
	if all.open == nil {
		all.open = map[string]*Transaction{}
	}
	// a client whose connection was cut may have begun another one meanwhile
	other := all.open[session]
	late := other != nil && other.number > number
	if late {
		other = t
	} else {
		all.open[session] = t
	}
	all.mu.Unlock()
	if other != nil {
		_ = all.finish(context.WithoutCancel(ctx), cursors, session, other, "ROLLBACK")
	}
	if late {
		return noTransaction(number)
	}
	return nil
}

// Use runs work in an open transaction, whose end cancels it. If it fails, the transaction is over, as in MongoDB.
func (all *Transactions) Use(ctx context.Context, cursors *Cursors, session string, number int64, work func(context.Context, *Conn) error) error {
	all.mu.Lock()
	t := all.open[session]
	all.mu.Unlock()
	if t == nil || t.number != number {
		return noTransaction(number)
	}
	t.busy.Lock()
	if t.over {
		t.busy.Unlock()
		return noTransaction(number)
	}
	inside, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(t.ctx, cancel)
	t.conn.believes = false
	err := t.conn.Fate(inside, work(inside, t.conn))
	if t.conn.Believed(err) || Code(err) == "42P01" && Outdated(err) {
		err = t.conn.doubt(err)
	}
	stop()
	cancel()
	t.busy.Unlock()
	if err != nil && t.ctx.Err() != nil {
		err = noTransaction(number)
	}
	if err != nil {
		_ = all.End(context.WithoutCancel(ctx), cursors, session, number, "ROLLBACK")
	}
	return err
}

// doubt forgets what is known to a role, of which a command has failed in a transaction, which its driver can repeat
func (c *Conn) doubt(err error) error {
	c.pool.known.Clear()
	c.p.statements.forget([]byte(c.pool.Key(nil)))
	changed := mongoerr.New(246, "a collection or its indexes have changed: %s", err)
	changed.Labels, changed.Cause = []string{"TransientTransactionError"}, err
	return changed
}

// End commits or rolls back the transaction of this number, or of any if it is negative.
func (all *Transactions) End(ctx context.Context, cursors *Cursors, session string, number int64, how string) error {
	all.mu.Lock()
	t := all.open[session]
	if t == nil || number >= 0 && t.number != number {
		last, known := all.committed[session]
		all.mu.Unlock()
		if known && last == number && how == "COMMIT" {
			return nil
		}
		return noTransaction(number)
	}
	all.mu.Unlock()
	return all.finish(ctx, cursors, session, t, how)
}

// finish commits a transaction, or rolls it back; once only
func (all *Transactions) finish(ctx context.Context, cursors *Cursors, session string, t *Transaction, how string) error {
	all.mu.Lock()
	if all.open[session] == t {
		delete(all.open, session)
	}
	all.mu.Unlock()
	t.timer.Stop()
	t.busy.Lock()
	defer t.busy.Unlock()
	if t.over {
		return noTransaction(t.number)
	}
	t.over = true
	cursors.End(func(c *Cursor) bool { return c.inside && c.conn == t.conn })
	t.conn.InTransaction, t.conn.altered = false, false
	limited, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	defer func() { t.conn.Release(limited.Err() != nil) }()
	var err error
	if how == "COMMIT" {
		_, err = t.conn.commit(limited, []byte(session[4:]), t.number, wirebson.RawDocument{5, 0, 0, 0, 0})
	}
	if how != "COMMIT" || err != nil && !t.conn.Lost() {
		_, failed := t.conn.Exec(limited, "ROLLBACK")
		err = errors.Join(err, failed)
	}
	if Code(err) == repeated {
		return noTransaction(t.number) // it was given up, or a later one of its session was kept
	}
	if err != nil || how != "COMMIT" {
		return t.conn.Fate(limited, err)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.committed == nil || len(all.committed) > 10000 {
		all.committed = map[string]int64{}
	}
	all.committed[session] = t.number
	return nil
}

// Committed tells whether the transaction of this number was committed, whose answer its client did not get. If it was not, it
// never will be.
func (c *Conn) Committed(ctx context.Context, id []byte, number int64) (bool, error) {
	_, err := c.Exec(ctx, keep, wirebson.RawDocument(id), number, nil)
	if Code(err) != repeated {
		return false, c.Fate(ctx, err)
	}
	answer, _, err := c.before(ctx, id, number)
	return answer != nil, c.Fate(ctx, err)
}

// Open is how many there are.
func (all *Transactions) Open() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.open)
}

// Close ends those of sessions whose key begins so.
func (all *Transactions) Close(cursors *Cursors, prefix string) {
	all.mu.Lock()
	open := maps.Clone(all.open)
	all.mu.Unlock()
	for session, t := range open {
		if strings.HasPrefix(session, prefix) {
			_ = all.finish(context.Background(), cursors, session, t, "ROLLBACK")
		}
	}
}

// Sweep ends transactions whose connection has broken, when their clients have not noticed it yet.
func (all *Transactions) Sweep(cursors *Cursors) {
	all.mu.Lock()
	open := maps.Clone(all.open)
	all.mu.Unlock()
	for session, t := range open {
		if !t.busy.TryLock() {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		broken := !t.over && t.conn.pg.Ping(ctx) != nil
		cancel()
		t.busy.Unlock()
		if broken {
			_ = all.finish(context.Background(), cursors, session, t, "ROLLBACK")
		}
	}
}
