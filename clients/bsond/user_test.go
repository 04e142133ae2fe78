package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// MongoDB's commands for users make and change roles, as far as the rights of the client's role go.
func TestUsers(t *testing.T) {
	address := begin(t, settings{auth: true})
	admin, ctx := people(t), context.Background()
	sql(t, "ALTER ROLE bsond_alice CREATEROLE", "GRANT bsond_people TO bsond_alice WITH ADMIN OPTION")
	long := "bsond_" + strings.Repeat("r", 57)
	sql(t, "DROP ROLE IF EXISTS "+long, "CREATE ROLE "+long, "GRANT "+long+" TO bsond_alice WITH ADMIN OPTION")
	defer sql(t, "DROP ROLE "+long)
	alice := as(t, address, "bsond_alice", "pëncil=,", "").Database("admin")
	run := func(pairs ...any) error {
		var command bson.D
		for i := 0; i < len(pairs); i += 2 {
			command = append(command, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
		}
		return alice.RunCommand(ctx, command).Err()
	}
	odd := `bsond_"; DROP ROLE bsond_bob; --'`
	for _, each := range []struct {
		what string
		err  error
		code int32
	}{
		{"create", run("createUser", "bsond_carl", "pwd", "se'cret", "roles", bson.A{"bsond_people"}), 0},
		{"create again", run("createUser", "bsond_carl", "pwd", "x", "roles", bson.A{}), 51003},
		{"no password", run("createUser", "bsond_dora", "roles", bson.A{}), 2},
		{"unknown role", run("createUser", "bsond_dora", "pwd", "x", "roles", bson.A{bson.M{"role": "readWrite", "db": "shop"}}), 31},
		{"a name with SQL", run("createUser", odd, "pwd", "x", "roles", bson.A{"bsond_people"}), 0},
		{"a role with SQL", run("grantRolesToUser", "bsond_carl", "roles", bson.A{"x\"; ALTER ROLE bsond_carl SUPERUSER; --"}), 31},
		{"a role with a zero byte", run("grantRolesToUser", "bsond_carl", "roles", bson.A{"x\x00y"}), 2},
		{"a role with the beginning of its name", run("grantRolesToUser", "bsond_carl", "roles", bson.A{long + "r"}), 2},
		{"a superuser's role", run("grantRolesToUser", "bsond_carl", "roles", bson.A{"postgres"}), 13},
		{"change of a superuser", run("updateUser", "postgres", "pwd", "x"), 13},
		{"update", run("updateUser", "bsond_carl", "pwd", "new"), 0},
		{"drop", run("dropUser", odd), 0},
		{"drop again", run("dropUser", odd), 11},
		{"revoke", run("revokeRolesFromUser", "bsond_carl", "roles", bson.A{"bsond_people"}), 0},
		{"grant", run("grantRolesToUser", "bsond_carl", "roles", bson.A{bson.M{"role": "bsond_people", "db": "admin"}}), 0},
	} {
		if (each.code == 0) != (each.err == nil) || code(each.err) != each.code {
			t.Errorf("%s: %v", each.what, each.err)
		}
	}
	if verifier := text(t, admin, "SELECT rolpassword FROM pg_authid WHERE rolname = 'bsond_carl'"); !strings.HasPrefix(verifier, "SCRAM-SHA-256$15000:") {
		t.Errorf("the password is kept as %s", verifier)
	}
	if err := as(t, address, "bsond_carl", "new", "").Database("admin").RunCommand(ctx, bson.D{{Key: "createUser", Value: "bsond_eve"}, {Key: "pwd", Value: "x"}, {Key: "roles", Value: bson.A{}}}).Err(); code(err) != 13 {
		t.Errorf("a role that may not make roles: %v", err)
	}
	var info struct {
		Users []struct {
			User  string
			Roles []struct{ Role string }
		}
	}
	for _, asked := range []any{"bsond_carl", bson.M{"user": "bsond_carl", "db": "admin"}, bson.A{"bsond_carl", "bsond_nobody"}} {
		err := alice.RunCommand(ctx, bson.D{{Key: "usersInfo", Value: asked}}).Decode(&info)
		if err != nil || fmt.Sprint(info.Users) != "[{bsond_carl [{bsond_people}]}]" {
			t.Errorf("usersInfo %v: %v, %v", asked, info, err)
		}
	}
	if err := alice.RunCommand(ctx, bson.D{{Key: "usersInfo", Value: 1}}).Decode(&info); err != nil || len(info.Users) < 4 {
		t.Errorf("usersInfo of all: %v, %v", info, err)
	}
}
