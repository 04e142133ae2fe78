package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The last client of a role can have gone while a connection is being made with what it has brought.
func TestGone(t *testing.T) {
	p := &Postgres{pools: pools{max: 1, byRole: map[uint32]*Pool{}}}
	pool := &Pool{p: p}
	tries := 0
	pool.dial = func(context.Context) (*pgconn.PgConn, error) {
		tries++
		pool.dial = nil
		return nil, errors.New("not now")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := pool.Acquire(ctx); err == nil || tries < 2 || p.pools.open != 0 {
		t.Error(err, tries, p.pools.open)
	}
}
