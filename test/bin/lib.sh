# lib.sh: what the scripts of test/bin share.  Sourced, never run.

# A job that a script starts in the background ignores SIGINT.  A shell cannot undo that
# and its children inherit it, so they would not end when make is interrupted.  Start
# again with the default.
if [ -z "${BSON_SIGNALS:-}" ]; then
    export BSON_SIGNALS=default
    if [ -n "$(trap -p INT QUIT)" ] && command -v perl >/dev/null; then
        exec perl -e '$SIG{$_} = "DEFAULT" for "INT", "QUIT"; exec @ARGV' "$BASH" "$0" "$@"
    fi
fi

# PGXS is called from here with its own flags, not with those of an outer make
unset MAKEFLAGS MAKELEVEL MFLAGS

# The output of programs is parsed here, so it must be in English; and other users must be able to read the files that
# are made here
case $OSTYPE in
    darwin*) export LC_ALL=en_US.UTF-8 ;;
    *) export LC_ALL=C.UTF-8 ;;
esac
umask 022

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

fail() {
    echo "$*" >&2
    exit 2
}

# Print what the server of pg_config $1 lacks for building and testing an extension, one
# word each: server (its programs), headers (with what PGXS needs)
lacks() {
    local bin include pgxs
    bin=$("$1" --bindir 2>/dev/null) && include=$("$1" --includedir-server 2>/dev/null) && pgxs=$("$1" --pgxs 2>/dev/null) ||
        { echo server headers; return; }
    [ -x "$bin/postgres" ] && [ -x "$bin/initdb" ] && [ -x "$bin/pg_ctl" ] && [ -x "$bin/psql" ] || echo server
    [ -f "$include/postgres.h" ] && [ -f "$pgxs" ] && [ -x "$(dirname "$pgxs")/../test/regress/pg_regress" ] || echo headers
}

whole_server() {
    [ -z "$(lacks "$1")" ]
}

# Put the sources of 1.0 as it was released into the copy of this tree at $1, for the test of upgrades, if they are not
# there already.  Without the repository's history, as in a shallow clone, there are none.
released=3cbbdca726a53513e77e07b103359534f2cdbe96
keep_released() {
    [ -e "$1/.released.tar" ] ||
        git -C "$top" archive -o "$1/.released.tar" "$released" Makefile META.json README.md bson.control doc sql src test/bin 2>/dev/null ||
        rm -f "$1/.released.tar"
}

# The major version of pg_config $1
major_version() {
    "$1" --version 2>/dev/null | sed -n 's/^[^0-9]*\([0-9]*\).*/\1/p'
}

# The pg_configs of packaged servers, the newest first
packaged_pg_configs() {
    ls -d /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -rV
}

# Print the pg_config to build with: the caller's, the path's, or the newest packaged one
find_pg_config() {
    local candidate
    if [ -n "${PG_CONFIG:-}" ]; then
        whole_server "$PG_CONFIG" && echo "$PG_CONFIG"
        return
    fi
    for candidate in pg_config $(packaged_pg_configs); do
        if whole_server "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

# Print what is missing for building the extension, one word each: see package_name
missing_for_build() {
    command -v gcc >/dev/null || command -v cc >/dev/null || command -v clang >/dev/null || echo compiler
    command -v pkg-config >/dev/null || echo pkg-config
    pkg-config --exists bson2 2>/dev/null || pkg-config --exists libbson-1.0 2>/dev/null || echo libbson
    pkg-config --exists json-c 2>/dev/null || echo json-c
    pkg-config --exists libpcre2-8 2>/dev/null || echo pcre2
}

# Print the names that system $1 (apt, dnf, brew) has for the packages of the missing $2, for PostgreSQL $3
package_name() {
    case $1,$2 in
        apt,compiler) echo "gcc libc6-dev" ;;
        apt,libbson) echo libbson-dev ;;
        apt,json-c) echo libjson-c-dev ;;
        apt,pcre2) echo libpcre2-dev ;;
        apt,server) echo "postgresql${3:+-$3}" ;;
        apt,headers) echo "postgresql-server-dev-${3:-all}" ;;
        dnf,compiler) echo "gcc redhat-rpm-config" ;;
        dnf,pkg-config) echo pkgconf-pkg-config ;;
        dnf,libbson) echo libbson-devel ;;
        dnf,json-c) echo json-c-devel ;;
        dnf,pcre2) echo pcre2-devel ;;
        dnf,server) echo postgresql-server ;;
        dnf,headers) echo postgresql-server-devel ;;
        brew,compiler) echo gcc ;;
        brew,pkg-config) echo pkgconf ;;
        brew,libbson) echo mongo-c-driver ;;
        brew,server | brew,headers) echo "postgresql@${3:-17}" ;;
        *) echo "$2" ;;
    esac
}

