// Package session is what bsond keeps of PostgreSQL: connections, where collections lie, cursors and transactions.
package session

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// Postgres is the database that has the documents.
type Postgres struct {
	// Own is the pool of the role that bsond itself connects as
	Own *Pool
	// Spool takes the connection of a cursor that nobody reads, where a pool has none left
	Spool func(*Pool)
	// Files is how many bytes of rows that are not read yet a role's cursors may have in files
	Files int64
	// Once tells that writes are remembered, for drivers that repeat them; else Forgets is why they are not
	Once    bool
	Forgets error
	// Changes is where change streams come from; nil if there are none
	Changes *Changes
	// Version is the server's, as server_version_num has it
	Version int

	schema     string // that of the extension, quoted, with its dot
	oid        uint32 // of the type bson
	role       uint32 // bsond's own
	config     *pgconn.Config
	pools      pools
	statements statements
	handshakes chan struct{}
}

// Open connects to a database, and makes the extension where it is missing.
func Open(ctx context.Context, url string, connections int) (*Postgres, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the address of PostgreSQL: %w", err)
	}
	settings := config.RuntimeParams
	settings["application_name"] = "bsond"
	// names are found where a statement says, and nowhere else
	settings["search_path"] = ""
	settings["client_encoding"] = "UTF8"
	// statements run once, and compiling one takes longer than most of them
	settings["jit"] = "off"
	// what a client gives up is cancelled, and the connection stays
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 5 * time.Second}
	}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return wire.Quiet(conn), nil
	}
	p := &Postgres{config: config, handshakes: make(chan struct{}, 16), pools: pools{max: connections, byRole: map[uint32]*Pool{}}}
	p.Own = &Pool{p: p, dial: dialed(config)}
	p.pools.byRole[0] = p.Own
	c, err := p.Own.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	defer c.Release(false)
	row, err := c.One(ctx, "SELECT FROM pg_extension WHERE extname = 'bson'")
	if err == nil && row == nil {
		if _, err = c.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS bson SCHEMA public"); Code(err) == "23505" {
			err = nil // another daemon begins at the same time
		}
	}
	if err == nil {
		row, err = c.One(ctx, `SELECT quote_ident(nspname) || '.', t.oid, current_setting('server_version_num')::int, session_user, (SELECT oid FROM pg_roles WHERE rolname = session_user),
				string_to_array(extversion, '.')::int[] >= '{1,1}', extversion
			FROM pg_extension x JOIN pg_namespace n ON n.oid = extnamespace JOIN pg_type t ON typnamespace = n.oid AND typname = 'bson' WHERE extname = 'bson'`)
	}
	if err != nil {
		return nil, fmt.Errorf("the extension bson: %w", err)
	}
	if row[5][0] == 0 {
		return nil, fmt.Errorf("the extension bson of the database has version %s, and bsond needs 1.1; run ALTER EXTENSION bson UPDATE there", row[6])
	}
	p.schema, p.oid, p.Version, p.Own.Role = string(row[0]), uint32(Int(row[1])), int(Int(row[2])), string(row[3])
	p.role = uint32(Int(row[4]))
	p.remember(ctx, c)
	return p, nil
}

// Close ends all connections that are idle.
func (p *Postgres) Close() {
	p.pools.mu.Lock()
	defer p.pools.mu.Unlock()
	for _, pool := range p.pools.byRole {
		for _, c := range pool.idle {
			c.close()
		}
		pool.idle = nil
	}
}

// Conn is a connection to PostgreSQL, used by one command or cursor at a time.
type Conn struct {
	// InTransaction tells that a client began a transaction, which an error ends
	InTransaction bool
	// Fresh tells to believe nothing that was known before
	Fresh bool
	// Hurry is how many milliseconds Atomic waits for a lock; 0 is as long as it takes
	Hurry int

	pg         *pgconn.PgConn
	p          *Postgres
	pool       *Pool
	atomic     bool // in a transaction of its own
	marked     bool // with a savepoint
	altered    bool // see Alter
	believes   bool // the command has used what was known before
	turned     bool // the session may have other settings: see Release
	prepared   map[*made]*pgconn.StatementDescription
	ending     sync.Mutex  // of "ended"
	ended      []string    // portals that are not needed any longer
	pending    bool        // BEGIN comes with the first statement
	last       last        // see Only
	stop       func() bool // see watch
	cancelled  bool
	asking     sync.WaitGroup // until PostgreSQL has been asked to cancel the statement
	born, used time.Time
}

