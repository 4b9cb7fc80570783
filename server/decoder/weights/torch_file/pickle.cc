// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/pickle.h"

#include <algorithm>
#include <array>

#include "server/base/utf8.h"
#include "server/decoder/weights/torch_file/pickle_input.h"
#include "server/decoder/weights/torch_file/pickle_opcode.h"

namespace causeway::decoder {
namespace {

constexpr std::string_view kOrderedDict = "collections.OrderedDict";

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::span<const std::string_view> globals)
      : input_(bytes), globals_(globals) {}

  Pickle Read() {
    if (input_.bytes_left() > kMaxPickleBytes) {
      Refuse("size: got " + std::to_string(input_.bytes_left()) + " bytes, allowed: at most " +
             std::to_string(kMaxPickleBytes));
    }
    if (input_.TakeOpcode() != PickleOpcode::kProtocol) {
      Refuse("is no pickle of protocol 2 or 3: got " + OpcodeName() + ", allowed: PROTO (0x80)");
    }
    const std::uint64_t protocol = input_.TakeNumber(1);
    if (protocol != 2 && protocol != 3) {
      Refuse("pickle protocol: got " + std::to_string(protocol) + ", allowed: 2, 3");
    }
    for (std::size_t count = 1; input_.TakeOpcode() != PickleOpcode::kStop; ++count) {
      if (count == kMaxPickleOperations) {
        Refuse("operations: got more than " + std::to_string(kMaxPickleOperations));
      }
      Execute();
    }
    if (!marks_.empty()) Refuse("STOP inside of an open MARK");
    pickle_.root = Pop();
    if (!stack_.empty()) {
      Refuse("STOP: got " + std::to_string(stack_.size() + 1) + " values, allowed: 1");
    }
    if (input_.bytes_left() != 0) {
      Refuse("STOP: got " + std::to_string(input_.bytes_left()) + " bytes behind it");
    }
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& problem) const { input_.Refuse(problem); }

  std::string OpcodeName() const {
    return PickleOpcodeName(static_cast<std::uint8_t>(input_.opcode()));
  }

