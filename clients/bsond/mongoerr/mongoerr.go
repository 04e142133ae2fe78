// Package mongoerr tells an error of PostgreSQL as one of MongoDB's: its code, its name, its labels. The text stays.
package mongoerr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

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
	InvalidResumeToken, OperationNotSupportedInTransaction, ChangeStreamFatalError, ChangeStreamHistoryLost                                Code = 260, 263, 280, 286
)

// The names of codes, and what an SQLSTATE is in MongoDB; two characters stand for a class.
const table = `
InternalError 1; BadValue 2 22023 2201B 22003 22; HostUnreachable 6 08 57 53 3D; FailedToParse 9 22P02; UserNotFound 11;
Unauthorized 13 42501; TypeMismatch 14; Overflow 15 54001; ProtocolError 17; AuthenticationFailed 18 28000 28P01;
IllegalOperation 20 55000; InvalidBSON 22 22P03; NamespaceNotFound 26 42P01 3F000; IndexNotFound 27 42704; PathNotViable 28;
RoleNotFound 31; ConflictingUpdateOperators 40; CursorNotFound 43; NamespaceExists 48 42P07 42P06; MaxTimeMSExpired 50;
CommandNotFound 59; ImmutableField 66; CannotCreateIndex 67; InvalidOptions 72; InvalidNamespace 73 42939 42602;
IndexOptionsConflict 85; IndexKeySpecsConflict 86; WriteConflict 112 40001 40P01 55P03; CommandNotSupported 115;
DocumentValidationFailure 121 23514; ExceededMemoryLimit 146 54000 53200; CommandNotSupportedOnView 166 42809;
InvalidPipelineOperator 168; TransactionTooOld 225; NotImplemented 238 0A000; NoSuchTransaction 251;
ConversionFailure 241; ExceededTimeLimit 262; MechanismUnavailable 334; NotWritablePrimary 10107 25006; DuplicateKey 11000 23505 23P01;
Interrupted 11601 57014; CursorKilled 237; SnapshotUnavailable 246; InvalidResumeToken 260; OperationNotSupportedInTransaction 263;
ChangeStreamFatalError 280; ChangeStreamHistoryLost 286`

var names, codes = map[Code]string{}, map[string]Code{}

func init() {
	for row := range strings.SplitSeq(table, ";") {
		fields := strings.Fields(row)
		number, err := strconv.Atoi(fields[1])
		if err != nil {
			panic(err)
		}
		names[Code(number)] = fields[0]
		for _, state := range fields[2:] {
			codes[state] = Code(number)
		}
	}
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
	e := &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
	if code == ChangeStreamFatalError || code == ChangeStreamHistoryLost {
		e.Labels = []string{"NonResumableChangeStreamError"}
	}
	return e
}

// text is the message as a reply can have it: it may quote what a client sent
func (e *Error) text() string { return strings.ToValidUTF8(e.Msg, "\uFFFD") }

// Reply is the answer to a command that failed.
func (e *Error) Reply() *wirebson.Document {
	pairs := append([]any{"ok", float64(0), "errmsg", e.text(), "code", int32(e.Code), "codeName", e.Name()}, e.More...)
	if len(e.Labels) > 0 {
		labels := wirebson.MakeArray(len(e.Labels))
		for _, label := range e.Labels {
			_ = labels.Add(label)
		}
		pairs = append(pairs, "errorLabels", labels)
	}
	return wirebson.MustDocument(pairs...)
}

// Write is the error of one write in a command of several, after fields that say which.
func (e *Error) Write(which ...any) *wirebson.Document {
	return wirebson.MustDocument(append(append(which, "code", int32(e.Code), "errmsg", e.text()), e.More...)...)
}

// What programs look at by its code, where one SQLSTATE stands for many errors: the extension's message, and its detail.
var patterns = []struct {
	message *regexp.Regexp
	code    Code
}{
	{regexp.MustCompile(`^unknown stage of`), UnrecognizedStage},
	{regexp.MustCompile(`^unknown operator in a bson expression`), InvalidPipelineOperator},
	{regexp.MustCompile(`^undefined variable`), 17276},
	{regexp.MustCompile(`^invalid "_id"`), 53}, // InvalidIdField
	{regexp.MustCompile(`^a bson update cannot change "_id"`), ImmutableField},
	{regexp.MustCompile(`^a bson update changes .* twice`), ConflictingUpdate},
	{regexp.MustCompile(`^unknown operator in a bson update|^a bson update must be|^(invalid|no|the) array filter`), FailedToParse},
	{regexp.MustCompile(`^cannot convert bson .* in operator`), 241}, // ConversionFailure
	{regexp.MustCompile(`^cannot apply .*: The path leads into`), PathNotViable},
	{regexp.MustCompile(`^(cannot apply|invalid operand of) "\$(inc|mul|pop)"`), TypeMismatch},
}

// Of makes an error of MongoDB's of any error.
func Of(err error) *Error {
	var known *Error
	var pg *pgconn.PgError
	var connect *pgconn.ConnectError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &pg):
		return ofPostgres(pg)
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: MaxTimeMSExpired, Msg: "operation exceeded time limit", Cause: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: Interrupted, Msg: "operation was interrupted", Cause: err}
	case errors.As(err, &connect), pgconn.Timeout(err):
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
	e.Code = cmp.Or(codes[pg.Code], codes[pg.Code[:min(2, len(pg.Code))]], InternalError)
	if pg.Code == "23505" && pg.SchemaName == "pg_catalog" {
		e.Code = NamespaceExists // two sessions made it at once
	}
	for _, p := range patterns {
		if e.Code == BadValue && p.message.MatchString(e.Msg) {
			e.Code = p.code
		}
	}
	if e.Code == WriteConflict {
		e.Labels = []string{"TransientTransactionError"}
	}
	return e
}
