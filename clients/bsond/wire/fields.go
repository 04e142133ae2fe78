package wire

import (
	"math"

	"github.com/FerretDB/wire/wirebson"
)

// Fields of a command. Drivers send whole numbers as any of the numeric types.

// Int is a number of the field, or the default.
func Int(doc *wirebson.Document, name string, or int64) int64 {
	if n, ok := Number(doc.Get(name)); ok {
		return n
	}
	return or
}

// Number is this value as a whole number, if it is one.
func Number(v any) (int64, bool) {
	switch v := v.(type) {
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<62 {
			return int64(v), true
		}
	}
	return 0, false
}

// Bool is whether the field is true, or a number other than zero.
func Bool(doc *wirebson.Document, name string) bool {
	switch v := doc.Get(name).(type) {
	case bool:
		return v
	case nil, wirebson.NullType, wirebson.UndefinedType:
		return false
	default:
		n, ok := Number(v)
		return !ok || n != 0
	}
}

// String is a string of the field, or empty.
func String(doc *wirebson.Document, name string) string {
	s, _ := doc.Get(name).(string)
	return s
}

// Document is a document of the field; nil if there is none.
func Document(doc *wirebson.Document, name string) wirebson.RawDocument {
	d, _ := doc.Get(name).(wirebson.RawDocument)
	return d
}

// Root is a value as a bson that stands alone, as the extension stores and sends it: a document is its own bytes,
// anything else is in the envelope {"": MinKey, "": value}.
func Root(v any) wirebson.RawDocument {
	switch v := v.(type) {
	case nil, wirebson.NullType:
		return nil
	case wirebson.RawDocument:
		return v
	}
	one, err := wirebson.MustDocument("", v).Encode()
	if err != nil {
		return nil
	}
	// length, MinKey under an empty name, and the rest of {"": value}
	b := append([]byte{0, 0, 0, 0, 0xff, 0}, one[4:]...)
	n := len(b)
	b[0], b[1], b[2], b[3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	return b
}
