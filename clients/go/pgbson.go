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
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Version is that of the extension's release.
const Version = "1.1.0"

// The one extension may be in any schema
const typeQuery = `
	SELECT t.oid::int8, t.typarray::int8
	  FROM pg_catalog.pg_extension e
	  JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
	       AND d.classid = 'pg_catalog.pg_type'::regclass AND d.deptype = 'e'
	  JOIN pg_catalog.pg_type t ON t.oid = d.objid
	 WHERE e.extname = 'bson' AND t.typname = 'bson'`

// Numbers says what numbers become where they are read into an any.
type Numbers struct {
	made     func(kind bson.Type, data []byte) (any, error)
	register func(*bson.Registry)
}

var (
	// Stored is each as it is stored: int32, int64, float64, bson.Decimal128.
	Stored Numbers
	// Native is a float64, as of encoding/json, but for a long that a float64 cannot hold, which is an int64.
	Native = Numbers{made: nativeNumber}
)

// Decimals makes each number a T, such as a decimal.Decimal by decimal.NewFromString; a
// field of type T takes any number, and is written as a decimal of the digits of its String.
// NaN and infinity, if parse refuses them, stay what they are in an any.
func Decimals[T fmt.Stringer](parse func(string) (T, error)) Numbers {
	kind := reflect.TypeOf((*T)(nil)).Elem()
	return Numbers{
		made: func(kind bson.Type, data []byte) (any, error) {
			stored := storedNumber(kind, data)
			number, err := parse(digits(stored))
			if err == nil {
				return number, nil
			}
			if isFinite(stored) {
				return nil, err
			}
			return stored, nil
		},
		register: func(registry *bson.Registry) {
			registry.RegisterTypeDecoder(kind, bson.ValueDecoderFunc(func(_ bson.DecodeContext, r bson.ValueReader, value reflect.Value) error {
				digits, err := numberText(r)
				if err != nil {
					return err
				}
				number, err := parse(digits)
				if err == nil {
					value.Set(reflect.ValueOf(number))
				}
				return err
			}))
			registry.RegisterTypeEncoder(kind, bson.ValueEncoderFunc(func(_ bson.EncodeContext, w bson.ValueWriter, value reflect.Value) error {
				number, err := bson.ParseDecimal128(value.Interface().(T).String())
				if err != nil {
					return err
				}
				return w.WriteDecimal128(number)
			}))
		},
	}
}

func numberText(r bson.ValueReader) (string, error) {
	switch r.Type() {
	case bson.TypeInt32:
		number, err := r.ReadInt32()
		return digits(number), err
	case bson.TypeInt64:
		number, err := r.ReadInt64()
		return digits(number), err
	case bson.TypeDouble:
		number, err := r.ReadDouble()
		return digits(number), err
	case bson.TypeDecimal128:
		number, err := r.ReadDecimal128()
		return digits(number), err
	}
	return "", fmt.Errorf("a bson %s is no number", r.Type())
}

func digits(number any) string {
	if float, ok := number.(float64); ok {
		return strconv.FormatFloat(float, 'g', -1, 64)
	}
	return fmt.Sprint(number)
}

func isFinite(number any) bool {
	switch number := number.(type) {
	case float64:
		return !math.IsNaN(number) && !math.IsInf(number, 0)
	case bson.Decimal128:
		return !number.IsNaN() && number.IsInf() == 0
	}
	return true
}

// What is read and written by: replaced as a whole
type codecs struct {
	reading
	registry *bson.Registry
	encoders sync.Pool
	writers  sync.Map // of structs, by their types
}

var current atomic.Pointer[codecs]

func init() { use(reading{}) }

func use(r reading) { current.Store(&codecs{reading: r, registry: newRegistry(r)}) }

// UseNumbers says what numbers become in this program; call it before values are read.
func UseNumbers(numbers Numbers) { use(reading{numbers, current.Load().maps}) }

