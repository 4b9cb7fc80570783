// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/failure.h"

namespace causeway::kernels::simt {

const char* FailureName(FailureKind kind) {
  switch (kind) {
    case FailureKind::kDeadlock:
      return "Deadlock";
    case FailureKind::kPoisonRead:
      return "PoisonRead";
    case FailureKind::kUnfinishedCopy:
      return "UnfinishedCopy";
    case FailureKind::kRace:
      return "Race";
    case FailureKind::kOutOfRange:
      return "OutOfRange";
    case FailureKind::kMisaligned:
      return "Misaligned";
    case FailureKind::kOverArrival:
      return "OverArrival";
    case FailureKind::kTransactionCount:
      return "TransactionCount";
    case FailureKind::kDivergentCollective:
      return "DivergentCollective";
    case FailureKind::kMissingProxyFence:
      return "MissingProxyFence";
    case FailureKind::kMissingWgmmaFence:
      return "MissingWgmmaFence";
    case FailureKind::kAccumulatorInFlight:
      return "AccumulatorInFlight";
    case FailureKind::kInvalidOperand:
      return "InvalidOperand";
  }
  return "";
}

}  // namespace causeway::kernels::simt
