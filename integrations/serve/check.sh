#!/bin/sh
# Runs every example against one server and compares what they were told.
# Usage: check.sh LANISTA MODEL, such as check.sh ../../target/release/lanista runs/classic-levers
set -eu
lanista=$1 model=$2
here=$(cd "$(dirname "$0")" && pwd)
log=$(mktemp)
"$lanista" serve "model=$model" --format lines=0 --format binary=0 --format http=0 >"$log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -f "$log"' EXIT
for _ in $(seq 100); do grep -q ready "$log" && break; sleep 0.1; done
port() { sed -n "s/^$1 on //p" "$log"; }
features=$(sed -n 's/.* \([0-9]*\) features.*/\1/p' "$log")

want=""
try() {
    what=$1
    shift
    got=$("$@" 2>/dev/null) || { echo "FAILED: $what"; exit 1; }
    [ -z "$want" ] && want=$got
    [ "$got" = "$want" ] || { echo "DIFFERS: $what: $got, not $want"; exit 1; }
    echo "ok: $what: $got"
}
try lines.py python3 "$here/lines.py" "$(port lines)"
try binary.py python3 "$here/binary.py" "$(port binary)"
try lines.js node "$here/lines.js" "$(port lines)"
try http.js node "$here/http.js" "$(port http)"
try Lines.java java "$here/Lines.java" "$features" "$(port lines)"
try Binary.java java "$here/Binary.java" "$(port binary)"
if command -v curl >/dev/null; then
    obs=$(seq 0 $((features - 1)) | awk '{printf "%s%.1f", (NR > 1 ? "," : ""), $1 * 0.1}')
    got=$(curl -s "http://$(port http)/act" -d "{\"obs\": [$obs]}")
    chosen=$(echo "$got" | sed -n 's/.*"action":\[\([0-9,]*\)\].*/action \1/p' | tr , ' ')
    try curl echo "$chosen"
fi
kill -TERM $server
wait $server
tail -1 "$log"
