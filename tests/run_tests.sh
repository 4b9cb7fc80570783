#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_tests.sh [--quick]: builds the optimised preset and runs all its tests; then, unless --quick,
# builds the tests labelled `sanitize` with address and undefined-behaviour sanitizers, and those
# labelled `threads` with the thread sanitizer, and runs them.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/../deploy/setup/common.sh"

quick=false
for argument in "$@"; do
  case $argument in
    --quick) quick=true ;;
    *) fail "test: got $argument, allowed: --quick" ;;
  esac
done

"$root/deploy/setup/build.sh" cpu-release
ctest --test-dir "$root/build/cpu-release" --output-on-failure --no-tests=error

if ! $quick; then
  # LibTorch and gRPC are not instrumented, which address and undefined behaviour can bear.
  "$root/deploy/setup/build.sh" asan-ubsan -- causeway_sanitize_tests
  ctest --test-dir "$root/build/asan-ubsan" --label-regex '^sanitize$' --output-on-failure \
    --no-tests=error
  # The thread sanitizer cannot; these tests use nothing beyond C++.
  "$root/deploy/setup/build.sh" tsan -DCAUSEWAY_SERVICE=OFF -- causeway_threads_tests
  ctest --test-dir "$root/build/tsan" --label-regex '^threads$' --output-on-failure \
    --no-tests=error
fi
