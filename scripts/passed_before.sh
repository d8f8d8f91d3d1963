# Sourced by scripts/test: stages that passed, kept in a file, so that a run that was cut off can be resumed.

sources= record=

# sources_digest: of every file that git has or would add, as it is now; nothing where git cannot tell.
sources_digest() {
    local files
    files=$(git ls-files --cached --others --exclude-standard 2>/dev/null) || return 0
    tr '\n' '\0' <<<"$files" | { xargs -0 sha256sum 2>&1 || true; } | sha256sum | cut -c1-64
}

# remember_in FILE: from now on, for the sources as they are.
remember_in() {
    record=$1
    sources=$(sources_digest)
}

# remember NAME N: it passed with N tests; does nothing before remember_in.
remember() {
    [[ -z $sources ]] || printf '%s\t%s\t%d\n' "$sources" "$1" "$2" >>"$record"
}

# remembered NAME: prints how many tests passed; fails where it did not pass on these sources.
remembered() {
    [[ -n $sources && -f $record ]] || return 1
    awk -F '\t' -v sources="$sources" -v name="$1" \
        '$1 == sources && $2 == name { n = $3 } END { if (n == "") exit 1; print n }' "$record"
}
