package pgbson

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// writer appends a value, as mongo-driver's encoders do in several times the time, and puts its type to where there is room for it.
type writer func(to []byte, kind int, value reflect.Value) ([]byte, error)

// documentOf appends a struct, or the one that a pointer leads to, to a buffer; false for any other value, and for what
// mongo-driver is to encode.
func (c *codecs) documentOf(value any, buf []byte) (made []byte, done bool, err error) {
	v := reflect.ValueOf(value)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, false, nil
	}
	write, known := c.writers.Load(v.Type())
	if !known {
		write, _ = c.writers.LoadOrStore(v.Type(), c.documentWriter(v.Type()))
	}
	if write.(writer) == nil {
		return nil, false, nil
	}
	// with a place for the type
	made, err = write.(writer)(append(buf, 0), len(buf), reflect.Indirect(v))
	if err != nil {
		return nil, true, err
	}
	return append(made[:len(buf)], made[len(buf)+1:]...), true, nil
}

func (c *codecs) documentWriter(t reflect.Type) writer {
	if t.Implements(typeMarshals) {
		return nil
	}
	if t.Kind() == reflect.Pointer && c.isOwn(t) {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return c.structWriter(t, map[reflect.Type]*writer{})
}

// isOwn tells whether values of the type are encoded as all of its kind are.
func (c *codecs) isOwn(t reflect.Type) bool {
	examples := map[reflect.Kind]any{reflect.String: "", reflect.Bool: false, reflect.Int: 0, reflect.Int8: int8(0), reflect.Int16: int16(0), reflect.Int32: int32(0), reflect.Int64: int64(0),
		reflect.Float32: float32(0), reflect.Float64: 0.0, reflect.Slice: []string{}, reflect.Pointer: new(string), reflect.Struct: struct{}{}}
	example, known := examples[t.Kind()]
	if !known {
		return false
	}
	mine, err := c.registry.LookupEncoder(t)
	usual, usualErr := c.registry.LookupEncoder(reflect.TypeOf(example))
	if err != nil || usualErr != nil || reflect.TypeOf(mine) != reflect.TypeOf(usual) {
		return false
	}
	if function := reflect.ValueOf(mine); function.Kind() == reflect.Func {
		return function.Pointer() == reflect.ValueOf(usual).Pointer()
	}
	return mine == usual
}

var (
	typeTime      = reflect.TypeOf(time.Time{})
	typeObjectID  = reflect.TypeOf(bson.ObjectID{})
	typeDecimal   = reflect.TypeOf(bson.Decimal128{})
	typeDateTime  = reflect.TypeOf(bson.DateTime(0))
	typeZeroer    = reflect.TypeOf((*interface{ IsZero() bool })(nil)).Elem()
	typeOfElement = reflect.TypeOf(bson.E{})
	typeMarshals  = reflect.TypeOf((*interface{ marshal() ([]byte, error) })(nil)).Elem()
)

// writerOf is nil for what mongo-driver is to encode; "made" has the structs that are under way, as a type may hold itself.
func (c *codecs) writerOf(t reflect.Type, made map[reflect.Type]*writer) writer {
	switch t {
	case typeTime:
		return func(to []byte, kind int, value reflect.Value) ([]byte, error) {
			return eight(to, kind, bson.TypeDateTime, uint64(bson.NewDateTimeFromTime(value.Interface().(time.Time)))), nil
		}
	case typeDateTime:
		return func(to []byte, kind int, value reflect.Value) ([]byte, error) {
			return eight(to, kind, bson.TypeDateTime, uint64(value.Int())), nil
		}
	case typeObjectID:
		return func(to []byte, kind int, value reflect.Value) ([]byte, error) {
			id := value.Interface().(bson.ObjectID)
			to[kind] = byte(bson.TypeObjectID)
			return append(to, id[:]...), nil
		}
	case typeDecimal:
		return func(to []byte, kind int, value reflect.Value) ([]byte, error) {
			high, low := value.Interface().(bson.Decimal128).GetBytes()
			return binary.LittleEndian.AppendUint64(eight(to, kind, bson.TypeDecimal128, low), high), nil
		}
	}
	if !c.isOwn(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return writeString
	case reflect.Bool:
		return writeBool
	case reflect.Float32, reflect.Float64:
		return writeFloat
	case reflect.Int64:
		return func(to []byte, kind int, value reflect.Value) ([]byte, error) {
			return eight(to, kind, bson.TypeInt64, uint64(value.Int())), nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return writeInt
	case reflect.Pointer:
		return c.pointerWriter(t.Elem(), made)
	case reflect.Slice:
		return c.sliceWriter(t.Elem(), made)
	}
	return c.structWriter(t, made)
}

func eight(to []byte, kind int, of bson.Type, value uint64) []byte {
	to[kind] = byte(of)
	return binary.LittleEndian.AppendUint64(to, value)
}

func writeString(to []byte, kind int, value reflect.Value) ([]byte, error) {
	text := value.String()
	to[kind] = byte(bson.TypeString)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(text)+1))
	return append(append(to, text...), 0), nil
}

func writeBool(to []byte, kind int, value reflect.Value) ([]byte, error) {
	to[kind] = byte(bson.TypeBoolean)
	if value.Bool() {
		return append(to, 1), nil
	}
	return append(to, 0), nil
}

