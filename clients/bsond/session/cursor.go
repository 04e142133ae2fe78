package session

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"os"
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
	failed error                // how its rows ended, if they are in the file
	name   string               // of PostgreSQL's cursor
	fetch  int                  // how many rows are fetched from it at once
	ahead  wirebson.RawDocument // a row that was read and not sent
	buffer []wirebson.RawDocument
	listed bool          // all rows are in the buffer
	file   *bufio.Reader // the rows that are left, when their connection was needed
	closer io.Closer
	Owner  *Pool // only clients of this role may read it
	used   time.Time
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
func (c *Conn) Begin(ctx context.Context, ns string, statement *Statement) (*Cursor, error) {
	cursor := &Cursor{NS: ns, conn: c, Owner: c.pool}
	cursor.ctx, cursor.cancel = context.WithCancel(context.Background())
	if c.InTransaction {
		cursor.ID = newID()
		cursor.name, cursor.fetch = "bsond_"+strconv.FormatInt(cursor.ID, 10), 10
		if _, err := c.Run(ctx, "DECLARE "+cursor.name+" NO SCROLL CURSOR FOR "+statement.Text, statement.Args...).Count(); err != nil {
			return nil, err
		}
		return cursor, nil
	}
	// the statement outlives this command, but while a command waits for it, the end of the command ends it
	stop := context.AfterFunc(ctx, cursor.cancel)
	defer stop()
	cursor.rows = c.Start(cursor.ctx, statement)
	return cursor, nil
}

// Next reads the next batch: so many documents, or as many as a reply has room for if the number is negative. Where memory is
// short, the room is less.
func (c *Cursor) Next(ctx context.Context, count int64, large bool) ([]wirebson.RawDocument, error) {
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	var batch []wirebson.RawDocument
	size, room := 0, MaxBatch>>6
	if large {
		room = MaxBatch
	}
	for count < 0 || int64(len(batch)) < count {
		d, err := c.peek(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return nil, err
		}
		if d == nil || len(batch) > 0 && size+len(d) > room {
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
			rows, err := c.conn.All(ctx, "FETCH "+strconv.Itoa(c.fetch)+" FROM "+c.name)
			if err != nil {
				return nil, err
			}
			size := 1
			for _, row := range rows {
				size += len(row[0])
				c.buffer = append(c.buffer, row[0])
			}
			// as many as fill a batch, if the next ones are as large
			c.fetch = min(1000, max(1, MaxBatch*max(1, len(rows))/size))
		}
		if len(c.buffer) == 0 {
			c.over = true
			return nil, nil
		}
		c.ahead, c.buffer = c.buffer[0], c.buffer[1:]
		return c.ahead, nil
	}
	if c.file != nil {
		var size [4]byte
		_, err := io.ReadFull(c.file, size[:])
		if err == nil {
			c.ahead = make(wirebson.RawDocument, binary.LittleEndian.Uint32(size[:]))
			copy(c.ahead, size[:])
			_, err = io.ReadFull(c.file, c.ahead[4:])
		}
		if err == io.EOF {
			c.over, err = true, c.failed
		}
		return c.ahead, err
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
	if c.file != nil {
		_ = c.closer.Close()
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

// unload reads the rows that are left into a file, and gives the connection back
func (c *Cursor) unload() error {
	file, err := os.CreateTemp("", "bsond")
	if err != nil {
		return err
	}
	_ = os.Remove(file.Name())
	w := bufio.NewWriter(file)
	for err == nil && c.rows.NextRow() {
		_, err = w.Write(c.rows.Values()[0])
	}
	if err != nil {
		c.cancel()
	}
	_, failed := c.rows.Close()
	if c.failed = errors.Join(err, failed, w.Flush()); c.failed == nil {
		_, c.failed = file.Seek(0, io.SeekStart)
	}
	c.conn.Release(c.ctx.Err() != nil)
	c.conn, c.file, c.closer = nil, bufio.NewReader(file), file
	return nil
}

// Spool takes the connection of the cursor that was read the longest time ago, as one is needed.
func (all *Cursors) Spool(pool *Pool) error {
	all.mu.Lock()
	var oldest *Cursor
	for _, c := range all.open {
		if c.Owner == pool && !c.listed && c.name == "" && (oldest == nil || c.used.Before(oldest.used)) && c.busy.TryLock() {
			if oldest != nil {
				oldest.busy.Unlock()
			}
			if oldest = c; c.file != nil {
				c.busy.Unlock()
				oldest = nil
			}
		}
	}
	all.mu.Unlock()
	if oldest == nil {
		return nil
	}
	defer oldest.busy.Unlock()
	return oldest.unload()
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
	c.used = time.Now()
	if !c.Keep {
		c.timer = time.AfterFunc(idle, func() { all.Kill(nil, c.ID) })
	}
	return c.ID
}

// Use runs work with a cursor, which ends if it is over, or work fails.
func (all *Cursors) Use(pool *Pool, id int64, ns string, work func(*Cursor) error) error {
	all.mu.Lock()
	c := all.open[id]
	all.mu.Unlock()
	if c == nil || c.Owner != pool {
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
	c.used = time.Now()
	if c.timer != nil && !over {
		c.timer.Reset(idle)
	}
	c.busy.Unlock()
	if over {
		all.Kill(nil, id)
	}
	return err
}

// Kill ends a cursor, and tells whether there was one, of this role if it is given.
func (all *Cursors) Kill(pool *Pool, id int64) bool {
	all.mu.Lock()
	c := all.open[id]
	if c != nil && pool != nil && c.Owner != pool {
		c = nil
	} else {
		delete(all.open, id)
	}
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
func Listed(pool *Pool, ns string, list []wirebson.RawDocument) *Cursor {
	c := &Cursor{NS: ns, buffer: list, listed: true, Owner: pool}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}
