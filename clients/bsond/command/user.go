package command

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"bson.example/bsond/mongoerr"
	"bson.example/bsond/session"
	"bson.example/bsond/wire"
	"github.com/FerretDB/wire/wirebson"
	"github.com/xdg-go/scram"
)

func init() {
	register(map[string]handler{"createUser": connected(createUser), "updateUser": connected(updateUser), "dropUser": connected(dropUser), "usersInfo": connected(usersInfo),
		"grantRolesToUser": connected(changeRoles), "revokeRolesFromUser": connected(changeRoles)})
}

// Users are PostgreSQL's roles, whatever database a command names, and who may make and change them is PostgreSQL's to say.

// iterations are how often a password is hashed, as MongoDB does it
const iterations = 15000

// userSQL runs a statement about a role, and tells MongoDB's errors apart
func userSQL(ctx context.Context, c *session.Conn, user, statement string) error {
	_, err := c.ExecRun(ctx, statement)
	switch session.Code(err) {
	case "42710":
		return mongoerr.New(51003, "User \"%s@admin\" already exists", user)
	case "42704":
		return &mongoerr.Error{Code: mongoerr.RoleNotFound, Msg: "roles are those of PostgreSQL: " + mongoerr.Of(err).Msg, Cause: err}
	}
	return err
}

// password is the clause of a role's password. PostgreSQL gets what it would keep of it, so that the password is in no log.
func (r *Request) password(user string) (string, error) {
	if r.Doc.Get("customData") != nil || r.Doc.Get("authenticationRestrictions") != nil {
		return "", mongoerr.New(mongoerr.CommandNotSupported, "roles of PostgreSQL have no customData and no authenticationRestrictions")
	}
	word, given := r.Doc.Get("pwd").(string)
	if !given {
		return "", nil
	}
	client, err := scram.SHA256.NewClient(user, word, "")
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	var keys scram.StoredCredentials
	if err == nil && word != "" {
		keys, err = client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iterations})
	}
	if err != nil || word == "" {
		return "", mongoerr.New(mongoerr.BadValue, "the password has characters that it may not have, or none")
	}
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf(" PASSWORD 'SCRAM-SHA-256$%d:%s$%s:%s'", iterations, text(salt), text(keys.StoredKey), text(keys.ServerKey)), nil
}

// user is the name that the command is about
func (r *Request) user() (string, error) {
	user := wire.String(r.Doc, r.Name)
	if user == "" || len(user) > 63 || strings.ContainsRune(user, 0) {
		return "", mongoerr.New(mongoerr.BadValue, "the name of a user has 1 to 63 bytes, none of them zero")
	}
	return user, nil
}

// roles are those that the command names. Two of MongoDB's are roles that PostgreSQL has.
func (r *Request) roles() (names []string, err error) {
	raw, given := r.Doc.Get("roles").(wirebson.RawArray)
	if !given {
		return nil, nil
	}
	list, err := raw.Decode()
	if err != nil {
		return nil, err
	}
	for v := range list.Values() {
		name, isString := v.(string)
		if d, isDocument := v.(wirebson.RawDocument); isDocument {
			doc, err := d.Decode()
			if err != nil {
				return nil, err
			}
			name, isString = doc.Get("role").(string)
		}
		switch {
		case !isString:
			return nil, mongoerr.New(mongoerr.BadValue, "a role is a name, or a document with the field role")
		case name == "readAnyDatabase":
			names = append(names, session.Quote("pg_read_all_data"))
		case name == "readWriteAnyDatabase":
			names = append(names, session.Quote("pg_read_all_data"), session.Quote("pg_write_all_data"))
		default:
			names = append(names, session.Quote(name))
		}
	}
	return names, nil
}

// grant gives roles to a user, or takes them
func grant(ctx context.Context, c *session.Conn, user, how, preposition string, roles []string) error {
	if len(roles) == 0 {
		return nil
	}
	return userSQL(ctx, c, user, how+" "+strings.Join(roles, ", ")+" "+preposition+" "+session.Quote(user))
}