// UseMaps says that a document within an any is a map[string]any, and an array an []any, as encoding/json has
// them, instead of a bson.D and a bson.A; call it before values are read.
func UseMaps(maps bool) { use(reading{current.Load().numbers, maps}) }

// What differs from mongo-driver: JSON and a RawArray are no binary data, a decimal
// is taken for a float, and what would be a document of no fields is an error.
func newRegistry(r reading) *bson.Registry {
	made, plain := bson.NewRegistry(), bson.NewRegistry()
	bytesOf := func(example any, format string, parse func([]byte) (bson.RawValue, error)) {
		made.RegisterTypeEncoder(reflect.TypeOf(example), bson.ValueEncoderFunc(func(c bson.EncodeContext, w bson.ValueWriter, value reflect.Value) error {
			if value.IsNil() {
				return w.WriteNull()
			}
			raw, err := parse(value.Bytes())
			if err != nil {
				return fmt.Errorf("a %T is no %s: %w", example, format, err)
			}
			encoder, err := c.LookupEncoder(reflect.TypeOf(raw))
			if err != nil {
				return err
			}
			return encoder.EncodeValue(c, w, reflect.ValueOf(raw))
		}))
	}
	bytesOf(json.RawMessage{}, "JSON", parseText)
	bytesOf(bson.RawArray{}, "array", func(data []byte) (bson.RawValue, error) {
		return bson.RawValue{Type: bson.TypeArray, Value: data}, bson.RawArray(data).Validate()
	})
	floats, _ := plain.LookupDecoder(reflect.TypeOf(0.0))
	for _, kind := range []reflect.Kind{reflect.Float32, reflect.Float64} {
		made.RegisterKindDecoder(kind, bson.ValueDecoderFunc(func(c bson.DecodeContext, r bson.ValueReader, value reflect.Value) error {
			if r.Type() != bson.TypeDecimal128 {
				return floats.DecodeValue(c, r, value)
			}
			digits, err := numberText(r)
			if err != nil {
				return err
			}
			number, err := strconv.ParseFloat(digits, value.Type().Bits())
			value.SetFloat(number)
			return err
		}))
	}
	structs, _ := plain.LookupEncoder(reflect.TypeOf(struct{}{}))
	made.RegisterKindEncoder(reflect.Struct, bson.ValueEncoderFunc(func(c bson.EncodeContext, w bson.ValueWriter, value reflect.Value) error {
		kind := value.Type()
		empty, known := hidden.Load(kind)
		if !known {
			empty = isHidden(kind)
			hidden.Store(kind, empty)
		}
		if empty.(bool) {
			return fmt.Errorf("a %s has no exported fields, and would be stored as {}", kind)
		}
		return structs.EncodeValue(c, w, value)
	}))
	raw, _ := plain.LookupDecoder(reflect.TypeOf(bson.RawValue{}))
	made.RegisterTypeDecoder(reflect.TypeOf((*any)(nil)).Elem(), r.decoder(raw))
	if r.numbers.register != nil {
		r.numbers.register(made)
	}
	return made
}

// Of each type of a struct, whether it has fields and none is exported
var hidden sync.Map

func isHidden(kind reflect.Type) bool {
	for i := 0; i < kind.NumField(); i++ {
		if field := kind.Field(i); field.IsExported() || field.Anonymous {
			return false
		}
	}
	return kind.NumField() > 0
}

