#!/bin/sh
# Exports models of every kind of network and runs them in PyTorch: see README.md.
#
#   check.sh [DIR]         LANISTA=path/to/lanista
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$(mktemp -d)}
venv=${VENV:-$dir/torch-venv}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q torch numpy safetensors
fi
"$here/../onnx/models.sh" "$dir"
"$venv/bin/python" "$here/check.py" "$dir"
