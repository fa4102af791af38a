#!/usr/bin/env bash
# Tests of the Python package: makes a virtual environment, builds and installs the package into it, runs pytest.
#   python/run-tests.sh [pytest arguments…]
# PYTHON names the interpreter (python3), NATIVE a native half that is built already. Exits with 77 if there is no
# interpreter that fits, or the packages that the tests need cannot be had; without Ray its tests are skipped by name.
# SB3, torch and rlgym are too heavy for every change: check-peers.sh and bench/speed.sh have them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
if [ -n "${NATIVE:-}" ]; then NATIVE=$(cd "$OLDPWD" && realpath "$NATIVE"); fi
. ./native.sh

skip() {
  echo "skipped: the tests of the Python package: $*"
  exit 77
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null || skip "there is no $python"
"$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  skip "$python is older than 3.10, or has no venv"
venv .venv || skip "$python makes no virtual environment"
.venv/bin/python -c 'import gymnasium, numpy, pettingzoo, pytest' 2>/dev/null ||
  install .venv 300 numpy 'gymnasium>=1.1' 'pettingzoo>=1.25' 'pytest>=8' ||
  skip "numpy, gymnasium, pettingzoo and pytest cannot be had"
.venv/bin/python -c 'import ray' 2>/dev/null || install .venv 300 'ray>=2.40' || echo "ray cannot be had"

native dev
PYTHONPATH=. secluded .venv/bin/python -m pytest -q -rs "$@"
