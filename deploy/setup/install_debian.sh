#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_debian.sh LIST...: installs the packages of the lists that are missing; does nothing, and
# needs no network, where none is. Not root: prints which are missing and the command for them.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

if ! command -v dpkg-query > /dev/null; then
  note "this is not Debian: the packages of $* are not checked"
  exit 0
fi

mapfile -t wanted < <(list_entries "$@")
installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${wanted[@]}" \
  2> /dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "installed $package" <<< "$installed" || missing+=("$package")
done
(( ${#missing[@]} > 0 )) || exit 0

if (( EUID != 0 )); then
  note "missing Debian packages: ${missing[*]}"
  fail "install them with: sudo apt-get update && sudo apt-get install --yes" \
    "--no-install-recommends ${missing[*]}"
fi

note "installing Debian packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# prometheus is a service too, which its package would start: only its programs are wanted here.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  trap 'rm -f -- "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
fi
apt-get update -qq -o Acquire::Retries=3
apt-get install -qq --yes --no-install-recommends -o Acquire::Retries=3 "${missing[@]}" > /dev/null
