package session

import (
	"testing"
	"time"
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
