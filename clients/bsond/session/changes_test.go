package session

import (
	"context"
	"testing"
	"time"
)

// A stream that nobody reads keeps no changes without end, also of tables whose rows are not in the log.
func TestAhead(t *testing.T) {
	s := &Stream{news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for n := 0; s.add(ctx, Change{Kind: 'D'}) == nil; n++ {
		if n == ahead/128-1 {
			cancel()
		}
		if n == ahead/128 {
			t.Fatal("there is no end")
		}
	}
	if taken, _, err := s.Take(context.Background(), 10, 0); len(taken) != 10 || err != nil || s.add(context.Background(), Change{}) != nil {
		t.Error(len(taken), err)
	}
}
