package session

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
)

// Collection is a table, or a view, with a column of type bson.
type Collection struct {
	DB, Name string
	Relation string // schema and name, quoted; empty if there is none
	Column   string // the column's name
	View     bool
	Held     bool // it is there for the views that are of it, and not for clients
	// Collation is that of commands without one; nil: bytes are compared
	Collation wirebson.RawDocument
	copies    bool   // COPY does what INSERT does
	owner     uint32 // 0: a superuser
}

// Mark begins the comment of a table that is a collection, as bson-copy --restore writes it.
const Mark = "restored by bson-copy from "

// Held is the condition that the "relation" of a collection is not there for clients: a view needs a table to be a view of. In
// MongoDB views are of names, so they outlive what they are of; here it then stays, empty, until it is made again.
const Held = "#bson_collection_note(relation) OPERATOR(#->) 'held' IS NOT NULL AND coalesce(pg_relation_size(relation), 0) = 0"

// Short is a name as the server has it, with at most 63 bytes; longer ones end in a hash, as bson-copy makes them.
func Short(name string) string {
	if len(name) <= 63 {
		return name
	}
	end := 54
	for !utf8.RuneStart(name[end]) {
		end--
	}
	sum := md5.Sum([]byte(name))
	return name[:end] + "_" + hex.EncodeToString(sum[:])[:8]
}

// Quote makes an identifier of a name.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// CheckDB refuses what is no name of a database, and PostgreSQL's own schemas.
func CheckDB(db string) error {
	if db == "" || strings.ContainsAny(db, "/\\. \"$*<>:|?\x00") || len(db) > 255 || strings.HasPrefix(db, "pg_") || db == "information_schema" || !utf8.ValidString(db) {
		return mongoerr.New(mongoerr.InvalidNamespace, "Invalid database name: '%s'", db)
	}
	return nil
}

// CheckName refuses what is no name of a collection.
func CheckName(db, name string) error {
	if err := CheckDB(db); err != nil {
		return err
	}
	if name == "" || strings.ContainsAny(name, "$\x00") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") ||
		len(name) > 255 || !utf8.ValidString(name) {
		return mongoerr.New(mongoerr.InvalidNamespace, "Invalid namespace specified '%s.%s'", db, name)
	}
	return nil
}

// Table is the relation as a parameter; nil if there is none.
func (c *Collection) Table() any {
	if c.Relation == "" {
		return nil
	}
	return c.Relation
}

// NS is the collection's name with that of its database.
func (c *Collection) NS() string { return c.DB + "." + c.Name }

// Find finds the collection of this name. Its Relation is empty if there is none.
func (c *Conn) Find(ctx context.Context, db, name string) (*Collection, error) {
	if err := CheckName(db, name); err != nil {
		return nil, err
	}
	found := &Collection{DB: db, Name: name}
	row, err := c.One(ctx, `SELECT format('%I.%I', nspname, relname), attname, relkind = 'v', relkind IN ('r', 'p') AND NOT relrowsecurity AND NOT relhasrules,
			CASE WHEN obj_description(c.oid, 'pg_class') LIKE '%"collation"%' THEN #bson_collection_note(c.oid::regclass) OPERATOR(#->) 'options' OPERATOR(#->) 'collation' END,
			(SELECT CASE WHEN rolsuper THEN 0 ELSE oid END FROM pg_roles WHERE oid = relowner),
			obj_description(c.oid, 'pg_class') LIKE '%"held"%' AND (SELECT `+Held+` FROM (SELECT c.oid::regclass AS relation) AS a)
		FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_attribute ON attrelid = c.oid
		WHERE nspname = $1 AND relname = $2 AND relkind IN ('r', 'p', 'v', 'm', 'f') AND attnum > 0 AND NOT attisdropped AND atttypid = '#bson'::regtype
		ORDER BY attname <> 'data', attnum LIMIT 1`, Short(db), Short(name))
	if err == nil && row != nil {
		found.Relation, found.Column, found.View = string(row[0]), string(row[1]), row[2][0] != 0
		found.copies, found.Collation, found.owner = row[3][0] != 0, row[4], uint32(Int(row[5]))
		found.Held = row[6] != nil && row[6][0] != 0
		c.turns(found)
	}
	return found, err
}

// Known is the same, but may be what was found before; see Outdated.
func (c *Conn) Known(ctx context.Context, db, name string) (*Collection, error) {
	ns := db + "." + name
	if known, ok := c.pool.known.Load(ns); ok && !c.Fresh && !c.altered {
		copied := *known.(*Collection)
		c.believes = true
		c.turns(&copied)
		return &copied, nil
	}
	found, err := c.Find(ctx, db, name)
	if err == nil && found.Relation != "" && !c.altered {
		copied := *found
		c.pool.known.Store(ns, &copied)
	} else {
		c.pool.known.Delete(ns)
	}
	return found, err
}

