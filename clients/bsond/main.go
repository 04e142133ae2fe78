// bsond speaks MongoDB's wire protocol over tables of type bson in PostgreSQL.
package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"bson.example/bsond/command"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"golang.org/x/sync/semaphore"
)

const usage = `bsond speaks MongoDB's wire protocol. Documents are in tables of type bson: a database is a
schema, a collection a table, and SQL sees the same documents.

  bsond --postgres postgres://localhost/app --listen 127.0.0.1:27017

`

// settings have flags, and variables of the environment that set the defaults: --tls-ca, BSOND_TLS_CA
type settings struct {
	postgres, listen, certificate, key, ca, metrics, level string
	changes, set                                           string
	window                                                 int64
	auth                                                   bool
	connections, memory, files                             int
	expire, transactions                                   time.Duration
}

func parse(args []string) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("bsond", flag.ContinueOnError)
	flags.StringVar(&s.postgres, "postgres", "", "the database: a URL, or keywords and values; what is missing is in PGHOST and its like")
	flags.StringVar(&s.listen, "listen", "127.0.0.1:27017", "`address` for clients, or the path of a socket")
	flags.BoolVar(&s.auth, "auth", false, "clients authenticate as roles of PostgreSQL; without it, only this machine can reach bsond")
	flags.StringVar(&s.certificate, "tls-certificate", "", "`file` with a certificate: clients must use TLS")
	flags.StringVar(&s.key, "tls-key", "", "`file` with the certificate's key")
	flags.StringVar(&s.ca, "tls-ca", "", "`file` with authorities: clients must have a certificate of one, too")
	flags.IntVar(&s.connections, "connections", 50, "connections to PostgreSQL at most; an open cursor or transaction has one")
	flags.IntVar(&s.memory, "memory", 1024, "megabytes that messages and garbage may take")
	flags.IntVar(&s.files, "files", 4096, "megabytes of files that the rows of one role's open cursors may take")
	flags.DurationVar(&s.transactions, "transactions", time.Minute, "how long a transaction may last")
	flags.DurationVar(&s.expire, "expire", time.Minute, "how often documents are deleted by indexes with expireAfterSeconds; 0 is never")
	flags.StringVar(&s.changes, "change-streams", "", "the database as a role that may replicate: change streams are on")
	flags.Int64Var(&s.window, "change-window", 256, "megabytes of PostgreSQL's log in which a change stream can be resumed")
	flags.StringVar(&s.set, "replica-set", "", "`name` of a replica set to be, for clients that look for one, or NAME/HOST:PORT with the address for them")
	flags.StringVar(&s.metrics, "metrics", "", "`address` of the pages /metrics (Prometheus) and /health")
	flags.StringVar(&s.level, "log", "info", "`level` of messages: debug, info, warn or error")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
		fmt.Fprintln(flags.Output(), "\nVariables of the environment set the same: BSOND_POSTGRES, BSOND_AUTH (yes), BSOND_TLS_CERTIFICATE, and so on.")
	}
	var err error
	flags.VisitAll(func(f *flag.Flag) {
		value, found := os.LookupEnv("BSOND_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
		if value == "yes" {
			value = "true"
		}
		if found && value != "" {
			err = cmp.Or(err, f.Value.Set(value))
		}
	})
	if err = cmp.Or(flags.Parse(args), err); err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("bsond: there is no argument %q", flags.Arg(0))
	}
	return s, err
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

const (
	// maxMessage is how long a message of a client may be, and maxUnknown before the client has authenticated
	maxMessage, maxUnknown = 48_000_000 + 16<<10, 64 << 10
	// small is what a message may have without being counted
	small = 64 << 10
	// stall is how long a client may take for the least part of a message
	stall = time.Minute
)

// drain is how long commands may go on when bsond is to end
var drain = 10 * time.Second

// daemon answers clients
type daemon struct {
	*command.Server
	memory *semaphore.Weighted // bytes that long messages may take together
	budget int64
	work   context.Context // ends all commands
}

