package command

import (
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

// Users are PostgreSQL's roles, whatever database a command names, and who may make and change them is PostgreSQL's to say.

// iterations are how often a password is hashed, as MongoDB does it
const iterations = 15000

// password is the clause of a role's password. PostgreSQL gets what it would keep of it, so that the password is in no log.
func (r *Request) password(user string) string {
	word, given := r.Get("pwd").(string)
	if !given {
		return ""
	}
	client, err := scram.SHA256.NewClient(user, word, "")
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	var keys scram.StoredCredentials
	if err == nil && word != "" {
		keys, err = client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iterations})
	}
	if err != nil || word == "" {
		fail(mongoerr.BadValue, "the password has characters that it may not have, or none")
	}
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf(" PASSWORD 'SCRAM-SHA-256$%d:%s$%s:%s'", iterations, text(salt), text(keys.StoredKey), text(keys.ServerKey))
}

// roles are those that the command names, as a list in SQL. Two of MongoDB's are roles that PostgreSQL has.
func (r *Request) roles() string {
	var names []string
	for _, v := range r.Values("roles") {
		name, _ := v.(string)
		if d, isDocument := v.(wirebson.RawDocument); isDocument {
			name = fieldsOf(d).Str("role")
		}
		switch {
		case name == "" || len(name) > 63 || strings.ContainsRune(name, 0): // PostgreSQL would take another role, whose name a longer one begins with
			fail(mongoerr.BadValue, "a role is a name of 1 to 63 bytes, or a document with the field role")
		case name == "readAnyDatabase":
			names = append(names, "pg_read_all_data")
		case name == "readWriteAnyDatabase":
			names = append(names, "pg_read_all_data", "pg_write_all_data")
		default:
			names = append(names, session.Quote(name))
		}
	}
	return strings.Join(names, ", ")
}

// changeUser makes, changes or drops a role, or gives it roles or takes them, as the command's name says
func changeUser(r *Request) *wirebson.Document {
	user := r.Str(r.Name)
	if user == "" || len(user) > 63 || strings.ContainsRune(user, 0) {
		fail(mongoerr.BadValue, "the name of a user has 1 to 63 bytes, none of them zero")
	}
	if r.Name != "createUser" && r.row("SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin", user) == nil {
		fail(mongoerr.UserNotFound, "User '%s@admin' not found", user)
	}
	if r.Get("customData") != nil || r.Get("authenticationRestrictions") != nil {
		fail(mongoerr.CommandNotSupported, "roles of PostgreSQL have no customData and no authenticationRestrictions")
	}
	word, roles, role := r.password(user), r.roles(), session.Quote(user)
	var statements []string
	switch {
	case r.Name == "createUser" && word == "":
		fail(mongoerr.BadValue, "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db")
	case r.Name == "createUser":
		statements = append(statements, "CREATE ROLE "+role+" LOGIN"+word)
	case r.Name == "dropUser":
		statements = append(statements, "DROP ROLE "+role)
	case r.Name != "updateUser" && roles == "":
		fail(mongoerr.BadValue, "roles must not be empty")
	case r.Name == "updateUser" && word != "":
		statements = append(statements, "ALTER ROLE "+role+word)
	}
	if r.Name == "updateUser" && r.Get("roles") != nil {
		old := r.text("SELECT string_agg(DISTINCT quote_ident(pg_get_userbyid(roleid)), ', ') FROM pg_auth_members WHERE member = quote_ident($1)::regrole", user)
		if old != "" {
			statements = append(statements, "REVOKE "+old+" FROM "+role)
		}
	}
	switch {
	case r.Name == "revokeRolesFromUser":
		statements = append(statements, "REVOKE "+roles+" FROM "+role)
	case roles != "":
		statements = append(statements, "GRANT "+roles+" TO "+role)
	}
	err := caught(func() { r.atomic(func() { r.run(statements...) }) })
	switch session.Code(err) {
	case "42710":
		fail(51003, "User \"%s@admin\" already exists", user)
	case "42704":
		throw(&mongoerr.Error{Code: mongoerr.RoleNotFound, Msg: "roles are those of PostgreSQL: " + mongoerr.Of(err).Msg, Cause: err})
	}
	check(err)
	return doc()
}

// usersInfo lists the roles that can log in: all, or those that are named, as a name or {user: name}
func usersInfo(r *Request) *wirebson.Document {
	asked := wire.Root(r.Get(r.Name))
	if _, isNumber := wire.Number(r.Get(r.Name)); isNumber {
		asked = nil
	} else if d, isDocument := r.Get(r.Name).(wirebson.RawDocument); isDocument && fieldsOf(d).Get("forAllDBs") != nil {
		asked = nil
	}
	return must(r.document(`SELECT #bson_build_object('users', coalesce(#bson_agg(#row_to_bson(u) ORDER BY "user"), '[]')) FROM (
		SELECT 'admin.' || rolname AS _id, rolname::text AS "user", 'admin'::text AS db, '{SCRAM-SHA-256}'::text[] AS mechanisms, (SELECT coalesce(#bson_agg(#row_to_bson(m) ORDER BY role), '[]') FROM (
			SELECT DISTINCT pg_get_userbyid(roleid)::text AS role, 'admin'::text AS db FROM pg_auth_members WHERE member = r.oid) AS m) AS roles
		FROM pg_roles AS r, LATERAL (SELECT CASE #bson_typeof($1) WHEN 'array' THEN $1 ELSE #bson_build_array($1) END AS list) AS l
		WHERE rolcanlogin AND ($1::#bson IS NULL OR rolname IN (SELECT v OPERATOR(#->>) 'user' FROM #bson_array_elements(list) AS e(v) UNION ALL SELECT #bson_array_elements_text(list)))) AS u`, asked).Decode())
}
