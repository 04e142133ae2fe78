package mongoerr

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		err   error
		code  Code
		name  string
		label string
	}{
		{&pgconn.PgError{Code: "23505"}, 11000, "DuplicateKey", ""},
		{fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: "40001"}), 112, "WriteConflict", "TransientTransactionError"},
		{&pgconn.PgError{Code: "40P01"}, 112, "WriteConflict", "TransientTransactionError"},
		{&pgconn.PgError{Code: "42P01"}, 26, "NamespaceNotFound", ""},
		{&pgconn.PgError{Code: "42P07"}, 48, "NamespaceExists", ""},
		{&pgconn.PgError{Code: "23505", SchemaName: "pg_catalog"}, 48, "NamespaceExists", ""},
		{&pgconn.PgError{Code: "23505", SchemaName: "shop"}, 11000, "DuplicateKey", ""},
		{&pgconn.PgError{Code: "23514"}, 121, "DocumentValidationFailure", ""},
		{&pgconn.PgError{Code: "0A000"}, 238, "NotImplemented", ""},
		{&pgconn.PgError{Code: "22023"}, 2, "BadValue", ""},
		{&pgconn.PgError{Code: "22012"}, 2, "BadValue", ""},
		{&pgconn.PgError{Code: "57P01"}, 6, "HostUnreachable", ""},
		{&pgconn.PgError{Code: "XX000"}, 1, "InternalError", ""},
		{&pgconn.PgError{Code: ""}, 1, "InternalError", ""},
		// names in a message, which are a client's, tell nothing
		{&pgconn.PgError{Code: "22023", Message: `cannot apply "$inc" to the bson value of type string at "an array filter"`}, 14, "TypeMismatch", ""},
		{&pgconn.PgError{Code: "22023", Message: `invalid path in a bson update: "cannot change "_id""`}, 2, "BadValue", ""},
		{context.DeadlineExceeded, 50, "MaxTimeMSExpired", ""},
		{New(UnknownField, "x"), 40415, "Location40415", ""},
		{New(ChangeStreamHistoryLost, "x"), 286, "ChangeStreamHistoryLost", "NonResumableChangeStreamError"},
		{New(ChangeStreamFatalError, "x"), 280, "ChangeStreamFatalError", "NonResumableChangeStreamError"},
		{errors.New("x"), 1, "InternalError", ""},
	} {
		e := Of(c.err)
		label := ""
		if len(e.Labels) > 0 {
			label = e.Labels[0]
		}
		if e.Code != c.code || e.Name() != c.name || label != c.label {
			t.Errorf("%v is %d %s %s", c.err, e.Code, e.Name(), label)
		}
	}
	// what a client has sent need not be text, but the answer must
	for _, reply := range []*wirebson.Document{New(BadValue, "no '%s'", "\xff").Reply(), New(BadValue, "no '%s'", "\xff").Write()} {
		if text := reply.Get("errmsg"); text != "no '\uFFFD'" {
			t.Errorf("%q", text)
		}
	}
}