func serve(ctx context.Context, s *settings) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.level)); err != nil {
		return fmt.Errorf("--log: %w", err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	postgres, err := session.Open(ctx, s.postgres, s.connections)
	if err != nil {
		return err
	}
	defer postgres.Close()
	listener, encryption, err := listen(s)
	if err != nil {
		return err
	}
	work, end := context.WithCancel(context.Background())
	defer end()
	// a third for messages: each is there as it came, and again as it goes on
	budget := max(int64(s.memory)<<20/3, maxMessage)
	debug.SetMemoryLimit(int64(s.memory) << 20)
	// what a command leaves is small, so collecting it can wait for more; and of the processors PostgreSQL needs most
	debug.SetGCPercent(400)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)/3))
	}
	set, host, _ := strings.Cut(s.set, "/")
	d := &daemon{Server: &command.Server{PG: postgres, Log: log, Address: listener.Addr().String(), ReplicaSet: set, Host: host, Started: time.Now(), Auth: s.auth, Lifetime: s.transactions},
		memory: semaphore.NewWeighted(budget), budget: budget, work: work}
	postgres.Spool, postgres.Files = d.Spool, int64(s.files)<<20
	if s.changes != "" {
		if postgres.Changes, err = postgres.Follow(s.changes, s.window<<20); err != nil {
			return err
		}
		go d.Every(ctx, 10*time.Second, "change streams", postgres.Changes.Keep)
	}
	if postgres.Once {
		go d.Every(ctx, 10*time.Minute, "old answers were not deleted", postgres.Clean)
	} else {
		log.Warn("a write that a driver repeats after it has lost a connection can be done twice, as the table for this cannot be made", "error", postgres.Forgets)
	}
	if s.expire > 0 {
		go d.Every(ctx, s.expire, "documents that expire were not deleted", d.Expire)
	}
	if s.metrics != "" {
		pages := &http.Server{Addr: s.metrics, Handler: d.Pages(), ReadTimeout: 10 * time.Second}
		defer pages.Close()
		go func() {
			if err := pages.ListenAndServe(); err != http.ErrServerClosed {
				log.Error("--metrics", "error", err)
			}
		}()
	}
	log.Info("waiting for clients", "address", d.Address, "postgres", postgres.Version)
	if !s.auth {
		log.Warn("clients are not authenticated: whoever can reach the address has the rights of the role", "role", postgres.Own.Role)
	}
	context.AfterFunc(ctx, func() {
		listener.Close()
		time.AfterFunc(drain, end)
	})
	var clients sync.WaitGroup
	for number := int64(1); ; number++ {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				clients.Wait()
				d.Close()
				return nil
			}
			log.Warn("a client could not connect", "error", err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if conn = wire.Direct(conn); encryption != nil {
			conn = tls.Server(conn, encryption)
		}
		clients.Go(func() { d.client(ctx, conn, number) })
	}
}

