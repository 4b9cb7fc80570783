#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_serve.sh BIN_DIR [ARGUMENT...]: causeway-server with the demo model and these arguments. Once
# it listens, a command to try is printed on standard error.
set -euo pipefail

demo=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
bin=$1
shift

listen=${CAUSEWAY_LISTEN:-127.0.0.1:50051}
port_file=${CAUSEWAY_PORT_FILE:-}
knows_settings=1
previous=
for argument; do
  case $previous in
    --listen) listen=$argument ;;
    --port-file) port_file=$argument ;;
  esac
  case $argument in
    --listen=*) listen=${argument#*=} ;;
    --port-file=*) port_file=${argument#*=} ;;
    # A file can say anything about where the server listens, and these do not listen at all.
    --config | --config=* | --check-config | --print-config | --help | -h | --version)
      knows_settings= ;;
  esac
  previous=$argument
done
[[ -z ${CAUSEWAY_CONFIG:-} ]] || knows_settings=

server=("$bin/causeway-server" --model "demo=$demo/model" "$@")
if [[ -z $knows_settings || $listen == unix:* || -n $port_file ]]; then
  exec "${server[@]}"
fi

scratch=$(mktemp -d)
# Waits for the port beside the server, which takes the place of this shell and gets its signals.
(
  trap '' INT
  # A process that has ended and is not waited for yet has no program any more.
  while [[ ! -s $scratch/port && -e /proc/$$/exe ]]; do sleep 0.1; done
  if [[ -s $scratch/port ]]; then
    host=${listen%:*}
    [[ $host != 0.0.0.0 && $host != '[::]' ]] || host=127.0.0.1
    printf 'try: %q decode --server %s:%s --model demo --latents %q --out video.mp4\n' \
      "$bin/causeway" "$host" "$(< "$scratch/port")" "$demo/latents.safetensors" >&2
  fi
  rm -rf -- "$scratch"
) &
exec "${server[@]}" --port-file "$scratch/port"
