// SPDX-License-Identifier: Apache-2.0
// The protocol only grows: against the committed descriptor set, and against its first version.
#include "tests/proto/compatibility.h"

#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "causeway/v1/admin.pb.h"
#include "causeway/v1/decode.pb.h"

namespace causeway::testing {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptorSet;

FileDescriptorSet ReadSet(const std::string& path) {
  FileDescriptorSet set;
  std::ifstream file(std::string(CAUSEWAY_SOURCE_DIR) + "/" + path, std::ios::binary);
  EXPECT_TRUE(set.ParseFromIstream(&file)) << path;
  return set;
}

/// The protocol of this build.
FileDescriptorSet CurrentSet() {
  FileDescriptorSet set;
  v1::DecodeRequest::descriptor()->file()->CopyTo(set.add_file());
  v1::SessionInfo::descriptor()->file()->CopyTo(set.add_file());
  return set;
}

DescriptorProto& Message(FileDescriptorSet& set, const std::string& name) {
  for (auto& file : *set.mutable_file()) {
    for (auto& message : *file.mutable_message_type()) {
      if (message.name() == name) return message;
    }
  }
  throw std::out_of_range(name);
}

template <typename Things>
auto& Named(Things* things, const std::string& name) {
  for (auto& thing : *things) {
    if (thing.name() == name) return thing;
  }
  throw std::out_of_range(name);
}

template <typename Things>
void Remove(Things* things, const std::string& name) {
  for (int index = 0; index < things->size(); ++index) {
    if (things->Get(index).name() == name) return things->DeleteSubrange(index, 1);
  }
  throw std::out_of_range(name);
}

TEST(Compatibility, NothingThatTheCommittedDescriptorSetPromisesIsTakenBack) {
  EXPECT_EQ(FindBreaks(ReadSet("proto/causeway.v1.desc"), CurrentSet()),
            std::vector<std::string>());
}

TEST(Compatibility, TheCommittedDescriptorSetIsNotStale) {
  EXPECT_EQ(FindBreaks(CurrentSet(), ReadSet("proto/causeway.v1.desc")), std::vector<std::string>())
      << "refresh it with: ./run proto";
}

TEST(Compatibility, TheFirstVersionIsStillServed) {
  EXPECT_EQ(FindBreaks(ReadSet("tests/proto/v1_first.desc"), CurrentSet()),
            std::vector<std::string>());
}

struct Plant {
  const char* promise;  // what the break is to name
  std::function<void(FileDescriptorSet&)> change;
};

class BreakTest : public ::testing::TestWithParam<Plant> {};

TEST_P(BreakTest, IsFound) {
  FileDescriptorSet changed = CurrentSet();
  GetParam().change(changed);
  bool is_found = false;
  for (const std::string& line : FindBreaks(CurrentSet(), changed)) {
    is_found |= line.rfind(std::string(GetParam().promise) + ": ", 0) == 0;
  }
  EXPECT_TRUE(is_found) << GetParam().promise;
}

FieldDescriptorProto& Field(FileDescriptorSet& set, const char* message, const char* field) {
  return Named(Message(set, message).mutable_field(), field);
}
auto& Enum(FileDescriptorSet& set, const char* name) {
  return Named(set.mutable_file(0)->mutable_enum_type(), name);
}
auto& Method(FileDescriptorSet& set, const char* name) {
  return Named(set.mutable_file(0)->mutable_service(0)->mutable_method(), name);
}

const Plant kPlants[] = {
    {"message causeway.v1.Ping",
     [](auto& set) { Remove(set.mutable_file(0)->mutable_message_type(), "Ping"); }},
    {"message causeway.v1.Ping", [](auto& set) { Message(set, "Ping").set_name("Echo"); }},
    {"message causeway.v1.EffectiveConfig.ValuesEntry",
     [](auto& set) { Message(set, "EffectiveConfig").clear_nested_type(); }},
    {"field causeway.v1.Open.model",
     [](auto& set) { Remove(Message(set, "Open").mutable_field(), "model"); }},
    {"field causeway.v1.Open.model",
     [](auto& set) { Field(set, "Open", "model").set_name("name"); }},
    {"field causeway.v1.Open.model", [](auto& set) { Field(set, "Open", "model").set_number(99); }},
    {"field causeway.v1.Open.model",
     [](auto& set) { Field(set, "Open", "model").set_type(FieldDescriptorProto::TYPE_BYTES); }},
    {"field causeway.v1.Open.geometry",
     [](auto& set) { Field(set, "Open", "geometry").set_type_name(".causeway.v1.Output"); }},
    {"field causeway.v1.Open.model",
     [](auto& set) {
       Field(set, "Open", "model").set_label(FieldDescriptorProto::LABEL_REPEATED);
     }},
    {"field causeway.v1.DecodeRequest.open",
     [](auto& set) { Field(set, "DecodeRequest", "open").clear_oneof_index(); }},
    {"field causeway.v1.Credit.frames_shown",
     [](auto& set) { Field(set, "Credit", "frames_shown").clear_proto3_optional(); }},
    {"enum causeway.v1.Dtype",
     [](auto& set) { Remove(set.mutable_file(0)->mutable_enum_type(), "Dtype"); }},
    {"enum value causeway.v1.Dtype.DTYPE_F16",
     [](auto& set) { Remove(Enum(set, "Dtype").mutable_value(), "DTYPE_F16"); }},
    {"enum value causeway.v1.Dtype.DTYPE_F16",
     [](auto& set) {
       Named(Enum(set, "Dtype").mutable_value(), "DTYPE_F16").set_name("DTYPE_FP16");
     }},
    {"enum value causeway.v1.Dtype.DTYPE_F16",
     [](auto& set) { Named(Enum(set, "Dtype").mutable_value(), "DTYPE_F16").set_number(9); }},
    {"service causeway.v1.Admin", [](auto& set) { set.mutable_file(1)->clear_service(); }},
    {"service causeway.v1.Decoder",
     [](auto& set) { set.mutable_file(0)->mutable_service(0)->set_name("Decode"); }},
    {"service causeway.v1.Decoder",
     [](auto& set) { set.mutable_file(0)->set_package("causeway.v2"); }},
    {"method causeway.v1.Decoder.GetModel",
     [](auto& set) {
       Remove(set.mutable_file(0)->mutable_service(0)->mutable_method(), "GetModel");
     }},
    {"method causeway.v1.Decoder.GetModel",
     [](auto& set) { Method(set, "GetModel").set_name("Model"); }},
    {"method causeway.v1.Decoder.GetModel",
     [](auto& set) { Method(set, "GetModel").set_input_type(".causeway.v1.Model"); }},
    {"method causeway.v1.Decoder.GetModel",
     [](auto& set) { Method(set, "GetModel").set_output_type(".causeway.v1.Open"); }},
    {"method causeway.v1.Decoder.Decode",
     [](auto& set) { Method(set, "Decode").set_client_streaming(false); }},
    {"method causeway.v1.Decoder.GetModel",
     [](auto& set) { Method(set, "GetModel").set_server_streaming(true); }},
};
INSTANTIATE_TEST_SUITE_P(Planted, BreakTest, ::testing::ValuesIn(kPlants));

TEST(Compatibility, AdditionsAreNoBreaks) {
  FileDescriptorSet grown = CurrentSet();
  grown.mutable_file(0)->add_message_type()->set_name("New");
  FieldDescriptorProto& field = *Message(grown, "Open").add_field();
  field.set_name("new_field");
  field.set_number(100);
  field.set_label(FieldDescriptorProto::LABEL_OPTIONAL);
  field.set_type(FieldDescriptorProto::TYPE_INT32);
  auto& value = *Enum(grown, "Dtype").add_value();
  value.set_name("DTYPE_NEW");
  value.set_number(50);
  grown.mutable_file(0)->mutable_service(0)->add_method()->set_name("New");
  EXPECT_EQ(FindBreaks(CurrentSet(), grown), std::vector<std::string>());
  // And the other way round they are: that is how a stale file shows.
  EXPECT_EQ(FindBreaks(grown, CurrentSet()).size(), 4u);
}

}  // namespace
}  // namespace causeway::testing
