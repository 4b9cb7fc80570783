// SPDX-License-Identifier: Apache-2.0
// A client that knows only the first version of the protocol, from its descriptor set, against the
// server of today.
#include <fstream>
#include <memory>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "tests/server/rpc/generic_call.h"
#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

class OldClientTest : public RpcFixture {
 protected:
  OldClientTest() {
    google::protobuf::FileDescriptorSet set;
    std::ifstream file(CAUSEWAY_SOURCE_DIR "/tests/proto/v1_first.desc", std::ios::binary);
    EXPECT_TRUE(set.ParseFromIstream(&file));
    for (const auto& each : set.file()) EXPECT_NE(pool_.BuildFile(each), nullptr);
  }

  std::unique_ptr<Message> New(const std::string& name) {
    const auto* type = pool_.FindMessageTypeByName("causeway.v1." + name);
    return std::unique_ptr<Message>(factory_.GetPrototype(type)->New());
  }
  std::string Request(const std::string& text) {
    const std::unique_ptr<Message> request = New("DecodeRequest");
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, request.get())) << text;
    return request->SerializeAsString();
  }
  std::string ChunkRequestOf(std::uint64_t seq, int first, int count) {
    const std::unique_ptr<Message> request = New("DecodeRequest");
    const v1::DecodeRequest chunk = Chunk(seq, first, count);
    Message* old = Child(*request, "latent_chunk");
    Set(*old, "chunk_seq",
        [&](const auto& reflection, auto* field) { reflection.SetUInt64(old, field, seq); });
    Set(*old, "latents",
        [&](const auto& reflection, auto* field) { reflection.SetInt32(old, field, count); });
    Set(*old, "payload", [&](const auto& reflection, auto* field) {
      reflection.SetString(old, field, chunk.latent_chunk().payload());
    });
    return request->SerializeAsString();
  }

  static const FieldDescriptor* FieldOf(const Message& message, const char* name) {
    return message.GetDescriptor()->FindFieldByName(name);
  }
  static Message* Child(Message& message, const char* name) {
    return message.GetReflection()->MutableMessage(&message, FieldOf(message, name));
  }
  template <typename Setter>
  static void Set(Message& message, const char* name, Setter setter) {
    setter(*message.GetReflection(), FieldOf(message, name));
  }

 private:
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_{&pool_};
};

TEST_F(OldClientTest, DecodesAStreamAsItAlwaysDid) {
  GenericCall call(channel_, "/causeway.v1.Decoder/Decode");
  call.Send(Request(R"(open {
    model: "fake"
    geometry { height: 64 width: 64 }
    latent_format { dtype: DTYPE_F32 axes: AXES_TCHW domain: DOMAIN_NORMALISED }
    output { pixel_format: PIXEL_FORMAT_RGB24 }
    client_ref: "old"
  })"));
  std::vector<std::string> kinds;  // of messages that the first version knows
  std::vector<std::vector<std::byte>> frames;
  std::uint64_t latents = 0;
  while (const std::optional<std::string> bytes = call.Read()) {
    const std::unique_ptr<Message> response = New("DecodeResponse");
    ASSERT_TRUE(response->ParseFromString(*bytes));
    const auto* reflection = response->GetReflection();
    const FieldDescriptor* field = reflection->GetOneofFieldDescriptor(
        *response, response->GetDescriptor()->FindOneofByName("message"));
    if (field == nullptr) continue;  // a message of a later version
    const Message& message = reflection->GetMessage(*response, field);
    kinds.push_back(field->name());
    if (kinds.back() == "opened") {
      // The first version allows two chunks under way.
      call.Send(ChunkRequestOf(0, 0, 3));
      call.Send(ChunkRequestOf(1, 3, 5));
      call.Send(Request("end {}"), true);
    } else if (kinds.back() == "frame") {
      // 64x64 RGB24 is one fragment.
      const std::string payload =
          message.GetReflection()->GetString(message, FieldOf(message, "payload"));
      std::vector<std::byte>& frame = frames.emplace_back(payload.size());
      std::memcpy(frame.data(), payload.data(), payload.size());
    } else if (kinds.back() == "summary") {
      latents = message.GetReflection()->GetUInt64(message, FieldOf(message, "latents"));
    }
  }
  const grpc::Status status = call.Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(frames, testing::ExpectedFrames(testing::ValidOpen().spec, latents_));
  EXPECT_EQ(latents, 8u);
  std::vector<std::string> expected{"opened"};
  expected.insert(expected.end(), 9, "frame");
  expected.push_back("chunk_done");
  expected.insert(expected.end(), 20, "frame");
  expected.push_back("chunk_done");
  expected.push_back("summary");
  EXPECT_EQ(kinds, expected);
}

}  // namespace
}  // namespace causeway::rpc
