package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"strconv"
	"sync"
	"time"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	// MaxBatch is how many bytes of documents a reply has at most, if it has more than one
	MaxBatch = 16 << 20
	// FirstBatch is how many documents the first batch has, if the client does not say
	FirstBatch = 101
	idle       = 10 * time.Minute
	// maxCursors is how many a role may have, each of which can have a file. One more ends the one used the longest time ago.
	maxCursors = 2000
)

// Cursor is a statement whose rows the client takes in batches. Outside of a transaction the rows stay in the connection
// until they are asked for, and PostgreSQL waits, so that no result needs memory here; a connection is the cursor's until
// the last row. In a transaction, whose connection others need in between, it is a portal of PostgreSQL's.
type Cursor struct {
	ID    int64
	NS    string
	Owner *Pool // only clients of this role may read it
	Keep  bool  // noCursorTimeout
	// Feed has the documents instead, if they are events that come some time: it waits so long for them, and ends with the client
	// that used it last
	Feed   Feed
	Wait   time.Duration
	Client int64 // 0: its rows are being stored

	conn   *Conn
	cancel context.CancelCauseFunc                             // what is done with it; nil while nothing is
	next   func(context.Context) (wirebson.RawDocument, error) // the next row, which stays until the one after it; nil after the last
	close  func()
	ahead  wirebson.RawDocument // a row that was read and not sent
	rest   *store               // rows that were read before they are needed, if there can be such
	over   bool
	waits  bool // its rows are in the connection
	inside bool // it is a transaction's
	used   time.Time
	busy   sync.Mutex
	timer  *time.Timer
}

// Feed is what the cursor of a change stream reads.
type Feed interface {
	Next(ctx context.Context, count int64, wait time.Duration) (batch wirebson.RawArray, over bool, err error)
	Close()
}

// Cursors are those that are open.
type Cursors struct {
	mu   sync.Mutex
	open map[int64]*Cursor
}

// Begin runs a statement. The cursor owns the connection, which it releases at its end, unless a transaction does.
func (c *Conn) Begin(ctx context.Context, ns string, statement *Statement) (*Cursor, error) {
	cursor := &Cursor{NS: ns, Owner: c.pool, conn: c}
	if cursor.inside = c.InTransaction; cursor.inside {
		return cursor, cursor.bind(ctx, statement)
	}
	rows := c.Start(ctx, statement)
	cursor.waits = true
	cursor.next = func(context.Context) (wirebson.RawDocument, error) {
		if rows.NextRow() {
			return rows.Values()[0], nil
		}
		_, err := rows.Close()
		return nil, err
	}
	cursor.close = func() {
		if !cursor.over {
			c.ask()
			_, _ = rows.Close()
		}
		c.Release(!cursor.over)
	}
	return cursor, nil
}

// Fed is a cursor of a feed.
func Fed(pool *Pool, ns string, feed Feed) *Cursor {
	return &Cursor{NS: ns, Owner: pool, Feed: feed, close: feed.Close}
}

// Listed is a cursor of documents that are there.
func Listed(pool *Pool, ns string, list []wirebson.RawDocument) (*Cursor, error) {
	rest := &store{owner: pool}
	for _, d := range list {
		if err := rest.put(d); err != nil {
			rest.close()
			return nil, err
		}
	}
	next := func(context.Context) (wirebson.RawDocument, error) { return rest.next() }
	return &Cursor{NS: ns, Owner: pool, rest: rest, next: next, close: rest.close}, nil
}

// bind makes it a portal of PostgreSQL's
func (c *Cursor) bind(ctx context.Context, statement *Statement) error {
	c.ID, c.rest = newID(), &store{owner: c.Owner}
	name, read, size := "bsond_"+strconv.FormatInt(c.ID, 10), 0, 1
	more, err := c.conn.portal(ctx, name, statement, 10, c.rest.put)
	c.next = func(ctx context.Context) (d wirebson.RawDocument, err error) {
		if d, err = c.rest.next(); d == nil && err == nil && more {
			// as many as fill a batch, if the next ones are as large
			if more, err = c.conn.portal(ctx, name, nil, min(1000, max(1, MaxBatch*read/size)), c.rest.put); err == nil {
				d, err = c.rest.next()
			}
		}
		if d != nil {
			read, size = read+1, size+len(d)
		}
		return d, err
	}
	c.close = func() {
		c.rest.close()
		// another command can run on the connection meanwhile
		c.conn.ending.Lock()
		defer c.conn.ending.Unlock()
		c.conn.ended = append(c.conn.ended, name)
	}
	if err != nil {
		c.rest.close()
	}
	return err
}