// Enter lets names be found in a schema, from which pipelines name collections.
func (c *Conn) Enter(ctx context.Context, schema string) error {
	_, err := c.Exec(ctx, "SELECT set_config('search_path', quote_ident($1), false)", schema)
	return err
}

// Leave ends that. In the schema of the extension, statements that it makes leave its name out, so it stays until the
// connection is released.
func (c *Conn) Leave(ctx context.Context, schema string) {
	if Quote(schema)+"." == c.p.schema || schema+"." == c.p.schema {
		c.turned = true
		return
	}
	// if this fails, so does the next statement
	_, _ = c.Exec(context.WithoutCancel(ctx), "SELECT set_config('search_path', '', false)")
}

// In a statement of ours, # stands for the extension's schema: #bson_match(...), OPERATOR(#->). In quotes, as in the name of a
// table, it is itself. SQL is a statement of ours as the server reads it.
func (c *Conn) SQL(text string) string {
	parts := strings.Split(text, `"`)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], "#", c.p.schema)
	}
	return strings.Join(parts, `"`)
}

var binaryResults = []int16{pgx.BinaryFormatCode}

// Rows are a statement's results, to be read to the end or closed.
type Rows struct {
	*pgconn.ResultReader
	conn *Conn
	err  error                     // the statement could not begin
	with *pgconn.MultiResultReader // of the BEGIN before it, too; or nil
}

// NextRow tells whether there is one more row.
func (r Rows) NextRow() bool { return r.err == nil && r.ResultReader.NextRow() }

// Read reads all that is left.
func (r Rows) Read() *pgconn.Result {
	if r.err != nil {
		return &pgconn.Result{Err: r.err}
	}
	defer r.conn.unwatch()
	result := r.ResultReader.Read()
	result.Err = r.end(result.Err)
	return result
}

// Close reads to the end.
func (r Rows) Close() (pgconn.CommandTag, error) {
	if r.err != nil {
		return pgconn.CommandTag{}, r.err
	}
	defer r.conn.unwatch()
	tag, err := r.ResultReader.Close()
	return tag, r.end(err)
}

func (r Rows) end(err error) error {
	if r.with == nil {
		return err
	}
	return cmp.Or(err, r.with.Close())
}

// begin begins a transaction that was to begin with its first statement. When the command's time is over, nothing begins: the server
// would not notice a request to cancel that comes before the statement.
func (c *Conn) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil || !c.pending {
		return err
	}
	c.pending = false
	_, err := c.pg.Exec(ctx, "BEGIN").ReadAll()
	return err
}

// watch has a statement be cancelled when its context ends; pgx would need a goroutine for each statement
func (c *Conn) watch(ctx context.Context) {
	c.unwatch()
	c.asking.Add(1)
	c.stop = context.AfterFunc(ctx, func() {
		defer c.asking.Done()
		c.ask()
	})
}

// ask asks PostgreSQL to cancel the statement
func (c *Conn) ask() {
	soon, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.pg.CancelRequest(soon)
	_ = c.pg.Conn().SetDeadline(time.Now().Add(5 * time.Second))
}

// unwatch ends that. Where it was too late, what cancels can hit the next statement, so the connection must be closed.
func (c *Conn) unwatch() {
	if c.stop != nil {
		if c.stop() {
			c.asking.Done()
		} else {
			c.cancelled = true
		}
	}
	c.stop = nil
}

// Query runs a statement of ours. Documents are sent as bson, strings as text that the server converts; results come in
// binary form, so a bson is its document.
func (c *Conn) Query(ctx context.Context, text string, args ...any) Rows {
	return c.Run(ctx, c.SQL(text), args...)
}

