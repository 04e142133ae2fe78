package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	maxStatements = 4096     // that are remembered for all connections
	maxPrepared   = 100      // of one connection, in which each takes some 30 kB of PostgreSQL's memory
	maxKey        = 16 << 10 // bytes of what a statement is remembered by
)

// Statement is one that the extension made, with its arguments.
type Statement struct {
	Text string
	Args []any
	made *made // nil: it is for once
}

// made is a statement for all commands of one shape. The extension says what its parameters are: values of the filter.
type made struct {
	text       string
	name       string // where it is prepared
	parameters []int
	constants  []bool // by the values' numbers
	once       bool   // it is not to be kept
	uses       atomic.Int32
}

// statements are those that were made, by what they were made for; also by the names and types of a filter alone, as which of its
// values are constants depends on these. Of many that are needed once, those stay that are needed again and again.
type statements struct {
	mu         sync.RWMutex
	young, old map[string]*made
	last       int
}

// find finds one, and lets it stay
func (all *statements) find(key []byte) *made {
	all.mu.RLock()
	k, is := all.young[string(key)]
	if !is {
		k = all.old[string(key)]
	}
	all.mu.RUnlock()
	if k != nil && !is {
		all.keep(k, key)
	}
	return k
}

// forget forgets those of a role, or all
func (all *statements) forget(role []byte) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, list := range []map[string]*made{all.young, all.old} {
		maps.DeleteFunc(list, func(key string, _ *made) bool { return strings.HasPrefix(key, string(role)) })
	}
}

// keep keeps one that was made for any of these
func (all *statements) keep(k *made, keys ...[]byte) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if k.name == "" {
		all.last++
		k.name = fmt.Sprintf("bsond_%d", all.last)
	}
	if all.young == nil || len(all.young) >= maxStatements/2 {
		all.young, all.old = map[string]*made{}, all.young
	}
	for _, key := range keys {
		all.young[string(key)] = k
	}
}

// filter is the names and types of a filter's values, and these by their numbers, as bson_find_shape counts them
type filter struct {
	shape  []byte
	values []value
}

type value struct {
	kind byte
	data []byte
}

const nan = 0xfe // NaN counts as a type of its own

// size is how many bytes a value has; -1 if it is malformed
func size(kind byte, b []byte) int {
	fixed, counted := 0, 0
	switch kind {
	case 0x01, 0x09, 0x11, 0x12:
		fixed = 8
	case 0x10:
		fixed = 4
	case 0x07:
		fixed = 12
	case 0x08:
		fixed = 1
	case 0x13:
		fixed = 16
	case 0x02, 0x0d, 0x0e:
		counted = 4
	case 0x05:
		counted = 5
	case 0x0c:
		counted = 16
	case 0x03, 0x04, 0x0f:
		counted = 0
	case 0x06, 0x0a, 0x7f, 0xff:
		return 0
	case 0x0b:
		pattern := bytes.IndexByte(b, 0)
		options := bytes.IndexByte(b[pattern+1:], 0)
		if pattern < 0 || options < 0 {
			return -1
		}
		return pattern + options + 2
	default:
		return -1
	}
	if fixed == 0 {
		if len(b) < 4 {
			return -1
		}
		fixed = counted + int(binary.LittleEndian.Uint32(b))
	}
	if fixed > len(b) {
		return -1
	}
	return fixed
}

// read adds a value, and those in it; false if it is malformed
func (f *filter) read(kind byte, data []byte) bool {
	f.values = append(f.values, value{kind, data})
	if kind == 0x01 && math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(data))) || kind == 0x13 && data[15]&0x7c == 0x7c {
		kind = nan
	}
	f.shape = append(f.shape, kind)
	if kind != 0x03 && kind != 0x04 {
		return true
	}
	if len(data) < 5 || len(f.values) > 10000 {
		return false
	}
	for data = data[4:]; len(data) > 1; {
		kind = data[0]
		end := bytes.IndexByte(data[1:], 0) + 2
		if end < 2 {
			return false
		}
		n := size(kind, data[end:])
		f.shape = append(f.shape, data[1:end]...)
		if n < 0 || !f.read(kind, data[end:end+n]) {
			return false
		}
		data = data[end+n:]
	}
	f.shape = append(f.shape, 0)
	return len(data) == 1
}

// rooted is the value that stands alone as this bson
func rooted(d wirebson.RawDocument) value {
	if len(d) > 8 && d[4] == 0xff && d[5] == 0 && d[7] == 0 {
		return value{d[6], d[8 : len(d)-1]}
	}
	return value{0x03, d}
}

// Maker is the text of a statement, around the one that the extension made, which has so many parameters.
type Maker func(made string, parameters int) string

