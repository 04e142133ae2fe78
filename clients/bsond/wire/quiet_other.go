//go:build !linux

package wire

import "net"

// Quiet is the same connection as Direct's.
func Quiet(conn net.Conn) net.Conn { return Direct(conn) }
