# Sourced by scripts/test and scripts/demo: commands whose output goes to a log file and is shown only
# when they fail.

stage_color() {  # stage_color CODE TEXT…
    if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
        printf '\033[%sm%s\033[0m' "$1" "${*:2}"
    else
        printf '%s' "${*:2}"
    fi
}

# quietly LOG COMMAND…: returns the command's exit code; on failure prints the end of the log.
quietly() {
    local log=$1 code=0
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 </dev/null || code=$?
    if [[ $code -ne 0 ]]; then
        echo
        grep -nE '(error:|warning:|FAILED|CMake Error|undefined reference|multiple definition)' "$log" | head -n 20 || true
        echo "--- the end of $log:"
        tail -n 40 "$log"
        echo "--- '$*' ended with exit code $code"
    fi
    return "$code"
}

seconds_since() { echo "$((SECONDS - $1)) s"; }
