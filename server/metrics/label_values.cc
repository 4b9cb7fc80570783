// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/label_values.h"

#include "server/base/reason.h"
#include "server/decoder/types.h"
#include "server/frame/pixel_format.h"
#include "server/session/messages.h"

namespace causeway::metrics {

Label CategoryLabel() {
  Label label{"category", {}};
  for (int index = 0; index < decoder::kCategoryCount; ++index) {
    label.values.emplace_back(decoder::CategoryName(static_cast<decoder::Category>(index)));
  }
  return label;
}

Label BlockLabel() {
  Label label{"block", {}};
  for (int index = 0; index < decoder::kBlockCount; ++index) {
    label.values.emplace_back(decoder::BlockName(static_cast<decoder::Block>(index)));
  }
  return label;
}

Label FormatLabel() {
  Label label{"format", {}};
  for (const frame::PixelFormat format :
       {frame::PixelFormat::kRgb24, frame::PixelFormat::kI420, frame::PixelFormat::kNv12,
        frame::PixelFormat::kRgbF16, frame::PixelFormat::kRgbF32}) {
    label.values.emplace_back(frame::PixelFormatName(format));
  }
  return label;
}

Label PriorityLabel() {
  Label label{"priority", {}};
  for (const Priority priority : {Priority::kInteractive, Priority::kStandard, Priority::kBatch}) {
    label.values.emplace_back(PriorityName(priority));
  }
  return label;
}

Label StageLabel() {
  return {"stage", {"receive", "queue", "credit_wait", "decode", "pack", "send", "total"}};
}

Label ReasonLabel() {
  Label label{"reason", {}};
  for (int index = 0; index <= static_cast<int>(kLastReason); ++index) {
    label.values.emplace_back(ReasonName(static_cast<Reason>(index)));
  }
  return label;
}

Label EndLabel() {
  Label label = ReasonLabel();
  label.values.insert(label.values.begin(), {kEndOk, kEndCancelled});
  return label;
}

}  // namespace causeway::metrics
