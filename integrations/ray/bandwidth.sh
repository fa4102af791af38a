#!/usr/bin/env bash
# Where the learner or its link becomes the bottleneck, on one machine: every worker is a node of Ray in a network
# namespace of its own, behind a link of limited width, with an engine that takes a fixed time for an order. So workers
# cost no cores that others need, and many of them can be had.
#   integrations/ray/bandwidth.sh [arguments of bandwidth.py…]
# Needs root, ip and tc. The learner has a namespace of its own, too; nothing listens outside of them, and all of them
# are removed at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../python"
. ./native.sh
for tool in ip tc; do
  command -v "$tool" >/dev/null || { echo "needs $tool: apt-get install iproute2" >&2; exit 1; }
done
venv .venv-ray
.venv-ray/bin/python -c 'import numpy, ray' 2>/dev/null || install .venv-ray 600 numpy 'ray>=2.40'
native release

nodes=${NODES:-4}
remove() {
  for name in lanista-learner $(seq -f 'lanista-worker%g' 1 "$nodes"); do
    # Whatever was started inside ends with it.
    { ip netns pids "$name" | xargs -r kill -9 && ip netns delete "$name"; } 2>/dev/null || true
  done
}
remove
trap remove EXIT
ip netns add lanista-learner
learner=(ip -n lanista-learner)
"${learner[@]}" link set dev lo up
"${learner[@]}" link add name hub type bridge
"${learner[@]}" address add 10.213.0.1/24 dev hub
"${learner[@]}" link set dev hub up
for i in $(seq 1 "$nodes"); do
  ip netns add "lanista-worker$i"
  ip -n "lanista-worker$i" link set dev lo up
  "${learner[@]}" link add name "to$i" type veth peer name eth netns "lanista-worker$i"
  "${learner[@]}" link set dev "to$i" master hub up
  ip -n "lanista-worker$i" address add "10.213.0.$((i + 1))/24" dev eth
  ip -n "lanista-worker$i" link set dev eth up
done
PYTHONPATH=.:bench ip netns exec lanista-learner \
  .venv-ray/bin/python ../integrations/ray/bandwidth.py --nodes "$nodes" "$@"
