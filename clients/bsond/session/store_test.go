package session

import (
	"bytes"
	"encoding/binary"
	"testing"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
)

// What is put into a store comes out in its order, also what was put back, and nothing of it is left.
func TestStore(t *testing.T) {
	sized := func(n, with int) wirebson.RawDocument {
		d := bytes.Repeat([]byte{byte(with)}, n)
		binary.LittleEndian.PutUint32(d, uint32(n))
		return d
	}
	owner := &Pool{p: &Postgres{Files: 4 << 20}}
	s := &store{owner: owner}
	for round := range 3 {
		sizes := []int{5, 7, inMemory, 8, 2 * inMemory, 5, 5}
		for i, n := range sizes[round:] {
			if err := s.put(sized(n, i+1)); err != nil {
				t.Fatal(err)
			}
		}
		for i, n := range sizes[round:] {
			for range 3 {
				d, err := s.next()
				if err != nil || !bytes.Equal(d, sized(n, i+1)) {
					t.Fatal(round, i, len(d), err)
				}
				s.back(d)
			}
			_, _ = s.next()
		}
		if d, err := s.next(); d != nil || err != nil || owner.files.Load() != 0 {
			t.Fatal(len(d), err, owner.files.Load())
		}
	}
	var err error
	for range 17 {
		if err == nil {
			err = s.put(sized(inMemory, 1))
		}
	}
	if err != nil {
		t.Error(err)
	}
	other := &store{owner: owner}
	for range 2 {
		err = other.put(sized(inMemory, 1))
	}
	if err == nil || mongoerr.Of(err).Code != mongoerr.ExceededMemoryLimit {
		t.Error(err)
	}
	s.close()
	if other.close(); owner.files.Load() != 0 {
		t.Error(owner.files.Load())
	}
}
