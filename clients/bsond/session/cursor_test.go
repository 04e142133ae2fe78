package session

import (
	"context"
	"testing"
	"time"

	"github.com/FerretDB/wire/wirebson"
)

// A role that opens cursors without end loses its own oldest ones, and no others.
func TestManyCursors(t *testing.T) {
	all, one, other := Cursors{}, &Pool{}, &Pool{}
	add := func(of *Pool) int64 {
		c, _ := Listed(of, "a.b", nil)
		return all.Add(c)
	}
	others, first := add(other), add(one)
	for range maxCursors {
		add(one)
	}
	for range 1000 {
		if all.Open() == maxCursors+1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n := all.Open(); n != maxCursors+1 || all.Kill(one, first) || !all.Kill(other, others) {
		t.Errorf("%d cursors, or the wrong one has ended", n)
	}
}

// A cursor is in use while a command reads it, and not while it is looked at for its connection, which an older one gives.
func TestCursorLookedAt(t *testing.T) {
	all, pool, done := Cursors{}, &Pool{}, make(chan bool)
	read, _ := Listed(pool, "a.b", []wirebson.RawDocument{{5, 0, 0, 0, 0}})
	older, _ := Listed(pool, "a.b", nil)
	id, conn := all.Add(read), &Conn{}
	all.Add(older)
	read.waits = true
	go func() {
		defer close(done)
		for range 300000 {
			older.conn, older.close, older.waits, older.used = conn, conn.unwatch, true, time.Time{}
			_ = all.Spool(pool)
		}
	}()
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
			if err := all.Use(context.Background(), pool, nil, 1, id, "a.b", func(context.Context, *Cursor) error { return nil }); err != nil {
				t.Fatal(n, err)
			}
		}
	}
}