// Shape is the statement for a command: of the extension's function, called with these arguments, of which the first is a table,
// or nil if there is none, and the second the filter, or a pipeline. It is made once for all commands that differ in the filter's
// constants only, which the extension names. "around", unless it is nil, makes another statement of it, and must make the same of
// the same; "more" are arguments of that.
func (c *Conn) Shape(ctx context.Context, function string, around Maker, key string, args []any, more ...any) (*Statement, error) {
	of, _ := args[1].(wirebson.RawDocument)
	// for this role alone: code of its own can run in its session, and turn what the statement is
	f := &filter{shape: binary.BigEndian.AppendUint32(make([]byte, 0, 256), c.pool.number)}
	f.shape = append(append(append(f.shape, function...), key...), 0)
	for i, arg := range args {
		if i != 1 {
			value, _ := c.parameter(arg)
			f.shape = append(binary.LittleEndian.AppendUint32(f.shape, uint32(len(value))), value...)
		}
	}
	whole := rooted(of)
	all := &c.p.statements
	readable := f.read(whole.kind, whole.data)
	if known := all.find(f.shape); known != nil && readable && !c.Fresh && !c.altered {
		if k := all.find(f.key(known.constants)); k != nil {
			c.believes = true
			return k.statement(f, more), nil
		}
	}
	k, err := c.shape(ctx, function, around, args)
	if err != nil {
		return nil, err
	}
	if len(k.parameters) > 0 && slices.Max(k.parameters) >= len(f.values) {
		return nil, mongoerr.New(mongoerr.BadValue, "a filter of this size cannot have parameters")
	}
	if key := f.key(k.constants); readable && args[0] != nil && !c.altered && !k.once && len(key) <= maxKey {
		all.keep(k, f.shape, key)
	}
	return k.statement(f, more), nil
}

// key is the shape with all values that are no constants
func (f *filter) key(constants []bool) []byte {
	key := f.shape
	for i, v := range f.values {
		if v.kind != 0x03 && v.kind != 0x04 && (i >= len(constants) || !constants[i]) {
			key = append(binary.LittleEndian.AppendUint32(key, uint32(len(v.data))), v.data...)
		}
	}
	return key
}

func (c *Conn) shape(ctx context.Context, function string, around Maker, args []any) (*made, error) {
	row, err := c.One(ctx, "SELECT statement, parameters, constants FROM "+function, args...)
	if err != nil {
		return nil, err
	}
	k := &made{text: string(row[0]), parameters: numbers(row[1]), once: row[1] == nil}
	if around != nil {
		k.text = around(k.text, len(k.parameters))
	}
	if list := numbers(row[2]); len(list) > 0 {
		k.constants = make([]bool, slices.Max(list)+1)
		for _, n := range list {
			k.constants[n] = true
		}
	}
	return k, nil
}

// numbers are the elements of an integer[] in binary form
func numbers(array []byte) []int {
	var list []int
	for i := 24; i+4 <= len(array); i += 8 {
		list = append(list, int(binary.BigEndian.Uint32(array[i:])))
	}
	return list
}

func (k *made) statement(f *filter, more []any) *Statement {
	s := &Statement{Text: k.text, Args: make([]any, 0, len(k.parameters)+len(more))}
	for _, n := range k.parameters {
		s.Args = append(s.Args, wire.Alone(f.values[n].kind, f.values[n].data))
	}
	s.Args = append(s.Args, more...)
	if k.name != "" {
		s.made = k
	}
	return s
}

// Same is a statement that is the same for all commands with this key.
func (c *Conn) Same(key string, text func() string, args ...any) *Statement {
	known := []byte(c.pool.Key([]byte(key)))
	k := c.p.statements.find(known)
	if k == nil {
		k = &made{text: text()}
		c.p.statements.keep(k, known)
	}
	return &Statement{Text: k.text, Args: args, made: k}
}

// Start runs a statement. One that was run before is prepared.
func (c *Conn) Start(ctx context.Context, s *Statement) Rows {
	ready, err := c.ready(ctx, s)
	if err != nil {
		return Rows{conn: c, err: err}
	}
	if ready == nil {
		return c.Run(ctx, s.Text, s.Args...)
	}
	values, formats := c.parameters(s.Args)
	c.watch(ctx)
	if !c.pending {
		return Rows{ResultReader: c.pg.ExecStatement(context.Background(), ready, values, formats, binaryResults), conn: c}
	}
	c.pending = false
	both := &pgconn.Batch{}
	both.ExecParams("BEGIN", nil, nil, nil, nil)
	both.ExecStatement(ready, values, formats, binaryResults)
	results := c.pg.ExecBatch(context.Background(), both)
	if results.NextResult() && results.NextResult() {
		return Rows{ResultReader: results.ResultReader(), conn: c, with: results}
	}
	c.unwatch()
	return Rows{conn: c, err: cmp.Or(results.Close(), errors.New("BEGIN failed"))}
}

