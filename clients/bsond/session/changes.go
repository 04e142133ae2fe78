package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"bson.example/bsond/mongoerr"
	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// A change stream reads what was committed from PostgreSQL's log, by the extension's output plugin. The log stays readable from
// where one slot of the database is, which is kept so many bytes behind, so that a stream can begin there again; each stream
// has a temporary copy of it, which ends with the stream's connection.
//
// Logical decoding shows all rows to a role that may do it. So these connections are no clients', and only who asks what a client's
// role may read, in a session that no code of a client's runs in, knows what to hand on.

// Changes is where change streams come from.
type Changes struct {
	p       *Postgres
	config  *pgconn.Config
	window  int64
	keepers chan *Conn // nil: to be made. There are two, as to make a slot waits for all transactions
	mu      sync.Mutex
	slot    string
	ends    []end // of the log, as Keep has found them
}

// end is where the log ended at a time: what is committed later is behind it
type end struct{ lsn, time int64 }

// Follow prepares change streams by a role that may replicate, which can go back by so many bytes of the log.
func (p *Postgres) Follow(url string, window int64) (*Changes, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("--change-streams: %w", err)
	}
	for name, value := range map[string]string{"application_name": "bsond", "search_path": "", "client_encoding": "UTF8", "jit": "off"} {
		config.RuntimeParams[name] = value
	}
	f := &Changes{p: p, config: config, window: window, keepers: make(chan *Conn, 2)}
	f.keepers <- nil
	f.keepers <- nil
	return f, nil
}