  void Push(PickleValue value) {
    stack_.push_back(static_cast<PickleId>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }

  std::size_t Floor() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleId Top() const {
    if (stack_.size() <= Floor()) {
      Refuse(OpcodeName() + " needs a value that the stack does not have");
    }
    return stack_.back();
  }

  PickleId Pop() {
    const PickleId id = Top();
    stack_.pop_back();
    return id;
  }

  std::vector<PickleId> PopSome(std::size_t count) {
    std::vector<PickleId> items(count);
    for (std::size_t i = count; i > 0; --i) items[i - 1] = Pop();
    return items;
  }

  std::vector<PickleId> PopToMark() {
    if (marks_.empty()) Refuse(OpcodeName() + " needs a MARK, and there is none");
    std::vector<PickleId> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()),
                                stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  template <typename Kind>
  Kind& TopAs(std::string_view allowed) {
    PickleValue& value = pickle_.values[Top()];
    Kind* kind = std::get_if<Kind>(&value);
    if (kind == nullptr) RefuseKind(value, allowed);
    return *kind;
  }

  [[noreturn]] void RefuseKind(const PickleValue& got, std::string_view allowed) const {
    Refuse(OpcodeName() + ": got " + std::string(PickleKindName(got)) +
           ", allowed: " + std::string(allowed));
  }

  void SetItems(const std::vector<PickleId>& items) {
    if (items.size() % 2 != 0) Refuse(OpcodeName() + ": got a key without a value");
    PickleDict& dict = TopAs<PickleDict>("a dict");
    for (std::size_t i = 0; i < items.size(); i += 2) {
      dict.items.emplace_back(items[i], items[i + 1]);
    }
  }

  void Append(const std::vector<PickleId>& items) {
    PickleList& list = TopAs<PickleList>("a list");
    list.items.insert(list.items.end(), items.begin(), items.end());
  }

  void PushGlobal() {
    const std::string name = input_.TakeGlobalName();
    if (name == kOrderedDict) return Push(PickleGlobal{kOrderedDict});
    const auto found = std::find(globals_.begin(), globals_.end(), name);
    if (found == globals_.end()) {
      Refuse("is a pickle that would run code: it names " + Quote(name) +
             ", which plain tensors do not need");
    }
    Push(PickleGlobal{*found});
  }

  void Reduce() {
    const PickleValue& arguments = pickle_.values[Pop()];
    const PickleValue& function = pickle_.values[Pop()];
    const auto* tuple = std::get_if<PickleTuple>(&arguments);
    const auto* global = std::get_if<PickleGlobal>(&function);
    if (global == nullptr) RefuseKind(function, "a global");
    if (tuple == nullptr) RefuseKind(arguments, "a tuple of arguments");
    if (global->name == kOrderedDict) {
      if (!tuple->items.empty()) Refuse("OrderedDict: got arguments, allowed: none");
      return Push(PickleDict{});
    }
    if (tuple->items.size() > kMaxArguments) {
      Refuse(std::string(global->name) + ": got " + std::to_string(tuple->items.size()) +
             " arguments, allowed: at most " + std::to_string(kMaxArguments));
    }
    Push(PickleCall{global->name, tuple->items});
  }

  /// `_metadata` of an OrderedDict: versions of modules, which no tensor depends on.
  void Build() {
    const PickleValue& state = pickle_.values[Pop()];
    if (!std::holds_alternative<PickleDict>(state)) RefuseKind(state, "a dict of attributes");
    TopAs<PickleDict>("an OrderedDict");
  }

  void Put(std::uint64_t slot) {
    const PickleId id = Top();
    if (slot > memo_.size()) {
      Refuse("memo slot: got " + std::to_string(slot) + ", allowed: up to the next one, " +
             std::to_string(memo_.size()));
    }
    if (slot == memo_.size()) memo_.push_back(id);
    memo_[slot] = id;
  }

  void PushMemo(std::uint64_t slot) {
    if (slot >= memo_.size()) {
      Refuse("memo slot: got " + std::to_string(slot) + ", which was never put");
    }
    stack_.push_back(memo_[slot]);
  }

  void PushMark() {
    if (marks_.size() == kMaxPickleMarks) {
      Refuse("nesting: got more than " + std::to_string(kMaxPickleMarks) + " open MARKs");
    }
    marks_.push_back(stack_.size());
  }

  void Execute() {
    switch (input_.opcode()) {
      case PickleOpcode::kMark:
        return PushMark();
      case PickleOpcode::kNone:
        return Push(PickleNone{});
      case PickleOpcode::kNewTrue:
        return Push(true);
      case PickleOpcode::kNewFalse:
        return Push(false);
      case PickleOpcode::kBinInt:
        return Push(std::int64_t{static_cast<std::int32_t>(input_.TakeNumber(4))});
      case PickleOpcode::kBinInt1:
        return Push(static_cast<std::int64_t>(input_.TakeNumber(1)));
      case PickleOpcode::kBinInt2:
        return Push(static_cast<std::int64_t>(input_.TakeNumber(2)));
      case PickleOpcode::kLong1:
        return Push(input_.TakeLong());
      case PickleOpcode::kBinFloat:
        return Push(input_.TakeReal());
      case PickleOpcode::kBinUnicode:
        return Push(input_.TakeString());
      case PickleOpcode::kEmptyTuple:
        return Push(PickleTuple{});
      case PickleOpcode::kTuple1:
        return Push(PickleTuple{PopSome(1)});
      case PickleOpcode::kTuple2:
        return Push(PickleTuple{PopSome(2)});
      case PickleOpcode::kTuple3:
        return Push(PickleTuple{PopSome(3)});
      case PickleOpcode::kTuple:
        return Push(PickleTuple{PopToMark()});
      case PickleOpcode::kEmptyList:
        return Push(PickleList{});
      case PickleOpcode::kAppend:
        return Append(PopSome(1));
      case PickleOpcode::kAppends:
        return Append(PopToMark());
      case PickleOpcode::kEmptyDict:
        return Push(PickleDict{});
      case PickleOpcode::kSetItem:
        return SetItems(PopSome(2));
      case PickleOpcode::kSetItems:
        return SetItems(PopToMark());
      case PickleOpcode::kGlobal:
        return PushGlobal();
      case PickleOpcode::kReduce:
        return Reduce();
      case PickleOpcode::kBuild:
        return Build();
      case PickleOpcode::kBinPersistentId:
        return Push(PicklePersistent{Pop()});
      case PickleOpcode::kBinPut:
        return Put(input_.TakeNumber(1));
      case PickleOpcode::kLongBinPut:
        return Put(input_.TakeNumber(4));
      case PickleOpcode::kBinGet:
        return PushMemo(input_.TakeNumber(1));
      case PickleOpcode::kLongBinGet:
        return PushMemo(input_.TakeNumber(4));
      case PickleOpcode::kProtocol:
      case PickleOpcode::kStop:
        break;  // PROTO stands first and only there; STOP ends the loop
    }
    Refuse("is a pickle that would run code, or holds more than plain tensors: opcode " +
           OpcodeName());
  }

  // Of a call, which copies its arguments: a tuple that many calls share would multiply.
  static constexpr std::size_t kMaxArguments = 16;

  PickleInput input_;
  std::span<const std::string_view> globals_;
  Pickle pickle_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::vector<PickleId> memo_;
};

}  // namespace

std::string_view PickleKindName(const PickleValue& value) {
  constexpr std::array<std::string_view, std::variant_size_v<PickleValue>> kNames{
      "None",    "a boolean", "an integer", "a float",   "a string",           "a global",
      "a tuple", "a list",    "a dict",     "an object", "a persistent object"};
  return kNames[value.index()];
}

Pickle ReadPickle(std::span<const std::byte> bytes, std::span<const std::string_view> globals) {
  return Reader(bytes, globals).Read();
}

}  // namespace causeway::decoder