// Register lets a connection of pgx take and give bson and bson[]: whatever
// bson.MarshalValue takes is a parameter, whatever bson.UnmarshalValue fills is
// a result.  In the modes that ask the server for no types (simple protocol and
// Exec) a parameter must be of a type that is known: bson.M, bson.D, bson.A,
// bson.Raw, bson.RawArray, bson.RawValue, structs of mongo-driver, those of
// examples, slices and pointers of them, or a Document.
func Register(ctx context.Context, conn *pgx.Conn, examples ...any) error {
	var oid, arrayOID uint32
	if err := conn.QueryRow(ctx, typeQuery).Scan(&oid, &arrayOID); errors.Is(err, pgx.ErrNoRows) {
		return errors.New("the extension bson is not installed in this database: CREATE EXTENSION bson")
	} else if err != nil {
		return fmt.Errorf("the type bson cannot be looked up: %w", err)
	}
	element, types := &pgtype.Type{Name: "bson", OID: oid, Codec: Codec{}}, conn.TypeMap()
	types.RegisterType(element)
	types.RegisterType(&pgtype.Type{Name: "_bson", OID: arrayOID, Codec: &pgtype.ArrayCodec{ElementType: element}})
	// of the scalars those that pgx would take for JSON or for a number
	examples = append(examples, bson.M{}, bson.D{}, bson.A{}, bson.Raw{}, bson.RawArray{}, bson.RawValue{}, bson.Regex{}, bson.CodeWithScope{},
		bson.Binary{}, bson.Timestamp{}, bson.DBPointer{}, bson.DateTime(0))
	for _, example := range examples {
		one := reflect.TypeOf(example)
		for _, kind := range []reflect.Type{one, reflect.PointerTo(one)} {
			types.RegisterDefaultPgType(reflect.Zero(kind).Interface(), "bson")
			types.RegisterDefaultPgType(reflect.Zero(reflect.SliceOf(kind)).Interface(), "_bson")
		}
	}
	return nil
}

// Codec is what Register registers.
type Codec struct{}

// FormatSupported tells that values travel in both formats.
func (Codec) FormatSupported(int16) bool { return true }

// PreferredFormat is the binary one, BSON bytes.
func (Codec) PreferredFormat() int16 { return pgtype.BinaryFormatCode }

// PlanEncode takes every value.
func (Codec) PlanEncode(_ *pgtype.Map, _ uint32, format int16, _ any) pgtype.EncodePlan {
	return plan{format}
}

// PlanScan leaves to pgx what may be nil, and what has a way of its own.
func (Codec) PlanScan(_ *pgtype.Map, _ uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(sql.Scanner); ok {
		return nil
	}
	if _, ok := target.(*any); ok {
		return nil
	}
	if kind := reflect.TypeOf(target); kind.Kind() != reflect.Pointer || kind.Elem().Kind() == reflect.Pointer {
		return nil
	}
	return plan{format}
}

// DecodeDatabaseSQLValue gives what Document.Scan takes.
func (Codec) DecodeDatabaseSQLValue(_ *pgtype.Map, _ uint32, _ int16, src []byte) (driver.Value, error) {
	if src == nil {
		return nil, nil
	}
	return bytes.Clone(src), nil
}

// DecodeValue gives what a *any is filled with: a bson.D, a bson.A, or a scalar.
func (Codec) DecodeValue(_ *pgtype.Map, _ uint32, format int16, src []byte) (value any, err error) {
	if src == nil {
		return nil, nil
	}
	err = plan{format}.Scan(src, &value)
	return value, err
}

type plan struct{ format int16 }

// Encode gives nil for NULL, which nil pointers, maps and slices are.
func (p plan) Encode(value any, buf []byte) ([]byte, error) {
	if p.format == pgtype.BinaryFormatCode {
		if made, done, err := current.Load().documentOf(value, buf); done {
			return made, err
		}
	}
	data, err := encode(value)
	if err != nil || data == nil {
		return nil, err
	}
	if p.format == pgtype.TextFormatCode {
		return append(buf, toText(data)...), nil
	}
	return append(buf, data...), nil
}

func (p plan) Scan(src []byte, target any) error {
	if src == nil {
		switch value := reflect.ValueOf(target).Elem(); value.Kind() {
		case reflect.Map, reflect.Slice, reflect.Interface:
			value.SetZero()
			return nil
		}
		return fmt.Errorf("cannot scan NULL into %T", target)
	}
	if p.format == pgtype.TextFormatCode {
		return decodeText(src, target)
	}
	return decode(src, target)
}

