#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_demo.sh [BIN_DIR [OUT_DIR]]: decodes the demo's latents over gRPC, from a server that it
# starts on a free port and stops at the end. Writes demo.mp4 and demo.png (source above decode) to
# OUT_DIR (default: out/) and prints a short report. BIN_DIR holds causeway and causeway-server;
# default: those that ./run built.
set -euo pipefail

demo=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
root=$(cd -- "$demo/../.." && pwd)
bin=${1:-$root/build/cpu-release/bin}
out=${2:-$root/out}
scratch=$(mktemp -d)
server_pid=
client_pid=

fail() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

is_running() { [[ -n $1 ]] && kill -0 "$1" 2> /dev/null; }

# Ends a process that this script started: SIGTERM, and SIGKILL where that did not do in 10 s.
stop() {
  local pid=$1 i
  is_running "$pid" || return 0
  kill -TERM "$pid" 2> /dev/null || true
  for (( i = 0; i < 100; ++i )); do
    is_running "$pid" || break
    sleep 0.1
  done
  kill -KILL "$pid" 2> /dev/null || true
  wait "$pid" 2> /dev/null || true
}

clean_up() {
  trap - EXIT
  trap '' INT TERM HUP
  stop "$client_pid"
  stop "$server_pid"
  rm -rf -- "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

server_failed() {
  tail -n 10 -- "$scratch/server.log" >&2
  fail "$1; its last log lines are above"
}

for program in causeway causeway-server; do
  [[ -x $bin/$program ]] || fail "$bin/$program: not there; ./run build makes it"
done
mkdir -p -- "$out"
rm -f -- "$out/demo.mp4" "$out/demo.png"

"$bin/causeway-server" --model "demo=$demo/model" --listen 127.0.0.1:0 \
  --port-file "$scratch/port" > "$scratch/server.log" 2>&1 &
server_pid=$!
for (( i = 0; ; ++i )); do
  [[ ! -s $scratch/port ]] || break
  is_running "$server_pid" || server_failed "the server ended before it listened"
  (( i < 600 )) || server_failed "the server does not listen after 60 s"
  sleep 0.1
done
port=$(< "$scratch/port")

# In the background, and waited for: a signal to this script is then not kept until the client ends.
"$bin/causeway" decode --server "127.0.0.1:$port" --model demo \
  --latents "$demo/latents.safetensors" --chunk 3 --fps 25 --credits 8 --checksum \
  --out "$out/demo.mp4" --out "$out/demo.png" \
  --source "$demo/source.mp4" --reference "$demo/reference.mkv" &
client_pid=$!
status=0
wait "$client_pid" || status=$?
client_pid=
if (( status != 0 )); then
  is_running "$server_pid" || server_failed "the server ended in the middle"
  exit "$status"
fi
cat << 'END'

Expected: 27.38 dB against the source, above 55 dB against the reference (deploy/demo/README.md).
The clip is from Big Buck Bunny, (c) copyright 2008, Blender Foundation, CC BY 3.0.
END