// Run runs a statement that the extension made.
func (c *Conn) Run(ctx context.Context, text string, args ...any) Rows {
	if err := c.begin(ctx); err != nil {
		return Rows{conn: c, err: err}
	}
	values, formats := c.parameters(args)
	c.watch(ctx)
	return Rows{ResultReader: c.pg.ExecParams(context.Background(), text, values, nil, formats, binaryResults), conn: c}
}

func (c *Conn) parameters(args []any) ([][]byte, []int16) {
	values, formats := make([][]byte, len(args)), make([]int16, len(args))
	for i, arg := range args {
		values[i], formats[i] = c.parameter(arg)
	}
	return values, formats
}

func (c *Conn) parameter(arg any) ([]byte, int16) {
	switch arg := arg.(type) {
	case nil:
		return nil, pgx.TextFormatCode
	case string:
		return []byte(arg), pgx.TextFormatCode
	case bool:
		return strconv.AppendBool(nil, arg), pgx.TextFormatCode
	case int:
		return strconv.AppendInt(nil, int64(arg), 10), pgx.TextFormatCode
	case int64:
		return strconv.AppendInt(nil, arg, 10), pgx.TextFormatCode
	case wirebson.RawDocument:
		if arg == nil {
			return nil, pgx.TextFormatCode
		}
		return arg, pgx.BinaryFormatCode
	case []wirebson.RawDocument:
		return c.array(arg), pgx.BinaryFormatCode
	}
	panic(fmt.Sprintf("a parameter of type %T", arg))
}

// An array of bson in the server's binary form.
func (c *Conn) array(documents []wirebson.RawDocument) []byte {
	size := 20
	for _, d := range documents {
		size += 4 + len(d)
	}
	b := make([]byte, 0, size)
	for _, n := range []uint32{1, 0, c.p.oid, uint32(len(documents)), 1} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	for _, d := range documents {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(d))), d...)
	}
	return b
}

// All reads all rows of a statement of ours. The bytes are the caller's.
func (c *Conn) All(ctx context.Context, text string, args ...any) ([][][]byte, error) {
	result := c.Query(ctx, text, args...).Read()
	return result.Rows, result.Err
}

// Exec runs a statement of ours, and returns how many rows it was about.
func (c *Conn) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	return c.Query(ctx, text, args...).Count()
}

// Count reads to the end, and tells how many rows the statement was about.
func (r Rows) Count() (int64, error) {
	tag, err := r.Close()
	return tag.RowsAffected(), err
}

// Script runs statements that the extension made, which are separated by semicolons.
func (c *Conn) Script(ctx context.Context, text string) error {
	err := c.begin(ctx)
	if err == nil {
		_, err = c.pg.Exec(ctx, text).ReadAll()
	}
	return err
}

// One reads the only row of a statement of ours; nil if there is none.
func (c *Conn) One(ctx context.Context, text string, args ...any) ([][]byte, error) {
	rows, err := c.All(ctx, text, args...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// Document is the document that a statement of ours returns, or the bytes of a text; nil if it returns none.
func (c *Conn) Document(ctx context.Context, text string, args ...any) (wirebson.RawDocument, error) {
	row, err := c.One(ctx, text, args...)
	if err != nil || row == nil {
		return nil, err
	}
	return row[0], nil
}

// Int is a bigint or an integer in binary form.
func Int(b []byte) int64 {
	switch len(b) {
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 8:
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// Atomic runs work in a transaction: one of its own, or a part of the client's.
func (c *Conn) Atomic(ctx context.Context, work func() error) error {
	if c.InTransaction || c.atomic {
		return work()
	}
	begin := "BEGIN"
	if c.Hurry > 0 {
		begin += fmt.Sprintf("; SET LOCAL lock_timeout = %d", c.Hurry)
	}
	if err := c.Script(ctx, begin); err != nil {
		return err
	}
	c.atomic = true
	err := work()
	c.atomic = false
	if err != nil {
		// the client may have gone, and the transaction must end all the same
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, failed := c.Exec(clean, "ROLLBACK"); failed != nil {
			return errors.Join(err, failed)
		}
		return err
	}
	_, err = c.Exec(ctx, "COMMIT")
	return err
}

// Code is the SQLSTATE of an error, or empty.
func Code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
