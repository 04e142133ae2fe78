# chroot.sh: Debian releases in chroots, for matrix, upgrade and starts.  Sourced after lib.sh, never run.
#
# A release is a chroot that debootstrap makes once in MATRIX_DIR
# (~/.cache/bson-matrix) and that stays there, because installing it takes minutes.
# Mounts are made in a namespace that ends with the command that uses it, even if
# that fails, and so do its processes.  The script that sources this sets $end, in
# the shell's SECONDS.

dir=${MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/bson-matrix}

left() {
    echo $((end - SECONDS))
}

# Print why no chroot can be used here, or nothing
no_chroots() {
    [ "$(id -u)" = 0 ] || { echo "root is needed"; return; }
    unshare --mount --pid --fork true 2>/dev/null || echo "no namespace of mounts can be made here"
}

# Print where this machine gets its packages from
mirror() {
    echo "${MATRIX_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)}"
}

# Make the chroot of suite $1, or say why that is not possible; pristine-SUITE is a second one of SUITE, which is never
# changed
bootstrap() {
    local log=$dir/$1.log release=${1#pristine-} mirror script= options=()
    [ ! -d "$dir/$1/usr/bin" ] || return 0
    command -v debootstrap >/dev/null || { why="there is no debootstrap"; return 1; }
    mkdir -p "$dir" && rm -rf "$dir/$1.partial"
    mirror=$(mirror)
    case $release in
        i386 | arm64 | s390x)
            options=(--arch="$release") release=bookworm
            ;;
        experimental)
            release=sid
            ;;
        *)
            # debootstrap has a script of this name for each release that it knows; an older debootstrap lacks newer releases
            [ -e "/usr/share/debootstrap/scripts/$release" ] || script=/usr/share/debootstrap/scripts/sid
            ;;
    esac
    echo "making $dir/$1"
    if ! timeout "$(left)" debootstrap --variant=minbase --include=ca-certificates,git,make "${options[@]}" \
        "$release" "$dir/$1.partial" "$mirror" $script >"$log" 2>&1; then
        rm -rf "$dir/$1.partial"
        why="debootstrap failed: $(tail -n 1 "$log")"
        return 1
    fi
    # a mirror that is no longer updated is useful, too
    echo 'Acquire::Check-Valid-Until "false";' >"$dir/$1.partial/etc/apt/apt.conf.d/mirror"
    if [ "${1#pristine-}" = experimental ] && ! next_postgresql "$dir/$1.partial" "$mirror" >>"$log" 2>&1; then
        rm -rf "$dir/$1.partial"
        why="PostgreSQL $next cannot be had: $(tail -n 1 "$log")"
        return 1
    fi
    mv "$dir/$1.partial" "$dir/$1"
}

# Install the PostgreSQL that is not released yet, of mirror $2, in the chroot of sid at $1
next=19
next_postgresql() {
    local packages=(postgresql-$next postgresql-client-$next postgresql-server-dev-$next libpq5 libpq-dev)
    echo "deb $2 experimental main" >"$1/etc/apt/sources.list.d/experimental.list"
    mkdir -p "$1/etc/postgresql-common/createcluster.d"
    echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.d/bson.conf"
    cp /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null
    timeout "$(left)" unshare --mount --pid --fork --kill-child=KILL sh -c '
        root=$1
        shift
        export DEBIAN_FRONTEND=noninteractive
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && chroot "$root" apt-get -qy update &&
        exec chroot "$root" apt-get -qy --no-install-recommends install "$@"' \
        sh "$1" "${packages[@]/%//experimental}" </dev/null
}

# The version of a package that is installed below root $1, by a pattern of its name
version() {
    chroot "$1" dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$2" 2>/dev/null |
        sed -n 's/^installed \([0-9]*:\)\?\([^-+~]*\).*/\2/p' | tail -n 1
}

# Run a command in the chroot of suite $1, with a fresh /tmp where /tmp/bson is this
# tree, and write its output to file $3.  $2 has options for mounting an overlay over
# the chroot, or is empty.
enter() {
    local root=$dir/$1 overlay=$2 log=$3 place status
    shift 3
    place=$(mktemp -d "$dir/run.XXXXXX") && chmod 1777 "$place" && mkdir "$place/bson" || { why="no room"; return 1; }
    (cd "$top" && { git ls-files -coz --exclude-standard 2>/dev/null | while IFS= read -r -d '' f; do
        [ ! -e "$f" ] || printf '%s\0' "$f"; done; } | tar -c --null -T - -f -) | tar -C "$place/bson" -x --no-same-owner -f -
    keep_released "$place/bson"
    # copied, not mounted, because apt in the chroot may replace it
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
    relay timeout --kill-after=10 "$(left)" unshare --mount --pid --fork --kill-child=KILL sh -c '
        root=$1 place=$2 overlay=$3
        shift 3
        { [ -z "$overlay" ] || mount -t overlay -o "lowerdir=$root,$overlay" overlay "$root"; } &&
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --bind "$place" "$root/tmp" &&
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"' \
        sh "$root" "$place" "$overlay" "$@" >"$log" 2>&1 </dev/null
    status=$?
    rm -rf "$place"
    if [ $status = 124 ] || [ $status = 137 ]; then
        why="no time left"
    elif [ $status -ge 128 ]; then
        exit $status    # told to end
    fi
    return $status
}
