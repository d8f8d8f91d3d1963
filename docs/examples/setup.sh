# Sourced by every run.sh: a new folder with the models in it, and the built programs on PATH.
set -eu
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH="${NPUSCOPE_BIN_DIR:-$examples/../../build/release/bin}:$PATH" LC_ALL=C.UTF-8 NO_COLOR=1
export PYTHONPATH="$(dirname "${PATH%%:*}")/python" PYTHONDONTWRITEBYTECODE=1
# What a script and its dumps print come in their order, as on a terminal.
export PYTHONUNBUFFERED=1
folder=${EXAMPLE_DIR:-$(mktemp -d)}
cp "$examples"/../../data/models/* "$folder"
chmod u+w "$folder"/*
cd "$folder"
[ -n "${EXAMPLE_DIR:-}" ] || echo "working in $folder" >&2

# try COMMAND…: prints the command as typed, what it prints, and an exit code other than 0.
try() {
    echo "\$ $*"
    local code=0
    "$@" || code=$?
    [ "$code" -eq 0 ] || echo "(exit code $code)"
    echo
}