// listen opens the socket: without authentication, one that only this machine can reach. TLS has a configuration, if it is used.
func listen(s *settings) (net.Listener, *tls.Config, error) {
	network := "tcp"
	if strings.HasPrefix(s.listen, "/") {
		network = "unix"
		// a daemon that was killed leaves its socket
		if is, _ := os.Lstat(s.listen); is != nil && is.Mode()&os.ModeSocket != 0 {
			if _, err := net.Dial(network, s.listen); errors.Is(err, syscall.ECONNREFUSED) {
				_ = os.Remove(s.listen)
			}
		}
	} else if host, _, err := net.SplitHostPort(s.listen); err != nil {
		return nil, nil, fmt.Errorf("--listen: %w", err)
	} else if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !s.auth {
		return nil, nil, fmt.Errorf("without --auth, bsond listens at addresses of this machine only, and %s is none", s.listen)
	}
	var config *tls.Config
	if s.certificate != "" {
		pair, err := tls.LoadX509KeyPair(s.certificate, s.key)
		if err != nil {
			return nil, nil, fmt.Errorf("--tls-certificate: %w", err)
		}
		config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if s.ca != "" {
		authorities, err := os.ReadFile(s.ca)
		if err != nil {
			return nil, nil, fmt.Errorf("--tls-ca: %w", err)
		}
		if config == nil {
			return nil, nil, errors.New("--tls-ca needs --tls-certificate")
		}
		config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !config.ClientCAs.AppendCertsFromPEM(authorities) {
			return nil, nil, fmt.Errorf("--tls-ca: %s has no certificate", s.ca)
		}
	}
	listener, err := net.Listen(network, s.listen)
	return listener, config, err
}

// client answers a client's commands, one after the other, until it goes or the daemon ends
func (d *daemon) client(ctx context.Context, conn net.Conn, number int64) {
	d.Clients.Add(1)
	defer d.Clients.Add(-1)
	defer conn.Close()
	_, encrypted := conn.(*tls.Conn)
	c := &command.Client{Number: number, Address: conn.LocalAddr().String(), Private: encrypted || conn.LocalAddr().Network() == "unix"}
	defer d.Came(d.work, c)()
	if !d.Auth {
		c.Pool = d.PG.Own
	} else {
		defer c.Gone()
	}
	// when bsond is to end, who says nothing at the moment goes at once, and who does not take an answer a little later
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })()
	defer context.AfterFunc(d.work, func() { time.AfterFunc(time.Second, func() { conn.Close() }) })()
	r, until := bufio.NewReaderSize(conn, 8<<10), time.Time{}
	for ctx.Err() == nil {
		if err := d.one(ctx, conn, c, r, &until); err != nil {
			if !wire.IsEnd(err) && ctx.Err() == nil {
				d.Log.Info("a client's connection ends", "client", number, "address", conn.RemoteAddr(), "error", err)
			}
			return
		}
	}
}

var errAgain = fmt.Errorf("the client must authenticate again: %w", net.ErrClosed)

// replies are buffers of which two have a reply for a moment, and its documents
var replies = sync.Pool{New: func() any { return new([2][]byte) }}

// one reads a command and answers it; "until" is when writing to the client fails
func (d *daemon) one(ctx context.Context, conn net.Conn, c *command.Client, r *bufio.Reader, until *time.Time) error {
	head, err := r.Peek(4)
	if err != nil {
		return err
	}
	size := int64(int32(binary.LittleEndian.Uint32(head)))
	if size < 16 || size > maxMessage || size > maxUnknown && c.Pool == nil {
		return fmt.Errorf("a message of %d bytes", size)
	}
	if size > small {
		waited, cancel := context.WithTimeout(d.work, stall)
		err = d.memory.Acquire(waited, size)
		cancel()
		if err != nil {
			return errors.New("there was no memory for a message")
		}
		defer d.memory.Release(size)
	}
	if waits := size > int64(r.Buffered()); waits {
		_ = conn.SetReadDeadline(time.Now().Add(stall + time.Duration(size>>20)*time.Second))
		defer func() {
			_ = conn.SetReadDeadline(time.Time{})
			if ctx.Err() != nil {
				_ = conn.SetReadDeadline(time.Now())
			}
		}()
	}
	m, err := wire.Read(r)
	if err != nil {
		return err
	}
	d.In.Add(size)
	// a long reply, too, if there is memory for it
	if c.Large = d.memory.TryAcquire(session.MaxBatch); c.Large {
		defer d.memory.Release(session.MaxBatch)
	}
	buffers := replies.Get().(*[2][]byte)
	c.Batch = buffers[1]
	reply := d.Answer(m, c)
	if reply == nil {
		return errAgain
	}
	if m.NoReply {
		return nil
	}
	message, err := m.Append(buffers[0][:0], reply)
	if err != nil {
		return err
	}
	// a client has a minute or two to take it
	if now := time.Now(); until.Sub(now) < stall {
		*until = now.Add(2 * stall)
		_ = conn.SetWriteDeadline(*until)
	}
	_, err = conn.Write(message)
	d.Out.Add(int64(len(message)))
	if max(cap(message), cap(c.Batch)) <= 1<<20 {
		buffers[0], buffers[1] = message, c.Batch
		replies.Put(buffers)
	}
	c.Batch = nil
	return err
}
