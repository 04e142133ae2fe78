// Package mongoerr tells an error of PostgreSQL as one of MongoDB's: its code, its name, its labels. The text stays.
package mongoerr

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/FerretDB/wire/wirebson"
	"github.com/jackc/pgx/v5/pgconn"
)

// Code is a code of MongoDB's errors.
type Code int32

// The codes that bsond itself raises, or makes of an SQLSTATE.
const (
	InternalError, BadValue, HostUnreachable, FailedToParse, Unauthorized, TypeMismatch                                                    Code = 1, 2, 6, 9, 13, 14
	Overflow, AuthenticationFailed, IllegalOperation, InvalidBSON, NamespaceNotFound, IndexNotFound                                        Code = 15, 18, 20, 22, 26, 27
	PathNotViable, ConflictingUpdate, CursorNotFound, NamespaceExists, MaxTimeMSExpired, CommandNotFound                                   Code = 28, 40, 43, 48, 50, 59
	ImmutableField, CannotCreateIndex, InvalidOptions, InvalidNamespace, IndexOptionsConflict, IndexKeySpecsConflict                       Code = 66, 67, 72, 73, 85, 86
	WriteConflict, CommandNotSupported, DocumentValidationFailure, ExceededMemoryLimit, CommandNotSupportedOnView, InvalidPipelineOperator Code = 112, 115, 121, 146, 166, 168
	ExceededTimeLimit, TransactionTooOld, NotWritablePrimary, ProtocolError, MechanismUnavailable, UserNotFound, RoleNotFound              Code = 262, 225, 10107, 17, 334, 11, 31
	NotImplemented, NoSuchTransaction, DuplicateKey, Interrupted, UnrecognizedStage, MissingField, UnknownField                            Code = 238, 251, 11000, 11601, 40324, 40414, 40415
)

var names = map[Code]string{
	InternalError: "InternalError", BadValue: "BadValue", HostUnreachable: "HostUnreachable", FailedToParse: "FailedToParse",
	Unauthorized: "Unauthorized", TypeMismatch: "TypeMismatch", Overflow: "Overflow", AuthenticationFailed: "AuthenticationFailed",
	IllegalOperation: "IllegalOperation", InvalidBSON: "InvalidBSON", NamespaceNotFound: "NamespaceNotFound",
	IndexNotFound: "IndexNotFound", PathNotViable: "PathNotViable", ConflictingUpdate: "ConflictingUpdateOperators",
	CursorNotFound: "CursorNotFound", NamespaceExists: "NamespaceExists", MaxTimeMSExpired: "MaxTimeMSExpired",
	CommandNotFound: "CommandNotFound", ImmutableField: "ImmutableField", CannotCreateIndex: "CannotCreateIndex",
	InvalidOptions: "InvalidOptions", InvalidNamespace: "InvalidNamespace", IndexOptionsConflict: "IndexOptionsConflict",
	IndexKeySpecsConflict: "IndexKeySpecsConflict", WriteConflict: "WriteConflict", CommandNotSupported: "CommandNotSupported",
	DocumentValidationFailure: "DocumentValidationFailure", ExceededMemoryLimit: "ExceededMemoryLimit",
	CommandNotSupportedOnView: "CommandNotSupportedOnView", InvalidPipelineOperator: "InvalidPipelineOperator",
	ExceededTimeLimit: "ExceededTimeLimit", TransactionTooOld: "TransactionTooOld", NotWritablePrimary: "NotWritablePrimary",
	ProtocolError: "ProtocolError", MechanismUnavailable: "MechanismUnavailable", UserNotFound: "UserNotFound", RoleNotFound: "RoleNotFound",
	NotImplemented: "NotImplemented", NoSuchTransaction: "NoSuchTransaction", DuplicateKey: "DuplicateKey", Interrupted: "Interrupted",
}

// Error is an error as a driver sees it.
type Error struct {
	Code   Code
	Msg    string
	Labels []string
	// More fields of a write error: keyPattern and keyValue, or errInfo
	More  []any
	Cause error
}

func (e *Error) Error() string { return e.Msg }

func (e *Error) Unwrap() error { return e.Cause }

// Name is the code's name, as MongoDB has it.
func (e *Error) Name() string {
	if name, ok := names[e.Code]; ok {
		return name
	}
	return fmt.Sprintf("Location%d", e.Code)
}

