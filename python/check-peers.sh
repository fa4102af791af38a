#!/usr/bin/env bash
# The package under the checkers and trainers of others: Stable-Baselines3's check_env for every game, its PPO on
# cartpole and rocket, and a loop of our own in the manner of CleanRL on both. They bring PyTorch, gigabytes of it, so this is
# apart from run-tests.sh.
#   python/check-peers.sh [pytest arguments…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./native.sh
venv .venv-peers
.venv-peers/bin/python -c 'import stable_baselines3, pettingzoo' 2>/dev/null ||
  install .venv-peers 3600 numpy 'gymnasium>=1.1' 'pettingzoo>=1.25' 'pytest>=8' stable-baselines3
native release
# One thread of PyTorch: its networks are too small for more.
OMP_NUM_THREADS=1 PYTHONPATH=. exec .venv-peers/bin/python -m pytest -q -rs -s peers "$@"
