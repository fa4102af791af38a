#!/bin/sh
# Exports models of every kind of network and runs them in onnxruntime: see README.md.
#
#   check.sh [DIR]         LANISTA=path/to/lanista
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$(mktemp -d)}
venv=${VENV:-$dir/venv}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q onnx==1.23.2 onnxruntime==1.31.1 numpy safetensors
fi
"$here/models.sh" "$dir"
"$venv/bin/python" "$here/check.py" "$dir"
