#!/bin/sh
# Checks against pvp-ml itself, which is not part of this repository:
#
#   integrations/nh/run.sh PVP_ML_CHECKOUT [MODEL]
#
# PVP_ML_CHECKOUT is a checkout of Naton1/osrs-pvp-reinforcement-learning, MODEL a run or a model.zip of nh for the
# check of the API (one is trained for a minute without it). Makes two environments of Python beside this script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
checkout=$(cd "${1:?name a checkout of Naton1/osrs-pvp-reinforcement-learning}" && pwd)
model=${2:-}
work=${NH_CHECK_DIR:-$here/.work}
mkdir -p "$work"
cd "$work"

cargo build --release --manifest-path "$root/Cargo.toml" -p lanista-cli
cargo build --release --manifest-path "$root/Cargo.toml" -p lanista-nh --example fight
lanista=$root/target/release/lanista
fight=$root/target/release/examples/fight

if [ ! -x light/bin/python ]; then
    python3 -m venv light
    light/bin/pip install -q numpy==1.26.2 gymnasium==0.28.1 dacite==1.8.0
fi
echo "== PvpEnv on lanista nh server"
light/bin/python "$here/check_pvp_env.py" --pvp-ml "$checkout" --server "$lanista" --fight "$fight"

if ! command -v python3.10 > /dev/null; then
    echo "python3.10 is not installed: the trainer and serve-api of pvp-ml need it, and are left out"
    exit 0
fi
if [ ! -x torch/bin/python ]; then
    python3.10 -m venv torch
    torch/bin/pip install -q torch==2.1.2 numpy==1.26.2 gymnasium==0.28.1 dacite==1.8.0 pyyaml filelock psutil \
        tensorboard==2.15.1 "setuptools<70" ray==2.7.1 aiohttp==3.9.1 boto3
fi
echo "== pvp-ml's trainer on lanista nh server"
torch/bin/python "$here/check_trainer.py" --pvp-ml "$checkout" --server "$lanista" --rollouts 3

if [ -z "$model" ]; then
    "$lanista" train nh/small --steps 100k --plain
    model=runs/nh-small
fi
echo "== pvp-ml's ApiClient on lanista play nh and on serve-api"
trained=$(ls -t "$checkout"/pvp-ml/experiments/lanista-check-*/models/main-3840-steps.zip | head -n 1)
torch/bin/python "$here/check_api_client.py" --pvp-ml "$checkout" --lanista "$lanista" --model "$model" \
    --original-model "$trained"
