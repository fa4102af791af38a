#!/bin/sh
# Trains small models of every kind of network into a directory, and writes each as other programs read it,
# with decisions of real play beside it.
#
#   models.sh DIR          LANISTA=path/to/lanista   COUNT=10000 decisions each
#
# Pokémon VGC takes part when LANISTA_SHOWDOWN names an install of pokemon-showdown (docs/vgc.md).
set -eu
dir=$1
lanista=${LANISTA:-lanista}
count=${COUNT:-10000}
mkdir -p "$dir"

# make NAME ROLE PRESET STEPS [flags of train]: a few thousand steps, so that no weight is as it began.
make() {
    name=$1 role=$2 preset=$3 steps=$4
    shift 4
    if [ ! -f "$dir/$name/model.zip" ]; then
        "$lanista" train "$preset" --steps "$steps" --set "run.dir=$dir/$name" --set evaluation.matches=1 \
            --plain "$@" >"$dir/$name.log" 2>&1 || { cat "$dir/$name.log"; exit 1; }
    fi
    for kind in "" --actor-only --noise; do
        # shellcheck disable=SC2086 # none, or one word
        "$lanista" export "$dir/$name" --role "$role" $kind --onnx "$dir/$name$kind.onnx" >/dev/null
    done
    "$lanista" export "$dir/$name" --role "$role" --torch "$dir/$name.safetensors" \
        --decisions "$dir/$name.decisions.safetensors" --count "$count" >/dev/null
    echo "made $name"
}

make mlp player classic/cartpole 16384 --set policy.normalize_observations=true
make mlp-silu-norm player classic/cartpole 16384 --set policy.activation=silu --set policy.layer_norm=true
make mlp-relu-shared player classic/cartpole-wide 65536
# To the end of the preset: logits as large as they get.
make mlp-trained player classic/cartpole 100000
make autoregressive-trained player classic/levers 200000
make lstm player classic/cartpole-novel-lstm 32768
make lstm-deep player classic/cartpole-novel-lstm 32768 --set policy.memory.layers=2 \
    --set policy.layer_norm=true --set policy.normalize_observations=true
make gru player classic/cartpole-novel 32768
make gru-deep-shared player classic/cartpole-novel 32768 --set policy.memory.layers=2 \
    --set policy.critic.shared=true
make autoregressive player classic/levers 32768
make autoregressive-two-roles seeker classic/hideout 65536
make stacked player classic/duel 65536 --set observation.stack=3 --set policy.normalize_observations=true
make entities-attention player classic/odd-one 32768 --set policy.normalize_observations=true
make entities-mean-max player classic/odd-one 32768 --set policy.encoder.entities.pool=mean_max \
    --set policy.encoder.entities.heads=null --set policy.critic.shared=false
make heads player nh/small 65536
make heads-autoregressive-requirements player nh/baseline 25600
make survivors survivor survivors/team 32768 --set rollout.matches=16 --set rollout.horizon=256 \
    --set 'policy.encoder={embedding: 8, entities: {hidden: [32], pool: attention, heads: 4}}'
make rocket player rocket/touch 65536
make rocket-lstm player rocket/touch 65536 --set 'policy.memory={cell: lstm, size: 64}'
if [ -n "${LANISTA_SHOWDOWN:-}" ]; then
    make vgc player vgc/base 4096 --set rollout.matches=16 --set rollout.horizon=32
fi
