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
