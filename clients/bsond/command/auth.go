package command

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

// Client is a connection of a client's.
type Client struct {
	Number  int64
	Address string // by which it came
	Private bool   // nobody can read what is sent: TLS, or a socket of this machine
	// Pool has the connections with its rights; nil before it has authenticated
	Pool     *session.Pool
	Large    bool   // there is memory for a long reply
	Batch    []byte // a buffer for its documents
	exchange *session.Exchange
	short    bool // the exchange ends without an empty message

	mu        sync.Mutex
	work, ctx context.Context // of all commands, and of the one that runs, and those after it unless it is cancelled
	cancel    context.CancelFunc
	runs      operation
}

// operation is a command that runs now; its number is 0 if none does
type operation struct {
	command *wire.Command
	number  int64
	pool    *session.Pool
	began   time.Time
}

// Came tells that there is a client, whose commands end with a context, and returns what tells that it has gone.
func (s *Server) Came(work context.Context, c *Client) (left func()) {
	c.work = work
	s.clients.Store(c.Number, c)
	return func() {
		s.clients.Delete(c.Number)
		s.cursors.End(func(of *session.Cursor) bool { return of.Feed != nil && of.Client == c.Number })
		if c.cancel != nil {
			c.cancel()
		}
	}
}

// now notes what command runs, and returns its context
func (c *Client) now(runs operation) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil || c.ctx.Err() != nil {
		c.ctx, c.cancel = context.WithCancel(c.work)
	}
	c.runs = runs
	return c.ctx
}

// each calls what is given with each command that runs, and what cancels it
func (s *Server) each(call func(int64, operation, context.CancelFunc)) {
	for _, v := range s.clients.Range {
		c := v.(*Client)
		c.mu.Lock()
		if c.runs.number != 0 {
			call(c.Number, c.runs, c.cancel)
		}
		c.mu.Unlock()
	}
}

// Gone tells that the client has closed its connection.
func (c *Client) Gone() {
	c.abandon()
	if c.Pool != nil {
		c.Pool.Leave()
	}
}

func (c *Client) abandon() {
	if c.exchange != nil {
		c.exchange.Abandon()
		c.exchange = nil
	}
}

func saslStart(r *Request) *wirebson.Document { return r.authenticate(r.fields) }

// authenticate begins an authentication; "start" can be a part of hello
func (r *Request) authenticate(start fields) *wirebson.Document {
	c := r.client
	if !r.server.Auth {
		fail(mongoerr.AuthenticationFailed, "bsond was started without --auth, and authenticates nobody")
	}
	if c.Pool != nil {
		fail(mongoerr.AuthenticationFailed, "this connection has authenticated already")
	}
	c.abandon()
	payload := binary(start)
	switch start.Str("mechanism") {
	case "SCRAM-SHA-256":
		c.short = start.Sub("options").Bool("skipEmptyExchange")
		c.exchange = must(r.server.PG.Relay(r.ctx, payload))
		return r.exchanged(nil)
	case "PLAIN":
		parts := bytes.Split(payload, []byte{0})
		if !c.Private {
			fail(mongoerr.AuthenticationFailed, "PLAIN sends the password as it is, and needs TLS")
		}
		if len(parts) != 3 {
			fail(mongoerr.AuthenticationFailed, "Authentication failed.")
		}
		c.Pool = must(r.server.PG.Password(r.ctx, string(parts[1]), string(parts[2])))
		return conversation(true, nil)
	}
	fail(mongoerr.MechanismUnavailable, "the mechanism is not there; SCRAM-SHA-256 is, and PLAIN with TLS")
	return nil
}

func saslContinue(r *Request) *wirebson.Document {
	c := r.client
	if c.exchange != nil {
		return r.exchanged(binary(r.fields))
	}
	if c.Pool == nil || c.short || !r.server.Auth {
		fail(mongoerr.ProtocolError, "No SASL session state found")
	}
	c.short = true
	return conversation(true, nil)
}

// exchanged passes a message of the client's on, and replies with PostgreSQL's
func (r *Request) exchanged(message []byte) *wirebson.Document {
	c := r.client
	answer, err := c.exchange.Send(r.ctx, message)
	if err == nil && message != nil {
		// the second answer is the last; by then PostgreSQL has accepted the client
		c.Pool, err = c.exchange.Session()
		c.exchange = nil
	}
	if err != nil {
		c.abandon()
		throw(err)
	}
	return conversation(c.Pool != nil && c.short, answer)
}

func conversation(done bool, payload []byte) *wirebson.Document {
	return doc("conversationId", int32(1), "done", done, "payload", wirebson.Binary{B: payload})
}

func binary(f fields) []byte {
	switch payload := f.Get("payload").(type) {
	case wirebson.Binary:
		return append([]byte{}, payload.B...)
	case string:
		return []byte(payload)
	}
	return []byte{}
}

// speculate adds to the reply to hello the first step of an authentication, if the client has begun it there; if this fails, the
// client begins anew, and is told why
func (r *Request) speculate(reply *wirebson.Document) {
	if !r.server.Auth {
		return
	}
	if _, asked := r.Get("saslSupportedMechs").(string); asked {
		// the same for all names, so that nobody learns which there are
		set(reply, "saslSupportedMechs", array("SCRAM-SHA-256"))
	}
	if start := r.Sub("speculativeAuthenticate"); start.Str("mechanism") == "SCRAM-SHA-256" && r.client.Pool == nil {
		_ = caught(func() { set(reply, "speculativeAuthenticate", r.authenticate(start)) })
	}
}

func logout(r *Request) *wirebson.Document {
	if r.server.Auth && r.client.Pool != nil {
		r.client.Pool.Leave()
		r.client.Pool = nil
	}
	return doc()
}

func connectionStatus(r *Request) *wirebson.Document {
	users, none := array[any](), array[any]()
	if r.server.Auth && r.client.Pool != nil {
		users = array(doc("user", r.client.Pool.Role, "db", "admin"))
	}
	return doc("authInfo", doc("authenticatedUsers", users, "authenticatedUserRoles", none, "authenticatedUserPrivileges", none))
}

// starved tells whether the client must come again and authenticate, since a connection with its rights cannot be made otherwise.
// Then its connection is closed without an answer, and its driver repeats the command.
func (r *Request) starved(err error) bool {
	return errors.Is(err, session.ErrStarved) || r.client.Pool != nil && !r.client.Pool.Lasts() && errors.Is(err, session.ErrLost)
}
