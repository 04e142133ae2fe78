package command

import (
	"bytes"
	"context"
	"errors"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
)

func init() {
	register(map[string]handler{"saslStart": saslStart, "saslContinue": saslContinue, "logout": logout, "connectionStatus": connectionStatus})
}

// Client is a connection of a client's.
type Client struct {
	Number  int64
	Private bool // nobody can read what is sent: TLS, or a socket of this machine
	// Pool has the connections with its rights; nil before it has authenticated
	Pool     *session.Pool
	Large    bool // there is memory for a long reply
	exchange *session.Exchange
	short    bool   // the exchange ends without an empty message
	last     []byte // what is left to say: nothing, when the client has been accepted
}

// Gone tells that the client has closed its connection.
func (c *Client) Gone() {
	if c.exchange != nil {
		c.exchange.Abandon()
	}
	if c.Pool != nil {
		c.Pool.Leave()
	}
}

// What a client may ask before it has authenticated
var public = map[string]bool{"hello": true, "ismaster": true, "isMaster": true, "ping": true, "buildInfo": true, "buildinfo": true, "whatsmyuri": true,
	"saslStart": true, "saslContinue": true, "logout": true, "connectionStatus": true, "endSessions": true, "features": true}

// saslStart
func saslStart(ctx context.Context, r *Request) (*wirebson.Document, error) {
	return r.authenticate(ctx, r.Doc)
}

// authenticate begins an authentication; "start" can be a part of hello
func (r *Request) authenticate(ctx context.Context, start *wirebson.Document) (*wirebson.Document, error) {
	c := r.client
	if !r.server.Auth {
		return nil, mongoerr.New(mongoerr.AuthenticationFailed, "bsond was started without --auth, and authenticates nobody")
	}
	if c.Pool != nil {
		return nil, mongoerr.New(mongoerr.AuthenticationFailed, "this connection has authenticated already")
	}
	if c.exchange != nil {
		c.exchange.Abandon()
		c.exchange = nil
	}
	payload := binary(start)
	switch mechanism := wire.String(start, "mechanism"); mechanism {
	case "SCRAM-SHA-256":
		options, _ := wire.Document(start, "options").Decode()
		c.short = options != nil && wire.Bool(options, "skipEmptyExchange")
		var err error
		if c.exchange, err = r.server.PG.Relay(payload); err != nil {
			return nil, err
		}
		return r.exchanged(nil)
	case "PLAIN":
		parts := bytes.Split(payload, []byte{0})
		if !c.Private {
			return nil, mongoerr.New(mongoerr.AuthenticationFailed, "PLAIN sends the password as it is, and needs TLS")
		}
		if len(parts) != 3 {
			return nil, mongoerr.New(mongoerr.AuthenticationFailed, "Authentication failed.")
		}
		var err error
		if c.Pool, err = r.server.PG.Password(ctx, string(parts[1]), string(parts[2])); err != nil {
			return nil, err
		}
		return conversation(true, nil)
	default:
		return nil, mongoerr.New(mongoerr.MechanismUnavailable, "the mechanism is not there; SCRAM-SHA-256 is, and PLAIN with TLS")
	}
}

// saslContinue
func saslContinue(ctx context.Context, r *Request) (*wirebson.Document, error) {
	c := r.client
	if c.exchange == nil {
		if c.Pool != nil && !c.short {
			c.short = true
			return conversation(true, nil)
		}
		return nil, mongoerr.New(mongoerr.ProtocolError, "No SASL session state found")
	}
	return r.exchanged(binary(r.Doc))
}

// exchanged passes a message of the client's on, and replies with PostgreSQL's
func (r *Request) exchanged(message []byte) (*wirebson.Document, error) {
	c := r.client
	answer, err := c.exchange.Send(message)
	if err == nil && message != nil {
		// the second answer is the last; by then PostgreSQL has accepted the client
		c.Pool, err = c.exchange.Session()
		c.exchange = nil
	}
	if err != nil {
		if c.exchange != nil {
			c.exchange.Abandon()
			c.exchange = nil
		}
		return nil, err
	}
	return conversation(c.Pool != nil && c.short, answer)
}

func conversation(done bool, payload []byte) (*wirebson.Document, error) {
	return ok("conversationId", int32(1), "done", done, "payload", wirebson.Binary{B: payload})
}

func binary(doc *wirebson.Document) []byte {
	switch payload := doc.Get("payload").(type) {
	case wirebson.Binary:
		return append([]byte{}, payload.B...)
	case string:
		return []byte(payload)
	}
	return []byte{}
}

// speculate adds to the reply to hello the first step of an authentication, if the client has begun it there; if this fails, the
// client begins anew, and is told why
func (r *Request) speculate(ctx context.Context, reply *wirebson.Document) {
	if !r.server.Auth {
		return
	}
	if _, asked := r.Doc.Get("saslSupportedMechs").(string); asked {
		// the same for all names, so that nobody learns which there are
		_ = reply.Add("saslSupportedMechs", wirebson.MustArray("SCRAM-SHA-256"))
	}
	if start := r.sub("speculativeAuthenticate"); wire.String(start, "mechanism") == "SCRAM-SHA-256" && r.client.Pool == nil {
		if answer, err := r.authenticate(ctx, start); err == nil {
			_ = reply.Add("speculativeAuthenticate", answer)
		}
	}
}

// logout
func logout(_ context.Context, r *Request) (*wirebson.Document, error) {
	if r.server.Auth && r.client.Pool != nil {
		r.client.Pool.Leave()
		r.client.Pool = nil
	}
	return ok()
}

// connectionStatus
func connectionStatus(_ context.Context, r *Request) (*wirebson.Document, error) {
	users, none := wirebson.MakeArray(1), wirebson.MakeArray(0)
	if r.server.Auth && r.client.Pool != nil {
		_ = users.Add(wirebson.MustDocument("user", r.client.Pool.Role, "db", "admin"))
	}
	return ok("authInfo", wirebson.MustDocument("authenticatedUsers", users, "authenticatedUserRoles", none, "authenticatedUserPrivileges", none))
}

// starved tells whether the client must come again and authenticate, since a connection with its rights cannot be made otherwise.
// Then its connection is closed without an answer, and its driver repeats the command.
func (r *Request) starved(err error) bool {
	return errors.Is(err, session.ErrStarved) || r.client.Pool != nil && !r.client.Pool.Lasts() && errors.Is(err, session.ErrLost)
}
