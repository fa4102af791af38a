#!/bin/sh
# Sets up poke-env once, builds lanista, and runs a measurement: `./run.sh matches …` or `./run.sh speed …`.
set -eu
cd "$(dirname "$0")"

if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv
fi
# A second run finds everything installed and takes a second.
.venv/bin/python -m pip install --quiet --requirement requirements.txt

what=${1:?"matches or speed"}
shift
exec .venv/bin/python "$what.py" "$@"
