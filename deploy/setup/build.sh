#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh PRESET [-DNAME=VALUE...] [-- TARGET...]: configures build/PRESET where it has to be, and
# builds it. What is up to date is left alone.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

preset=$1
shift
options=()
while (( $# > 0 )) && [[ $1 != -- ]]; do
  options+=("$1")
  shift
done
(( $# == 0 )) || shift
targets=("$@")

options+=("-DCAUSEWAY_LIBTORCH=$(libtorch_dir)"
  "-DCAUSEWAY_PROTOS=$(realpath -m -- "${CAUSEWAY_PROTOS:-$deps/protos}")")
if command -v ccache > /dev/null; then
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

# Compilers that see LibTorch's headers take up to 2 GB each.
build_jobs() {
  local cores memory_kib limit by_memory
  cores=$(nproc)
  memory_kib=$(awk '$1 == "MemAvailable:" {print $2}' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2> /dev/null || echo max)
  if [[ $limit != max ]] && (( limit / 1024 < memory_kib )); then
    memory_kib=$((limit / 1024))
  fi
  by_memory=$((memory_kib / (2 * 1024 * 1024)))
  (( by_memory >= 1 )) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

build=$root/build/$preset
stamp=$build/configured
key=$(content_key "$root" "${options[@]}" "$root"/{CMakePresets.json,cmake/FindLibTorch.cmake})
cd -- "$root"
if [[ $(cat -- "$stamp" 2> /dev/null) != "$key" ]]; then
  # A build folder knows its absolute path: one that was moved with its clone is of no use.
  if [[ -f $build/CMakeCache.txt ]] &&
      ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    rm -rf -- "$build"
  fi
  note "configuring build/$preset"
  cmake --preset "$preset" --no-warn-unused-cli -U 'LibTorch_*' "${options[@]}" > /dev/null
  printf '%s\n' "$key" > "$stamp"
fi
cmake --build "$build" --parallel "$(build_jobs)" ${targets[@]:+--target "${targets[@]}"}
