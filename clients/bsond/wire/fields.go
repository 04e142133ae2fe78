package wire

import (
	"math"

	"github.com/FerretDB/wire/wirebson"
)

// Number is this value as a whole number, if it is one; drivers send these as any of the numeric types.
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
	return Alone(one[4], one[6:len(one)-1])
}

// Alone is the same of a value of this type, whose bytes these are.
func Alone(kind byte, data []byte) wirebson.RawDocument {
	if kind == 0x03 {
		return data
	}
	n := 9 + len(data)
	b := append(make([]byte, 0, n), byte(n), byte(n>>8), byte(n>>16), byte(n>>24), 0xff, 0, kind, 0)
	return append(append(b, data...), 0)
}
