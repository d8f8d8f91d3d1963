#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
build=$(cd "$(dirname "${PATH%%:*}")" && pwd)
export PATH=/usr/bin:/bin

cmake --install "$build" --prefix "$folder/local" >installed.txt
try ls local local/share
try local/bin/npuscope check local/share/npuscope/models/digits_vit.onnx --chip 910A -q | head -n 2
export PYTHONPATH=$(echo local/lib/python3.*/site-packages)
try python3 -B -m npuscope --version
source local/share/bash-completion/completions/npuscope
COMP_WORDS=(npuscope help --completion "") COMP_CWORD=3
_npuscope
echo "after 'npuscope help --completion': ${COMPREPLY[*]}"
