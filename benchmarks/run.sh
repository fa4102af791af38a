#!/bin/sh
# Sets up the peers once, builds lanista, and prints the comparison. Arguments go to compare.py.
set -eu
cd "$(dirname "$0")"

if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv
fi
# A second run finds everything installed and takes a second.
.venv/bin/python -m pip install --quiet --requirement requirements.txt

exec .venv/bin/python compare.py "$@"
