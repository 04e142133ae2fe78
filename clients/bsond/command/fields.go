package command

import (
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

// The functions of this package fail by throwing an error. Whoever answers, or holds a connection or a transaction, catches it.
type thrown struct{ error }

func throw(err error) { panic(thrown{err}) }

func fail(code mongoerr.Code, format string, args ...any) {
	throw(mongoerr.New(code, format, args...))
}

func check(err error) {
	if err != nil {
		throw(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// caught is the error that work throws
func caught(work func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case thrown:
			err = p.error
		default:
			slog.Error("a mistake in bsond", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a mistake in bsond: %v", p)
		}
	}()
	work()
	return nil
}

var empty = wirebson.RawDocument{5, 0, 0, 0, 0}

// fields are those of a command, or of a document in it. One that is missing or null has the value that stands for nothing; any other
// must be of its type.
type fields struct{ *wirebson.Document }

func (f fields) Int(name string, or int64) int64 {
	switch v := f.Get(name).(type) {
	case nil, wirebson.NullType, wirebson.UndefinedType:
		return or
	case float64:
		return int64(math.Trunc(min(max(v, -1<<53), 1<<53))) // as in MongoDB
	default:
		n, isNumber := wire.Number(v)
		if !isNumber {
			fail(mongoerr.TypeMismatch, "BSON field '%s' is the wrong type, expected a number", name)
		}
		return n
	}
}

// Bool is whether the field is true, or a number other than zero.
func (f fields) Bool(name string) bool {
	switch v := f.Get(name).(type) {
	case bool:
		return v
	case float64:
		return v != 0
	default:
		return f.Int(name, 0) != 0
	}
}

func (f fields) Str(name string) string {
	return nested[string](f, name, "string")
}

// nested is a value that must be of this type, or is missing
func nested[T any](f fields, name, expected string) (v T) {
	switch value := f.Get(name).(type) {
	case nil, wirebson.NullType, wirebson.UndefinedType:
	case T:
		return value
	default:
		fail(mongoerr.TypeMismatch, "BSON field '%s' is the wrong type, expected type '%s'", name, expected)
	}
	return v
}

func (f fields) Obj(name string) wirebson.RawDocument {
	return nested[wirebson.RawDocument](f, name, "object")
}

// Some is a document with at least one field.
func (f fields) Some(name string) wirebson.RawDocument {
	if d := f.Obj(name); len(d) > len(empty) {
		return d
	}
	return nil
}

func (f fields) Sub(name string) fields {
	if d := f.Obj(name); d != nil {
		return fieldsOf(d)
	}
	return fields{doc()}
}

// Values are the elements of an array.
func (f fields) Values(name string) (values []any) {
	if array := nested[wirebson.RawArray](f, name, "array"); array != nil {
		for v := range must(array.Decode()).Values() {
			values = append(values, v)
		}
	}
	return values
}

// Objs are the documents of an array.
func (f fields) Objs(name string) (list []wirebson.RawDocument) {
	for _, v := range f.Values(name) {
		d, isDocument := v.(wirebson.RawDocument)
		if !isDocument {
			fail(mongoerr.TypeMismatch, "'%s' must be an array of documents", name)
		}
		list = append(list, d)
	}
	return list
}

// order is the sort of a command; nil if any order will do
func (f fields) order() wirebson.RawDocument {
	if sort := f.Some("sort"); sort != nil && fieldsOf(sort).Command() != "$natural" {
		return sort
	}
	return nil
}

func fieldsOf(d wirebson.RawDocument) fields {
	decoded, err := d.Decode()
	if err != nil {
		fail(mongoerr.FailedToParse, "a field has a type that no command takes") // the message itself was checked
	}
	return fields{decoded}
}

func doc(pairs ...any) *wirebson.Document { return wirebson.MustDocument(pairs...) }

func set(d *wirebson.Document, name string, value any) { check(d.Add(name, value)) }

// array is a BSON array of values of Go
func array[T any](values ...T) *wirebson.Array {
	a := wirebson.MakeArray(len(values))
	for _, v := range values {
		check(a.Add(v))
	}
	return a
}

// list is an array of documents of the command, which may have come in a section of its own
func (r *Request) list(name string) []wirebson.RawDocument {
	if len(r.Documents) > 0 {
		if r.Get(name) != nil {
			fail(40413, "BSON field '%s.%s' is a duplicate field", r.Name, name)
		}
		return r.Documents
	}
	if r.Get(name) == nil {
		fail(mongoerr.MissingField, "BSON field '%s.%s' is missing but a required field", r.Name, name)
	}
	return r.Objs(name)
}
