package wire

import (
	"io"
	"net"
	"syscall"
	"unsafe"
)

// direct is a connection whose reads and writes do not tell Go's scheduler that they are calls of the system. They never block, as
// the socket does not, and for each that it is told of after a rest it wakes its thread that looks after those that do: a third of
// the daemon's time, where commands come one by one.
type direct struct {
	net.Conn
	read, write func(try func(socket uintptr) bool) error // try again whenever the socket may be ready, until it was
}

// Direct is the same connection of TCP or a Unix socket; any other one stays as it is.
func Direct(conn net.Conn) net.Conn {
	if socket, is := conn.(syscall.Conn); is {
		if raw, err := socket.SyscallConn(); err == nil {
			return &direct{conn, raw.Read, raw.Write}
		}
	}
	return conn
}

// call calls the system until it has read or written something, waiting by "wait" for the socket
func call(number uintptr, wait func(func(uintptr) bool) error, b []byte) (n int, err error) {
	var failed syscall.Errno
	err = wait(func(socket uintptr) bool {
		done, _, errno := syscall.RawSyscall(number, socket, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		n, failed = int(done), errno
		return errno != syscall.EAGAIN
	})
	if err == nil && failed != 0 {
		err = failed
	}
	if err != nil {
		n = 0
	}
	return n, err
}

func (d *direct) Read(b []byte) (int, error) {
	for {
		n, err := call(syscall.SYS_READ, d.read, b)
		if err == nil && n == 0 && len(b) > 0 {
			err = io.EOF
		}
		if err != syscall.EINTR {
			return n, err
		}
	}
}

func (d *direct) Write(b []byte) (n int, err error) {
	for n < len(b) && (err == nil || err == syscall.EINTR) {
		var more int
		more, err = call(syscall.SYS_WRITE, d.write, b[n:])
		n += more
	}
	return n, err
}
