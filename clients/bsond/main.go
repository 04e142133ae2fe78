// bsond speaks MongoDB's wire protocol over tables of type bson in PostgreSQL.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"bson.example/bsond/command"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
)

const usage = `bsond speaks MongoDB's wire protocol. Documents are in tables of type bson: a database is a
schema, a collection a table, and SQL sees the same documents.

  bsond --postgres postgres://localhost/app --listen 127.0.0.1:27017

`

// settings have flags, and variables of the environment that set the defaults: --listen, BSOND_LISTEN
type settings struct {
	postgres, listen, certificate, key, level string
	connections                               int
	expire                                    time.Duration
}

func parse(args []string) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("bsond", flag.ContinueOnError)
	env := func(name, or string) string {
		if v, found := os.LookupEnv("BSOND_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))); found {
			return v
		}
		return or
	}
	flags.StringVar(&s.postgres, "postgres", env("postgres", ""), "the database: a URL, or keywords and values; what is missing is in PGHOST and its like")
	flags.StringVar(&s.listen, "listen", env("listen", "127.0.0.1:27017"), "`address` for clients, or the path of a socket")
	flags.StringVar(&s.certificate, "tls-certificate", env("tls-certificate", ""), "`file` with a certificate: clients must use TLS")
	flags.StringVar(&s.key, "tls-key", env("tls-key", ""), "`file` with the certificate's key")
	flags.IntVar(&s.connections, "connections", 50, "connections to PostgreSQL at most; an open cursor or transaction has one")
	flags.DurationVar(&s.expire, "expire", time.Minute, "how often documents are deleted by indexes with expireAfterSeconds; 0 is never")
	flags.StringVar(&s.level, "log", env("log", "info"), "`level` of messages: debug, info, warn or error")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
		fmt.Fprintln(flags.Output(), "\nBSOND_POSTGRES, BSOND_LISTEN, BSOND_TLS_CERTIFICATE, BSOND_TLS_KEY and BSOND_LOG set the same in the environment.")
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("bsond: there is no argument %q", flags.Arg(0))
	}
	return s, nil
}

func main() {
	s, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "bsond:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, s *settings) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.level)); err != nil {
		return fmt.Errorf("--log: %w", err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	postgres, err := session.Open(ctx, s.postgres, int32(s.connections))
	if err != nil {
		return err
	}
	defer postgres.Close()
	listener, err := listen(s)
	if err != nil {
		return err
	}
	server := &command.Server{PG: postgres, Log: log, Address: listener.Addr().String(), Started: time.Now()}
	if s.expire > 0 {
		go server.Expire(ctx, s.expire)
	}
	log.Info("waiting for clients", "address", server.Address, "postgres", postgres.Version)
	context.AfterFunc(ctx, func() { listener.Close() })
	var clients sync.WaitGroup
	for number := int64(1); ; number++ {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				clients.Wait()
				return nil
			}
			log.Warn("a client could not connect", "error", err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		clients.Go(func() { client(ctx, server, conn, number) })
	}
}

// listen opens the socket. Nobody has to say who he is yet, so it is one that only this machine can reach, but for TLS with
// a network that is guarded otherwise.
func listen(s *settings) (net.Listener, error) {
	network := "tcp"
	if strings.HasPrefix(s.listen, "/") {
		network = "unix"
	} else if host, _, err := net.SplitHostPort(s.listen); err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	} else if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && os.Getenv("BSOND_OPEN") != "yes" {
		return nil, fmt.Errorf("clients are not authenticated, so bsond listens at addresses of this machine only, and %s is none; where the network is closed to others, set BSOND_OPEN=yes", s.listen)
	}
	listener, err := net.Listen(network, s.listen)
	if err != nil || s.certificate == "" {
		return listener, err
	}
	pair, err := tls.LoadX509KeyPair(s.certificate, s.key)
	if err != nil {
		listener.Close()
		return nil, fmt.Errorf("--tls-certificate: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}

// client answers a client's commands, one after the other, until it goes or the daemon ends
func client(ctx context.Context, server *command.Server, conn net.Conn, number int64) {
	server.Clients.Add(1)
	defer server.Clients.Add(-1)
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// the answer that is being made is still sent
	context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
	r, w := bufio.NewReaderSize(conn, 64<<10), bufio.NewWriterSize(conn, 64<<10)
	for {
		c, err := wire.Read(r)
		if err != nil {
			if !wire.IsEnd(err) && ctx.Err() == nil {
				server.Log.Info("a client's message was not understood", "client", conn.RemoteAddr(), "error", err)
			}
			return
		}
		if err = c.Write(w, server.Answer(ctx, c, number)); err != nil {
			server.Log.Info("a reply could not be sent", "client", conn.RemoteAddr(), "error", err)
			return
		}
	}
}
