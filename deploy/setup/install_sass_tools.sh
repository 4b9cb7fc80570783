#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs cuobjdump and nvdisasm into .deps/sass, for the static checks of the kernels. Wanted only
# where nvcc is. Does nothing where the pinned versions are there.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

install_wheels "$root/deploy/setup/requirements-sass.txt" "$deps/sass" "cuobjdump and nvdisasm"