// The server keeps a value that is no document as the document {"": MinKey, "": value}
const envelope = "\xff\x00"

// The binary form of the type, nil for NULL; []byte is taken as it is
func encode(value any) ([]byte, error) {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return nil, nil
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return nil, nil
		}
	}
	if wrapped, ok := value.(interface{ marshal() ([]byte, error) }); ok {
		return wrapped.marshal()
	}
	switch data := value.(type) {
	case []byte:
		return data, nil
	case sql.RawBytes:
		return data, nil
	}
	used := current.Load()
	if made, done, err := used.documentOf(value, nil); done {
		return made, err
	}
	return used.encodeField(value, func(kind bson.Type, data []byte) []byte {
		if kind == bson.TypeEmbeddedDocument {
			return bytes.Clone(data)
		}
		return wrap(kind, data)
	})
}

// encodeField encodes a value by mongo-driver, as a field, as only so what is no document has a type.
func (c *codecs) encodeField(value any, made func(kind bson.Type, data []byte) []byte) ([]byte, error) {
	e, ok := c.encoders.Get().(*encoder)
	if !ok {
		e = newEncoder(c.registry)
	}
	e.buffer.Reset()
	e.field[0].Value = value
	err := e.encoder.Encode(e.document)
	e.field[0].Value = nil
	if err != nil {
		return nil, err // with an encoder that is in the middle of a document
	}
	if e.buffer.Cap() <= maxKept {
		defer c.encoders.Put(e)
	}
	field := e.buffer.Bytes()
	return made(bson.Type(field[4]), field[6:len(field)-1]), nil
}

// An encoder that is used again, as a new one takes longer than a document
type encoder struct {
	buffer   bytes.Buffer
	encoder  *bson.Encoder
	field    bson.D
	document any // the same
}

// The largest buffer that is kept for the next document
const maxKept = 1 << 20

func newEncoder(registry *bson.Registry) *encoder {
	e := &encoder{field: bson.D{{Key: ""}}}
	e.document = e.field
	e.encoder = bson.NewEncoder(bson.NewDocumentWriter(&e.buffer))
	e.encoder.SetRegistry(registry)
	return e
}

func wrap(kind bson.Type, data []byte) []byte {
	document := binary.LittleEndian.AppendUint32(nil, uint32(4+len(envelope)+2+len(data)+1))
	document = append(document, envelope...)
	document = append(document, byte(kind), 0)
	document = append(document, data...)
	return append(document, 0)
}

func decode(data []byte, target any) error {
	if len(data) > 8 && string(data[4:6]) == envelope && data[7] == 0 {
		return decodeValue(bson.RawValue{Type: bson.Type(data[6]), Value: data[8 : len(data)-1]}, target)
	}
	return decodeValue(bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}, target)
}

func decodeValue(value bson.RawValue, target any) error {
	if raw, ok := target.(*bson.Raw); ok {
		if value.Type != bson.TypeEmbeddedDocument && value.Type != bson.TypeArray {
			return fmt.Errorf("cannot scan a bson %s into a bson.Raw, but into a bson.RawValue", value.Type)
		}
		*raw = bytes.Clone(value.Value)
		return nil
	}
	// a string and a []byte are what they are where pgx reads text: JSON
	switch target := target.(type) {
	case *string:
		text, err := extendedJSON(value)
		*target = string(text)
		return err
	case *[]byte:
		text, err := extendedJSON(value)
		*target = text
		return err
	}
	used := current.Load()
	if done, err := used.read(value.Type, value.Value, target); done {
		return err
	}
	return value.UnmarshalWithRegistry(used.registry, target)
}

