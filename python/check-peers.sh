#!/usr/bin/env bash
# The package under the checkers and trainers of others: Stable-Baselines3's check_env for every game, its PPO on
# cartpole and rocket, and a loop in the manner of CleanRL. They bring PyTorch, gigabytes of it, so this is apart
# from run-tests.sh.
#   python/check-peers.sh [pytest arguments…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
venv=.venv-peers
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -c 'import stable_baselines3' 2>/dev/null ||
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    numpy 'gymnasium>=1.1' 'pettingzoo>=1.25' 'pytest>=8' stable-baselines3
cargo build --locked --lib --features pyo3/extension-module --target-dir "${CARGO_TARGET_DIR:-target}"
cp "${CARGO_TARGET_DIR:-target}/debug/lib_lanista.so" lanista/_lanista.abi3.so
# One thread of PyTorch: its networks are too small for more.
OMP_NUM_THREADS=1 PYTHONPATH=. exec "$venv/bin/python" -m pytest -q peers "$@"
