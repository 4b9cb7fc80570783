// SPDX-License-Identifier: Apache-2.0
#include "tests/proto/compatibility.h"

#include <map>

namespace causeway::testing {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::EnumDescriptorProto;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using google::protobuf::ServiceDescriptorProto;

/// What is promised: a thing by its full name, and all that matters about it.
using Promises = std::map<std::string, std::string>;

std::string Describe(const FieldDescriptorProto& field, const DescriptorProto& message) {
  std::string text = std::to_string(field.number()) + " " +
                     FieldDescriptorProto::Label_Name(field.label()) + " " +
                     FieldDescriptorProto::Type_Name(field.type()) + field.type_name();
  if (field.proto3_optional()) return text + " with presence";
  if (field.has_oneof_index()) {
    text += " in oneof " + message.oneof_decl(field.oneof_index()).name();
  }
  return text;
}

void Add(const EnumDescriptorProto& type, const std::string& scope, Promises& promises) {
  const std::string name = scope + "." + type.name();
  promises["enum " + name] = "";
  for (const auto& value : type.value()) {
    promises["enum value " + name + "." + value.name()] = std::to_string(value.number());
  }
}

void Add(const DescriptorProto& message, const std::string& scope, Promises& promises) {
  const std::string name = scope + "." + message.name();
  promises["message " + name] = "";
  for (const auto& field : message.field()) {
    promises["field " + name + "." + field.name()] = Describe(field, message);
  }
  for (const auto& nested : message.nested_type()) Add(nested, name, promises);
  for (const auto& nested : message.enum_type()) Add(nested, name, promises);
}

void Add(const ServiceDescriptorProto& service, const std::string& scope, Promises& promises) {
  const std::string name = scope + "." + service.name();
  promises["service " + name] = "";
  for (const auto& method : service.method()) {
    promises["method " + name + "." + method.name()] =
        std::string(method.client_streaming() ? "stream " : "") + method.input_type() + " -> " +
        (method.server_streaming() ? "stream " : "") + method.output_type();
  }
}

Promises ListPromises(const FileDescriptorSet& set) {
  Promises promises;
  for (const FileDescriptorProto& file : set.file()) {
    for (const auto& message : file.message_type()) Add(message, file.package(), promises);
    for (const auto& type : file.enum_type()) Add(type, file.package(), promises);
    for (const auto& service : file.service()) Add(service, file.package(), promises);
  }
  return promises;
}

}  // namespace

std::vector<std::string> FindBreaks(const FileDescriptorSet& before,
                                    const FileDescriptorSet& after) {
  const Promises now = ListPromises(after);
  std::vector<std::string> breaks;
  for (const auto& [name, was] : ListPromises(before)) {
    const auto found = now.find(name);
    if (found == now.end()) {
      breaks.push_back(name + ": gone");
    } else if (found->second != was) {
      breaks.push_back(name + ": was " + was + ", is " + found->second);
    }
  }
  return breaks;
}

}  // namespace causeway::testing
