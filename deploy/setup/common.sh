# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by the scripts of this folder and by ./run; sourced, never run.
# Gives: $root (the repository), $deps (what is installed beside it), and the functions below.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
deps=$root/.deps

note() { printf 'run: %s\n' "$*" >&2; }

fail() {
  printf 'run: %s\n' "$*" >&2
  exit 1
}

# list_entries FILE...: the first word of each line that is not a comment.
list_entries() { awk '$1 != "" && $1 !~ /^#/ {print $1}' "$@"; }

# content_key TEXT-OR-FILE...: one hash over the contents of the files and the other words.
content_key() {
  local item
  for item in "$@"; do
    if [[ -f $item ]]; then cat -- "$item"; else printf '%s\n' "$item"; fi
  done | sha256sum | cut -d ' ' -f 1
}

# find_python MODULE: prints a CPython 3.11 that has MODULE. The wheels are for 3.11 only, and
# neither python3 nor a version manager's python3.11 need be that.
find_python() {
  local candidate
  for candidate in python3.11 python3 /usr/bin/python3.11 /usr/bin/python3; do
    if "$candidate" -c "import sys, $1; sys.exit(sys.version_info[:2] != (3, 11))" \
        > /dev/null 2>&1; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  fail "no Python 3.11 with the module $1: install python3.11 (Debian 12: python3 python3-pip" \
    "python3-venv)"
}

# pip_install PYTHON ARG...: pip as these scripts use it, whatever the user's own settings say.
pip_install() {
  local python=$1
  shift
  PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_ROOT_USER_ACTION=ignore "$python" -m pip install \
    --quiet --no-input --disable-pip-version-check "$@"
}

# has_wheels REQUIREMENTS DIR: whether DIR holds pip's record of each pin of the file (torch==2.11.0
# leaves torch-2.11.0.dist-info).
has_wheels() {
  local pin name
  for pin in $(list_entries "$1"); do
    name=${pin%%==*}
    [[ -d $2/${name//-/_}-${pin##*==}.dist-info ]] || return 1
  done
}

# install_wheels REQUIREMENTS DIR WHAT: unpacks the pinned wheels of the file into DIR, where they
# are not there yet. DIR appears whole or not at all: an interrupted install leaves the old one.
install_wheels() {
  local requirements=$1 target=$2 what=$3
  has_wheels "$requirements" "$target" && return
  one_at_a_time
  has_wheels "$requirements" "$target" && return
  local python
  python=$(find_python pip)
  note "installing $what into $target"
  rm -rf -- "$target.partial"
  pip_install "$python" --no-deps --target "$target.partial" --requirement "$requirements"
  rm -rf -- "$target"
  mv -- "$target.partial" "$target"
}

# one_at_a_time: holds the lock of .deps/ until this script ends, so that two of them started
# together do not install into the same folder.
one_at_a_time() {
  mkdir -p -- "$deps"
  exec 9> "$deps/.lock"
  flock 9
}

# find_nvcc: prints the CUDA compiler, where there is one, as tests/kernels/static finds it.
find_nvcc() {
  local candidate
  for candidate in "$(command -v nvcc || true)" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" \
    /usr/local/cuda/bin/nvcc; do
    if [[ -n $candidate && -x $candidate ]]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

# libtorch_problem DIR: prints what is wrong with the LibTorch in DIR (the folder with include/ and
# lib/); nothing where it can be used.
libtorch_problem() {
  local dir=$1 header version path
  for path in include/ATen/ATen.h lib/libtorch_cpu.so lib/libc10.so; do
    if [[ ! -e $dir/$path ]]; then
      printf 'no LibTorch in %s: %s is missing\n' "$dir" "$path"
      return
    fi
  done
  for header in include/torch/headeronly/version.h \
    include/torch/csrc/api/include/torch/version.h include/torch/version.h; do
    [[ -f $dir/$header ]] || continue
    version=$(awk '$2 == "TORCH_VERSION_MAJOR" {major = $3} $2 == "TORCH_VERSION_MINOR" {minor = $3}
                   END {if (major != "") print major "." minor}' "$dir/$header")
    [[ -z $version ]] || break
  done
  if [[ ${version:-} != 2.11 ]]; then
    printf 'LibTorch in %s: got version %s, allowed: 2.11\n' "$dir" "${version:-unknown}"
  fi
}

# libtorch_dir: prints the LibTorch to build against, an absolute path.
libtorch_dir() {
  if [[ -n ${CAUSEWAY_LIBTORCH:-} ]]; then
    realpath -m -- "$CAUSEWAY_LIBTORCH"
  else
    printf '%s\n' "$deps/libtorch/torch"
  fi
}