# Print the system's package manager, if package_name knows it
package_system() {
    local system
    for system in apt-get dnf brew; do
        ! command -v $system >/dev/null || { echo "${system%-get}"; return; }
    done
}

# Print the version of PostgreSQL whose packages are to be completed or installed: the
# newest that has a server here and headers in a package, or else the distribution's
apt_version() {
    local version
    for version in $(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | cut -d/ -f5 | sort -rn); do
        ! apt-cache show "postgresql-server-dev-$version" >/dev/null 2>&1 || { echo "$version"; return; }
    done
    apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1
}

# What the fuzz targets are compiled and linked with: the libraries' packages, and the compiler's flags for a pg_config
library_packages() {
    echo "$(pkg-config --exists bson2 && echo bson2 || echo libbson-1.0) json-c libpcre2-8"
}

fuzz_flags() {
    echo "-D_GNU_SOURCE -Isrc -isystem $("$1" --includedir-server) $(pkg-config --cflags $(library_packages) | sed 's/-I/-isystem /g')"
}

# Is there clang with libFuzzer?
has_fuzzer() {
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return 0; }' |
        clang -fsanitize=fuzzer,address -x c -o /dev/null - >/dev/null 2>&1
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

# Run a command so that a signal to this script ends it at once; otherwise bash would
# wait for the command first.  The status is then 143 in any case.
relay() {
    local child status told=
    "$@" &
    child=$!
    trap 'told=143; kill -TERM $child 2>/dev/null' INT TERM HUP
    wait $child
    status=$?
    while kill -0 $child 2>/dev/null; do
        wait $child
    done
    trap - INT TERM HUP
    return ${told:-$status}
}

# The warnings that are errors, with PG_CFLAGS
warnings="-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers"

# For scripts that count: a step adds to the sums and prints its result; "finish"
# prints what was not run and, as the last line, the sums, and exits.  $out has the
# output of the running step.
passed=0 failed=0 omitted=() began=$SECONDS

# step NAME GOOD BAD: count and print; also print the end of $out if something failed
step() {
    passed=$((passed + $2)) failed=$((failed + $3))
    [ "$3" = 0 ] || grep -vE '^ok ' "$out" | tail -n 200
    printf '%-22s %6d passed' "$1" "$2"
    [ "$3" = 0 ] || printf ', %d failed' "$3"
    printf '  (%d s)\n' $((SECONDS - began))
    began=$SECONDS
}

# omit NAME WHY: a step, or a part of one, that is not possible here
omit() {
    echo "$1: SKIPPED, $2"
    omitted+=("$1 ($2)")
}

finish() {
    local each
    for each in "${omitted[@]}"; do
        echo "not run: $each"
    done
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}

# lines_step NAME STATUS GOOD BAD: count the lines of $out by patterns; a command that failed
# without a line for it, or a step without results, is one failure
lines_step() {
    local good bad
    good=$(grep -cE "$3" "$out") bad=$(grep -cE "$4" "$out")
    if [ "$bad" = 0 ] && { [ "$2" != 0 ] || [ "$good" = 0 ]; }; then
        bad=1
    fi
    step "$1" "$good" "$bad"
}

