#!/usr/bin/env bash
# Makes a virtual environment with Ray, builds the package and runs a script beside this one:
#   python/bench/ray.sh ray_speed.py [arguments…]
#   python/bench/ray.sh ray_delays.py [arguments…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. ./native.sh
venv .venv-ray
.venv-ray/bin/python -c 'import numpy, ray' 2>/dev/null || install .venv-ray 600 numpy 'ray>=2.40'
native release
script=$1
shift
PYTHONPATH=. secluded .venv-ray/bin/python "bench/$script" "$@"
