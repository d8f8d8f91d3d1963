#include "npu_backend/precision.h"

#include <algorithm>

#include "core/naming/aliases.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope {

namespace {

/// `name` is `pattern`, or with * at the pattern's end begins so.
bool is_named(std::string_view name, std::string_view pattern) {
    if (!pattern.ends_with('*')) return name == pattern;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool listed(std::string_view list, const backend::Op& op) {
    while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        const std::string_view pattern = list.substr(0, comma);
        if (is_named(op.name(), pattern) || std::ranges::any_of(op.launches, [&](auto kernel) {
                return is_named(kernel, pattern);
            }))
            return true;
        list.remove_prefix(std::min(list.size(), comma + 1));
    }
    return false;
}

template <class Predicate>
bool any_kernel(const backend::Op& op, Predicate&& holds) {
    return std::ranges::any_of(
        op.launches, [&](std::string_view type) { return holds(*backend::find_kernel(type)); });
}

bool any_of_colour(const backend::Op& op, PrecisionColour colour) {
    return any_kernel(op, [&](const backend::Kernel& kernel) { return kernel.colour == colour; });
}

template <class F>
void for_tensors(NamedValues& values, F&& f) {
    for (NamedValue& item : values) {
        if (auto* tensor = std::get_if<Tensor>(&item.value)) {
            f(*tensor);
        } else if (auto* list = std::get_if<TensorList>(&item.value)) {
            for (Tensor& tensor : *list)
                f(tensor);
        }
    }
}

bool only_numbers(const NamedValues& values) {
    bool only = true;
    for_each_tensor(values, [&](const std::string&, const Tensor& tensor) {
        only = only && tensor.ndim() == 0;
    });
    return only;
}

}  // namespace

PrecisionColour precision_colour(const backend::Op& op, const ChipOptions& options) {
    const std::string& name = op.name();
    if (!is_recorded(name) || name == "_to_copy" || name == "to_copy" || name == "copy_" ||
        name == "clone")
        return PrecisionColour::kUntouched;
    if (listed(options.precision_black, op)) return PrecisionColour::kBlack;
    if (listed(options.precision_white, op)) return PrecisionColour::kWhite;
    if (listed(options.precision_grey, op)) return PrecisionColour::kGrey;
    // A Cube op with an addition behind it is a Cube op.
    for (const PrecisionColour colour : {PrecisionColour::kWhite, PrecisionColour::kBlack})
        if (any_of_colour(op, colour)) return colour;
    return PrecisionColour::kGrey;
}

bool PrecisionPlan::comes_from_half(const NamedValues& inputs) const {
    bool found = false;
    for_each_tensor(inputs, [&](const std::string&, const Tensor& tensor) {
        found = found || halves_.contains(tensor.storage_id());
    });
    return found;
}

bool PrecisionPlan::narrow(const backend::Op& op, NamedValues& inputs, const Cast& cast) const {
    if (options_.precision_mode != PrecisionMode::kForceFp16 &&
        options_.precision_mode != PrecisionMode::kAllowMixPrecision)
        return false;
    const PrecisionColour colour = precision_colour(op, options_);
    if (colour == PrecisionColour::kUntouched) return false;
    if (options_.precision_mode == PrecisionMode::kAllowMixPrecision &&
        (colour == PrecisionColour::kBlack ||
         (colour == PrecisionColour::kGrey && !comes_from_half(inputs))))
        return false;
    // A loss and its scale: frameworks multiply them in float32.
    if (options_.precision_mode == PrecisionMode::kAllowMixPrecision && only_numbers(inputs))
        return false;
    const bool batch_norm =
        any_kernel(op, [](const backend::Kernel& kernel) { return kernel.batch_norm; });
    bool narrowed = false;
    for_tensors(inputs, [&](Tensor& tensor) {
        if (tensor.dtype() != DType::kFloat32 || (batch_norm && tensor.ndim() < 2)) return;
        tensor = cast(std::move(tensor), DType::kFloat16);
        narrowed = true;
    });
    return narrowed;
}

void PrecisionPlan::widen(NamedValues& outputs, const Cast& cast) {
    for_tensors(outputs, [&](Tensor& tensor) {
        if (tensor.dtype() != DType::kFloat16) return;
        tensor = cast(std::move(tensor), DType::kFloat32);
        halves_.insert(tensor.storage_id());
    });
}

void PrecisionPlan::follow(const NamedValues& inputs, const NamedValues& outputs) {
    if (halves_.empty() || !comes_from_half(inputs)) return;
    for_each_tensor(outputs, [&](const std::string&, const Tensor& tensor) {
        halves_.insert(tensor.storage_id());
    });
}

}  // namespace npuscope
