# chroot.sh: other Debian releases in chroots, for matrix and upgrade.  Sourced after lib.sh, never run.
#
# A release is a chroot that debootstrap makes in MATRIX_DIR (~/.cache/bson-matrix),
# once: what it took minutes to install stays there.  Mounts are made in a
# namespace that ends with the command that uses it, however it ends, and
# processes with it.  Who sources this sets $end, in the shell's SECONDS.

dir=${MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/bson-matrix}
passed=0 failed=0

left() {
    echo $((end - SECONDS))
}

# Why no chroot can be used here, or nothing
no_chroots() {
    [ "$(id -u)" = 0 ] || { echo "root is needed"; return; }
    unshare --mount --pid --fork true 2>/dev/null || echo "no namespace of mounts can be made here"
}

# From where this machine gets its packages
mirror() {
    echo "${MATRIX_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)}"
}

# What Ubuntu's packages are signed with, in a package that Debian has since trixie
ubuntu_keyring() {
    local key=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    if [ ! -e "$key" ]; then
        bootstrap trixie || return 1
        key=$dir/trixie$key
        [ -e "$key" ] || chroot "$dir/trixie" sh -c 'apt-get update && apt-get -y install ubuntu-keyring' \
            >"$dir/keyring.log" 2>&1 || { why="ubuntu-keyring cannot be had"; return 1; }
    fi
    keyring=$key
}

# Make the chroot of suite $1, or say why not
bootstrap() {
    local log=$dir/$1.log release=$1 keyring= mirror script= options=()
    [ ! -d "$dir/$1/usr/bin" ] || return 0
    command -v debootstrap >/dev/null || { why="there is no debootstrap"; return 1; }
    mkdir -p "$dir" && rm -rf "$dir/$1.partial"
    mirror=$(mirror)
    case $1 in
        arm64 | s390x)
            release=bookworm options=(--arch="$1")
            ;;
        jammy | noble)
            mirror=${MATRIX_UBUNTU_MIRROR:-}
            [ -n "$mirror" ] || { why="MATRIX_UBUNTU_MIRROR does not say where Ubuntu's packages are"; return 1; }
            ubuntu_keyring || return 1
            options=(--components=main,universe --keyring="$keyring")
            script=/usr/share/debootstrap/scripts/jammy
            ;;
        *)
            # debootstrap knows a release by a script of this name; an older one does not know a newer release
            [ -e "/usr/share/debootstrap/scripts/$1" ] || script=/usr/share/debootstrap/scripts/sid
            ;;
    esac
    echo "making $dir/$1"
    if ! timeout "$(left)" debootstrap --variant=minbase --include=ca-certificates,git,make "${options[@]}" \
        "$release" "$dir/$1.partial" "$mirror" $script >"$log" 2>&1; then
        rm -rf "$dir/$1.partial"
        why="debootstrap failed: $(tail -n 1 "$log")"
        return 1
    fi
    # Ubuntu's release itself stays as it was on its first day
    [ -z "$keyring" ] || echo "deb $mirror $1-updates main universe" >>"$dir/$1.partial/etc/apt/sources.list"
    mv "$dir/$1.partial" "$dir/$1"
}

# The version of a package that is installed below root $1, by a pattern of its name
version() {
    chroot "$1" dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$2" 2>/dev/null |
        sed -n 's/^installed \([0-9]*:\)\?\([^-+~]*\).*/\2/p' | tail -n 1
}

# Run a command in the chroot of suite $1, in a fresh /tmp where /tmp/bson is this
# tree, its output in file $3.  $2: options for mounting an overlay over it, or nothing.
enter() {
    local root=$dir/$1 overlay=$2 log=$3 place status
    shift 3
    place=$(mktemp -d "$dir/run.XXXXXX") && chmod 1777 "$place" && mkdir "$place/bson" || { why="no room"; return 1; }
    (cd "$top" && { git ls-files -coz --exclude-standard 2>/dev/null | while IFS= read -r -d '' f; do
        [ ! -e "$f" ] || printf '%s\0' "$f"; done; } | tar -c --null -T - -f -) | tar -C "$place/bson" -x --no-same-owner -f -
    # copied, not mounted: apt in there may replace it
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

# Add the summary that file $1 ends with, or one failure, to ours; set $last to it
tally() {
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1)
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
        [ "${BASH_REMATCH[2]}" = 0 ] || tail -n 200 "$1"
    else
        failed=$((failed + 1)) last="no result"
        tail -n 50 "$1"
    fi
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}
