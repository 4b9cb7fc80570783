#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs google/rpc/{status,error_details}.proto into .deps/protos, once.
set -euo pipefail

package="googleapis-common-protos==1.66.0"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
target="$root/.deps/protos"
stamp="$target/.installed"

if [[ -f "$stamp" && "$(cat "$stamp")" == "$package" ]]; then
  exit 0
fi

echo "protos: installing $package into ${target#"$root"/}"
rm -rf "$target"
mkdir -p "$target"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
  --no-deps --target "$target" "$package"
echo "$package" >"$stamp"