// portal reads so many rows of a portal, which begins with a statement, and tells whether there are more
func (c *Conn) portal(ctx context.Context, name string, begin *Statement, count int, put func(wirebson.RawDocument) error) (more bool, err error) {
	var ready *pgconn.StatementDescription
	if begin != nil {
		if ready, err = c.ready(ctx, begin); err != nil {
			return false, err
		}
	}
	out := c.pg.Frontend()
	c.ending.Lock()
	for _, name := range c.ended {
		out.SendClose(&pgproto3.Close{ObjectType: 'P', Name: name})
	}
	c.ended = nil
	c.ending.Unlock()
	if begin != nil {
		bind := &pgproto3.Bind{DestinationPortal: name, ResultFormatCodes: binaryResults}
		if ready != nil {
			bind.PreparedStatement = ready.Name
		} else {
			out.SendParse(&pgproto3.Parse{Query: begin.Text})
		}
		bind.Parameters, bind.ParameterFormatCodes = c.parameters(begin.Args)
		out.SendBind(bind)
	}
	out.SendExecute(&pgproto3.Execute{Portal: name, MaxRows: uint32(count)})
	out.SendSync(&pgproto3.Sync{})
	c.watch(ctx)
	defer c.unwatch()
	failed := out.Flush()
	for failed == nil {
		var message pgproto3.BackendMessage
		message, failed = c.pg.ReceiveMessage(context.Background())
		switch m := message.(type) {
		case *pgproto3.DataRow:
			if err == nil {
				err = put(m.Values[0])
			}
		case *pgproto3.PortalSuspended:
			more = true
		case *pgproto3.ErrorResponse:
			err = pgconn.ErrorResponseToPgError(m)
		case *pgproto3.ReadyForQuery:
			return more, err
		}
	}
	c.close()
	return false, failed
}

// Next reads the next batch: so many documents, or as many as a reply has room for if the number is negative. Where memory is
// short, the room is less. The batch may be in this buffer, which grows for it.
func (c *Cursor) Next(ctx context.Context, count int64, large bool, buffer *[]byte) (wirebson.RawArray, error) {
	if c.Feed != nil {
		batch, over, err := c.Feed.Next(ctx, count, c.Wait)
		c.over = over
		return batch, err
	}
	if c.waits {
		// the statement outlives this command, but while a command waits for it, the end of the command ends it
		if c.conn.stop == nil {
			c.conn.watch(ctx)
		}
		defer c.conn.unwatch()
	}
	room := MaxBatch >> 6
	if large {
		room = MaxBatch
	}
	batch := append((*buffer)[:0], 0, 0, 0, 0)
	for n := int64(0); ; n++ {
		// a row is read that may not be sent, as a client need not ask for an empty batch
		if c.ahead == nil && !c.over {
			var err error
			c.ahead, err = c.next(ctx)
			if c.over = c.ahead == nil; err != nil {
				return nil, cmp.Or(ctx.Err(), err)
			}
		}
		if c.ahead == nil || n == count || n > 0 && len(batch)+len(c.ahead) > room {
			break
		}
		batch = append(strconv.AppendInt(append(batch, 3), n, 10), 0)
		batch = append(batch, c.ahead...)
		c.ahead = nil
	}
	if c.ahead != nil && c.rest != nil {
		c.rest.back(c.ahead)
		c.ahead = nil
	}
	batch = append(batch, 0)
	binary.LittleEndian.PutUint32(batch, uint32(len(batch)))
	*buffer = batch
	return batch, nil
}

// Over tells whether all rows were sent.
func (c *Cursor) Over() bool { return c.over && c.ahead == nil }

// Close ends the statement, and releases the connection.
func (c *Cursor) Close() {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.close()
}

// errKilled is why the work with a cursor ends that is killed
var errKilled = errors.New("the cursor was killed")

// held is a context that ends with the cursor, too
func (all *Cursors) held(ctx context.Context, c *Cursor, client int64) (context.Context, context.CancelCauseFunc) {
	all.mu.Lock()
	defer all.mu.Unlock()
	ctx, c.cancel = context.WithCancelCause(ctx)
	c.used, c.Client = time.Now(), client
	if all.open[c.ID] != c {
		c.cancel(errKilled)
	}
	return ctx, c.cancel
}

