package wire

import (
	"net"
	"os"
	"syscall"
	"time"
)

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
		for {
			done := try(q.socket)
			if done != waits {
				return done
			}
			waits = !done
			_ = q.listen(syscall.EPOLL_CTL_MOD, int(epoll), map[bool]uint32{true: syscall.EPOLLOUT}[waits])
			if done {
				return true
			}
			// again, as the epoll does not tell of room that came before it listened, where the socket is in its list already
		}
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