# script_step NAME COMMAND...: a program that prints "ok NAME" or "not ok NAME" lines
script_step() {
    "${@:2}" >"$out" 2>&1
    lines_step "$1" $? '^ok ' '^not ok '
}

# tally FILE: add the summary at the end of FILE, or one failure if there is none, to the sums; sets $last to that line
tally() {
    local each
    while IFS= read -r each; do
        omitted+=("$each")
    done < <(sed -n 's/^not run: //p' "$1")
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1)
    [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || { last="no result"; BASH_REMATCH=(- 0 1); }
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    [ "${BASH_REMATCH[2]}" = 0 ]
}

# regress_step NAME [TEST...]: run all regression tests, or some; a test that did not
# run has failed (a test without its expected file stops pg_regress)
regress_step() {
    local name=$1 tests good place
    shift
    tests=${*:-$(cd test/sql && ls *.sql | sed 's/\.sql$//')}
    # results of its own, since another step may run beside this one; what is expected is looked for there
    place=$(mktemp -d) && ln -s "$top/expected" "$place/expected"
    make -s with_llvm=no installcheck REGRESS="$(echo $tests)" EXTRA_REGRESS_OPTS="--outputdir=$place" >"$out" 2>&1
    good=$(grep -cE '^(test .* ok +[0-9]+ ms|ok [0-9]+ )' "$out")
    [ ! -f "$place/regression.diffs" ] || head -n 150 "$place/regression.diffs" >>"$out"
    step "$name" "$good" $(($(wc -w <<<"$tests") - good))
}

# summary_step NAME COMMAND...: a program whose last line is a summary, like ours
summary_step() {
    local name=$1 what why
    "${@:2}" >"$out" 2>&1
    [[ $(tail -n 1 "$out") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || BASH_REMATCH=(- 0 1)
    step "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    while IFS=: read -r what why; do
        omit "$name $what" "${why# SKIPPED, }"
    done < <(sed -n 's/^\([^:]*\): SKIPPED, /\1: SKIPPED, /p' "$out")
}

# property_step SECONDS: the property test, in a database of its own
property_step() {
    createdb property
    PGDATABASE=property summary_step property /usr/bin/python3 test/property/run.py --seconds "$1"
}

# tap_step TEST...: tests that start their own servers, in a directory of their own; $tap_bad is the pattern of a failure
tap_bad='^not ok |^Bail out'
tap_step() {
    local place name=tap
    place=$(mktemp -d)
    [ $# != 1 ] || name="tap $(basename "$1" .pl)"
    make -s with_llvm=no prove_installcheck CURDIR="$place" PROVE_FLAGS=-v PROVE_TESTS="$*" >"$out" 2>&1
    lines_step "$name" $? '^ok [0-9]' "$tap_bad"
    while IFS= read -r name; do
        omit "$(basename "$1" .pl)" "$name"
    done < <(sed -n 's/^ok [0-9].* # skip //p' "$out" | sort -u)
}

# Make a cluster in directory $1, and start its server
start_server() {
    local bindir
    bindir=$("$PG_CONFIG" --bindir)
    # out of reach of the signal that ends this group: see kill_servers of cluster
    setsid --wait "$bindir/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$1/initdb.log" 2>&1 ||
        { cat "$1/initdb.log" >&2; fail "initdb failed"; }
    cat >>"$1/data/postgresql.conf" <<-END
	listen_addresses = ''
	unix_socket_directories = '$1'
	port = 5432
	fsync = off
	max_wal_size = 4GB
	timezone = 'UTC'
	END
    mkdir "$1/log"
    "$bindir/pg_ctl" -D "$1/data" -l "$1/log/server.log" -w start >/dev/null ||
        { cat "$1/log/server.log" >&2; fail "the server does not start"; }
}

# Make the private server start by COMMAND..., followed by its program and arguments
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
