package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
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

// quiet is a Unix socket whose readiness two epolls tell, for which Go waits: one to read, and one to write, which listens only while
// there is no room. Go itself would always wait for both, so it would be woken each time that the other side has read something.
type quiet struct {
	net.Conn // it is closed, and has the addresses
	socket   uintptr
	in, out  *os.File
}

// Quiet is the same connection as Direct's.
func Quiet(conn net.Conn) net.Conn {
	if unix, is := conn.(*net.UnixConn); is {
		q := &quiet{Conn: conn, socket: ^uintptr(0)}
		if q.begin(unix) == nil {
			in, _ := q.in.SyscallConn()
			out, _ := q.out.SyscallConn()
			conn.Close()
			return &direct{q, func(try func(uintptr) bool) error {
				return in.Read(func(uintptr) bool { return try(q.socket) })
			}, func(try func(uintptr) bool) error { return q.write(out, try) }}
		}
	}
	return Direct(conn)
}

// begin has the socket again, under a number that Go does not know, and makes the epolls
func (q *quiet) begin(unix *net.UnixConn) error {
	raw, err := unix.SyscallConn()
	if err != nil {
		return err
	}
	var failed syscall.Errno
	if err = raw.Control(func(socket uintptr) {
		q.socket, _, failed = syscall.Syscall(syscall.SYS_FCNTL, socket, syscall.F_DUPFD_CLOEXEC, 0)
	}); err == nil && failed != 0 {
		err = failed
	}
	for _, end := range []struct {
		file   **os.File
		events uint32
	}{{&q.in, syscall.EPOLLIN}, {&q.out, 0}} {
		var fd int
		if err == nil {
			fd, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
		}
		if err != nil {
			break
		}
		_ = syscall.SetNonblock(fd, true) // so that Go waits for it
		*end.file = os.NewFile(uintptr(fd), "epoll")
		err = q.listen(syscall.EPOLL_CTL_ADD, fd, end.events)
	}
	if err != nil {
		q.in.Close()
		q.out.Close()
		syscall.Close(int(q.socket))
	}
	return err
}

func (q *quiet) listen(how, epoll int, events uint32) error {
	return syscall.EpollCtl(epoll, how, int(q.socket), &syscall.EpollEvent{Events: events})
}

// write tries to write until there was room
func (q *quiet) write(out syscall.RawConn, try func(uintptr) bool) error {
	waits := false
	return out.Read(func(epoll uintptr) bool {
		done := try(q.socket)
		if done == waits {
			waits = !done
			_ = q.listen(syscall.EPOLL_CTL_MOD, int(epoll), map[bool]uint32{true: syscall.EPOLLOUT}[waits])
		}
		return done
	})
}

// Close waits for who reads or writes, as then the number can be that of another file
func (q *quiet) Close() error {
	in, out := q.in.Close(), q.out.Close()
	if in != nil || out != nil {
		return net.ErrClosed
	}
	return syscall.Close(int(q.socket))
}

func (q *quiet) SetReadDeadline(t time.Time) error  { return q.in.SetReadDeadline(t) }
func (q *quiet) SetWriteDeadline(t time.Time) error { return q.out.SetReadDeadline(t) }
func (q *quiet) SetDeadline(t time.Time) error {
	_ = q.SetReadDeadline(t)
	return q.SetWriteDeadline(t)
}
