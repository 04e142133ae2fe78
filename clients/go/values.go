package pgbson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// reading says what becomes of values that are read into an any.
type reading struct {
	numbers Numbers
	maps    bool
}

var errDamaged = errors.New("the bytes are no bson document")

// A value that is nested deeper is refused, as each level takes a part of the stack; the server accepts fewer.
const maxDepth = 10000

// read fills what mongo-driver would fill with the same values, but by its decoders for each type, which take twice as
// long; false for any other target, or another kind of value.
func (r reading) read(kind bson.Type, data []byte, target any) (done bool, err error) {
	switch target := target.(type) {
	case *any:
		*target, err = r.value(kind, data, 0)
		return true, err
	case *bson.D:
		if kind == bson.TypeEmbeddedDocument {
			*target, err = r.document(data, 0)
			return true, err
		}
	case *bson.M:
		if kind == bson.TypeEmbeddedDocument {
			*target, err = r.fields(data, 0)
			return true, err
		}
	case *map[string]any:
		if kind == bson.TypeEmbeddedDocument {
			*target, err = r.fields(data, 0)
			return true, err
		}
	case *bson.A:
		if kind == bson.TypeArray {
			*target, err = r.array(data, 0)
			return true, err
		}
	case *[]any:
		if kind == bson.TypeArray {
			*target, err = r.array(data, 0)
			return true, err
		}
	}
	return false, nil
}

func (r reading) document(data []byte, depth int) (bson.D, error) {
	count, err := countElements(data, depth)
	if err != nil {
		return nil, err
	}
	document := make(bson.D, 0, count)
	for rest := data[4:]; len(rest) > 1; {
		kind, key, value, after := element(rest)
		made, err := r.value(kind, value, depth+1)
		if err != nil {
			return nil, err
		}
		document = append(document, bson.E{Key: string(key), Value: made})
		rest = after
	}
	return document, nil
}

func (r reading) fields(data []byte, depth int) (map[string]any, error) {
	count, err := countElements(data, depth)
	if err != nil {
		return nil, err
	}
	document := make(map[string]any, count)
	for rest := data[4:]; len(rest) > 1; {
		kind, key, value, after := element(rest)
		if document[string(key)], err = r.value(kind, value, depth+1); err != nil {
			return nil, err
		}
		rest = after
	}
	return document, nil
}

func (r reading) array(data []byte, depth int) ([]any, error) {
	count, err := countElements(data, depth)
	if err != nil {
		return nil, err
	}
	array := make([]any, 0, count)
	for rest := data[4:]; len(rest) > 1; {
		kind, _, value, after := element(rest)
		made, err := r.value(kind, value, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, made)
		rest = after
	}
	return array, nil
}

// countElements makes sure that element can walk over data.
func countElements(data []byte, depth int) (count int, err error) {
	if len(data) < 5 || uint64(binary.LittleEndian.Uint32(data)) != uint64(len(data)) || data[len(data)-1] != 0 || depth > maxDepth {
		return 0, errDamaged
	}
	for rest := data[4:]; len(rest) > 1; count++ {
		end := bytes.IndexByte(rest[1:], 0)
		if end < 0 {
			return 0, errDamaged
		}
		size := valueSize(bson.Type(rest[0]), rest[end+2:])
		if size < 0 || size >= len(rest)-(end+2) {
			return 0, errDamaged
		}
		rest = rest[end+2+size:]
	}
	return count, nil
}

func element(rest []byte) (kind bson.Type, key, value, after []byte) {
	end := 1 + bytes.IndexByte(rest[1:], 0)
	kind, key = bson.Type(rest[0]), rest[1:end]
	size := valueSize(kind, rest[end+1:])
	return kind, key, rest[end+1 : end+1+size], rest[end+1+size:]
}

// valueSize is how long the value is that data begins with, and -1 if it cannot be one
func valueSize(kind bson.Type, data []byte) int {
	prefixed := func(more, least int) int {
		if len(data) < 4 {
			return -1
		}
		length := int64(binary.LittleEndian.Uint32(data))
		if length > math.MaxInt32-32 || length < int64(least) {
			return -1
		}
		return int(length) + more
	}
	switch kind {
	case bson.TypeNull, bson.TypeUndefined, bson.TypeMinKey, bson.TypeMaxKey:
		return 0
	case bson.TypeBoolean:
		return 1
	case bson.TypeInt32:
		return 4
	case bson.TypeInt64, bson.TypeDouble, bson.TypeDateTime, bson.TypeTimestamp:
		return 8
	case bson.TypeObjectID:
		return 12
	case bson.TypeDecimal128:
		return 16
	case bson.TypeString, bson.TypeJavaScript, bson.TypeSymbol:
		return prefixed(4, 1)
	case bson.TypeEmbeddedDocument, bson.TypeArray:
		return prefixed(0, 5)
	case bson.TypeCodeWithScope:
		return prefixed(0, 14)
	case bson.TypeBinary:
		return prefixed(5, 0)
	case bson.TypeDBPointer:
		return prefixed(16, 1)
	case bson.TypeRegex:
		if pattern := bytes.IndexByte(data, 0); pattern >= 0 {
			if options := bytes.IndexByte(data[pattern+1:], 0); options >= 0 {
				return pattern + options + 2
			}
		}
	}
	return -1
}

