# What the scripts here share. Sourced, not run.

# A folder that is gone at the end, with every server that was started.
scratch=$(mktemp -d)
servers=()
finish() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

# A port that nobody listens at.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start NAME URL COMMAND…: starts a server and waits until the address answers with success.
start() {
    local name=$1 url=$2
    shift 2
    "$@" >"$scratch/$name.log" 2>&1 &
    servers+=($!)
    for _ in $(seq 240); do
        if curl --silent --fail --max-time 2 --output /dev/null "$url"; then return; fi
        if ! kill -0 "${servers[-1]}" 2>/dev/null; then break; fi
        sleep 0.5
    done
    echo "the server $name does not answer at $url:"
    tail -n 20 "$scratch/$name.log"
    exit 1
}

# A Python environment with the packages of a requirements file, kept where REAL_CACHE says if it is
# set. Names its folder in `venv`.
python_with() {
    venv=${REAL_CACHE:-$scratch}/venv-$1
    if [ ! -x "$venv/bin/python" ]; then python3 -m venv "$venv"; fi
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$2"
}

# build TARGET…: builds programs and examples of this checkout, such as `--bin agent`, with all features, so that cargo builds
# the dependencies once for all of them. $built is their folder.
build() {
    cargo build --quiet --locked --workspace --all-features "$@"
    built=$(cargo metadata --format-version 1 --no-deps --locked |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/debug
}

# The command, built from this checkout.
agent_command() {
    build --bin agent
    agent=$built/agent
}

passed=0
failed=0

# check NAME COMMAND…: runs the command, whose output is shown only when it fails.
check() {
    local name=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        tail -n 40 "$scratch/output"
    fi
}

# Prints the sum, and ends the script.
report() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
