// SPDX-License-Identifier: Apache-2.0
// `causeway decode`: a file of latents through a server into files.
#pragma once

#include "client/cli/decode_options.h"
#include "client/cli/decode_report.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"

namespace causeway::cli {

/// Decodes the whole file and returns the report. The output files appear at the end, all whole,
/// or none that could not be finished. `progress`: where it goes.
/// Throws FileError for files and DecodeError for the stream, each message one line; an interrupt
/// ends the stream, which is a DecodeError with code CANCELLED.
DecodeReport RunDecode(const DecodeOptions& options, Interrupt& interrupt,
                       const ProgressTarget& progress);

}  // namespace causeway::cli
