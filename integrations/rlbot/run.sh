#!/bin/sh
# Every check against RLBot's official packages and C++ RocketSim. See README.md.
#   integrations/rlbot/run.sh [LANISTA]      from anywhere; LANISTA defaults to target/release/lanista
# Everything it needs and makes lies in target/rlbot-check: a venv, the meshes, a model (trained once). STEPS=100k trains
# a worse car in less time, to see that everything runs; MATCHES=50 makes the last check short.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
lanista=${1:-$root/target/release/lanista}
[ -x "$lanista" ] || { echo "no program at $lanista; run: cargo build --release" >&2; exit 1; }
work=$root/target/rlbot-check
mkdir -p "$work"
cd "$work"
if [ ! -x venv/bin/python ]; then
    python3 -m venv venv
    venv/bin/pip install --quiet rlbot_flatbuffers==0.19.0 rlbot==2.0.0b56 rlgym_compat==2.3.6 rocketsim==2.2.1
fi
if [ ! -d meshes/collision_meshes ]; then
    mkdir -p meshes
    venv/bin/pip download --quiet --no-deps rlgym-rocket-league==2.0.1 -d meshes
    tar xzf meshes/rlgym-rocket-league-2.0.1.tar.gz -C meshes --strip-components=4 --wildcards '*/collision_meshes'
fi
meshes=$work/meshes/collision_meshes
steps=${STEPS:-10M}
if [ "$(cat driver-steps 2> /dev/null)" != "$steps" ]; then
    # A car that carries the ball and scores now and then; some minutes. One whose training was cut short is no such car.
    rm -rf runs/driver driver-steps
    "$lanista" train rocket/touch --seed 1 --steps "$steps" --threads "${THREADS:-1}" --plain \
        --set run.dir=runs/driver --set settings.action_delay=1 \
        --set "settings.collision_meshes=$meshes" \
        --reward goal=10 --reward velocity_ball_to_goal=0.2 > train.log
    echo "$steps" > driver-steps
fi
for check in protocol states folder closed_loop; do
    echo "== $check"
    PYTHONPATH=$here venv/bin/python "$here/$check.py" "$lanista" runs/driver/model.zip "$meshes"
done
