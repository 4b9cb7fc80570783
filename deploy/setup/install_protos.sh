#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs google/rpc/{status,error_details}.proto into .deps/protos, or checks the folder that
# CAUSEWAY_PROTOS names. Does nothing where the pinned version is there.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

if [[ -n ${CAUSEWAY_PROTOS:-} ]]; then
  [[ -f $CAUSEWAY_PROTOS/google/rpc/error_details.proto ]] ||
    fail "CAUSEWAY_PROTOS: no google/rpc/error_details.proto in $CAUSEWAY_PROTOS"
  exit 0
fi

install_wheels "$root/deploy/setup/requirements-protos.txt" "$deps/protos" "google/rpc/*.proto"
