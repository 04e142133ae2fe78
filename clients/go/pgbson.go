// Package pgbson lets pgx, database/sql and GORM send and fetch the bson type
// of PostgreSQL, with the values of mongo-driver's package bson.
package pgbson

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Version is that of the extension's release.
const Version = "1.0.0"

// The one extension may be in any schema
const typeQuery = `
	SELECT t.oid, t.typarray
	  FROM pg_catalog.pg_extension e
	  JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
	       AND d.classid = 'pg_catalog.pg_type'::regclass AND d.deptype = 'e'
	  JOIN pg_catalog.pg_type t ON t.oid = d.objid
	 WHERE e.extname = 'bson' AND t.typname = 'bson'`

// Register lets a connection of pgx take and give bson and bson[]: whatever
// bson.Marshal takes is a parameter, whatever bson.Unmarshal fills is a result.
func Register(ctx context.Context, conn *pgx.Conn) error {
	var oid, arrayOID uint32
	if err := conn.QueryRow(ctx, typeQuery).Scan(&oid, &arrayOID); err != nil {
		return fmt.Errorf("the extension bson is not installed in this database: %w", err)
	}
	element := &pgtype.Type{Name: "bson", OID: oid, Codec: Codec{}}
	conn.TypeMap().RegisterType(element)
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "_bson", OID: arrayOID, Codec: &pgtype.ArrayCodec{ElementType: element}})
	return nil
}

// Codec is what Register registers.
type Codec struct{}

func (Codec) FormatSupported(format int16) bool { return format == pgtype.BinaryFormatCode }
func (Codec) PreferredFormat() int16            { return pgtype.BinaryFormatCode }

func (Codec) PlanEncode(*pgtype.Map, uint32, int16, any) pgtype.EncodePlan { return plan{} }
func (Codec) PlanScan(*pgtype.Map, uint32, int16, any) pgtype.ScanPlan     { return plan{} }

func (Codec) DecodeDatabaseSQLValue(_ *pgtype.Map, _ uint32, _ int16, src []byte) (driver.Value, error) {
	return bytes.Clone(src), nil
}

func (Codec) DecodeValue(_ *pgtype.Map, _ uint32, _ int16, src []byte) (any, error) {
	if src == nil {
		return nil, nil
	}
	return bson.Raw(bytes.Clone(src)), nil
}

type plan struct{}

func (plan) Encode(value any, buf []byte) ([]byte, error) {
	if wrapped, ok := value.(interface{ marshal() ([]byte, error) }); ok {
		document, err := wrapped.marshal()
		if err != nil || document == nil {
			return nil, err
		}
		value = document
	}
	if document, ok := value.([]byte); ok {
		return append(buf, document...), nil
	}
	document, err := bson.Marshal(value)
	return append(buf, document...), err
}

func (plan) Scan(src []byte, target any) error {
	if scanner, ok := target.(sql.Scanner); ok {
		if src == nil {
			return scanner.Scan(nil)
		}
		return scanner.Scan(src)
	}
	if src == nil {
		return fmt.Errorf("cannot scan NULL into %T", target)
	}
	if raw, ok := target.(*bson.Raw); ok {
		*raw = bytes.Clone(src)
		return nil
	}
	return bson.Unmarshal(src, target)
}

// Document is a bson for database/sql and GORM.  T is what bson.Marshal and
// bson.Unmarshal take; Valid is false for NULL, as in sql.Null.
type Document[T any] struct {
	V     T
	Valid bool
}

// Of makes a Document that is not NULL.
func Of[T any](value T) Document[T] { return Document[T]{V: value, Valid: true} }

// The bytes, nil for NULL
func (d Document[T]) marshal() ([]byte, error) {
	if !d.Valid {
		return nil, nil
	}
	return bson.Marshal(d.V)
}

// Value implements driver.Valuer, by a text of the type that every driver sends
// as it is: the bytes in hexadecimal.
func (d Document[T]) Value() (driver.Value, error) {
	document, err := d.marshal()
	if err != nil || document == nil {
		return nil, err
	}
	return `\x` + hex.EncodeToString(document), nil
}

// Scan implements sql.Scanner, for BSON bytes and for the type's text.
func (d *Document[T]) Scan(src any) error {
	var text []byte
	*d = Document[T]{}
	switch src := src.(type) {
	case nil:
		return nil
	case []byte:
		text = src
	case string:
		text = []byte(src)
	default:
		return fmt.Errorf("cannot scan %T into a bson document", src)
	}
	d.Valid = true
	// no text is as long as its first four characters would say
	if len(text) >= 5 && uint64(binary.LittleEndian.Uint32(text)) == uint64(len(text)) {
		return bson.Unmarshal(bytes.Clone(text), &d.V)
	}
	if bytes.HasPrefix(text, []byte(`\x`)) {
		document, err := hex.DecodeString(string(text[2:]))
		if err != nil {
			return err
		}
		return bson.Unmarshal(document, &d.V)
	}
	return bson.UnmarshalExtJSON(text, false, &d.V)
}

// GormDataType tells GORM the type of a column.
func (Document[T]) GormDataType() string { return "bson" }
