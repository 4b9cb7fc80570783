#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""include_rules.py on a planted tree: it finds each forbidden include, and only those."""
import os
import tempfile
import unittest

import include_rules

# (file, include, whether it is allowed)
CASES = [
    ("server/base/json.h", "<string>", True),
    ("server/base/mapped_file.cc", "<sys/mman.h>", True),
    ("server/base/json.cc", '"server/base/json.h"', True),
    ("server/base/json.cc", '"server/frame/pixel_format.h"', False),
    ("server/base/json.cc", "<spdlog/spdlog.h>", False),
    ("server/frame/pack.cc", '"server/decoder/types.h"', False),
    ("server/decoder/plan/plan.h", "<ATen/ATen.h>", True),
    ("server/decoder/plan/plan.cc", '"server/decoder/types.h"', True),
    ("server/decoder/plan/plan.cc", '"server/decoder/backends/backend.h"', False),
    ("server/decoder/decoder.cc", '"server/decoder/backends/backend.h"', True),
    ("server/decoder/decoder.cc", '"server/session/session.h"', False),
    ("server/decoder/decoder.cc", "<grpcpp/grpcpp.h>", False),
    ("server/decoder/backends/cuda/module.cc", "<cuda_runtime.h>", True),
    ("server/decoder/backends/cuda/module.cc", '"kernels/include/causeway/kernels/conv3d.h"', True),
    ("server/decoder/backends/reference/ops.cc", "<cuda_runtime.h>", False),
    ("server/scheduler/worker.cc", '"server/decoder/decoder.h"', True),
    ("server/scheduler/worker.cc", '"server/decoder/plan/plan.h"', False),
    ("server/scheduler/worker.h", '"server/session/session.h"', False),
    ("server/session/session.cc", '"server/scheduler/worker.h"', True),
    ("server/session/session.cc", '"server/rpc/service.h"', False),
    ("server/session/session.cc", '"causeway/v1/decode.pb.h"', False),
    ("server/rpc/service.cc", '"causeway/v1/decode.grpc.pb.h"', True),
    ("server/rpc/service.cc", '"google/rpc/error_details.pb.h"', True),
    ("server/rpc/service.cc", "<torch/torch.h>", False),
    ("server/rpc/service.cc", "<prometheus/counter.h>", False),
    ("server/main.cc", '"server/rpc/service.h"', True),
    ("client/lib/stream.cc", '"server/base/failure.h"', True),
    ("client/lib/stream.cc", '"server/frame/pixel_format.h"', False),
    ("client/cli/video.cc", "<libavcodec/avcodec.h>", True),
    ("server/bench/run.cc", "<libavcodec/avcodec.h>", False),
    ("server/bench/explain.cc", '"kernels/conv3d/cost_model.h"', True),
    ("server/bench/explain.cc", '"causeway/kernels/conv3d.h"', True),
    ("server/bench/explain.cc", '"kernels/conv3d/portable/params.h"', False),
    ("server/bench/explain.cc", '"kernels/simt/machine.h"', False),
    ("kernels/conv3d/conv3d.cu", "<cuda_fp16.h>", True),
    ("kernels/conv3d/conv3d.cu", '"server/base/failure.h"', False),
    ("kernels/conv3d/conv3d.cu", '"causeway/kernels/conv3d.h"', True),
    ("server/decoder/backends/cuda/conv.cc", '"causeway/kernels/conv3d.h"', True),
    ("server/decoder/backends/cuda/conv.cc", '"kernels/conv3d/config.h"', False),
    ("server/decoder/plan/plan.cc", '"causeway/kernels/conv3d.h"', False),
    ("tests/server/base/json_test.cc", "<gtest/gtest.h>", True),
    ("tests/server/base/json_test.cc", "<ATen/ATen.h>", False),
    ("server/frame/pack.cc", "<gtest/gtest.h>", False),
    ("server/frame/pack.cc", '"pixel_format.h"', False),
    ("server/unheard_of/file.cc", '"server/base/failure.h"', False),
    ("server/base/json.cc", "<nlohmann/json.hpp>", False),
    ("server/base/json.cc", "<server/base/json.h>", False),
    ("server/base/json.cc", "JSON_HEADER", False),
]


class IncludeRules(unittest.TestCase):
    def test_each_planted_include_is_judged(self):
        for path, include, allowed in CASES:
            with self.subTest(path=path, include=include), tempfile.TemporaryDirectory() as root:
                os.makedirs(os.path.join(root, os.path.dirname(path)))
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(f"// planted\n#include {include}\n")
                problems = include_rules.check(root)
                if allowed:
                    self.assertEqual(problems, [])
                else:
                    self.assertEqual(len(problems), 1)
                    self.assertTrue(problems[0].startswith(f"{path}:2: "), problems[0])

    def test_indented_includes_count(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "server/base"))
            with open(os.path.join(root, "server/base/a.h"), "w", encoding="utf-8") as file:
                file.write("#  include <torch/torch.h>\n")
            self.assertEqual(len(include_rules.check(root)), 1)


if __name__ == "__main__":
    unittest.main()
