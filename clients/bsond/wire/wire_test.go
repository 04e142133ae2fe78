package wire

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/FerretDB/wire/wirebson"
)

// The envelope must be the one that the extension knows, byte by byte.
func TestRoot(t *testing.T) {
	array, _ := wirebson.MustArray(int32(5)).Encode()
	document, _ := wirebson.MustDocument("a", int32(1)).Encode()
	for _, c := range []struct {
		value any
		want  string
	}{
		{int32(5), "0d000000ff0010000500000000"},
		{array, "15000000ff0004000c0000001030000500000000" + "00"},
		{document, "0c0000001061000100000000"},
		{nil, ""}, {wirebson.Null, ""},
	} {
		if got := hex.EncodeToString(Root(c.value)); got != c.want {
			t.Errorf("Root(%v) is %s, not %s", c.value, got, c.want)
		}
	}
}

// Whatever the bytes are, reading a message ends with a command or an error, and never in a panic.
func FuzzRead(f *testing.F) {
	ping, _ := hex.DecodeString("2c0000000100000000000000dd0700000000000000170000001070696e67000100000002246462000200000061000000")
	f.Add(ping)
	f.Add(ping[:20])
	f.Add([]byte{16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0})
	f.Add([]byte{26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0})
	f.Add([]byte{26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 127, 0})
	f.Fuzz(func(t *testing.T, message []byte) {
		c, err := Read(bufio.NewReader(bytes.NewReader(message)))
		if err == nil && c.Doc == nil {
			t.Error("a command without a document")
		}
	})
}