// ready prepares a statement, unless it is the first time that it runs
func (c *Conn) ready(ctx context.Context, s *Statement) (*pgconn.StatementDescription, error) {
	if err := ctx.Err(); err != nil || s.made == nil || c.prepared[s.made] == nil && s.made.uses.Add(1) == 1 {
		return nil, err
	}
	return c.prepare(ctx, s.made)
}

func (c *Conn) prepare(ctx context.Context, k *made) (*pgconn.StatementDescription, error) {
	if ready := c.prepared[k]; ready != nil && !c.Fresh {
		c.believes = true
		return ready, nil
	}
	for old := range c.prepared {
		if len(c.prepared) < maxPrepared && old != k {
			continue
		}
		delete(c.prepared, old)
		if err := c.pg.Deallocate(ctx, old.name); err != nil {
			return nil, err
		}
	}
	ready, err := c.pg.Prepare(ctx, k.name, k.text, nil)
	if err != nil {
		return nil, err
	}
	if c.prepared == nil {
		c.prepared = map[*made]*pgconn.StatementDescription{}
	}
	c.prepared[k] = ready
	return ready, nil
}

// ready tells whether #bson_with_id would return the document as it is: it begins with an _id of an ordinary type
func ready(document wirebson.RawDocument) bool {
	return len(document) > 9 && bytes.Equal(document[5:9], []byte("_id\x00")) && bytes.IndexByte([]byte{0x01, 0x02, 0x05, 0x07, 0x08, 0x09, 0x10, 0x12, 0x13}, document[4]) >= 0
}

// ID is the _id that a filter asks for, as a bson that stands alone; nil if it asks for anything else
func ID(filter wirebson.RawDocument) wirebson.RawDocument {
	if !ready(filter) || 9+size(filter[4], filter[9:])+1 != len(filter) {
		return nil
	}
	return wire.Alone(filter[4], filter[9:len(filter)-1])
}

// Insert inserts documents by one statement; see Only.
func (c *Conn) Insert(ctx context.Context, into *Collection, list []wirebson.RawDocument, answer wirebson.RawDocument) (int64, error) {
	column := Quote(into.Column)
	if len(list) < 50 || !into.copies || slices.ContainsFunc(list, func(d wirebson.RawDocument) bool { return !ready(d) }) {
		return c.Only(ctx, "insert "+into.Relation+" "+column, func() string {
			return c.SQL("INSERT INTO " + into.Relation + " (" + column + ") SELECT #bson_with_id(d) FROM unnest($1::#bson[]) AS d")
		}, "", answer, list)
	}
	// the binary form of COPY: a signature, flags, and rows of one field each
	heads := make([]byte, 0, 21+6*len(list)+2)
	heads = append(append(heads, "PGCOPY\n\xff\r\n\x00"...), make([]byte, 8)...)
	stream := append(make(net.Buffers, 0, 2*len(list)+2), heads)
	for _, d := range list {
		begin := len(heads)
		heads = binary.BigEndian.AppendUint32(append(heads, 0, 1), uint32(len(d)))
		stream = append(stream, heads[begin:], d)
	}
	stream = append(stream, []byte{0xff, 0xff})
	if err := c.begin(ctx); err != nil {
		return 0, err
	}
	tag, err := c.pg.CopyFrom(ctx, &stream, "COPY "+into.Relation+" ("+column+") FROM STDIN (FORMAT binary)")
	return tag.RowsAffected(), err
}

// Believed tells whether an error can be of what this connection believes to know, so that it may be repeated without.
func (c *Conn) Believed(err error) bool {
	return !c.Fresh && (c.believes || !c.InTransaction) && Outdated(err)
}

// Alter tells that the transaction changes tables or indexes, after which only what PostgreSQL says is believed.
func (c *Conn) Alter() { c.altered = c.InTransaction }

// Again tells whether what has failed of an error alone can be tried again: for the same reason, or since sessions waited for each
// other.
func Again(err error) bool {
	code := Code(err)
	return Outdated(err) || code == "40001" || code == "40P01"
}

// Outdated tells whether an error can be that a statement, or what is known of a collection, is too old.
func Outdated(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && strings.Contains(pg.Where, "PL/") {
		return false // a function of somebody's has raised it
	}
	switch code := Code(err); code {
	case "26000", "42P01", "42703", "42704", "3F000", "42P07", "42P06", "42710", "42601": // the last, as the name of what has gone is a number
		return true
	case "23505":
		return mongoerr.Of(err).Code == mongoerr.NamespaceExists // of a catalog
	case "0A000":
		return strings.Contains(err.Error(), "cached plan")
	}
	return false
}
