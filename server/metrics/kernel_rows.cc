// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/buckets.h"
#include "server/metrics/label_values.h"
#include "server/metrics/metric_rows.h"

namespace causeway::metrics {

std::vector<MetricRow> KernelRows() {
  constexpr MetricType kGauge = MetricType::kGauge;
  constexpr MetricType kCounter = MetricType::kCounter;
  constexpr MetricType kHistogram = MetricType::kHistogram;
  return {
      {"causeway_step_seconds",
       kHistogram,
       "One latent through the decoder, by its outer timestamps; every step.",
       "seconds",
       {ModelLabel(), DeviceLabel(), GeometryLabel()},
       FrameBuckets(),
       {"overview", "kernels"},
       {}},
      {"causeway_device_busy_seconds_total",
       kCounter,
       "Time that the device spent on steps; its rate is the share of the time it is used.",
       "seconds",
       {DeviceLabel()},
       {},
       {"overview", "capacity"},
       {}},
      {"causeway_kernel_duration_seconds",
       kHistogram,
       "Device time in one kernel category in one step; sampled steps.",
       "seconds",
       {ModelLabel(), DeviceLabel(), CategoryLabel()},
       KernelBuckets(),
       {"overview", "kernels"},
       {"CausewayKernelRegression", "CausewayUnclassified"}},
      {"causeway_kernel_seconds_total",
       kCounter,
       "Device time by kernel category and block of the decoder; sampled steps.",
       "seconds",
       {ModelLabel(), DeviceLabel(), CategoryLabel(), BlockLabel()},
       {},
       {"kernels"},
       {}},
      {"causeway_kernel_launches_total",
       kCounter,
       "Operations launched, by kernel category; sampled steps.",
       "launches",
       {ModelLabel(), DeviceLabel(), CategoryLabel()},
       {},
       {"kernels"},
       {}},
      {"causeway_kernel_sampled_steps_total",
       kCounter,
       "Steps whose kernel categories were timed.",
       "steps",
       {ModelLabel(), DeviceLabel()},
       {},
       {"kernels"},
       {}},
      {"causeway_kernel_coverage_ratio",
       kGauge,
       "Sum of the categories over the outer timestamps, of the newest sampled step.",
       "ratio",
       {ModelLabel(), DeviceLabel()},
       {},
       {"kernels"},
       {"CausewayUnclassified"}},
  };
}

}  // namespace causeway::metrics