// Ask runs a statement of ours in a session that is no client's.
func (f *Changes) Ask(ctx context.Context, text string, args ...any) ([][][]byte, error) {
	var keeper *Conn
	select {
	case keeper = <-f.keepers:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { f.keepers <- keeper }()
	if keeper == nil || keeper.pg.IsClosed() {
		pg, err := connect(ctx, dialed(f.config))
		if err != nil {
			return nil, err
		}
		keeper = &Conn{pg: pg, p: f.p}
	}
	rows, err := keeper.All(ctx, text, args...)
	err = keeper.Fate(ctx, err)
	if ctx.Err() != nil {
		keeper.close()
	}
	return rows, err
}

// Keep makes the slot, again if it was lost, and lets it follow, at a distance.
func (f *Changes) Keep(ctx context.Context) error {
	rows, err := f.Ask(ctx, `SELECT 'bsond_' || oid, current_setting('wal_level'), (pg_current_wal_insert_lsn() - '0/0')::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
		FROM pg_database WHERE datname = current_database()`)
	if err != nil {
		return err
	}
	if level := string(rows[0][1]); level != "logical" {
		return fmt.Errorf("wal_level of PostgreSQL is %s, and must be logical", level)
	}
	slot := string(rows[0][0])
	for name, window := range map[string]int64{slot: f.window, slot + "_near": 1 << 20} {
		for _, statement := range []string{
			"SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND wal_status = 'lost' AND NOT active",
			"SELECT pg_create_logical_replication_slot($1, 'bson') WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)",
			fmt.Sprintf(`SELECT pg_replication_slot_advance(slot_name, pg_current_wal_lsn() - %d::numeric) FROM pg_replication_slots
				WHERE slot_name = $1 AND NOT active AND pg_current_wal_lsn() - confirmed_flush_lsn > %d`, window, 2*window)} {
			if _, err = f.Ask(ctx, statement, name); err != nil && Code(err) != "42710" && Code(err) != "55006" { // another bsond does the same
				return err
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slot, f.ends = slot, append(f.ends[max(0, len(f.ends)-100):], end{Int(rows[0][2]), Int(rows[0][3])})
	return nil
}

// Position is a place in the log: where a commit ends, and how many changes of the next transaction were read.
type Position struct {
	LSN   uint64
	Count uint32
	Ended bool // by an event that ends a stream
}

// Change is a change of a document.
type Change struct {
	Kind     byte   // I, U, R (a replacement) or D
	Table    uint32 // its number
	Old, New []byte // nil: not known
	At       Position
	Time     int64 // of the commit, in microseconds since 1970
}

// size is about what a change takes of memory
func (c *Change) size() int { return 128 + len(c.Old) + len(c.New) }

// What a stream reads ahead, and takes at once, in bytes of changes
const ahead, atOnce = 16 << 20, 4 << 20

// Stream is an open change stream.
type Stream struct {
	pg         *pgconn.PgConn
	cancel     context.CancelFunc
	ended      chan struct{}
	news, room chan struct{}
	mu         sync.Mutex
	list       []Change
	size       int
	at         Position
	err        error
}

// Watch reads changes from a position on, or from this time on as far back as there is a log, or from this end of the log on, which
// was asked for before; 0 is its end now.
func (f *Changes) Watch(ctx context.Context, from Position, since, end int64) (*Stream, error) {
	f.mu.Lock()
	slot := f.slot
	f.mu.Unlock()
	if slot == "" {
		if err := f.Keep(ctx); err != nil {
			return nil, err
		}
		f.mu.Lock()
		slot = f.slot
		f.mu.Unlock()
	}
	config := f.config.Copy()
	// a client may wait as long as it likes
	config.RuntimeParams["replication"], config.RuntimeParams["wal_sender_timeout"] = "database", "0"
	pg, err := connect(ctx, dialed(config))
	if err != nil {
		return nil, err
	}
	s := &Stream{pg: pg, at: from, ended: make(chan struct{}), news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	name := fmt.Sprintf("bsond_%x", newID())
	upto := from.LSN
	if upto == 0 && since == 0 {
		upto = math.MaxUint64
	}
	f.mu.Lock()
	for _, each := range f.ends {
		if from.LSN == 0 && each.time < since {
			upto = uint64(each.lsn)
		}
	}
	f.mu.Unlock()
	var first, now pglogrepl.LSN
	results, err := pg.Exec(ctx, fmt.Sprintf(`SELECT lsn, pg_current_wal_insert_lsn() FROM (SELECT slot_name AS near FROM pg_replication_slots WHERE slot_name IN ('%s', '%[1]s_near')
		ORDER BY confirmed_flush_lsn > '%[2]s', abs(confirmed_flush_lsn - '%[2]s') LIMIT 1) AS s, pg_copy_logical_replication_slot(near, '%[3]s', true)`, slot, pglogrepl.LSN(upto), name)).ReadAll()
	if err == nil && len(results[0].Rows) == 1 {
		err = errors.Join(first.Scan(string(results[0].Rows[0][0])), now.Scan(string(results[0].Rows[0][1])))
	}
	switch {
	case err != nil:
	case from.LSN > uint64(now):
		err = mongoerr.New(mongoerr.InvalidResumeToken, "the resume token is not of this server")
	case first == 0 || from.LSN != 0 && from.LSN < uint64(first):
		err = mongoerr.New(mongoerr.ChangeStreamHistoryLost, "Resume of change stream was not possible, as the resume point may no longer be in the log of PostgreSQL")
	case from.LSN == 0 && since != 0:
		s.at.LSN = uint64(first)
	case from.LSN == 0:
		s.at.LSN = max(uint64(first), cmp.Or(uint64(end), uint64(now)))
	}
	if err == nil {
		err = pglogrepl.StartReplication(ctx, pg, name, pglogrepl.LSN(s.at.LSN), pglogrepl.StartReplicationOptions{Mode: pglogrepl.LogicalReplication, PluginArgs: []string{fmt.Sprintf("type '%d'", f.p.oid)}})
	}
	var open context.Context
	open, s.cancel = context.WithCancel(context.Background())
	if err != nil {
		err = (&Conn{pg: pg}).Fate(ctx, err)
		s.end(err)
		return nil, err
	}
	go func() { s.end(s.read(open, s.at.Count, since)) }()
	return s, nil
}

// end closes the connection, which the server's temporary slot does not outlive
func (s *Stream) end(err error) {
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	tell(s.news)
	soon, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.pg.Close(soon)
	close(s.ended)
}

// Close ends the stream.
func (s *Stream) Close() {
	s.cancel()
	<-s.ended
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// read reads what the server sends, but so many changes that were read before, and transactions that ended earlier
func (s *Stream) read(ctx context.Context, before uint32, since int64) error {
	var change Change // the last one, of which the next message tells whether it was a replacement
	at, inside, told := s.at, false, time.Now()
	at.Count, at.Ended = 0, false
	for {
		message, err := s.pg.ReceiveMessage(ctx)
		if err != nil {
			return (&Conn{pg: s.pg}).Fate(ctx, err)
		}
		if failed, ok := message.(*pgproto3.ErrorResponse); ok {
			return pgconn.ErrorResponseToPgError(failed)
		}
		copied, ok := message.(*pgproto3.CopyData)
		if !ok {
			continue
		}
		alive := copied.Data[0] == pglogrepl.PrimaryKeepaliveMessageByteID
		if alive {
			state, err := pglogrepl.ParsePrimaryKeepaliveMessage(copied.Data[1:])
			if err != nil {
				return err
			}
			if !inside && before == 0 && uint64(state.ServerWALEnd) > at.LSN {
				at.LSN = uint64(state.ServerWALEnd)
			}
		} else if copied.Data[0] == pglogrepl.XLogDataByteID {
			data, err := pglogrepl.ParseXLogData(copied.Data[1:])
			if err != nil {
				return err
			}
			kind, body := data.WALData[0], data.WALData[1:]
			if kind == 'R' {
				if change.Kind == 'U' && string(body) == fmt.Sprint(change.Table) {
					change.Kind = 'R'
				}
			} else if change.Kind != 0 {
				if at.Count++; at.Count > before && change.Time >= since {
					change.At = at
					if err := s.add(ctx, change); err != nil {
						return err
					}
				}
				change.Kind = 0
			}
			switch kind {
			case 'B':
				inside, change.Time = true, int64(binary.BigEndian.Uint64(body))+sinceUnix
			case 'C':
				inside, before, at = false, 0, Position{LSN: uint64(data.WALStart)}
			case 'I', 'U', 'D':
				change.Kind, change.Table, change.Old, change.New = kind, binary.BigEndian.Uint32(body), nil, nil
				body = body[4:]
				if kind != 'I' {
					change.Old, body = document(body)
				}
				if kind != 'D' {
					change.New, _ = document(body)
				}
			}
		}
		s.mu.Lock()
		s.at = at
		if at.Count < before {
			s.at.Count = before
		}
		s.mu.Unlock()
		if alive || time.Since(told) > time.Second {
			if err := pglogrepl.SendStandbyStatusUpdate(ctx, s.pg, pglogrepl.StandbyStatusUpdate{WALWritePosition: pglogrepl.LSN(at.LSN)}); err != nil {
				return err
			}
			told = time.Now()
		}
	}
}

// sinceUnix is PostgreSQL's year 2000, in microseconds
const sinceUnix = 946684800 * 1_000_000

func document(body []byte) (found, rest []byte) {
	n := int32(binary.BigEndian.Uint32(body))
	if n < 0 {
		return nil, body[4:]
	}
	return bytes.Clone(body[4 : 4+n]), body[4+n:]
}

// add keeps a change until it is taken; if there are many, the server waits
func (s *Stream) add(ctx context.Context, change Change) error {
	for {
		s.mu.Lock()
		if s.size < ahead {
			s.list, s.size, s.at = append(s.list, change), s.size+change.size(), change.At
			s.mu.Unlock()
			tell(s.news)
			return nil
		}
		s.mu.Unlock()
		select {
		case <-s.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// At is the position that has been read.
func (s *Stream) At() Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// Take takes changes, at most so many, for which it waits so long; and the position after them.
func (s *Stream) Take(ctx context.Context, most int64, wait time.Duration) ([]Change, Position, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for expired := false; ; {
		s.mu.Lock()
		n, size := 0, 0
		for n < len(s.list) && int64(n) < most && size < atOnce {
			size += s.list[n].size()
			n++
		}
		taken, at, err := s.list[:n:n], s.at, s.err
		if s.list, s.size = slices.Clone(s.list[n:]), s.size-size; len(s.list) > 0 && n > 0 {
			at = taken[n-1].At
		}
		s.mu.Unlock()
		tell(s.room)
		if n > 0 || expired {
			return taken, at, nil
		}
		if err != nil {
			return nil, at, err
		}
		select {
		case <-s.news:
		case <-timer.C:
			expired = true
		case <-ctx.Done():
			return nil, at, ctx.Err()
		}
	}
}
