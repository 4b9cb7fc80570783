// SPDX-License-Identifier: Apache-2.0
// The tensors of a PyTorch checkpoint as torch.save writes it since PyTorch 1.6: a zip file with a
// pickle and the storages. What is in the pickle is read as data; no code in it ever runs.
// Format: PyTorch 2.11, torch/serialization.py (_save) and torch/_utils.py (_rebuild_tensor_v2).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "server/base/tensor_view.h"

namespace causeway::decoder {

/// Most dimensions of a tensor, as in PyTorch.
inline constexpr std::size_t kMaxTorchDimensions = 64;

/// Name -> tensor in the file's memory.
using TensorMap = std::map<std::string, TensorView, std::less<>>;

/// `path` is for messages. The file holds a dict (or OrderedDict) of names and tensors; or a dict
/// with one such dict under "state_dict" or "model", whose other entries are not looked at.
/// Tensors are contiguous, of an element type of TensorDtype, on whatever device they were. Two
/// may share a storage, and a storage may have bytes that no tensor uses.
/// Throws FileError for anything else.
TensorMap ReadCheckpoint(const std::string& path, std::span<const std::byte> file);

}  // namespace causeway::decoder
