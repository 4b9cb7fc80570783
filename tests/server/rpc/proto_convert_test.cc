// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/proto_convert.h"

#include <memory>

#include <gtest/gtest.h>

#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

v1::Open ValidOpenMessage() { return OpenMessage().open(); }

TEST(ProtoConvert, TakesOverEveryFieldOfOpen) {
  v1::Open open = ValidOpenMessage();
  open.mutable_geometry()->set_width(128);
  open.mutable_output()->set_fragment_bytes(70'000);
  open.set_client_ref("camera 7");
  open.set_want_kernel_timing(true);
  const Result<OpenRequest> request = ToOpenRequest(open);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request.value().spec.model, "fake");
  EXPECT_EQ(request.value().spec.geometry, (decoder::Geometry{.height = 64, .width = 128}));
  EXPECT_EQ(request.value().fragment_bytes, 70'000);
  EXPECT_EQ(request.value().client_ref, "camera 7");
  EXPECT_TRUE(request.value().wants_kernel_timing);
}

TEST(ProtoConvert, TranslatesEveryDtype) {
  using decoder::LatentDtype;
  for (const auto& [wire, domain] : {std::pair{v1::DTYPE_F32, LatentDtype::kF32},
                                     {v1::DTYPE_F16, LatentDtype::kF16},
                                     {v1::DTYPE_BF16, LatentDtype::kBF16}}) {
    v1::Open open = ValidOpenMessage();
    open.mutable_latent_format()->set_dtype(wire);
    ASSERT_TRUE(ToOpenRequest(open).ok());
    EXPECT_EQ(ToOpenRequest(open).value().spec.latent_format.dtype, domain);
  }
}

TEST(ProtoConvert, TranslatesEveryOrderOfAxesAndDomain) {
  v1::Open open = ValidOpenMessage();
  open.mutable_latent_format()->set_axes(v1::AXES_CTHW);
  open.mutable_latent_format()->set_domain(v1::DOMAIN_RAW);
  ASSERT_TRUE(ToOpenRequest(open).ok());
  EXPECT_EQ(ToOpenRequest(open).value().spec.latent_format.axes, decoder::LatentAxes::kCthw);
  EXPECT_EQ(ToOpenRequest(open).value().spec.latent_format.domain, decoder::LatentDomain::kRaw);
  open.mutable_latent_format()->set_axes(v1::AXES_TCHW);
  open.mutable_latent_format()->set_domain(v1::DOMAIN_NORMALISED);
  ASSERT_TRUE(ToOpenRequest(open).ok());
  EXPECT_EQ(ToOpenRequest(open).value().spec.latent_format.axes, decoder::LatentAxes::kTchw);
  EXPECT_EQ(ToOpenRequest(open).value().spec.latent_format.domain,
            decoder::LatentDomain::kNormalised);
}

TEST(ProtoConvert, TranslatesEveryPixelFormat) {
  using frame::PixelFormat;
  for (const auto& [wire, domain] : {std::pair{v1::PIXEL_FORMAT_RGB24, PixelFormat::kRgb24},
                                     {v1::PIXEL_FORMAT_I420, PixelFormat::kI420},
                                     {v1::PIXEL_FORMAT_NV12, PixelFormat::kNv12},
                                     {v1::PIXEL_FORMAT_RGB_F16, PixelFormat::kRgbF16},
                                     {v1::PIXEL_FORMAT_RGB_F32, PixelFormat::kRgbF32}}) {
    v1::Open open = ValidOpenMessage();
    open.mutable_output()->set_pixel_format(wire);
    ASSERT_TRUE(ToOpenRequest(open).ok());
    EXPECT_EQ(ToOpenRequest(open).value().spec.pixel_format, domain);
  }
}

TEST(ProtoConvert, NamesAnEnumValueThatItRefusesAndThoseItTakes) {
  v1::Open open = ValidOpenMessage();
  open.mutable_latent_format()->clear_dtype();
  EXPECT_EQ(ToOpenRequest(open).failure().got, "DTYPE_UNSPECIFIED");
  EXPECT_EQ(ToOpenRequest(open).failure().allowed, "DTYPE_F32, DTYPE_F16, DTYPE_BF16");
  open.mutable_latent_format()->set_dtype(static_cast<v1::Dtype>(77));
  EXPECT_EQ(ToOpenRequest(open).failure().got, "77");
}

TEST(ProtoConvert, MovesThePayloadOutOfAChunk) {
  v1::LatentChunk chunk;
  chunk.set_chunk_seq(5);
  chunk.set_latents(3);
  chunk.set_payload(std::string(1000, 'x'));
  const char* data = chunk.payload().data();
  const ChunkRequest request = ToChunkRequest(chunk);
  EXPECT_EQ(request.seq, 5u);
  EXPECT_EQ(request.latents, 3);
  EXPECT_EQ(request.payload.data(), data);
}

TEST(ProtoConvert, TellsKernelTimesByCategoryAndBlock) {
  ChunkDoneOutput output;
  output.timing = {.queue = std::chrono::nanoseconds(1),
                   .decode = std::chrono::nanoseconds(2),
                   .pack = std::chrono::nanoseconds(3),
                   .send = std::chrono::nanoseconds(4)};
  output.kernel_times.emplace();
  output.kernel_times->Add(decoder::Category::kAttention, decoder::Block::kMid,
                           std::chrono::nanoseconds(70));
  output.kernel_times->Add(decoder::Category::kAttention, decoder::Block::kMid,
                           std::chrono::nanoseconds(30));
  output.kernel_times->Add(decoder::Category::kUpsample, decoder::Block::kUp1,
                           std::chrono::nanoseconds(5));
  v1::DecodeResponse response;
  ToResponse(output, response);
  const v1::ChunkDone& done = response.chunk_done();
  EXPECT_EQ(done.timing().queue_ns(), 1);
  EXPECT_EQ(done.timing().decode_ns(), 2);
  EXPECT_EQ(done.timing().pack_ns(), 3);
  EXPECT_EQ(done.timing().send_ns(), 4);
  ASSERT_EQ(done.kernel_size(), 2);
  EXPECT_EQ(done.kernel(0).category(), "upsample");
  EXPECT_EQ(done.kernel(0).block(), "up1");
  EXPECT_EQ(done.kernel(1).category(), "attention");
  EXPECT_EQ(done.kernel(1).block(), "mid");
  EXPECT_EQ(done.kernel(1).ns(), 100);
  EXPECT_EQ(done.kernel(1).launches(), 2);
}

TEST(ProtoConvert, AResponseHoldsNothingOfTheOneBefore) {
  v1::DecodeResponse response;
  ToResponse(ChunkErrorOutput{4, BadField(Reason::kChunkTooLong, "a", "b", "c")}, response);
  EXPECT_EQ(response.chunk_error().reason(), "CHUNK_TOO_LONG");
  ToResponse(ChunkErrorOutput{0, {Reason::kChunkTooLong, "", "", "", ""}}, response);
  EXPECT_EQ(response.chunk_error().chunk_seq(), 0u);
  EXPECT_EQ(response.chunk_error().field(), "");
  ToResponse(SummaryOutput{}, response);
  EXPECT_TRUE(response.has_summary());
}

}  // namespace
}  // namespace causeway::rpc
