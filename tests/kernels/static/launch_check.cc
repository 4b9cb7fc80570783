// SPDX-License-Identifier: Apache-2.0
// Linked from the launch code and the kernels as nvcc makes them: LaunchConv3d refuses what it must
// before it asks a device for anything, and reports the runtime's answer where there is none.
#include <cstdio>
#include <cstring>

#include "causeway/kernels/conv3d_cuda.h"

namespace {

using namespace causeway::kernels;

int failures = 0;

void Expect(const char* name, const LaunchStatus& status, LaunchCode code, const char* what) {
  if (status.code == code && std::strncmp(status.what, what, std::strlen(what)) == 0) return;
  std::printf("%s: got code %d, '%s', CUDA error %d\n", name, static_cast<int>(status.code),
              status.what, static_cast<int>(status.error));
  ++failures;
}

struct Request {
  Conv3dProblem problem;
  TileConfig config;
  Conv3dArguments arguments;

  LaunchStatus Launch() const { return LaunchConv3d(problem, config, arguments, nullptr); }
};

/// Every pointer set; none of them is read without a device.
Request GoodRequest(ElementType element) {
  alignas(16) static float memory[4];
  Request request;
  request.problem = {element, 96, 96, 1, 16, 16, {}};
  request.problem.epilogue = {RawType::kFp32, RawType::kFp32, NormType::kRmsSilu};
  request.config = *ChooseTile(request.problem, *FindArchitecture("sm_80")).config;
  request.arguments = {memory, memory, memory, memory, memory, memory, memory, nullptr};
  request.arguments.frames = reinterpret_cast<const FrameEntry*>(memory);
  return request;
}

void CheckRefusals(ElementType element) {
  const auto refuses = [&](const char* what, auto&& change) {
    Request request = GoodRequest(element);
    change(request);
    Expect(what, request.Launch(), LaunchCode::kRefused, what);
  };
  refuses("problem", [](Request& r) { r.problem.height = 0; });
  refuses("config: fewer", [](Request& r) { r.config.mma_n = 2; });
  refuses("config: not", [](Request& r) { r.config.weight_stages = 6; });
  refuses("input", [](Request& r) { r.arguments.input = nullptr; });
  refuses("weights", [](Request& r) { r.arguments.weights = nullptr; });
  refuses("bias", [](Request& r) { ++r.arguments.bias; });
  refuses("scaled_gamma", [](Request& r) { r.arguments.scaled_gamma = nullptr; });
  refuses("residual", [](Request& r) { r.arguments.residual = nullptr; });
  refuses("raw", [](Request& r) { r.arguments.raw = nullptr; });
  refuses("output", [](Request& r) { r.arguments.output = nullptr; });
  refuses("frames", [](Request& r) { r.arguments.frames = nullptr; });
}

}  // namespace

int main() {
  int devices = 0;
  const bool has_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  static_cast<void>(cudaGetLastError());
  for (const ElementType element : {ElementType::kFp16, ElementType::kBf16, ElementType::kTf32}) {
    CheckRefusals(element);
    if (has_device) continue;  // the pointers are the host's
    Expect("no device", GoodRequest(element).Launch(), LaunchCode::kCudaError, "cuda");
  }
  std::printf("launch: %d failures%s\n", failures, has_device ? "" : ", no device");
  return failures == 0 ? 0 : 1;
}
