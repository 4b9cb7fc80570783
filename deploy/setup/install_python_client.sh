#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes .deps/python-client: a Python environment that builds and tests client/python. Does nothing
# where requirements-python-client.txt is what was installed.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

requirements=$root/deploy/setup/requirements-python-client.txt
environment=$deps/python-client
stamp=$environment/installed
key=$(content_key "$requirements")

is_installed() { [[ -x $environment/bin/python && $(cat -- "$stamp" 2> /dev/null) == "$key" ]]; }

is_installed && exit 0
one_at_a_time
is_installed && exit 0

# Without a stamp the last attempt was interrupted; with an old one pip changes what differs.
if [[ -f $stamp && -x $environment/bin/python ]]; then
  rm -- "$stamp"
else
  rm -rf -- "$environment"
  "$(find_python venv)" -m venv "$environment"
fi
note "installing grpcio, numpy and pytest into $environment (50 MB to download, 250 MB on disk)"
pip_install "$environment/bin/python" --requirement "$requirements"
printf '%s\n' "$key" > "$stamp"
