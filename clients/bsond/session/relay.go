package session

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"net"
	"strings"
	"time"
	"unicode/utf8"

	"bson.example/bsond/mongoerr"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// MongoDB's SCRAM-SHA-256 and PostgreSQL's are one algorithm. So bsond passes the messages of a client to PostgreSQL and back, as
// they are, and has a session of exactly that role if PostgreSQL accepts them. It learns no password and no key, and needs no
// right of its own for this.

// failed is the only answer to whoever does not authenticate, as what is wrong is nobody's business
func failed(cause error) error {
	e := mongoerr.New(mongoerr.AuthenticationFailed, "Authentication failed.")
	e.Cause = cause
	return e
}

// Exchange is a client's authentication that is going on.
type Exchange struct {
	toServer, toClient chan []byte
	done               chan struct{}
	cancel             context.CancelFunc
	p                  *Postgres
	pg                 *pgconn.PgConn
	err                error
}

// handshake limits how long an authentication may take, and handshakes how many go on at once, as each has a connection
const handshake = 30 * time.Second

// Relay begins an authentication by the client's first message. It ends where the command does that waits for an answer.
func (p *Postgres) Relay(command context.Context, first []byte) (*Exchange, error) {
	user, err := scramUser(string(first))
	if err != nil {
		return nil, err
	}
	x := &Exchange{p: p, toServer: make(chan []byte, 1), toClient: make(chan []byte), done: make(chan struct{})}
	var ctx context.Context
	ctx, x.cancel = context.WithTimeout(context.Background(), handshake)
	defer context.AfterFunc(command, x.cancel)()
	select {
	case p.handshakes <- struct{}{}:
	case <-ctx.Done():
		x.cancel()
		return nil, failed(ctx.Err())
	}
	config := p.config.Copy()
	config.User, config.Password, config.RequireAuth, config.ChannelBinding = user, "", "", "disable"
	begun := false
	config.AfterNetConnect = func(ctx context.Context, config *pgconn.Config, conn net.Conn) (net.Conn, error) {
		defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
		// once the client has an answer of one server, its messages are of no use for another one
		if begun {
			return conn, failed(errors.New("PostgreSQL has ended the connection"))
		}
		return &authenticated{Conn: conn, answer: authenticationOk}, x.run(ctx, config, conn, first, &begun)
	}
	go func() {
		defer close(x.done)
		defer func() { <-p.handshakes }()
		x.pg, x.err = connect(ctx, dialed(config))
	}()
	return x, nil
}

// Send passes a message of the client's to PostgreSQL, and returns PostgreSQL's.
func (x *Exchange) Send(command context.Context, message []byte) ([]byte, error) {
	defer context.AfterFunc(command, x.cancel)()
	if message != nil {
		select {
		case x.toServer <- message:
		default:
			return nil, failed(errors.New("a message too much"))
		}
	}
	select {
	case answer := <-x.toClient:
		return answer, nil
	case <-x.done:
		return nil, failed(x.err)
	}
}

// Session ends the authentication: it is the pool of the role, which has the new connection.
func (x *Exchange) Session() (*Pool, error) {
	<-x.done
	defer x.cancel()
	if x.err != nil {
		return nil, failed(x.err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), handshake)
	defer cancel()
	return x.p.Enlist(ctx, x.pg, nil)
}

// Abandon ends an authentication that the client does not finish.
func (x *Exchange) Abandon() {
	x.cancel()
	<-x.done
	if x.pg != nil {
		(&Conn{pg: x.pg}).close()
	}
}

