// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/checkpoint.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "server/base/failure.h"
#include "server/base/utf8.h"
#include "server/decoder/weights/torch_file/pickle.h"
#include "server/decoder/weights/torch_file/zip_directory.h"

namespace causeway::decoder {
namespace {

constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";

struct Storage {
  std::string_view global;
  TensorDtype dtype;
};
constexpr Storage kStorages[] = {
    {"torch.DoubleStorage", TensorDtype::kF64}, {"torch.FloatStorage", TensorDtype::kF32},
    {"torch.HalfStorage", TensorDtype::kF16},   {"torch.BFloat16Storage", TensorDtype::kBF16},
    {"torch.LongStorage", TensorDtype::kI64},   {"torch.IntStorage", TensorDtype::kI32},
    {"torch.ShortStorage", TensorDtype::kI16},  {"torch.CharStorage", TensorDtype::kI8},
    {"torch.ByteStorage", TensorDtype::kU8},    {"torch.BoolStorage", TensorDtype::kBool},
};

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string_view> AllowedGlobals() {
  std::vector<std::string_view> globals{kRebuildTensor, kRebuildParameter};
  for (const Storage& storage : kStorages) globals.push_back(storage.global);
  return globals;
}

class Reader {
 public:
  Reader(const std::string& path, std::span<const std::byte> file)
      : path_(path), zip_(ReadZipDirectory(path, file)), folder_(FindFolder()) {
    const auto order = zip_.find(std::string(folder_) + "byteorder");
    if (order != zip_.end() && Text(order->second) != "little") {
      Refuse("byteorder: got " + Quote(Text(order->second)) + ", allowed: little");
    }
    const std::string pickle = std::string(folder_) + "data.pkl";
    const std::vector<std::string_view> globals = AllowedGlobals();
    try {
      pickle_ = ReadPickle(zip_.at(pickle), globals);
    } catch (const PickleError& error) {
      Refuse("pickle " + Quote(pickle) + ", " + error.what());
    }
  }

  TensorMap Tensors() {
    TensorMap tensors;
    for (const auto& [key, value] : StateDict().items) {
      const auto* name = pickle_.Get<std::string_view>(key);
      if (name == nullptr) {
        Refuse("a name of a tensor: got " + Kind(key) + ", allowed: a string");
      }
      name_ = *name;
      if (!tensors.emplace(*name, ReadTensor(value)).second) {
        Refuse("two tensors are named " + Quote(*name));
      }
    }
    return tensors;
  }

 private:
  [[noreturn]] void Refuse(const std::string& problem) const { throw FileError(path_, problem); }

  /// About the tensor that is being read.
  [[noreturn]] void RefuseTensor(const std::string& problem) const {
    Refuse("tensor " + Quote(name_) + problem);
  }

  std::string Kind(PickleId id) const { return std::string(PickleKindName(pickle_.at(id))); }

  /// "archive/", or another name: torch names the folder after the file.
  std::string_view FindFolder() const {
    std::optional<std::string_view> folder;
    for (const auto& [name, content] : zip_) {
      const std::size_t slash = name.find('/');
      if (slash == std::string_view::npos || name.substr(slash) != "/data.pkl") continue;
      if (folder) Refuse("holds two pickles, one of them " + Quote(name));
      folder = name.substr(0, slash + 1);
    }
    if (!folder) Refuse("is a zip file, but no PyTorch checkpoint: it holds no archive/data.pkl");
    return *folder;
  }

  const PickleDict& StateDict() const {
    const auto* root = pickle_.Get<PickleDict>(pickle_.root);
    if (root == nullptr) {
      Refuse("holds " + Kind(pickle_.root) + ", allowed: a dict of tensors");
    }
    const PickleDict* nested = nullptr;
    for (const auto& [key, value] : root->items) {
      const auto* name = pickle_.Get<std::string_view>(key);
      const auto* dict = pickle_.Get<PickleDict>(value);
      if (name == nullptr || dict == nullptr) continue;
      if (*name != "state_dict" && *name != "model") continue;
      if (nested != nullptr) {
        Refuse("holds two dicts of tensors, one of them " + Quote(*name) +
               "; allowed: one, under state_dict or model");
      }
      nested = dict;
    }
    return nested != nullptr ? *nested : *root;
  }

  const PickleCall* Call(PickleId id, std::string_view function, std::size_t count) const {
    const auto* call = pickle_.Get<PickleCall>(id);
    return call && call->function == function && call->arguments.size() == count ? call : nullptr;
  }

