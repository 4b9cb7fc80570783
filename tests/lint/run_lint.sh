#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_lint.sh [--all]: layout of all C++, the rules of the project, shell scripts, and clang-tidy
# over the changed C++ (--all: over all). Needs build/cpu-release. Runs everything, then fails where
# one part failed.
#
# clang-tidy takes 15 s for a file that includes LibTorch, 7 s with gRPC, 2 s else (one core of an
# AMD EPYC, Zen 5): even a change of everything stays within minutes on two cores.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/../../deploy/setup/common.sh"

all=false
for argument in "$@"; do
  case $argument in
    --all) all=true ;;
    *) fail "lint: got $argument, allowed: --all" ;;
  esac
done

cd -- "$root"
lint=tests/lint
build=$root/build/cpu-release
failed=()
tracked() { python3 -B "$lint/tracked_files.py" . "$1"; }
part() {
  local name=$1
  shift
  note "lint: $name"
  "$@" || failed+=("$name")
}

check_layout() { tracked '\.(h|cc|cu|cuh)$' | xargs -d '\n' clang-format-14 --dry-run -Werror; }

check_shell() {
  tracked '(\.sh|(^|/)run)$' |
    xargs -d '\n' shellcheck --external-sources --source-path=SCRIPTDIR --severity=warning
}

# A header is analysed with the source of its name; where that is not in the list, through the
# generated source that includes it alone.
tidy_sources() {
  local paths path
  if $all; then
    paths=$(tracked '\.(h|cc)$')
  else
    paths=$(python3 -B "$lint/changed_files.py" .)
  fi
  while read -r path; do
    if [[ $path == *.h ]]; then
      ! grep -qxF "${path%.h}.cc" <<< "$paths" || continue
      path=build/cpu-release/tests/lint/headers/$path.cc
    fi
    # What this preset does not build (the CUDA module) has no compile command.
    ! grep -qF "\"file\": \"$root/$path\"" "$build/compile_commands.json" ||
      printf '%s\n' "$root/$path"
  done <<< "$paths"
}

tidy_one() {
  local output
  # The compile commands are gcc's, with warnings that clang does not have.
  if ! output=$(clang-tidy-14 -p "$1" --quiet --extra-arg=-Wno-unknown-warning-option \
      --header-filter="$2" "$3" 2>&1); then
    printf '%s\n' "$output"
    return 1
  fi
}
export -f tidy_one

check_tidy() {
  local filter
  filter="^$(sed 's/[][\.*^$()+?{}|]/\\&/g' <<< "$root")/(server|client|kernels|tests)/"
  tidy_sources > "$build/tidy_sources"
  note "lint: clang-tidy over $(wc -l < "$build/tidy_sources") files"
  xargs -d '\n' -P "$(nproc)" -I FILE -a "$build/tidy_sources" \
    bash -c 'tidy_one "$@"' tidy_one "$build" "$filter" FILE
}

part "layout" check_layout
part "include rules" python3 -B "$lint/include_rules.py" .
part "text rules" python3 -B "$lint/text_rules.py" .
part "shell scripts" check_shell
part "clang-tidy" check_tidy

(( ${#failed[@]} == 0 )) || fail "lint failed: $(printf '%s; ' "${failed[@]}")"
note "lint passed"