// createUser
func createUser(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	user, err := r.user()
	if err != nil {
		return nil, err
	}
	word, err := r.password(user)
	if err == nil && word == "" {
		err = mongoerr.New(mongoerr.BadValue, "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db")
	}
	if err != nil {
		return nil, err
	}
	roles, err := r.roles()
	if err != nil {
		return nil, err
	}
	return done(c.Atomic(ctx, func() error {
		if err := userSQL(ctx, c, user, "CREATE ROLE "+session.Quote(user)+" LOGIN"+word); err != nil {
			return err
		}
		return grant(ctx, c, user, "GRANT", "TO", roles)
	}))
}

// known is the name that the command is about, which must be a role's
func (r *Request) known(ctx context.Context, c *session.Conn) (string, error) {
	user, err := r.user()
	if err != nil {
		return "", err
	}
	row, err := c.One(ctx, "SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin", user)
	if err == nil && row == nil {
		err = mongoerr.New(mongoerr.UserNotFound, "User '%s@admin' not found", user)
	}
	return user, err
}

// updateUser
func updateUser(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	user, err := r.known(ctx, c)
	if err != nil {
		return nil, err
	}
	word, err := r.password(user)
	if err != nil {
		return nil, err
	}
	roles, err := r.roles()
	if err != nil {
		return nil, err
	}
	return done(c.Atomic(ctx, func() error {
		if word != "" {
			if err := userSQL(ctx, c, user, "ALTER ROLE "+session.Quote(user)+word); err != nil {
				return err
			}
		}
		if r.Doc.Get("roles") == nil {
			return nil
		}
		old, err := c.Text(ctx, "SELECT string_agg(DISTINCT quote_ident(pg_get_userbyid(roleid)), ', ') FROM pg_auth_members WHERE member = quote_ident($1)::regrole", user)
		if err == nil && old != "" {
			err = grant(ctx, c, user, "REVOKE", "FROM", []string{old})
		}
		if err != nil {
			return err
		}
		return grant(ctx, c, user, "GRANT", "TO", roles)
	}))
}

// dropUser
func dropUser(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	user, err := r.known(ctx, c)
	if err == nil {
		err = userSQL(ctx, c, user, "DROP ROLE "+session.Quote(user))
	}
	return done(err)
}

// changeRoles is grantRolesToUser and revokeRolesFromUser
func changeRoles(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	user, err := r.known(ctx, c)
	if err != nil {
		return nil, err
	}
	roles, err := r.roles()
	if err == nil && len(roles) == 0 {
		err = mongoerr.New(mongoerr.BadValue, "roles must not be empty")
	}
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.Name, "revoke") {
		return done(grant(ctx, c, user, "REVOKE", "FROM", roles))
	}
	return done(grant(ctx, c, user, "GRANT", "TO", roles))
}

// usersInfo lists the roles that can log in: all, or those that are named, as a name or {user: name}
func usersInfo(ctx context.Context, r *Request, c *session.Conn) (*wirebson.Document, error) {
	asked := wire.Root(r.Doc.Get(r.Name))
	if _, isNumber := wire.Number(r.Doc.Get(r.Name)); isNumber || r.sub(r.Name).Get("forAllDBs") != nil {
		asked = nil
	}
	return decoded(c.Document(ctx, `SELECT #bson_build_object('users', coalesce(#bson_agg(#row_to_bson(u) ORDER BY "user"), '[]')) FROM (
		SELECT 'admin.' || rolname AS _id, rolname::text AS "user", 'admin'::text AS db, '{SCRAM-SHA-256}'::text[] AS mechanisms, (SELECT coalesce(#bson_agg(#row_to_bson(m) ORDER BY role), '[]') FROM (
			SELECT DISTINCT pg_get_userbyid(roleid)::text AS role, 'admin'::text AS db FROM pg_auth_members WHERE member = r.oid) AS m) AS roles
		FROM pg_roles AS r, LATERAL (SELECT CASE #bson_typeof($1) WHEN 'array' THEN $1 ELSE #bson_build_array($1) END AS list) AS l
		WHERE rolcanlogin AND ($1::#bson IS NULL OR rolname IN (SELECT v OPERATOR(#->>) 'user' FROM #bson_array_elements(list) AS e(v) UNION ALL SELECT #bson_array_elements_text(list)))) AS u`, asked))
}