// value makes what is read into an any; the size of data is that of the value.
func (r reading) value(kind bson.Type, data []byte, depth int) (any, error) {
	if valueSize(kind, data) != len(data) {
		return nil, errDamaged
	}
	switch kind {
	case bson.TypeEmbeddedDocument:
		if r.maps {
			return r.fields(data, depth)
		}
		return r.document(data, depth)
	case bson.TypeArray:
		array, err := r.array(data, depth)
		if r.maps || err != nil {
			return array, err
		}
		return bson.A(array), nil
	case bson.TypeString:
		return string(data[4 : len(data)-1]), nil
	case bson.TypeInt32, bson.TypeInt64, bson.TypeDouble, bson.TypeDecimal128:
		if r.numbers.made != nil {
			return r.numbers.made(kind, data)
		}
		return storedNumber(kind, data), nil
	case bson.TypeBoolean:
		return data[0] != 0, nil
	case bson.TypeNull:
		return nil, nil
	case bson.TypeObjectID:
		return bson.ObjectID(data), nil
	case bson.TypeDateTime:
		return bson.DateTime(binary.LittleEndian.Uint64(data)), nil
	}
	return r.rareValue(kind, data, depth)
}

func (r reading) rareValue(kind bson.Type, data []byte, depth int) (any, error) {
	switch kind {
	case bson.TypeBinary:
		subtype, content := data[4], data[5:]
		if subtype == bson.TypeBinaryBinaryOld {
			if len(content) < 4 {
				return nil, errDamaged
			}
			content = content[4:]
		}
		return bson.Binary{Subtype: subtype, Data: append([]byte{}, content...)}, nil
	case bson.TypeRegex:
		pattern := bytes.IndexByte(data, 0)
		return bson.Regex{Pattern: string(data[:pattern]), Options: string(data[pattern+1 : len(data)-1])}, nil
	case bson.TypeTimestamp:
		return bson.Timestamp{T: binary.LittleEndian.Uint32(data[4:]), I: binary.LittleEndian.Uint32(data)}, nil
	case bson.TypeJavaScript:
		return bson.JavaScript(data[4 : len(data)-1]), nil
	case bson.TypeSymbol:
		return bson.Symbol(data[4 : len(data)-1]), nil
	case bson.TypeCodeWithScope:
		size := valueSize(bson.TypeJavaScript, data[4:])
		if size < 0 || size > len(data)-4 {
			return nil, errDamaged
		}
		scope, err := r.document(data[4+size:], depth+1)
		return bson.CodeWithScope{Code: bson.JavaScript(data[8 : 4+size-1]), Scope: scope}, err
	case bson.TypeDBPointer:
		return bson.DBPointer{DB: string(data[4 : len(data)-13]), Pointer: bson.ObjectID(data[len(data)-12:])}, nil
	case bson.TypeMinKey:
		return bson.MinKey{}, nil
	case bson.TypeMaxKey:
		return bson.MaxKey{}, nil
	}
	return bson.Undefined{}, nil
}

func storedNumber(kind bson.Type, data []byte) any {
	switch kind {
	case bson.TypeInt32:
		return int32(binary.LittleEndian.Uint32(data))
	case bson.TypeInt64:
		return int64(binary.LittleEndian.Uint64(data))
	case bson.TypeDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(data))
	}
	return bson.NewDecimal128(binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data))
}

// nativeNumber is a float64, but for a long that a float64 cannot hold.
func nativeNumber(kind bson.Type, data []byte) (any, error) {
	switch number := storedNumber(kind, data).(type) {
	case int32:
		return float64(number), nil
	case int64:
		if float := float64(number); float < 1<<63 && int64(float) == number {
			return float, nil
		}
		return number, nil
	case bson.Decimal128:
		return strconv.ParseFloat(number.String(), 64)
	default:
		return number, nil
	}
}

// decoder is for an any among what mongo-driver fills, such as a field of a struct.
func (r reading) decoder(raw bson.ValueDecoder) bson.ValueDecoderFunc {
	return func(c bson.DecodeContext, from bson.ValueReader, target reflect.Value) error {
		var value bson.RawValue
		if err := raw.DecodeValue(c, from, reflect.ValueOf(&value).Elem()); err != nil {
			return err
		}
		made, err := r.value(value.Type, value.Value, 0)
		if err != nil || made == nil {
			target.SetZero()
			return err
		}
		target.Set(reflect.ValueOf(made))
		return nil
	}
}
