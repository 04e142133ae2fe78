package session

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bson.example/bsond/mongoerr"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// patience is how long a command waits for a connection, and for PostgreSQL while it starts
	patience = 30 * time.Second
	// lifetime is the age at which a connection that bsond can make again is closed, with the memory that it has gathered
	lifetime = time.Hour
	// linger is how long the connections of a role stay after its last client has gone, who may be about to come again
	linger = time.Minute
)

// ErrStarved tells that the client must come again and authenticate, which brings a connection with its role's rights.
var ErrStarved = errors.New("there is no connection with the rights of this role")

// Pool has the connections of one role. A connection that a client's authentication has brought serves all clients of that role,
// and no other one: bsond never changes the role of a connection.
type Pool struct {
	Role string

	number  uint32 // the role's; 0 for that of bsond itself
	p       *Postgres
	dial    dialer // nil where only a client's authentication makes a connection, or when the last client has gone
	idle    []*Conn
	open    int // idle or not
	clients int
	files   atomic.Int64 // bytes of rows that its cursors have in files
	known   sync.Map     // *Collection, by database and name. What a session says is believed for its role alone, whose code can run there
}

// pools are all of them, with the connections that they have together
type pools struct {
	mu      sync.Mutex
	max     int
	open    int
	byRole  map[uint32]*Pool // by the role's number, as a name can become another one's
	waiting []*waiter
}

// dialer makes a connection to PostgreSQL
type dialer = func(context.Context) (*pgconn.PgConn, error)

func dialed(config *pgconn.Config) dialer {
	return func(ctx context.Context) (*pgconn.PgConn, error) { return pgconn.ConnectConfig(ctx, config) }
}

type waiter struct {
	pool *Pool
	got  chan *Conn // nil: try again
}

// Acquire takes a connection, to be released.
func (pool *Pool) Acquire(ctx context.Context) (*Conn, error) {
	if c := pool.take(); c != nil {
		if c.alive(ctx) {
			return c, nil
		}
		c.end()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, mongoerr.New(mongoerr.ExceededTimeLimit, "no connection to PostgreSQL became free in %s", patience))
	defer cancel()
	all, spooled := &pool.p.pools, make(chan bool, 1)
	spooled <- true
	for began := time.Now(); ; {
		if c := pool.take(); c != nil {
			if c.alive(ctx) {
				return c, nil
			}
			c.end()
			continue
		}
		all.mu.Lock()
		if len(pool.idle) > 0 {
			all.mu.Unlock()
			continue
		}
		dial := pool.dial
		if dial != nil && all.room() {
			pool.open++
			all.open++
			all.mu.Unlock()
			pg, err := connect(ctx, dial)
			c := &Conn{pg: pg, p: pool.p, pool: pool, born: time.Now()}
			if err != nil {
				c.end()
				return nil, err
			}
			return c, nil
		}
		w := &waiter{pool, make(chan *Conn, 1)}
		all.waiting = append(all.waiting, w)
		none := pool.open == 0 || all.open < all.max && time.Since(began) > time.Second
		all.mu.Unlock()
		if dial == nil && none {
			all.forget(w)
			return nil, ErrStarved
		}
		// a cursor that nobody reads at the moment gives its connection away, which takes as long as its statement
		select {
		case <-spooled:
			go func() {
				if pool.p.Spool != nil {
					pool.p.Spool(pool)
				}
				spooled <- true
			}()
		default:
		}
		select {
		case c := <-w.got:
			if c != nil {
				return c, nil
			}
		case <-time.After(time.Second):
			all.forget(w)
		case <-ctx.Done():
			all.forget(w)
			return nil, context.Cause(ctx)
		}
	}
}

// take takes a connection that is idle; nil if there is none
func (pool *Pool) take() *Conn {
	all := &pool.p.pools
	all.mu.Lock()
	defer all.mu.Unlock()
	n := len(pool.idle)
	if n == 0 {
		return nil
	}
	c := pool.idle[n-1]
	pool.idle = pool.idle[:n-1]
	return c
}

