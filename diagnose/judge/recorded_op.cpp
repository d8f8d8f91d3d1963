#include "diagnose/judge/recorded_op.h"

#include <algorithm>

namespace npuscope::diagnose {

namespace {

using backend::ArgumentKind;
using dumpfile::Direction;
using dumpfile::Entry;
using dumpfile::OpEntry;

IntList whole_list(const Tensor& stored) {
    const Tensor whole = stored.cast(DType::kInt64);
    const auto values = whole.as<int64_t>();
    return {values.begin(), values.end()};
}

/// A recorded number in the kind that the schema wants; tensors are read by the caller.
Value number_of(const dumpfile::Reader& reader, const Entry& entry) {
    const Tensor stored = reader.read_stored(entry);
    switch (static_cast<SaveType>(entry.save_type.value_or(0))) {
        case SaveType::kIntListBackward:
        case SaveType::kIntList:
        case SaveType::kPair:
            return whole_list(stored);
        case SaveType::kBoolMask: {
            BoolMask mask;
            for (const int64_t bit : whole_list(stored))
                mask.bits.push_back(bit != 0);
            return mask;
        }
        case SaveType::kInt:
            return whole_list(stored).at(0);
        case SaveType::kBool:
            return stored.at(0) != 0;
        case SaveType::kFloat:
            return stored.at(0);
        case SaveType::kScalar:
            if (is_float(stored.dtype())) return Scalar{stored.at(0)};
            if (size_of(stored.dtype()) == 1) return Scalar{stored.at(0) != 0};
            return Scalar{whole_list(stored).at(0)};
        default:
            return {};
    }
}

}  // namespace

RecordedOp::RecordedOp(const dumpfile::Reader& reader,
                       const OpEntry& recorded,
                       const backend::Op& op)
    : reader_(reader),
      recorded_(recorded),
      op_(op),
      alias_(op.name() == recorded.id.op ? nullptr : find_alias(recorded.id.op)) {}

NamedValues RecordedOp::arguments() const {
    NamedValues values;
    for (const backend::Argument& argument : op_.schema.arguments) {
        Value value = argument.kind == ArgumentKind::kTensorList ? list_of(argument.name)
                                                                 : value_of(argument);
        if (!is_none(value)) values.push_back({argument.name, std::move(value)});
    }
    return values;
}

std::vector<const Entry*> RecordedOp::outputs() const {
    std::vector<const Entry*> found;
    for (const Entry& entry : recorded_.entries)
        if (entry.direction == Direction::kOutput && entry.is_tensor() &&
            numel_of(entry.stored.shape) > 0)
            found.push_back(&entry);
    return found;
}

std::string RecordedOp::name_of_argument(const Entry& entry) const {
    return alias_ == nullptr ? entry.argument
                             : std::string(canonical_argument(*alias_, entry.argument));
}

const Entry* RecordedOp::input(const std::string& name) const {
    for (const Entry& entry : recorded_.entries)
        if (entry.direction == Direction::kInput && name_of_argument(entry) == name) return &entry;
    return nullptr;
}

Value RecordedOp::list_of(const std::string& name) const {
    TensorList list;
    const std::string elements = name + "/" + name + "_";
    while (const Entry* entry = input(elements + std::to_string(list.size())))
        list.push_back(reader_.read(*entry));
    return list.empty() ? Value() : Value(std::move(list));
}

Value RecordedOp::value_of(const backend::Argument& argument) const {
    if (const Entry* entry = input(argument.name))
        return entry->is_tensor() ? Value(reader_.read(*entry)) : number_of(reader_, *entry);
    if (argument.kind == ArgumentKind::kBoolMask) {
        BoolMask mask;
        for (const backend::Argument& result : op_.schema.results)
            mask.bits.push_back(std::ranges::any_of(outputs(), [&](const Entry* entry) {
                return name_of_argument(*entry) == result.name;
            }));
        return mask;
    }
    // cuDNN's gradient exists in training only and has no such argument.
    if (alias_ != nullptr && argument.name == "train") return true;
    return {};
}

const backend::Op* row_of(const OpEntry& recorded) {
    const backend::Op* op = backend::find_op(recorded.id.op);
    return op != nullptr ? op : backend::find_op(canonical_name(recorded.id.op));
}

const Tensor* result_named(const Results& results, const std::string& path) {
    const Tensor* found = nullptr;
    for_each_tensor(results.values(), [&](const std::string& name, const Tensor& tensor) {
        if (name == path) found = &tensor;
    });
    return found;
}

}  // namespace npuscope::diagnose