func writeFloat(to []byte, kind int, value reflect.Value) ([]byte, error) {
	return eight(to, kind, bson.TypeDouble, math.Float64bits(value.Float())), nil
}

func writeInt(to []byte, kind int, value reflect.Value) ([]byte, error) {
	number := value.Int()
	if number != int64(int32(number)) {
		return eight(to, kind, bson.TypeInt64, uint64(number)), nil
	}
	to[kind] = byte(bson.TypeInt32)
	return binary.LittleEndian.AppendUint32(to, uint32(number)), nil
}

func (c *codecs) pointerWriter(t reflect.Type, made map[reflect.Type]*writer) writer {
	write := c.writerOf(t, made)
	if write == nil {
		return nil
	}
	return func(to []byte, kind int, value reflect.Value) ([]byte, error) {
		if value.IsNil() {
			to[kind] = byte(bson.TypeNull)
			return to, nil
		}
		return write(to, kind, value.Elem())
	}
}

func (c *codecs) sliceWriter(t reflect.Type, made map[reflect.Type]*writer) writer {
	if t.Kind() == reflect.Uint8 || t.ConvertibleTo(typeOfElement) {
		return nil
	}
	write := c.writerOf(t, made)
	if write == nil {
		return nil
	}
	return func(to []byte, kind int, value reflect.Value) (_ []byte, err error) {
		if value.IsNil() {
			to[kind] = byte(bson.TypeNull)
			return to, nil
		}
		to[kind] = byte(bson.TypeArray)
		begin := len(to)
		to = append(to, 0, 0, 0, 0)
		for i := 0; i < value.Len(); i++ {
			at := len(to)
			to = append(strconv.AppendInt(append(to, 0), int64(i), 10), 0)
			if to, err = write(to, at, value.Index(i)); err != nil {
				return nil, err
			}
		}
		return closed(to, begin), nil
	}
}

func closed(to []byte, begin int) []byte {
	to = append(to, 0)
	binary.LittleEndian.PutUint32(to[begin:], uint32(len(to)-begin))
	return to
}

// A field of a struct; "key" has a byte for the type before the name.
type field struct {
	index     int
	key       []byte
	omitEmpty bool
	write     writer
}

func (c *codecs) structWriter(t reflect.Type, made map[reflect.Type]*writer) writer {
	if known := made[t]; known != nil {
		return func(to []byte, kind int, value reflect.Value) ([]byte, error) { return (*known)(to, kind, value) }
	}
	if !c.isOwn(t) || isHidden(t) {
		return nil
	}
	write := new(writer)
	*write, made[t] = c.byDriver, write
	fields, names := []field{}, map[string]bool{}
	for i := 0; i < t.NumField(); i++ {
		of := t.Field(i)
		name, omitEmpty, plain := tagOf(of)
		if name == "-" || of.PkgPath != "" {
			continue
		}
		if !plain || names[name] || strings.Contains(name, "\x00") || omitEmpty && (of.Type.Implements(typeZeroer) || of.Type.Kind() == reflect.Struct || of.Type.Kind() == reflect.Interface) {
			return c.byDriver
		}
		names[name] = true
		one := field{index: i, key: []byte("\x00" + name + "\x00"), omitEmpty: omitEmpty, write: c.writerOf(of.Type, made)}
		if one.write == nil {
			one.write = c.byDriver
		}
		fields = append(fields, one)
	}
	*write = func(to []byte, kind int, value reflect.Value) (_ []byte, err error) {
		to[kind] = byte(bson.TypeEmbeddedDocument)
		begin := len(to)
		to = append(to, 0, 0, 0, 0)
		for i := range fields {
			of, at := value.Field(fields[i].index), len(to)
			if fields[i].omitEmpty && isEmpty(of) {
				continue
			}
			if to, err = fields[i].write(append(to, fields[i].key...), at, of); err != nil {
				return nil, err
			}
		}
		return closed(to, begin), nil
	}
	return *write
}

// tagOf reads the tag of a field as mongo-driver does; it is not plain if it has options that are left to mongo-driver.
func tagOf(of reflect.StructField) (name string, omitEmpty, plain bool) {
	tag, ok := of.Tag.Lookup("bson")
	if !ok && !strings.Contains(string(of.Tag), ":") {
		tag = string(of.Tag)
	}
	name, options, _ := strings.Cut(tag, ",")
	plain = true
	for _, option := range append(strings.Split(options, ","), name) {
		omitEmpty = omitEmpty || option == "omitempty"
		plain = plain && option != "inline" && option != "minsize"
	}
	if name == "" {
		name = strings.ToLower(of.Name)
	} else if tag != "-" && name == "-" {
		plain, name = false, "- "
	}
	return name, omitEmpty, plain
}

func isEmpty(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return value.Len() == 0
	}
	return value.IsZero()
}

// byDriver has mongo-driver encode a value; one that has an address by that, as its pointer may have methods.
func (c *codecs) byDriver(to []byte, kind int, value reflect.Value) ([]byte, error) {
	if value.Kind() != reflect.Interface && value.CanAddr() {
		value = value.Addr()
	}
	return c.encodeField(value.Interface(), func(of bson.Type, data []byte) []byte {
		to[kind] = byte(of)
		return append(to, bytes.Clone(data)...)
	})
}
