// SPDX-License-Identifier: Apache-2.0
// Whether one version of a protocol takes back what another one promised.
#pragma once

#include <string>
#include <vector>

#include <google/protobuf/descriptor.pb.h>

namespace causeway::testing {

/// One line for everything that `before` has and `after` has not, or has otherwise: messages,
/// fields (name, number, type, label, oneof), enum values, services and methods (types,
/// streaming). Additions are no breaks; neither is the order of things nor the file they are in.
std::vector<std::string> FindBreaks(const google::protobuf::FileDescriptorSet& before,
                                    const google::protobuf::FileDescriptorSet& after);

}  // namespace causeway::testing
