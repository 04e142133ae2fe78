package session

import (
	"testing"
	"time"
)

// A role that opens cursors without end loses its own oldest ones, and no others.
func TestManyCursors(t *testing.T) {
	all, one, other := Cursors{}, &Pool{}, &Pool{}
	others := all.Add(Listed(other, "a.b", nil))
	first := all.Add(Listed(one, "a.b", nil))
	for range maxCursors {
		all.Add(Listed(one, "a.b", nil))
	}
	for range 1000 {
		if len(all.Of(nil)) == maxCursors+1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n := len(all.Of(nil)); n != maxCursors+1 || all.Kill(one, first) || !all.Kill(other, others) {
		t.Errorf("%d cursors, or the wrong one has ended", n)
	}
}
