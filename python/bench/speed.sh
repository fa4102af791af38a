#!/usr/bin/env bash
# Makes a virtual environment with Gymnasium and rlgym, builds the package and runs bench/speed.py.
#   python/bench/speed.sh [arguments of speed.py…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. ./native.sh
venv .venv-speed
.venv-speed/bin/python -c 'import gymnasium, pytest, rlgym.rocket_league, RocketSim' 2>/dev/null ||
  install .venv-speed 600 numpy 'gymnasium>=1.1' 'pettingzoo>=1.25' 'pytest>=8' \
    rlgym rlgym-rocket-league rocketsim
native release
PYTHONPATH=. exec .venv-speed/bin/python bench/speed.py "$@"
