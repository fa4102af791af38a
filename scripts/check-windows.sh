#!/usr/bin/env bash
# Cross-builds the program for Windows and runs it under wine: a run that learns, a resume, replaced
# files, paths with backslashes. Says what is missing if something is.
#
#   scripts/check-windows.sh [--build-only] [cargo options, such as --release]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=x86_64-pc-windows-gnu
run=yes
if [ "${1:-}" = --build-only ]; then
  run=no
  shift
fi
directory=debug
for option in "$@"; do
  [ "$option" = --release ] && directory=release
done

missing=()
if ! rustc --print target-libdir --target "$target" >/dev/null 2>&1 ||
  [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
  missing+=("the Rust target (rustup target add $target)")
fi
command -v x86_64-w64-mingw32-gcc >/dev/null ||
  missing+=("a linker (Debian: apt-get install gcc-mingw-w64-x86-64)")
if [ "$run" = yes ]; then
  command -v wine >/dev/null || missing+=("wine (Debian: apt-get install wine wine64)")
fi
if [ ${#missing[@]} -gt 0 ]; then
  printf 'cannot check Windows here; missing:\n' >&2
  printf '  %s\n' "${missing[@]}" >&2
  exit 2
fi

cargo build -p lanista-cli --target "$target" --locked "$@"
[ "$run" = yes ] || exit 0

built="${CARGO_TARGET_DIR:-target}/$target/$directory/lanista.exe"
work=$(mktemp -d)
leave() {
  timeout 20 wine taskkill /F /IM lanista.exe >/dev/null 2>&1 || true # whatever a failed check left running
  # Wine's server writes its registry for a moment after the last program has ended.
  for _ in 1 2 3 4 5; do
    rm -rf "$work" 2>/dev/null && return 0
    sleep 1
  done
  return 0
}
trap leave EXIT
cp "$built" "$work/lanista.exe"
export WINEPREFIX="${WINEPREFIX:-$work/wine}" WINEDEBUG="${WINEDEBUG:--all}"
# A wine from before 2023 has no bcryptprimitives.dll, from which Rust takes its random numbers. This
# one stands in for its only function that is used.
cat >"$work/stub.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
  return SystemFunction036(data, (ULONG)length);
}
BOOL WINAPI DllMain(HINSTANCE i, DWORD r, LPVOID p) { return TRUE; }
C
if ! find / -name bcryptprimitives.dll -path '*wine*' -print -quit 2>/dev/null | grep -q .; then
  x86_64-w64-mingw32-gcc -shared -o "$work/bcryptprimitives.dll" "$work/stub.c" -ladvapi32
fi
cd "$work"

lanista() { wine ./lanista.exe "$@"; }
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}
expect() { # what, in which text
  case $2 in *"$1"*) ;; *) fail "no \"$1\" in: $2" ;; esac
}

expect lanista "$(lanista --version)"
expect cartpole "$(lanista games)"
lanista train classic/cartpole --plain | tee out.txt
expect 'an evaluation reached 475' "$(cat out.txt)"
# The same steps as on Linux: the bits may differ in their last places, learning must not.
expect 'after 10240 steps' "$(cat out.txt)"
# Resuming replaces files that exist: config.yml, model.zip and the rest.
lanista train --resume 'runs\classic-cartpole' --set stop.return=null --until 20k --plain >out.txt
expect 'paused as asked' "$(cat out.txt)"
lanista train --resume runs/classic-cartpole --set stop.return=null --until 25k --plain >out.txt
expect 'paused as asked' "$(cat out.txt)"
expect 'return' "$(lanista eval 'runs\classic-cartpole' --matches 5)"
# A preset by a path with backslashes, in a directory with a space.
mkdir 'my presets'
printf 'import: classic/cartpole\nstop: { steps: 2k, return: null }\n' >'my presets/mine.yml'
lanista train 'my presets\mine.yml' --plain >out.txt
expect 'all steps are done after' "$(cat out.txt)"
# A second process may not train in the same run.
lanista train classic/cartpole --steps 1G --set stop.return=null --set run.dir=held --plain >held.txt &
first=$!
for _ in $(seq 100); do
  grep -q '^steps' held.txt && break
  sleep 0.2
done
if lanista train --resume held --plain >out.txt 2>&1; then fail 'two processes in one run'; fi
expect 'another process' "$(cat out.txt)"
wine taskkill /F /IM lanista.exe >/dev/null 2>&1 || true
wait "$first" 2>/dev/null || true
# Killed in the middle of it, the run goes on.
lanista train --resume held --plain --until 1G --set stop.seconds=1 >out.txt
expect 'the time is up' "$(cat out.txt)"
printf '\nWindows: all of it works under %s\n' "$(wine --version)"
