# lib.sh: what the scripts of test/bin share.  Sourced, never run.

# PGXS is called from here with its own flags; those of an outer make are not for it
unset MAKEFLAGS MAKELEVEL MFLAGS

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

fail() {
    echo "$*" >&2
    exit 2
}

# Is $1 the pg_config of a whole server: programs, headers, pg_regress?
whole_server() {
    local bin pgxs
    bin=$("$1" --bindir 2>/dev/null) && pgxs=$("$1" --pgxs 2>/dev/null) &&
        [ -x "$bin/initdb" ] && [ -x "$bin/psql" ] && [ -f "$pgxs" ]
}

# Print the pg_config to build with: the caller's, the path's, or the newest packaged one
find_pg_config() {
    local candidate
    if [ -n "${PG_CONFIG:-}" ]; then
        whole_server "$PG_CONFIG" && echo "$PG_CONFIG"
        return
    fi
    for candidate in pg_config $(ls -d /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -rV); do
        if whole_server "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

# The user that servers run as: initdb refuses root
server_user() {
    if [ "$(id -u)" != 0 ]; then
        id -un
    elif [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
        echo "$SUDO_USER"
    elif id postgres >/dev/null 2>&1; then
        echo postgres
    else
        echo nobody
    fi
}

# Run a command as user $1, in the environment as it is
as_user() {
    local user=$1
    shift
    if [ "$user" = "$(id -un)" ]; then
        "$@"
    else
        setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups "$@"
    fi
}

# Run a command so that a signal to us ends it at once; bash would wait for it first
relay() {
    local child status
    "$@" &
    child=$!
    trap 'kill -TERM $child 2>/dev/null' INT TERM HUP
    wait $child
    status=$?
    while kill -0 $child 2>/dev/null; do
        wait $child
    done
    trap - INT TERM HUP
    return $status
}

# For scripts that count: "step NAME GOOD BAD" adds up and says so, with the end of
# $out if something failed; "finish" prints the sum and ends.
passed=0 failed=0

step() {
    local name=$1 good=$2 bad=$3
    passed=$((passed + good)) failed=$((failed + bad))
    [ "$bad" = 0 ] || tail -n 100 "$out"
    echo "$name: $good passed, $bad failed ($SECONDS s)"
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}

# regress_step NAME [TEST...]: the regression tests, or some; one that did not run has failed
regress_step() {
    local name=$1 tests good
    shift
    tests=${*:-$(cd test/sql && ls *.sql | sed 's/\.sql$//')}
    make -s with_llvm=no installcheck REGRESS="$(echo $tests)" >"$out" 2>&1
    good=$(grep -cE '^(test .* ok +[0-9]+ ms|ok [0-9]+ )' "$out")
    [ ! -f regression.diffs ] || head -n 150 regression.diffs >>"$out"
    step "$name" "$good" $(($(wc -w <<<"$tests") - good))
}

# summary_step NAME COMMAND...: a program that ends with a summary of its own, as we do
summary_step() {
    "${@:2}" >"$out" 2>&1
    [[ $(tail -n 1 "$out") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || BASH_REMATCH=(- 0 1)
    step "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
}

# property_step SECONDS: the property test, in a database of its own
property_step() {
    createdb property
    PGDATABASE=property summary_step property /usr/bin/python3 test/property/run.py --seconds "$1"
}

# tap_step TEST...: tests that start servers of their own
tap_step() {
    local status good bad
    make -s with_llvm=no prove_installcheck PROVE_FLAGS=-v PROVE_TESTS="$*" >"$out" 2>&1
    status=$?
    good=$(grep -c '^ok [0-9]' "$out") bad=$(grep -cE '^not ok |^Bail out' "$out")
    step tap "$good" $((bad == 0 && (status != 0 || good == 0) ? 1 : bad))
}

# Have the private server run by what COMMAND... puts before its program and arguments
wrap_server() {
    local server
    server=$(pg_config --bindir)/postgres
    mv "$server" "$server.real"
    cat >"$server" <<END
#!/bin/sh
exec $* "$server.real" "\$@"
END
    chmod +x "$server"
}