// unload stores the rows that are left, and gives the connection back. If there is no room for them, the cursor has that error.
func (c *Cursor) unload(ctx context.Context) error {
	c.conn.watch(ctx)
	rest := &store{owner: c.Owner}
	err := rest.put(c.ahead)
	d, failed := c.next(ctx)
	for ; d != nil && err == nil; d, failed = c.next(ctx) {
		err = rest.put(d)
	}
	c.over = d == nil
	c.close()
	if err != nil {
		rest.close()
		failed = err
	}
	c.conn, c.waits, c.over, c.ahead, c.rest, c.close = nil, false, false, nil, rest, rest.close
	c.next = func(context.Context) (wirebson.RawDocument, error) {
		d, err := rest.next()
		if d == nil && err == nil {
			err = failed
		}
		return d, err
	}
	return err
}

// Spool takes the connection of the cursor that was read the longest time ago, as one is needed.
func (all *Cursors) Spool(pool *Pool) error {
	all.mu.Lock()
	var oldest *Cursor
	for _, c := range all.open {
		switch {
		case c.Owner != pool || !c.busy.TryLock():
		case !c.waits || oldest != nil && !c.used.Before(oldest.used):
			c.busy.Unlock()
		default:
			if oldest != nil {
				oldest.busy.Unlock()
			}
			oldest = c
		}
	}
	if oldest != nil {
		oldest.Client = 0
	}
	all.mu.Unlock()
	if oldest == nil {
		return nil
	}
	defer oldest.busy.Unlock()
	ctx, cancel := all.held(context.Background(), oldest, 0)
	defer cancel(nil)
	return oldest.unload(ctx)
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
	oldest, count := c, 0
	for _, other := range all.open {
		if len(all.open) <= maxCursors {
			break
		}
		if other.Owner == c.Owner {
			count++
			if other.used.Before(oldest.used) {
				oldest = other
			}
		}
	}
	if count > maxCursors {
		go all.Kill(nil, oldest.ID)
	}
	return c.ID
}

// Use runs work with a cursor, which ends if it is over, or work fails. One of a transaction is used with its connection.
func (all *Cursors) Use(ctx context.Context, pool *Pool, conn *Conn, client, id int64, ns string, work func(context.Context, *Cursor) error) error {
	all.mu.Lock()
	c := all.open[id]
	all.mu.Unlock()
	if c == nil || c.Owner != pool {
		return mongoerr.New(mongoerr.CursorNotFound, "cursor id %d not found", id)
	}
	if c.NS != ns {
		return mongoerr.New(mongoerr.Unauthorized, "Requested getMore on namespace '%s', but cursor belongs to a different namespace %s", ns, c.NS)
	}
	if c.inside && c.conn != conn {
		return mongoerr.New(50740, "Cannot run getMore on cursor %d, which was created in a transaction, outside of it", id)
	}
	for {
		all.mu.Lock() // Spool looks at cursors meanwhile
		free, spooled := c.busy.TryLock(), c.Client == 0 && all.open[id] == c
		all.mu.Unlock()
		if free {
			break
		}
		if !spooled {
			return mongoerr.New(12051, "cursor id %d is already in use", id) // CursorInUse
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ctx, cancel := all.held(ctx, c, client)
	err := work(ctx, c)
	if err != nil && context.Cause(ctx) == errKilled {
		err = mongoerr.New(237, "cursor id %d was killed", c.ID)
	}
	cancel(nil)
	over := err != nil || c.Over()
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
	if c != nil && c.cancel != nil {
		c.cancel(errKilled) // if a command waits for it, the command fails
	}
	all.mu.Unlock()
	if c == nil {
		return false
	}
	c.busy.Lock()
	c.Close()
	return true
}

// End ends some cursors.
func (all *Cursors) End(which func(*Cursor) bool) {
	all.mu.Lock()
	var ids []int64
	for id, c := range all.open {
		if which(c) {
			ids = append(ids, id)
		}
	}
	all.mu.Unlock()
	for _, id := range ids {
		all.Kill(nil, id)
	}
}

// Open is how many there are.
func (all *Cursors) Open() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.open)
}