// run speaks for the client until PostgreSQL has accepted it
func (x *Exchange) run(ctx context.Context, config *pgconn.Config, conn net.Conn, first []byte, begun *bool) error {
	parameters := maps.Clone(config.RuntimeParams)
	parameters["user"], parameters["database"] = config.User, config.Database
	var sent pgproto3.FrontendMessage = &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: parameters}
	// what PostgreSQL asks for, in this order; without all of these, nothing has been checked
	for _, want := range []uint32{pgproto3.AuthTypeSASL, pgproto3.AuthTypeSASLContinue, pgproto3.AuthTypeSASLFinal, pgproto3.AuthTypeOk} {
		if sent != nil {
			bytes, err := sent.Encode(nil)
			if err == nil {
				_, err = conn.Write(bytes)
			}
			if err != nil {
				return err
			}
			sent = nil
		}
		kind, body, err := message(conn)
		if err != nil {
			return err
		}
		if kind != want {
			return failed(errors.New("PostgreSQL does not ask for SCRAM-SHA-256: the line of pg_hba.conf for bsond must say scram-sha-256, and the role must have such a password"))
		}
		switch kind {
		case pgproto3.AuthTypeSASL:
			sent = &pgproto3.SASLInitialResponse{AuthMechanism: "SCRAM-SHA-256", Data: first}
		case pgproto3.AuthTypeSASLContinue, pgproto3.AuthTypeSASLFinal:
			*begun = true
			select {
			case x.toClient <- body:
			case <-ctx.Done():
				return ctx.Err()
			}
			if kind == pgproto3.AuthTypeSASLFinal {
				break
			}
			select {
			case final := <-x.toServer:
				sent = &pgproto3.SASLResponse{Data: final}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// message reads one message of an authentication, and nothing beyond it
func message(conn net.Conn) (kind uint32, body []byte, err error) {
	var head [5]byte
	if _, err = io.ReadFull(conn, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n < 8 || n > 64<<10 || head[0] != 'R' && head[0] != 'E' {
		return 0, nil, failed(errors.New("PostgreSQL's answer is not understood"))
	}
	body = make([]byte, n-4)
	if _, err = io.ReadFull(conn, body); err != nil {
		return 0, nil, err
	}
	if head[0] == 'R' {
		return binary.BigEndian.Uint32(body), body[4:], nil
	}
	var e pgproto3.ErrorResponse
	if err = e.Decode(body); err == nil {
		err = pgconn.ErrorResponseToPgError(&e)
	}
	return 0, nil, err
}

// authenticated is a connection whose authentication is over, for pgconn, which begins by one: it swallows the first message,
// and answers that all is well.
type authenticated struct {
	net.Conn
	begun  bool
	answer []byte
}

var authenticationOk, _ = (&pgproto3.AuthenticationOk{}).Encode(nil)

func (a *authenticated) Write(b []byte) (int, error) {
	if !a.begun {
		a.begun = true
		return len(b), nil
	}
	return a.Conn.Write(b)
}

func (a *authenticated) Read(b []byte) (int, error) {
	if len(a.answer) > 0 {
		n := copy(b, a.answer)
		a.answer = a.answer[n:]
		return n, nil
	}
	return a.Conn.Read(b)
}

// scramUser is the name in a client's first message: "n,,n=NAME,r=NONCE". PostgreSQL ignores that name, and goes by the one that
// the connection begins with.
func scramUser(first string) (string, error) {
	rest, plain := strings.CutPrefix(first, "n,,n=")
	name, _, whole := strings.Cut(rest, ",")
	if !plain || !whole {
		return "", failed(errors.New("not a first message of SCRAM-SHA-256 without channel binding"))
	}
	name = strings.NewReplacer("=2C", ",", "=3D", "=").Replace(name)
	return name, checkUser(name)
}

// checkUser refuses what cannot be a role: PostgreSQL ends a parameter of the connection at a zero byte, after which another
// one could follow, and cuts long names.
func checkUser(user string) error {
	if user == "" || len(user) > 63 || strings.ContainsRune(user, 0) || !utf8.ValidString(user) {
		return failed(errors.New("not a name of a role"))
	}
	return nil
}

// Password authenticates by a name and a password, which are kept in memory as long as the role has clients.
func (p *Postgres) Password(ctx context.Context, user, password string) (*Pool, error) {
	if err := checkUser(user); err != nil {
		return nil, err
	}
	if strings.ContainsRune(password, 0) {
		return nil, failed(errors.New("no password"))
	}
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	select {
	case p.handshakes <- struct{}{}:
		defer func() { <-p.handshakes }()
	case <-ctx.Done():
		return nil, failed(ctx.Err())
	}
	config := p.config.Copy()
	config.User, config.Password = user, password
	// without a question of the server's nothing has been checked
	config.RequireAuth = "scram-sha-256,md5,password"
	pg, err := connect(ctx, dialed(config))
	if err != nil {
		return nil, failed(err)
	}
	return p.Enlist(ctx, pg, dialed(config))
}
