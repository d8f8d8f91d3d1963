#include "diagnose/judge/recorded_op.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/naming/by_position.h"
#include "core/naming/ir_name.h"
#include "core/naming/unspecified.h"
#include "core/recording/list_element.h"
#include "diagnose/judge/composed_op.h"
#include "diagnose/judge/overload.h"

namespace npuscope::diagnose {

namespace {

using backend::ArgumentKind;
using dumpfile::Direction;

/// The largest integer, which says "to the end" of a slice, is no double: what is beyond the
/// integers is the last of them. NaN gives 0.
int64_t whole_number(double number) {
    constexpr double kBeyond = 0x1p63;
    if (number >= kBeyond) return std::numeric_limits<int64_t>::max();
    if (number < -kBeyond) return std::numeric_limits<int64_t>::min();
    return std::isnan(number) ? 0 : static_cast<int64_t>(number);
}

IntList whole_numbers(const PlainArgument& argument) {
    IntList list;
    for (const double number : argument.numbers)
        list.push_back(whole_number(number));
    return list;
}

Scalar scalar_of(const PlainArgument& argument) {
    const double number = argument.numbers.front();
    if (argument.is_bool) return Scalar{number != 0};
    if (argument.is_whole) return Scalar{whole_number(number)};
    return Scalar{number};
}

/// A recorded number in the kind that the schema wants; None where it fits none.
Value number_of(const PlainArgument& argument, ArgumentKind kind) {
    if (kind == ArgumentKind::kIntList) return whole_numbers(argument);
    if (kind == ArgumentKind::kFloatList) return FloatList(argument.numbers);
    if (kind == ArgumentKind::kBoolMask) {
        BoolMask mask;
        for (const double bit : argument.numbers)
            mask.bits.push_back(bit != 0);
        return mask;
    }
    if (kind == ArgumentKind::kString) return argument.text;
    if (kind == ArgumentKind::kDType) {
        const auto dtype = dtype_from_name(argument.text);
        return dtype ? Value(*dtype) : Value();
    }
    if (argument.numbers.empty()) return {};
    switch (kind) {
        case ArgumentKind::kInt:
            return whole_number(argument.numbers.front());
        case ArgumentKind::kBool:
            return argument.numbers.front() != 0;
        case ArgumentKind::kFloat:
            return argument.numbers.front();
        case ArgumentKind::kScalar:
            return scalar_of(argument);
        case ArgumentKind::kTensor:
            return std::visit([](auto number) { return Value(number); },
                              scalar_of(argument).number);
        default:
            return {};
    }
}

bool is_tensor_kind(ArgumentKind kind) {
    return kind == ArgumentKind::kTensor || kind == ArgumentKind::kTensorList;
}

/// Recorders that know of tensors only write "stride" as one: it and its elements, if it may be
/// numbers.
std::optional<PlainArgument> numbers_of(const Tensor& tensor) {
    constexpr int64_t kMost = 64;
    if (tensor.ndim() > 1 || tensor.numel() > kMost) return std::nullopt;
    const Tensor wide = tensor.cast(DType::kFloat64);
    const std::span<const double> numbers = wide.as<double>();
    return PlainArgument{.name = {},
                         .numbers = {numbers.begin(), numbers.end()},
                         .is_list = tensor.ndim() == 1,
                         .is_bool = tensor.dtype() == DType::kBool,
                         .is_whole = !is_float(tensor.dtype())};
}

/// Writers number the results of a schema that others name, and name the result of an op that
/// works in place as its argument or not: the schema's name of "result", "result1", or of the one
/// result there is, or of an element of a list; "" where the name is the schema's or tells no
/// place.
std::string by_place(const std::string& name, const std::vector<backend::Argument>& results) {
    const std::string own = name.substr(0, name.find('/'));
    if (std::ranges::find(results, own, &backend::Argument::name) != results.end()) return {};
    const std::optional<size_t> number = position_of_result(own);
    if (results.size() == 1 && results[0].kind == ArgumentKind::kTensorList) {
        const auto element = list_element(name);
        const auto index = element                     ? std::optional(element->index)
                           : own.size() == name.size() ? number
                                                       : std::nullopt;
        if (index) return results[0].name + "/" + results[0].name + "_" + std::to_string(*index);
    }
    // Ops by other names that give one result of several.
    const std::optional<size_t> place = results.size() > 1 && own != "result" ? number : 0;
    if (!place || *place >= results.size() || own.size() < name.size()) return {};
    return results[*place].name;
}

/// What an op by another name means where its argument is not recorded: cuDNN's gradient exists in
/// training only; torch_npu's convolution is no transposed one, and its norm has a default.
Value unsaid_by(const Alias& alias, std::string_view argument) {
    if (argument == "train") return true;
    if (alias.name.starts_with("npu_conv2d")) {
        if (argument == "transposed") return false;
        if (argument == "output_padding") return IntList{};
    }
    if (argument == "half_to_float") return false;
    if (alias.name == "npu_layer_norm_eval" && argument == "eps") return 1e-5;
    return {};
}

}  // namespace

bool is_pytorch_call(const SourceOp& recorded) {
    return !recorded.path.empty() &&
           recorded.path.find("/" + recorded.id.op + "/") == std::string::npos;
}

bool RecordedOp::is_made_of_numbers() const {
    return !numbers_.empty() &&
           std::ranges::none_of(op_.schema.arguments, [](const backend::Argument& argument) {
               return is_tensor_kind(argument.kind);
           });
}

std::string RecordedOp::by_number(const std::string& recorded) const {
    return is_numbered_ ? schema_name(recorded, op_.schema.arguments) : std::string();
}

std::string schema_name(const std::string& recorded,
                        const std::vector<backend::Argument>& arguments) {
    const std::string own = recorded.substr(0, recorded.find('/'));
    if (std::ranges::find(arguments, own, &backend::Argument::name) != arguments.end()) return {};
    const std::optional<size_t> place = position_of_argument(own);
    if (!place || *place >= arguments.size()) return {};
    std::string name = arguments[*place].name;
    if (const size_t slash = recorded.find('/'); slash != std::string::npos) {
        const size_t number = recorded.find_last_not_of("0123456789") + 1;
        name += "/" + name + "_" + recorded.substr(number);
    }
    return name;
}

RecordedOp::RecordedOp(const SourceOp& recorded, const backend::Op& op)
    : op_(op),
      path_(recorded.path),
      alias_(op.name() == recorded.op() ? nullptr : find_alias(recorded.op())),
      is_numbered_(is_pytorch_call(recorded)) {
    for (SourceTensor& tensor : recorded.load()) {
        if (tensor.direction == Direction::kInput) {
            if (std::string name = by_number(canonical(tensor.argument));
                tensor.name.empty() && !name.empty())
                tensor.name = std::move(name);
            inputs_.push_back(std::move(tensor));
        } else if (tensor.open && numel_of(tensor.shape) > 0 &&
                   !is_unspecified(recorded.op(), tensor.argument, true)) {
            if (const std::string name = by_place(name_of_argument(tensor), op.schema.results);
                !name.empty())
                tensor.name = name;
            outputs_.push_back(std::move(tensor));
        }
    }
    if (recorded.facts) numbers_ = recorded.facts().arguments;
}

NamedValues RecordedOp::arguments() const {
    NamedValues values;
    const auto has_lists = [&] {
        return std::ranges::any_of(inputs_, [&](const SourceTensor& tensor) {
            return list_element(name_of_argument(tensor)).has_value();
        });
    };
    for (const backend::Argument& argument : op_.schema.arguments) {
        const bool is_list = argument.kind == ArgumentKind::kTensorList;
        Value value = is_list ? list_of(argument.name) : value_of(argument);
        // Recorders write nothing for an empty list.
        if (is_none(value) && !argument.optional && !argument.has_default) {
            if (argument.kind == ArgumentKind::kIntList) value = IntList();
            if (is_list && has_lists()) value = TensorList();
        }
        if (!is_none(value)) values.push_back({argument.name, std::move(value)});
    }
    take_size_of_resized(values);
    take_dtype_of_created(values);
    return values;
}

void RecordedOp::take_dtype_of_created(NamedValues& values) const {
    const bool asks = std::ranges::any_of(op_.schema.arguments, [](const auto& argument) {
        return argument.kind == ArgumentKind::kDType;
    });
    if (!asks || !inputs_.empty() || outputs_.size() != 1 || find(values, "dtype") != nullptr)
        return;
    if (const auto dtype = dtype_from_name(outputs_.front().dtype))
        values.push_back({"dtype", *dtype});
}

/// Factors of a resized image are a list of fractions, which recorders leave out: the extents of
/// the result say the same.
void RecordedOp::take_size_of_resized(NamedValues& values) const {
    const auto takes = [&](std::string_view name) {
        return std::ranges::any_of(op_.schema.arguments, [&](const backend::Argument& argument) {
            return argument.optional && argument.name == name;
        });
    };
    if (!takes("output_size") || !takes("scale_factors") ||
        find(values, "output_size") != nullptr || find(values, "scale_factors") != nullptr)
        return;
    const SourceTensor* resized = input("grad_output");
    if (resized == nullptr && outputs_.size() == 1) resized = &outputs_.front();
    if (resized == nullptr || resized->shape.size() < 3) return;
    values.push_back({"output_size", IntList(resized->shape.begin() + 2, resized->shape.end())});
}

std::string RecordedOp::canonical(const std::string& argument) const {
    return std::string(canonical_argument(alias_, argument));
}

const SourceTensor* RecordedOp::input(const std::string& name) const {
    const auto found = std::ranges::find_if(inputs_, [&](const SourceTensor& tensor) {
        return tensor.open && name_of_argument(tensor) == name;
    });
    return found == inputs_.end() ? nullptr : &*found;
}

Value RecordedOp::list_of(const std::string& name) const {
    TensorList list;
    const std::string elements = name + "/" + name + "_";
    while (const SourceTensor* tensor = input(elements + std::to_string(list.size())))
        list.push_back(Tensor::lent_by(tensor->open()));
    return list.empty() ? Value() : Value(std::move(list));
}

Value RecordedOp::value_of(const backend::Argument& argument) const {
    if (const SourceTensor* tensor = input(argument.name)) {
        Tensor elements = Tensor::lent_by(tensor->open());
        const auto numbers = is_tensor_kind(argument.kind) ? std::nullopt : numbers_of(elements);
        return numbers ? number_of(*numbers, argument.kind) : Value(std::move(elements));
    }
    const auto number = std::ranges::find_if(numbers_, [&](const PlainArgument& each) {
        const std::string& name = alias_ == nullptr ? each.recorded : each.name;
        return name == argument.name || by_number(name) == argument.name;
    });
    if (number != numbers_.end()) return number_of(*number, argument.kind);
    if (argument.kind == ArgumentKind::kBoolMask) {
        BoolMask mask;
        for (const backend::Argument& result : op_.schema.results)
            mask.bits.push_back(std::ranges::any_of(outputs_, [&](const SourceTensor& tensor) {
                return name_of_argument(tensor) == result.name;
            }));
        return mask;
    }
    return alias_ == nullptr ? Value() : unsaid_by(*alias_, argument.name);
}

const backend::Op* row_of(std::string_view recorded_name) {
    const std::string name = ir_name(recorded_name);
    const backend::Op* op = backend::find_op(name);
    if (op == nullptr) op = backend::find_op(canonical_name(name));
    return op != nullptr ? op : find_composed_op(canonical_name(name));
}

const backend::Op* row_of(const SourceOp& recorded) {
    const backend::Op* op = row_of(recorded.op());
    if (recorded.calls) return op;
    // "sum" is an op, and what recorders that leave overloads out call sum_dim_IntList.
    if (op != nullptr && (overloads_of(recorded.op()).size() < 2 || may_be(*op, recorded)))
        return op;
    const backend::Op* other = overload_of(recorded);
    return other != nullptr ? other : op;
}

std::vector<SourceOp> calls_of(const SourceOp& recorded, std::string& why_not) {
    if (!recorded.calls) return {recorded};
    try {
        std::vector<SourceOp> runs = recorded.calls();
        for (SourceOp& run : runs)
            run.stores_wider = recorded.stores_wider;
        return runs;
    } catch (const Error& error) {
        why_not = error.what();
        return {};
    }
}

const Tensor* result_named(const Results& results, const std::string& path) {
    const Tensor* found = nullptr;
    for_each_tensor(results.values(), [&](const std::string& name, const Tensor& tensor) {
        if (name == path) found = &tensor;
    });
    return found;
}

}  // namespace npuscope::diagnose
