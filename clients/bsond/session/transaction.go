package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"bson.example/bsond/mongoerr"
)

// Transaction is one that a client began in its session.
type Transaction struct {
	number int64
	conn   *Conn
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
	_ = all.End(ctx, cursors, session, -1, "ROLLBACK")
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// as in MongoDB, a write that would have to wait for another transaction is refused, and its transaction with it
	if err = conn.Script(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = 20"); err != nil {
		conn.Release(ctx.Err() != nil)
		return err
	}
	conn.InTransaction = true
	t := &Transaction{number: number, conn: conn}
	t.timer = time.AfterFunc(lifetime, func() { _ = all.End(context.Background(), cursors, session, number, "ROLLBACK") })
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.open == nil {
		all.open = map[string]*Transaction{}
	}
	all.open[session] = t
	return nil
}

// Use runs work in an open transaction. If it fails, the transaction is over, as in MongoDB.
func (all *Transactions) Use(ctx context.Context, cursors *Cursors, session string, number int64, work func(*Conn) error) error {
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
	err := work(t.conn)
	t.busy.Unlock()
	if err != nil {
		_ = all.End(context.WithoutCancel(ctx), cursors, session, number, "ROLLBACK")
	}
	return err
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
	delete(all.open, session)
	all.mu.Unlock()
	t.timer.Stop()
	t.busy.Lock()
	defer t.busy.Unlock()
	t.over = true
	for _, id := range cursors.Of(t.conn) {
		cursors.Kill(nil, id)
	}
	t.conn.InTransaction = false
	defer t.conn.Release(false)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	result := t.conn.Run(ctx, how).Read()
	if result.Err == nil && how == "COMMIT" && result.CommandTag.String() != "COMMIT" {
		return errors.Join(noTransaction(t.number), errors.New("the transaction had failed before"))
	}
	if result.Err == nil && how == "COMMIT" {
		all.mu.Lock()
		defer all.mu.Unlock()
		if all.committed == nil || len(all.committed) > 10000 {
			all.committed = map[string]int64{}
		}
		all.committed[session] = t.number
	}
	return result.Err
}

// Open is how many there are.
func (all *Transactions) Open() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.open)
}