// connect makes a connection. While PostgreSQL starts, it waits.
func connect(ctx context.Context, dial dialer) (pg *pgconn.PgConn, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		if pg, err = dial(ctx); err == nil || !away(err) {
			return pg, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// away tells whether a connection cannot be made since PostgreSQL is not there now, stops or starts
func away(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "57P01" || pg.Code == "57P02" || pg.Code == "57P03"
	}
	var known *mongoerr.Error
	return !errors.As(err, &known) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// room tells whether one more connection may be made; for its sake one that is idle elsewhere is closed
func (all *pools) room() bool {
	if all.open < all.max {
		return true
	}
	for _, other := range all.byRole {
		if len(other.idle) > 0 {
			c := other.idle[0]
			other.idle = other.idle[1:]
			other.open--
			all.open--
			go c.close()
			return true
		}
	}
	return false
}

// forget takes back that somebody waits; what it was given meanwhile goes to the next
func (all *pools) forget(w *waiter) {
	all.mu.Lock()
	if i := slices.Index(all.waiting, w); i >= 0 {
		all.waiting = slices.Delete(all.waiting, i, i+1)
	}
	all.mu.Unlock()
	select {
	case c := <-w.got:
		if c != nil {
			c.Release(false)
		}
	default:
	}
}

// wake tells the first who waits for a connection of a pool, or for room, that there is one
func (all *pools) wake(pool *Pool, c *Conn) bool {
	for i, w := range all.waiting {
		if w.pool == pool || c == nil && w.pool.dial != nil {
			all.waiting = slices.Delete(all.waiting, i, i+1)
			w.got <- c
			return true
		}
	}
	return false
}

// alive tells whether a connection that was idle for a while can still be used
func (c *Conn) alive(ctx context.Context) bool {
	if c.pg.IsClosed() || time.Since(c.used) > time.Second && c.pg.Ping(ctx) != nil {
		return false
	}
	return !c.pg.IsClosed()
}

// Release gives the connection back; not one whose statement was cancelled, as that can arrive late, at the next statement. If the
// connection cannot be made again, that next one is here, and does nothing.
func (c *Conn) Release(cancelled bool) {
	all := &c.p.pools
	c.used, c.Fresh, c.Hurry = time.Now(), false, 0
	c.unwatch()
	cancelled = cancelled || c.cancelled
	lasts := c.pool.Lasts()
	if cancelled && !lasts {
		c.asking.Wait()
		_ = c.pg.Conn().SetDeadline(time.Time{})
		c.cancelled = false
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		var pg *pgconn.PgError
		err := c.pg.Ping(ctx)
		cancelled = err != nil && !errors.As(err, &pg)
		cancel()
	}
	if c.turned && !cancelled && !c.pg.IsClosed() && c.pg.TxStatus() == 'I' {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		c.turned = false
		cancelled = c.Script(ctx, "RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL") != nil
		cancel()
	}
	if cancelled || c.pg.IsClosed() || c.pg.TxStatus() != 'I' || lasts && time.Since(c.born) > lifetime {
		c.end()
		return
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.wake(c.pool, c) {
		return
	}
	c.pool.idle = append(c.pool.idle, c)
	all.wake(nil, nil)
}

// end closes a connection, so that there is room for another one
func (c *Conn) end() {
	all := &c.p.pools
	all.mu.Lock()
	c.pool.open--
	all.open--
	all.wake(nil, nil)
	all.mu.Unlock()
	c.close()
}

func (c *Conn) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.pg != nil {
		_ = c.pg.Close(ctx) // it may be closed already
	}
}

// Enlist makes a client one of those of the role that it has authenticated as, by a new connection that PostgreSQL has given to
// that role. The connection stays if there is room for it.
func (p *Postgres) Enlist(ctx context.Context, pg *pgconn.PgConn, dial dialer) (*Pool, error) {
	c := &Conn{pg: pg, p: p, born: time.Now(), used: time.Now()}
	row, err := c.One(ctx, "SELECT oid, rolname FROM pg_roles WHERE rolname = session_user AND rolname = current_user")
	if err == nil && row == nil {
		err = mongoerr.New(mongoerr.AuthenticationFailed, "the role of the session is not the one that has authenticated")
	}
	if err != nil {
		c.close()
		return nil, err
	}
	all := &p.pools
	all.mu.Lock()
	number := uint32(Int(row[0]))
	pool := all.byRole[number]
	if pool == nil {
		pool = &Pool{Role: string(row[1]), number: number, p: p}
		all.byRole[number] = pool
	}
	if dial != nil {
		pool.dial = dial
	}
	pool.clients++
	c.pool = pool
	full := !all.room()
	if !full {
		pool.open++
		all.open++
	}
	served := pool.open > 0
	all.mu.Unlock()
	if !full {
		c.Release(false)
		return pool, nil
	}
	c.close()
	if !served {
		pool.Leave()
		return nil, mongoerr.New(mongoerr.ExceededTimeLimit, "all %d connections to PostgreSQL are in use", all.max)
	}
	return pool, nil
}

// Key is the name of a client's session among those of all roles.
func (pool *Pool) Key(lsid []byte) string {
	return string(binary.BigEndian.AppendUint32(nil, pool.number)) + string(lsid)
}

// Lasts tells whether connections that are lost can be made again without the client.
func (pool *Pool) Lasts() bool {
	pool.p.pools.mu.Lock()
	defer pool.p.pools.mu.Unlock()
	return pool.dial != nil
}

// Leave tells that a client has gone. Some time after the last one, the role's connections are closed, and what it had to
// make them is forgotten.
func (pool *Pool) Leave() {
	all := &pool.p.pools
	all.mu.Lock()
	defer all.mu.Unlock()
	if pool.clients--; pool.clients > 0 {
		return
	}
	time.AfterFunc(linger, func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		if pool.clients > 0 {
			return
		}
		pool.dial = nil
		for _, c := range pool.idle {
			pool.open--
			all.open--
			go c.close()
		}
		pool.idle = nil
		all.wake(nil, nil)
	})
}

// Pools are those of roles that have clients, or of bsond's own role.
func (p *Postgres) Pools(roles bool) []*Pool {
	if !roles {
		return []*Pool{p.Own}
	}
	p.pools.mu.Lock()
	defer p.pools.mu.Unlock()
	var list []*Pool
	for number, pool := range p.pools.byRole {
		if number > 0 && pool.clients > 0 {
			list = append(list, pool)
		}
	}
	return list
}

// Stats are how many connections to PostgreSQL there are, of these idle, and how many commands wait for one.
func (p *Postgres) Stats() (open, idle, waiting int) {
	p.pools.mu.Lock()
	defer p.pools.mu.Unlock()
	for _, pool := range p.pools.byRole {
		idle += len(pool.idle)
	}
	return p.pools.open, idle, len(p.pools.waiting)
}

// Number is the role's, and its name; 0 is that of bsond itself.
func (pool *Pool) Number() (uint32, string) { return pool.number, pool.Role }

// With runs work with a connection.
func (pool *Pool) With(ctx context.Context, work func(*Conn) error) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	err = c.Fate(ctx, work(c))
	c.Release(ctx.Err() != nil)
	return err
}
