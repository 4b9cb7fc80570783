// SPDX-License-Identifier: Apache-2.0
#include "server/bench/conv_prediction.h"

#include <algorithm>

#include "causeway/kernels/architecture.h"
#include "causeway/kernels/conv3d.h"
#include "kernels/conv3d/seed_kernels.h"
#include "kernels/conv3d/signatures.h"
#include "server/bench/explain_report.h"

namespace causeway::bench {
namespace {

using decoder::Phase;
using decoder::Step;
using decoder::StepKind;
using kernels::ConvWork;
using kernels::DevicePeaks;
using kernels::ElementType;
using kernels::Signature;

constexpr double kRawBytes = 4;  // residual and raw store are fp32
constexpr double kMicrosecond = 1e-6;

/// A convolution as it is defined; the work that is left of it depends on the phase.
struct ConvShape {
  int in_channels = 0;
  int out_channels = 0;
  decoder::KernelExtent kernel;
  int frames = 0;
  int height = 0;
  int width = 0;
};

ConvShape ShapeOf(const Step& step) {
  ConvShape shape{step.input.channels, step.output.channels, step.kernel,
                  step.input.frames,   step.input.height,    step.input.width};
  // Its two halves of channels become two frames.
  if (step.kind == StepKind::kTimeConv) shape.out_channels *= 2;
  return shape;
}

ConvShape ShapeOf(const Signature& signature) {
  return {signature.in_channels,
          signature.out_channels,
          {signature.time_taps, signature.space_taps, signature.space_taps},
          signature.frames,
          signature.height,
          signature.width};
}

std::string Text(const ConvShape& shape) {
  const auto number = [](int value) { return std::to_string(value); };
  return number(shape.in_channels) + "->" + number(shape.out_channels) + " " +
         number(shape.kernel.time) + "x" + number(shape.kernel.height) + "x" +
         number(shape.kernel.width) + " " + number(shape.frames) + "x" + number(shape.height) +
         "x" + number(shape.width);
}

ConvWork WorkOf(const ConvShape& shape) {
  return {shape.in_channels,
          shape.out_channels,
          shape.kernel.time,
          shape.kernel.height,
          shape.frames,
          shape.height,
          shape.width,
          0,
          0};
}

/// Without the bytes, which depend on the element type.
ConvWork ExecutedWork(const Step& step, Phase phase) {
  ConvWork work = WorkOf(ShapeOf(step));
  if (phase == Phase::kFirstLatent) work.time_taps = 1;
  if (step.kind == StepKind::kUpConv) {
    // Four outputs a pixel of the small input, 2x2 taps each.
    work.out_channels *= 4;
    work.space_taps = 2;
  }
  return work;
}

ElementPrediction PredictElement(const DevicePeaks& device, ElementType element, ConvWork work,
                                 double raw_bytes, bool stores_elements, bool is_portable) {
  work.element_bytes = kernels::ElementBytes(element);
  work.epilogue_bytes = raw_bytes + (stores_elements ? work.element_bytes : 0);
  ElementPrediction prediction;
  prediction.floor = FloorSeconds(device, work, element);
  if (!is_portable) return prediction;
  kernels::Conv3dProblem problem;
  problem.element = element;
  problem.in_channels = work.in_channels;
  problem.out_channels = work.out_channels;
  problem.frames = work.frames;
  problem.height = work.height;
  problem.width = work.width;
  problem.epilogue.norm = kernels::NormType::kRms;
  const auto architecture = kernels::FindArchitecture(device.architecture);
  const auto tile = kernels::ChooseTile(problem, architecture.value()).config;
  if (tile) {
    prediction.portable = Predict(device, kernels::PortableForm(*tile, element), work, element);
  }
  return prediction;
}

bool IsPortable(const ConvShape& shape) { return shape.kernel == decoder::KernelExtent{3, 3, 3}; }

void PredictElements(const DevicePeaks& device, const ConvShape& shape, const ConvWork& work,
                     double raw_bytes, bool stores_elements, PredictedConv& conv) {
  const auto predict = [&](ElementType element) {
    return PredictElement(device, element, work, raw_bytes, stores_elements, IsPortable(shape));
  };
  conv.fp16 = predict(ElementType::kFp16);
  conv.tf32 = predict(ElementType::kTf32);
}

void AddSeed(const std::string& signature, PredictedConv& conv) {
  for (const Signature& known : kernels::Signatures()) {
    if (known.seed_row < 0 || Text(ShapeOf(known)) != signature) continue;
    conv.seed_conv = known.seed_conv_us * kMicrosecond;
    conv.seed_row = known.seed_row_us * kMicrosecond;
  }
}

}  // namespace

std::vector<PredictedConv> PredictProgram(const decoder::Program& program,
                                          const DevicePeaks& device) {
  std::vector<PredictedConv> convs;
  for (const Step& step : program.steps) {
    if (step.weight.empty()) continue;
    const ConvShape shape = ShapeOf(step);
    const std::string signature = Text(shape);
    const std::string epilogue = EpilogueText(step.epilogue);
    const auto known = std::find_if(convs.begin(), convs.end(), [&](const PredictedConv& conv) {
      return conv.signature == signature && conv.epilogue == epilogue;
    });
    if (known != convs.end()) {
      ++known->steps;
      continue;
    }
    PredictedConv conv;
    conv.signature = signature;
    conv.epilogue = epilogue;
    conv.steps = 1;
    const double raw_bytes = kRawBytes * ((step.epilogue.residual != decoder::kNoValue ? 1 : 0) +
                                          (step.epilogue.raw_output != decoder::kNoValue ? 1 : 0));
    PredictElements(device, shape, ExecutedWork(step, program.phase), raw_bytes,
                    step.epilogue.norm != decoder::NormKind::kNone || raw_bytes == 0, conv);
    AddSeed(signature, conv);
    convs.push_back(conv);
  }
  return convs;
}

std::vector<PredictedConv> PredictSeed(const DevicePeaks& device) {
  std::vector<PredictedConv> convs;
  for (const kernels::SeedKernel& kernel : kernels::SeedKernels()) {
    for (const Signature& signature : kernels::Signatures()) {
      if (signature.seed_row != kernel.seed_row) continue;
      const ConvShape shape = ShapeOf(signature);
      PredictedConv conv;
      conv.signature = Text(shape);
      conv.steps = 1;
      conv.seed_conv = signature.seed_conv_us * kMicrosecond;
      conv.seed_row = signature.seed_row_us * kMicrosecond;
      PredictElements(device, shape, WorkOf(shape), 0, true, conv);
      if (const auto form = kernels::ParseKernelName(kernel.name)) {
        conv.library = Predict(device, *form, kernels::WorkOf(signature, ElementType::kTf32),
                               ElementType::kTf32);
      }
      convs.push_back(conv);
    }
  }
  return convs;
}

}  // namespace causeway::bench
