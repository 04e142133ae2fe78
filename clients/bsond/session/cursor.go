package session

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"strconv"
	"sync"
	"time"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
)

const (
	// MaxBatch is how many bytes of documents a reply has at most, if it has more than one
	MaxBatch = 16 << 20
	// FirstBatch is how many documents the first batch has, if the client does not say
	FirstBatch = 101
	idle       = 10 * time.Minute
)

// Cursor is a statement whose rows the client takes in batches. Outside of a transaction the rows stay in the connection
// until they are asked for, and PostgreSQL waits, so that no result needs memory here; a connection is the cursor's until
// the last row. In a transaction, whose connection others need in between, it is a cursor of PostgreSQL's.
type Cursor struct {
	ID     int64
	NS     string
	conn   *Conn
	rows   Rows
	cancel context.CancelFunc
	ctx    context.Context
	name   string               // of PostgreSQL's cursor
	ahead  wirebson.RawDocument // a row that was read and not sent
	buffer []wirebson.RawDocument
	listed bool // all rows are in the buffer
	over   bool
	busy   sync.Mutex
	timer  *time.Timer
	Keep   bool // noCursorTimeout
}

// Cursors are those that are open.
type Cursors struct {
	mu   sync.Mutex
	open map[int64]*Cursor
}

// Begin runs a statement. The cursor owns the connection, which it releases at its end, unless a transaction does.
func (c *Conn) Begin(ctx context.Context, ns, statement string) (*Cursor, error) {
	cursor := &Cursor{NS: ns, conn: c}
	cursor.ctx, cursor.cancel = context.WithCancel(context.Background())
	if c.InTransaction {
		cursor.ID = newID()
		cursor.name = "bsond_" + strconv.FormatInt(cursor.ID, 10)
		if _, err := c.ExecRun(ctx, "DECLARE "+cursor.name+" NO SCROLL CURSOR FOR "+statement); err != nil {
			return nil, err
		}
		return cursor, nil
	}
	// the statement outlives this command, but while a command waits for it, the end of the command ends it
	stop := context.AfterFunc(ctx, cursor.cancel)
	defer stop()
	cursor.rows = c.Run(cursor.ctx, statement)
	return cursor, nil
}

// Next reads the next batch: so many documents, or as many as a reply has room for if the number is negative.
func (c *Cursor) Next(ctx context.Context, count int64) ([]wirebson.RawDocument, error) {
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	var batch []wirebson.RawDocument
	size := 0
	for count < 0 || int64(len(batch)) < count {
		d, err := c.peek(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return nil, err
		}
		if d == nil || len(batch) > 0 && size+len(d) > MaxBatch {
			break
		}
		size += len(d)
		batch = append(batch, d)
		c.ahead = nil
	}
	// is there more?  A client need not ask for an empty batch.
	if !c.over {
		if _, err := c.peek(ctx); err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return nil, err
		}
	}
	return batch, nil
}

// peek reads a row ahead; nil at the end
func (c *Cursor) peek(ctx context.Context) (wirebson.RawDocument, error) {
	if c.ahead != nil || c.over {
		return c.ahead, nil
	}
	if c.name != "" || c.listed {
		if len(c.buffer) == 0 && !c.listed {
			rows, err := c.conn.All(ctx, "FETCH 1000 FROM "+c.name)
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				c.buffer = append(c.buffer, row[0])
			}
		}
		if len(c.buffer) == 0 {
			c.over = true
			return nil, nil
		}
		c.ahead, c.buffer = c.buffer[0], c.buffer[1:]
		return c.ahead, nil
	}
	if c.rows.NextRow() {
		c.ahead = append(wirebson.RawDocument{}, c.rows.Values()[0]...)
		return c.ahead, nil
	}
	c.over = true
	_, err := c.rows.Close()
	return nil, err
}

// Over tells whether all rows were sent.
func (c *Cursor) Over() bool { return c.over && c.ahead == nil }

// Close ends the statement, and releases the connection.
func (c *Cursor) Close() {
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.name != "" || c.listed {
		if !c.over && !c.listed && c.conn.InTransaction {
			_, _ = c.conn.Exec(context.Background(), "CLOSE "+c.name)
		}
		c.cancel()
		return
	}
	cancelled := !c.over || c.ctx.Err() != nil
	if !c.over {
		c.cancel()
		_, _ = c.rows.Close()
	}
	c.cancel()
	c.conn.Release(cancelled)
}

func newID() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.BigEndian.Uint64(b[:])>>1 | 1)
}

// Add keeps a cursor for more batches, and gives it its number.
func (all *Cursors) Add(c *Cursor) int64 {
	if c.ID == 0 {
		c.ID = newID()
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.open == nil {
		all.open = map[int64]*Cursor{}
	}
	all.open[c.ID] = c
	if !c.Keep {
		c.timer = time.AfterFunc(idle, func() { all.Kill(c.ID) })
	}
	return c.ID
}

// Use runs work with a cursor, which ends if it is over, or work fails.
func (all *Cursors) Use(id int64, ns string, work func(*Cursor) error) error {
	all.mu.Lock()
	c := all.open[id]
	all.mu.Unlock()
	if c == nil {
		return mongoerr.New(mongoerr.CursorNotFound, "cursor id %d not found", id)
	}
	if c.NS != ns {
		return mongoerr.New(mongoerr.Unauthorized, "Requested getMore on namespace '%s', but cursor belongs to a different namespace %s", ns, c.NS)
	}
	if !c.busy.TryLock() {
		return mongoerr.New(12051, "cursor id %d is already in use", id) // CursorInUse
	}
	err := work(c)
	over := err != nil || c.Over()
	if c.timer != nil && !over {
		c.timer.Reset(idle)
	}
	c.busy.Unlock()
	if over {
		all.Kill(id)
	}
	return err
}

// Kill ends a cursor, and tells whether there was one.
func (all *Cursors) Kill(id int64) bool {
	all.mu.Lock()
	c := all.open[id]
	delete(all.open, id)
	all.mu.Unlock()
	if c == nil {
		return false
	}
	c.cancel() // if a command waits for it, the command fails
	c.busy.Lock()
	c.Close()
	return true
}

// Of lists the cursors of a connection, or all.
func (all *Cursors) Of(conn *Conn) []int64 {
	all.mu.Lock()
	defer all.mu.Unlock()
	var ids []int64
	for id, c := range all.open {
		if conn == nil || c.conn == conn {
			ids = append(ids, id)
		}
	}
	return ids
}

// Listed is a cursor of documents that are there.
func Listed(ns string, list []wirebson.RawDocument) *Cursor {
	c := &Cursor{NS: ns, buffer: list, listed: true}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}
