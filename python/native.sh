# Sourced by the scripts beside it: makes virtual environments, puts the native half beside the Python half, as
# `maturin develop` does it but without maturin, and keeps what Ray listens on to itself.

# A virtual environment beside this file; PYTHON names the interpreter.
venv() {
  [ -x "$1/bin/python" ] || "${PYTHON:-python3}" -m venv "$1"
}

# Installs packages into a virtual environment: install VENV SECONDS PACKAGE…
install() {
  local venv=$1 seconds=$2
  shift 2
  timeout "$seconds" "$venv/bin/python" -m pip install --quiet --retries 2 --disable-pip-version-check "$@"
}

# Builds the native half with a profile (dev, release) and puts it into the package. NATIVE names one that is built
# already, as one that the tests of the workspace share everything with.
native() {
  local library=${NATIVE:-}
  if [ -z "$library" ]; then
    cargo build --locked --package lanista-python --profile "$1"
    local target
    target=$(cargo metadata --no-deps --offline --format-version 1 |
      sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
    case $1 in dev) library=$target/debug ;; *) library=$target/$1 ;; esac
    library=$library/lib_lanista.so
  fi
  # Renamed, not written over: a process may run on the one that is there.
  cp "$library" lanista/_lanista.abi3.so.new
  mv lanista/_lanista.abi3.so.new lanista/_lanista.abi3.so
}

# Runs a command in a network of its own, where that can be had: the servers of Ray listen on every interface, and here
# there is none but loopback.
secluded() {
  if unshare --map-root-user --net ip link set lo up 2>/dev/null; then
    exec unshare --map-root-user --net sh -c 'ip link set lo up && exec "$@"' secluded "$@"
  fi
  exec "$@"
}
