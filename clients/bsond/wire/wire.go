// Package wire reads MongoDB's messages as commands, and writes replies. It knows the bytes of the protocol and nothing
// of what a command means.
package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/FerretDB/wire"
	"github.com/FerretDB/wire/wirebson"
)

// Command is one command of a client. Nested documents are the client's bytes.
type Command struct {
	Name      string // the first field
	DB        string
	Doc       *wirebson.Document
	Raw       wirebson.RawDocument
	Documents []wirebson.RawDocument // those that came beside the command, in sections of kind 1
	NoReply   bool                   // the client does not wait for one
	Strange   bool                   // a field has a type that no command takes, such as JavaScript; then Doc has only the name

	header *wire.MsgHeader
	query  bool // OP_QUERY, in which drivers send their first hello
}

// Read reads the next command. A malformed message is an error, after which the connection is of no use.
func Read(r *bufio.Reader) (command *Command, err error) {
	defer func() {
		// the library trusts some lengths within a message
		if p := recover(); p != nil {
			command, err = nil, fmt.Errorf("malformed message: %v", p)
		}
	}()
	header, body, err := wire.ReadMessage(r)
	if err != nil {
		return nil, err
	}
	c := &Command{header: header}
	switch body := body.(type) {
	case *wire.OpMsg:
		var sequence []byte
		if first := body.Section0Raw()[4:]; first[0] == 0x0e {
			first[0] = 0x02 // a collection's name may be a symbol, as in MongoDB: Ruby's are
		}
		if c.Doc, c.Raw, sequence, err = body.Sections(); err != nil {
			if !strings.Contains(err.Error(), "unsupported tag") {
				return nil, err
			}
			name, _, _ := strings.Cut(string(body.Section0Raw()[5:]), "\x00")
			c.Strange, c.Doc = true, wirebson.MustDocument(name, int32(1))
		}
		c.NoReply = body.Flags.FlagSet(wire.OpMsgMoreToCome)
		if c.Documents, err = split(sequence); err != nil {
			return nil, err
		}
	case *wire.OpQuery:
		c.query = true
		c.Raw = body.QueryRaw()
		if c.Doc, err = c.Raw.Decode(); err != nil {
			return nil, err
		}
		// a router is asked by {$query: {hello: 1}, $readPreference: ...}
		if inner, ok := c.Doc.Get("$query").(wirebson.RawDocument); ok {
			c.Raw = inner
			if c.Doc, err = inner.Decode(); err != nil {
				return nil, err
			}
		}
		c.DB, _, _ = strings.Cut(body.FullCollectionName, ".")
	default:
		return nil, fmt.Errorf("messages of type %s are not accepted", header.OpCode)
	}
	c.Name = c.Doc.Command()
	if db, ok := c.Doc.Get("$db").(string); ok {
		c.DB = db
	}
	return c, nil
}

// Documents that follow each other.
func split(b []byte) ([]wirebson.RawDocument, error) {
	var all []wirebson.RawDocument
	for len(b) > 0 {
		n, err := wirebson.FindRaw(b)
		if err != nil {
			return nil, err
		}
		all = append(all, wirebson.RawDocument(b[:n]))
		b = b[n:]
	}
	return all, nil
}

// Append appends the reply to a command, in the kind of message that it came in.
func (c *Command) Append(b []byte, reply *wirebson.Document) ([]byte, error) {
	at, kind, head := len(b), wire.OpCodeMsg, 5 // no flags, and a section of kind 0
	if c.query {
		kind, head = wire.OpCodeReply, 20
	}
	for _, n := range []int32{0, c.header.RequestID, c.header.RequestID, int32(kind)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, make([]byte, head)...)
	if c.query {
		b[at+32] = 1 // one document
	}
	b, err := document(b, reply)
	if err == nil {
		binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at))
	}
	return b, err
}

// document appends a document, and copies what is long once only
func document(b []byte, d *wirebson.Document) (_ []byte, err error) {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	nested := func(kind byte, name string) { b = append(append(append(b, kind), name...), 0) }
	for name, v := range d.All() {
		switch v := v.(type) {
		case *wirebson.Document:
			nested(3, name)
			b, err = document(b, v)
		case wirebson.RawDocument:
			nested(3, name)
			b = append(b, v...)
		case wirebson.RawArray:
			nested(4, name)
			b = append(b, v...)
		// what most replies have, without a document of the library's for it
		case string:
			nested(2, name)
			b = append(append(binary.LittleEndian.AppendUint32(b, uint32(len(v)+1)), v...), 0)
		case int32:
			nested(0x10, name)
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case int64:
			nested(0x12, name)
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		case float64:
			nested(1, name)
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		case wirebson.Timestamp:
			nested(0x11, name)
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		default:
			var one wirebson.RawDocument
			if one, err = wirebson.MustDocument(name, v).Encode(); err == nil {
				b = append(b, one[4:len(one)-1]...)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	b = append(b, 0)
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at))
	return b, nil
}

// Bytes are those of a document.
func Bytes(d *wirebson.Document) (wirebson.RawDocument, error) { return document(nil, d) }

// IsEnd tells whether an error of Read is that the client has gone.
func IsEnd(err error) bool {
	return err == io.EOF || strings.Contains(err.Error(), "zero bytes read") || strings.Contains(err.Error(), "connection reset") ||
		strings.Contains(err.Error(), "use of closed network connection")
}
