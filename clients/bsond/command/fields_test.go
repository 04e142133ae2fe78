package command

import (
	"testing"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
)

func TestNumbers(t *testing.T) {
	f := fields{wirebson.MustDocument("i", int32(1), "l", int64(2), "d", 3.0, "f", 3.5, "s", "x", "b", true, "z", int32(0), "n", wirebson.Null)}
	for name, want := range map[string]int64{"i": 1, "l": 2, "d": 3, "f": 3, "n": -1, "none": -1} {
		if got := f.Int(name, -1); got != want {
			t.Errorf("Int(%s) is %d", name, got)
		}
	}
	for name, want := range map[string]bool{"i": true, "b": true, "z": false, "n": false, "none": false, "f": true} {
		if got := f.Bool(name); got != want {
			t.Errorf("Bool(%s) is %v", name, got)
		}
	}
	for _, err := range []error{caught(func() { f.Int("s", 0) }), caught(func() { f.Int("b", 0) }), caught(func() { f.Bool("s") })} {
		if err == nil || mongoerr.Of(err).Code != mongoerr.TypeMismatch {
			t.Errorf("a string as a number is %v", err)
		}
	}
}

// A query of a wrong type must not be one that finds all.
func TestTypes(t *testing.T) {
	f := fields{wirebson.MustDocument("q", int32(1), "n", wirebson.Null)}
	if err := caught(func() { f.Obj("q") }); err == nil || mongoerr.Of(err).Code != mongoerr.TypeMismatch {
		t.Errorf("a number as a document is %v", err)
	}
	if f.Obj("n") != nil || f.Obj("none") != nil {
		t.Error("what is null or missing is a document")
	}
}
