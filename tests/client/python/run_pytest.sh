#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_pytest.sh package|by_hand: the tests of the Python client, or those that speak the protocol by
# hand; in .deps/python-client, which is made where it is missing. CAUSEWAY_BIN: the folder with the
# server.
#
# package: installs client/python with pip into a temporary folder, as its users do, and tests that.
# by_hand: has only the stubs that grpcio-tools makes from proto/, and nothing of this project.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../../deploy/setup/common.sh"

"$root/deploy/setup/install_python_client.sh"
python=$deps/python-client/bin/python
installed=$(mktemp -d)
trap 'rm -rf -- "$installed"' EXIT

case ${1:-} in
  package)
    pip_install "$python" --no-build-isolation --no-deps --no-index --target "$installed" \
      "$root/client/python"
    tests=("$here" --ignore "$here/by_hand")
    ;;
  by_hand)
    "$python" -m grpc_tools.protoc "-I$root/proto" "--python_out=$installed" \
      "--grpc_python_out=$installed" "$root"/proto/causeway/v1/*.proto
    # Without the conftest.py of the package's tests.
    tests=("$here/by_hand" --confcutdir "$here/by_hand")
    ;;
  *) fail "run_pytest.sh: got ${1:-nothing}, allowed: package, by_hand" ;;
esac

# faulthandler: a test that hangs shows where, well before ctest ends it.
PYTHONPATH=$installed:$here/../../e2e CAUSEWAY_SOURCE=$root CAUSEWAY_PYTHON_PACKAGE=$installed \
  PYTHONDONTWRITEBYTECODE=1 GRPC_VERBOSITY=ERROR \
  "$python" -m pytest --quiet -p no:cacheprovider -o faulthandler_timeout=240 "${tests[@]}"
