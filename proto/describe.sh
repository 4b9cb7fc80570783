#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# describe.sh: writes causeway.v1.desc, the protocol's descriptor set (google.protobuf.
# FileDescriptorSet). Run it after an addition to the protocol and commit the file with it. What is
# in the file is promised to clients: a test fails where the protocol takes something back.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
protoc "-I$here" "--descriptor_set_out=$here/causeway.v1.desc" \
  causeway/v1/decode.proto causeway/v1/admin.proto
