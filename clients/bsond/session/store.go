package session

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"slices"

	"bson.example/bsond/mongoerr"
	"github.com/FerretDB/wire/wirebson"
)

// inMemory is how many bytes of documents a store has in memory
const inMemory = MaxBatch >> 6

// store has documents for a while: the first ones in memory, the others in a file that has no name. All files of a role have a limit.
type store struct {
	owner         *Pool
	list          []wirebson.RawDocument
	size          int // of the list
	file          *os.File
	w             *bufio.Writer
	r             *bufio.Reader
	written, read int64
}

func (s *store) put(d wirebson.RawDocument) (err error) {
	if s.file == nil && s.size+len(d) <= inMemory {
		s.list, s.size = append(s.list, slices.Clone(d)), s.size+len(d)
		return nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "bsond"); err != nil {
			return err
		}
		_ = os.Remove(s.file.Name())
		s.w = bufio.NewWriterSize(s.file, 64<<10)
	}
	s.written += int64(len(d))
	if most := s.owner.p.Files; s.owner.files.Add(int64(len(d))) > most {
		return mongoerr.New(mongoerr.ExceededMemoryLimit, "the rows of cursors that were not read take more than %d MB", most>>20)
	}
	_, err = s.w.Write(d)
	return err
}

// next takes the first document; nil if there is none
func (s *store) next() (d wirebson.RawDocument, err error) {
	if len(s.list) > 0 {
		d, s.list = s.list[0], s.list[1:]
		s.size -= len(d)
		return d, nil
	}
	if s.read == s.written {
		s.close()
		return nil, nil
	}
	if s.r == nil {
		if err = s.w.Flush(); err != nil {
			return nil, err
		}
		s.r = bufio.NewReaderSize(io.NewSectionReader(s.file, s.read, s.written-s.read), 64<<10)
	}
	head, err := s.r.Peek(4)
	if err != nil {
		return nil, err
	}
	d = make(wirebson.RawDocument, binary.LittleEndian.Uint32(head))
	_, err = io.ReadFull(s.r, d)
	s.read += int64(len(d))
	return d, err
}

// back puts back what was taken last
func (s *store) back(d wirebson.RawDocument) {
	if len(d) <= inMemory {
		s.list, s.size = slices.Insert(s.list, 0, d), s.size+len(d)
		return
	}
	s.read, s.r = s.read-int64(len(d)), nil
}

func (s *store) close() {
	if s.file != nil {
		_ = s.file.Close()
		s.owner.files.Add(-s.written)
	}
	*s = store{owner: s.owner}
}