  TensorView ReadTensor(PickleId id) const {
    // (tensor, requires_grad, hooks)
    if (const PickleCall* parameter = Call(id, kRebuildParameter, 3)) id = parameter->arguments[0];
    // (storage, offset, shape, strides, requires_grad, hooks)
    const PickleCall* call = Call(id, kRebuildTensor, 6);
    if (call == nullptr) RefuseTensor(": got " + Kind(id) + ", allowed: a plain tensor");
    TensorView view;
    view.bytes = ReadStorage(call->arguments[0], view.dtype);
    view.shape = ReadIntegers("shape", call->arguments[2]);
    const std::vector<std::int64_t> strides = ReadIntegers("strides", call->arguments[3]);
    const auto* offset = pickle_.Get<std::int64_t>(call->arguments[1]);
    const std::int64_t item_bytes = TensorDtypeBytes(view.dtype);
    const std::int64_t stored = view.element_count();
    const std::optional<std::int64_t> count = ElementCount(view.shape);
    if (!count) {
      RefuseTensor(" shape: got " + ShapeText(view.shape) + ", allowed: extents from 0");
    }
    if (offset == nullptr || *offset < 0 || *offset > stored || *count > stored - *offset) {
      RefuseTensor(": shape " + ShapeText(view.shape) + " at element " +
                   (offset ? std::to_string(*offset) : Kind(call->arguments[1])) +
                   " does not fit its storage of " + std::to_string(stored) + " elements");
    }
    CheckContiguous(view.shape, strides, *count);
    view.bytes = view.bytes.subspan(static_cast<std::size_t>(*offset * item_bytes),
                                    static_cast<std::size_t>(*count * item_bytes));
    return view;
  }

  /// ("storage", type, key, device, elements): the whole storage.
  std::span<const std::byte> ReadStorage(PickleId id, TensorDtype& dtype) const {
    const auto* persistent = pickle_.Get<PicklePersistent>(id);
    const auto* parts = persistent ? pickle_.Get<PickleTuple>(persistent->id) : nullptr;
    if (parts == nullptr || parts->items.size() != 5) {
      RefuseTensor(" storage: got " + Kind(id) + ", allowed: a stored one of five parts");
    }
    const auto* tag = pickle_.Get<std::string_view>(parts->items[0]);
    const auto* type = pickle_.Get<PickleGlobal>(parts->items[1]);
    const auto* key = pickle_.Get<std::string_view>(parts->items[2]);
    const auto* count = pickle_.Get<std::int64_t>(parts->items[4]);
    if (tag == nullptr || *tag != "storage" || type == nullptr || key == nullptr ||
        count == nullptr || *count < 0) {
      RefuseTensor(
          " storage: got parts of other kinds, allowed: 'storage', type, key, device, elements");
    }
    const auto* known =
        std::find_if(std::begin(kStorages), std::end(kStorages),
                     [&](const Storage& storage) { return storage.global == type->name; });
    if (known == std::end(kStorages)) {
      RefuseTensor(" storage: got " + Quote(type->name) + ", allowed: a type of storage");
    }
    const auto entry = zip_.find(std::string(folder_) + "data/" + std::string(*key));
    if (entry == zip_.end()) {
      RefuseTensor(" storage: got " + Quote(*key) + ", which the file does not hold");
    }
    dtype = known->dtype;
    const auto bytes = static_cast<std::int64_t>(entry->second.size());
    const std::int64_t item_bytes = TensorDtypeBytes(dtype);
    if (bytes % item_bytes != 0 || bytes / item_bytes != *count) {
      RefuseTensor(" storage: got " + std::to_string(*count) + " elements of " +
                   std::string(TensorDtypeName(dtype)) + " in " + std::to_string(bytes) + " bytes");
    }
    return entry->second;
  }

  std::vector<std::int64_t> ReadIntegers(const std::string& field, PickleId id) const {
    const auto* tuple = pickle_.Get<PickleTuple>(id);
    if (tuple == nullptr) {
      RefuseTensor(" " + field + ": got " + Kind(id) + ", allowed: a tuple of integers");
    }
    if (tuple->items.size() > kMaxTorchDimensions) {
      RefuseTensor(" " + field + ": got " + std::to_string(tuple->items.size()) +
                   " dimensions, allowed: at most " + std::to_string(kMaxTorchDimensions));
    }
    std::vector<std::int64_t> integers;
    for (const PickleId item : tuple->items) {
      const auto* integer = pickle_.Get<std::int64_t>(item);
      if (integer == nullptr) {
        RefuseTensor(" " + field + ": got " + Kind(item) + ", allowed: integers");
      }
      integers.push_back(*integer);
    }
    return integers;
  }

  /// As Tensor.is_contiguous(): the stride of an extent of one means nothing, nor does any where
  /// there are no elements.
  void CheckContiguous(const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& strides, std::int64_t count) const {
    bool is_contiguous = shape.size() == strides.size();
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); is_contiguous && count > 0 && i > 0; --i) {
      is_contiguous = shape[i - 1] == 1 || strides[i - 1] == expected;
      expected *= shape[i - 1];
    }
    if (!is_contiguous) {
      RefuseTensor(": got strides " + ShapeText(strides) + " for shape " + ShapeText(shape) +
                   ", allowed: a contiguous tensor; save it after .contiguous()");
    }
  }

  const std::string& path_;
  ZipDirectory zip_;
  std::string_view folder_;
  Pickle pickle_;
  std::string_view name_;
};

}  // namespace

TensorMap ReadCheckpoint(const std::string& path, std::span<const std::byte> file) {
  return Reader(path, file).Tensors();
}

}  // namespace causeway::decoder
