#!/usr/bin/env bash
# Tests of the Python package: makes a virtual environment, builds and installs the package into it, runs pytest.
#   python/run-tests.sh [pytest arguments…]
# PYTHON names the interpreter (python3). Exits with 77 if there is none that fits, or the packages that the
# tests need cannot be had. SB3, torch and rlgym are too heavy for every change: python/check-peers.sh has them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

skip() {
  echo "skipped: the tests of the Python package: $*"
  exit 77
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null || skip "there is no $python"
"$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  skip "$python is older than 3.10, or has no venv"

venv=.venv
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || skip "$python makes no virtual environment"
"$venv/bin/python" -c 'import gymnasium, numpy, pettingzoo, pytest' 2>/dev/null ||
  timeout 180 "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    numpy 'gymnasium>=1.1' 'pettingzoo>=1.25' 'pytest>=8' ||
  skip "numpy, gymnasium, pettingzoo and pytest cannot be had"

# Built by cargo and put beside the Python half, as `maturin develop` does it: that needs no maturin.
cargo build --locked --lib --features pyo3/extension-module --target-dir "${CARGO_TARGET_DIR:-target}"
cp "${CARGO_TARGET_DIR:-target}/debug/lib_lanista.so" lanista/_lanista.abi3.so
PYTHONPATH=. exec "$venv/bin/python" -m pytest -q "$@"
