#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs LibTorch into .deps/libtorch, or checks the one that CAUSEWAY_LIBTORCH names. Does
# nothing where the pinned versions are there.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

if [[ -n ${CAUSEWAY_LIBTORCH:-} ]]; then
  problem=$(libtorch_problem "$(libtorch_dir)")
  [[ -z $problem ]] || fail "CAUSEWAY_LIBTORCH: $problem"
  exit 0
fi

install_wheels "$root/deploy/setup/requirements-libtorch.txt" "$deps/libtorch" \
  "LibTorch (0.5 GB to download, 1.3 GB on disk)"
problem=$(libtorch_problem "$(libtorch_dir)")
[[ -z $problem ]] || fail "$problem; remove $deps/libtorch and try again"