// New makes an error of MongoDB's.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// Reply is the answer to a command that failed.
func (e *Error) Reply() *wirebson.Document {
	doc := wirebson.MustDocument("ok", float64(0), "errmsg", e.Msg, "code", int32(e.Code), "codeName", e.Name())
	for i := 0; i+1 < len(e.More); i += 2 {
		add(doc, e.More[i].(string), e.More[i+1])
	}
	if len(e.Labels) > 0 {
		labels := wirebson.MakeArray(len(e.Labels))
		for _, label := range e.Labels {
			_ = labels.Add(label)
		}
		add(doc, "errorLabels", labels)
	}
	return doc
}

// Write is the error of one write in a command of several.
func (e *Error) Write(index int) *wirebson.Document {
	doc := wirebson.MustDocument("index", int32(index), "code", int32(e.Code))
	for i := 0; i+1 < len(e.More); i += 2 {
		add(doc, e.More[i].(string), e.More[i+1])
	}
	add(doc, "errmsg", e.Msg)
	return doc
}

func add(doc *wirebson.Document, name string, value any) {
	if err := doc.Add(name, value); err != nil {
		panic(err) // a type of Go that BSON does not have, which is a mistake in bsond
	}
}

// What an SQLSTATE is in MongoDB; two characters stand for a class.
var codes = map[string]Code{
	"23505": DuplicateKey, "23P01": DuplicateKey, "23514": DocumentValidationFailure,
	"40001": WriteConflict, "40P01": WriteConflict, "55P03": WriteConflict,
	"42704": IndexNotFound, "42P01": NamespaceNotFound, "3F000": NamespaceNotFound, "42P07": NamespaceExists, "42P06": NamespaceExists,
	"42501": Unauthorized, "28000": AuthenticationFailed, "28P01": AuthenticationFailed,
	"57014": Interrupted, "0A000": NotImplemented, "22023": BadValue, "2201B": BadValue, "22003": BadValue,
	"22P03": InvalidBSON, "22P02": FailedToParse, "54001": Overflow, "54000": ExceededMemoryLimit, "53200": ExceededMemoryLimit,
	"25006": NotWritablePrimary, "42809": CommandNotSupportedOnView, "55000": IllegalOperation, "42939": InvalidNamespace, "42602": InvalidNamespace,
	"22": BadValue, "08": HostUnreachable, "57": HostUnreachable, "53": HostUnreachable, "3D": HostUnreachable,
}

// What programs look at by its code, where one SQLSTATE stands for many errors: the beginning of the extension's message.
var patterns = []struct {
	message *regexp.Regexp
	code    Code
}{
	{regexp.MustCompile(`^unknown (aggregation )?stage|stage .* does not exist|no such stage|unknown bson pipeline stage`), UnrecognizedStage},
	{regexp.MustCompile(`unknown (operator|function).*expression|unknown expression`), InvalidPipelineOperator},
	{regexp.MustCompile(`^invalid "_id"`), 53}, // InvalidIdField
	{regexp.MustCompile(`"_id".*cannot (be )?change|cannot change.*"_id"`), ImmutableField},
	{regexp.MustCompile(`conflict`), ConflictingUpdate},
	{regexp.MustCompile(`^unknown operator in a bson update|update.*(must be|has no operator|unknown)|array filter`), FailedToParse},
	{regexp.MustCompile(`cannot (create|apply|append|push|increment|multiply).*(field|value|type)`), TypeMismatch},
}

// Of makes an error of MongoDB's of any error.
func Of(err error) *Error {
	var known *Error
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &pg):
		return ofPostgres(pg)
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: MaxTimeMSExpired, Msg: "operation exceeded time limit", Cause: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: Interrupted, Msg: "operation was interrupted", Cause: err}
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || pgconn.Timeout(err) {
		return &Error{Code: HostUnreachable, Msg: "PostgreSQL cannot be reached: " + err.Error(), Cause: err}
	}
	return &Error{Code: InternalError, Msg: err.Error(), Cause: err}
}

func ofPostgres(pg *pgconn.PgError) *Error {
	e := &Error{Msg: pg.Message, Cause: pg}
	if pg.Detail != "" {
		e.Msg += ": " + pg.Detail
	}
	if pg.Hint != "" {
		e.Msg += " (" + pg.Hint + ")"
	}
	var ok bool
	if e.Code, ok = codes[pg.Code]; !ok {
		if e.Code, ok = codes[pg.Code[:min(2, len(pg.Code))]]; !ok {
			e.Code = InternalError
		}
	}
	if e.Code == BadValue {
		for _, p := range patterns {
			if p.message.MatchString(pg.Message) {
				e.Code = p.code
				break
			}
		}
	}
	if e.Code == WriteConflict {
		e.Labels = []string{"TransientTransactionError"}
	}
	return e
}
