package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is sent over a Unix socket arrives, also where it waits for room or for the other side; deadlines and closing end the waiting.
func TestQuiet(t *testing.T) {
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialed, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	other, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	conn := Quiet(dialed)
	if _, is := conn.(*direct).Conn.(*quiet); !is {
		t.Fatal("the connection is not of this kind")
	}
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	for range 3 {
		got := make([]byte, len(long))
		go func() {
			time.Sleep(20 * time.Millisecond)
			_, _ = io.ReadFull(other, got)
			_, _ = other.Write(got)
		}()
		if _, err = conn.Write(long); err != nil {
			t.Fatal(err)
		}
		back := make([]byte, len(long))
		if _, err = io.ReadFull(conn, back); err != nil || !bytes.Equal(back, long) {
			t.Fatal("other bytes came back", err)
		}
	}
	// also where there is room again before the socket is waited for
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	go func() { _, _ = io.CopyN(io.Discard, other, 300*int64(len(long))) }()
	for n := range 300 {
		if _, err = conn.Write(long); err != nil {
			t.Fatal(n, err)
		}
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Millisecond))
	if _, err = conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a read has no deadline", err)
	}
	if _, err = conn.Write(long); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a write has no deadline", err)
	}
	_ = conn.SetDeadline(time.Time{})
	time.AfterFunc(20*time.Millisecond, func() { conn.Close() })
	if _, err = conn.Read(make([]byte, 1)); err == nil {
		t.Error("a read goes on after its connection was closed")
	}
	if conn.Close() == nil {
		t.Error("a connection is closed twice")
	}
}
