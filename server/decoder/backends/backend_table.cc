// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/backends/backend_table.h"

#include <ATen/Parallel.h>

#include "server/base/failure.h"
#include "server/decoder/backends/reference/reference_backend.h"

namespace causeway::decoder {
namespace {

constexpr int kMaxThreads = 1024;

}  // namespace

const std::vector<std::string>& BackendNames() {
  static const std::vector<std::string> names{"reference"};
  return names;
}

std::unique_ptr<Backend> MakeBackend(const std::string& name, const ModelConfig& config,
                                     const Plan& plan, int threads, const ReadWeight& read) {
  if (threads < 0 || threads > kMaxThreads) {
    throw FailureError(BadField(Reason::kBadOption, "threads", std::to_string(threads),
                                "0 (one a core) to " + std::to_string(kMaxThreads)));
  }
  if (name != "reference") {
    std::string allowed;
    for (const std::string& known : BackendNames()) {
      allowed += (allowed.empty() ? "" : ", ") + known;
    }
    throw FailureError(BadField(Reason::kBadOption, "backend", name, allowed));
  }
  if (threads > 0) at::set_num_threads(threads);
  return reference::MakeReferenceBackend(config, plan, read);
}

}  // namespace causeway::decoder
