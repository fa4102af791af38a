#!/bin/sh
# Checks against pvp-ml itself, which is not part of this repository:
#
#   integrations/nh/run.sh PVP_ML_CHECKOUT [MODEL]
#
# PVP_ML_CHECKOUT is a checkout of Naton1/osrs-pvp-reinforcement-learning, MODEL a run or a model.zip of nh for the
# check of the API (one is trained for a minute without it). Makes two environments of Python beside this script, or in
# NH_CHECK_DIR. LANISTA names a program that is built already, PYTHON310 a Python 3.10 if `python3.10` is none that runs;
# ROUNDS and SECONDS_EACH change the last check.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
checkout=$(cd "${1:?name a checkout of Naton1/osrs-pvp-reinforcement-learning}" && pwd)
model=${2:+$(realpath "$2")}
lanista=${LANISTA:+$(realpath "$LANISTA")}
work=$(realpath -m "${NH_CHECK_DIR:-$here/.work}")
python310=${PYTHON310:-python3.10}
mkdir -p "$work"

# From there, because cargo reads .cargo/config.toml of where it is called: elsewhere it would build everything anew,
# and not for this machine's vectors.
cd "$root"
[ -n "${LANISTA:-}" ] || cargo build --release -p lanista-cli
cargo build --release -p lanista-nh --example fight
cd "$work"
lanista=${lanista:-$root/target/release/lanista}
fight=$root/target/release/examples/fight

if [ ! -x light/bin/python ]; then
    python3 -m venv light
    light/bin/pip install -q numpy==1.26.2 gymnasium==0.28.1 dacite==1.8.0
fi
echo "== PvpEnv on lanista nh server"
light/bin/python "$here/check_pvp_env.py" --pvp-ml "$checkout" --server "$lanista" --fight "$fight"

# A name alone says little: pyenv leaves one that runs only where that version is chosen.
if [ ! -x torch/bin/python ] && ! "$python310" --version > /dev/null 2>&1; then
    echo "$python310 does not run: the trainer and serve-api of pvp-ml need Python 3.10, and are left out"
    exit 0
fi
if [ ! -x torch/bin/python ]; then
    "$python310" -m venv torch
    torch/bin/pip install -q torch==2.1.2 numpy==1.26.2 gymnasium==0.28.1 dacite==1.8.0 pyyaml filelock psutil \
        tensorboard==2.15.1 "setuptools<70" ray==2.7.1 aiohttp==3.9.1 boto3
fi
echo "== pvp-ml's trainer on lanista nh server"
torch/bin/python "$here/check_trainer.py" --pvp-ml "$checkout" --server "$lanista" --rollouts 3 --keep two-frames.zip

if [ -z "$model" ]; then
    [ -f runs/nh-small/model.zip ] || "$lanista" train nh/small --steps 100k --plain
    model=runs/nh-small
fi
echo "== pvp-ml's ApiClient on lanista play nh and on serve-api"
torch/bin/python "$here/check_api_client.py" --pvp-ml "$checkout" --lanista "$lanista" --model "$model" \
    --original-model two-frames.zip

# Both with the published network, which sees one frame; hardly trained, which costs no time to serve.
echo "== our client on serve-api and on lanista play nh"
if [ ! -f published.zip ]; then
    torch/bin/python "$here/check_trainer.py" --pvp-ml "$checkout" --server "$lanista" --rollouts 2 --published \
        --keep published.zip
fi
if [ ! -f runs/nh-published/model.zip ]; then
    "$lanista" train nh/baseline --steps 5120 --set rollout.matches=20 --set evaluation.matches=1 \
        --set run.dir=runs/nh-published --plain
fi
torch/bin/python "$here/check_our_client.py" --pvp-ml "$checkout" --lanista "$lanista" --model runs/nh-published \
    --original-model published.zip --rounds "${ROUNDS:-3}" --seconds "${SECONDS_EACH:-10}"