func extendedJSON(value bson.RawValue) ([]byte, error) {
	text, err := bson.MarshalExtJSON(bson.D{{Key: "", Value: value}}, false, false)
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(text, []byte(`{"":`)), []byte("}")), nil
}

// A text form of the type: the bytes in hexadecimal, which lose nothing
func toText(data []byte) string { return `\x` + hex.EncodeToString(data) }

// The text form of the type is Extended JSON or the bytes in hexadecimal
func decodeText(text []byte, target any) error {
	if digits, ok := bytes.CutPrefix(text, []byte(`\x`)); ok {
		data := make([]byte, hex.DecodedLen(len(digits)))
		if _, err := hex.Decode(data, digits); err != nil {
			return err
		}
		return decode(data, target)
	}
	value, err := parseText(text)
	if err != nil {
		return err
	}
	return decodeValue(value, target)
}

func parseText(text []byte) (bson.RawValue, error) {
	var field struct {
		Value bson.RawValue `bson:"v"`
	}
	err := bson.UnmarshalExtJSON(bytes.Join([][]byte{[]byte(`{"v":`), text, []byte(`}`)}, nil), false, &field)
	return field.Value, err
}

// Document is a bson for database/sql and GORM, and for pgx where it knows no
// types.  T is what bson.MarshalValue and bson.UnmarshalValue take, also an array
// or a scalar; Valid is false for NULL, as in sql.Null, and a V of nil is BSON's null.
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
	data, err := encode(d.V)
	if err == nil && data == nil {
		return wrap(bson.TypeNull, nil), nil
	}
	return data, err
}

// Value implements driver.Valuer, by a text of the type that every driver sends
// as it is: the bytes in hexadecimal.
func (d Document[T]) Value() (driver.Value, error) {
	data, err := d.marshal()
	if err != nil || data == nil {
		return nil, err
	}
	return toText(data), nil
}

// Scan implements sql.Scanner, for BSON bytes and for the type's text.
func (d *Document[T]) Scan(src any) error {
	*d = Document[T]{}
	var data []byte
	switch src := src.(type) {
	case nil:
		return nil
	case []byte:
		data = src
	case string:
		data = []byte(src)
	default:
		return fmt.Errorf("cannot scan %T into a bson document", src)
	}
	d.Valid = true
	// no text is as long as its first four characters would say
	if len(data) >= 5 && uint64(binary.LittleEndian.Uint32(data)) == uint64(len(data)) {
		return decode(data, &d.V)
	}
	return decodeText(data, &d.V)
}

// MarshalJSON makes the JSON of V, as encoding/json does, and null of NULL.
func (d Document[T]) MarshalJSON() ([]byte, error) {
	if !d.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(d.V)
}

// UnmarshalJSON fills V as encoding/json does; null is NULL.
func (d *Document[T]) UnmarshalJSON(text []byte) error {
	*d = Document[T]{}
	if string(text) == "null" {
		return nil
	}
	d.Valid = true
	return json.Unmarshal(text, &d.V)
}

// MarshalBSONValue encodes a Document within another document, as what it holds, or as null.
func (d Document[T]) MarshalBSONValue() (kind byte, data []byte, err error) {
	if !d.Valid {
		return byte(bson.TypeNull), nil, nil
	}
	data, err = current.Load().encodeField(d.V, func(of bson.Type, data []byte) []byte {
		kind = byte(of)
		return bytes.Clone(data)
	})
	return kind, data, err
}

// UnmarshalBSONValue decodes what MarshalBSONValue encodes.
func (d *Document[T]) UnmarshalBSONValue(kind byte, data []byte) error {
	*d = Document[T]{Valid: bson.Type(kind) != bson.TypeNull}
	if !d.Valid {
		return nil
	}
	return decodeValue(bson.RawValue{Type: bson.Type(kind), Value: bytes.Clone(data)}, &d.V)
}

// GormDataType tells GORM the type of a column.
func (Document[T]) GormDataType() string { return "bson" }