// turns notes that a collection is another role's. Its triggers, policies and expressions run in the session of whoever uses it, and
// can leave other settings there, or another role.
func (c *Conn) turns(of *Collection) {
	own := c.pool.number
	if c.pool == c.p.Own {
		own = c.p.role
	}
	c.turned = c.turned || of.owner != 0 && of.owner != own
}

// Forget forgets what is known of collections, and the statements for them.
func (c *Conn) Forget() {
	all := &c.p.pools
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, pool := range all.byRole {
		pool.known.Clear()
	}
	c.p.statements.forget(nil)
}

// Lock lets one session at a time make or drop what has this name, until the transaction ends.
func (c *Conn) Lock(ctx context.Context, name string) error {
	_, err := c.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "bsond "+name)
	return err
}

// Make makes the table of a collection, as bson-copy does, or a collection of what is held, and tells whether it did: unless there is
// one.
func (c *Conn) Make(ctx context.Context, found *Collection) (made bool, err error) {
	if found.Relation != "" && !found.Held {
		return false, nil
	}
	table := Quote(Short(found.DB)) + "." + Quote(Short(found.Name))
	err = c.Atomic(ctx, func() error {
		// two sessions may come at once, and IF NOT EXISTS is no protection from that
		if err := c.Lock(ctx, found.NS()); err != nil {
			return err
		}
		again, err := c.Find(ctx, found.DB, found.Name)
		if err != nil || again.Relation != "" && !again.Held {
			return err
		}
		made = true
		if again.Held {
			c.Forget()
			return c.Script(ctx, "COMMENT ON "+map[bool]string{false: "TABLE ", true: "VIEW "}[again.View]+again.Relation+" IS "+Literal(Mark+found.NS()))
		}
		if err = c.Lock(ctx, found.DB); err != nil {
			return err
		}
		row, err := c.One(ctx, "SELECT FROM pg_namespace WHERE nspname = $1", Short(found.DB))
		if err != nil {
			return err
		}
		script := c.SQL("CREATE TABLE "+table+" (data #bson NOT NULL, CHECK ((#bson_typeof(data OPERATOR(#->) '_id'::text) OPERATOR(pg_catalog.<>) 'array'::text) IS TRUE));"+
			"CREATE UNIQUE INDEX ON "+table+" ((data OPERATOR(#->) '_id'::text));") +
			"COMMENT ON TABLE " + table + " IS " + Literal(Mark+found.NS())
		if c.p.Changes != nil {
			// a change stream tells what was deleted, and what an update has changed
			script += ";ALTER TABLE " + table + " REPLICA IDENTITY FULL"
		}
		if row == nil {
			script = "CREATE SCHEMA " + Quote(Short(found.DB)) + ";" + script
		}
		c.Alter()
		return c.Script(ctx, script)
	})
	if err != nil {
		return false, err
	}
	again, err := c.Find(ctx, found.DB, found.Name)
	if err == nil && again.Relation == "" {
		err = Gone(found)
	}
	if err == nil {
		*found = *again
	}
	return made, err
}

// Gone is the error that another session has dropped a collection meanwhile.
func Gone(c *Collection) error {
	return &pgconn.PgError{Code: "42P01", Message: "the collection " + c.NS() + " was dropped meanwhile"}
}

// Literal makes a constant of a text.
func Literal(text string) string {
	text = strings.ReplaceAll(text, "'", "''")
	if strings.Contains(text, `\`) {
		return "E'" + strings.ReplaceAll(text, `\`, `\\`) + "'"
	}
	return "'" + text + "'"
}

// Collation is the name of MongoDB's collation of this specification, which PostgreSQL gets with the first command that has it;
// empty if bytes are compared.
func (c *Conn) Collation(ctx context.Context, spec wirebson.RawDocument) (string, error) {
	return c.Told(ctx, "SELECT (pg_identify_object('pg_collation'::regclass, #bson_collation($1), 0)).identity", spec)
}

// Told is the text that a statement of ours returns, or has returned before; see Forget.
func (c *Conn) Told(ctx context.Context, text string, args ...any) (string, error) {
	key := []byte(text)
	for _, arg := range args {
		value, _ := c.parameter(arg)
		key = append(binary.LittleEndian.AppendUint32(key, uint32(len(value))), value...)
	}
	key = []byte(c.pool.Key(key))
	if known := c.p.statements.find(key); known != nil && !c.Fresh && !c.altered {
		return known.text, nil
	}
	row, err := c.Document(ctx, text, args...)
	if err == nil && row != nil && !c.InTransaction && len(key) < 2<<10 {
		c.p.statements.keep(&made{text: string(row)}, key)
	}
	return string(row), err
}
