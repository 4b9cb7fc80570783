// SPDX-License-Identifier: Apache-2.0
// Between the messages of decode.proto and those of a session. Checks what only the wire can get
// wrong (enum values that do not exist or were left out); everything else is checked by the
// session.
#pragma once

#include "causeway/v1/decode.pb.h"
#include "server/session/messages.h"

namespace causeway::rpc {

/// Fails with kBadDtype, kBadLayout, kBadFormat or kBadOption, or kNotImplemented for a resume, and
/// the field.
Result<OpenRequest> ToOpenRequest(const v1::Open& open);

/// Moves the payload out of `chunk`.
ChunkRequest ToChunkRequest(v1::LatentChunk& chunk);

/// Makes `response` the message of `output`. Not for an EndOutput, which is a status.
void ToResponse(const Output& output, v1::DecodeResponse& response);

}  // namespace causeway::rpc
