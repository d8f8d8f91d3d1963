#include "npu_backend/precision.h"

#include <algorithm>
#include <array>

namespace npuscope {

namespace {

/// The vendor's own lists are part of its op tables; these follow their spirit: Cube ops are white,
/// sums, exponentials and norms black, the rest grey.
constexpr auto kWhite =
    std::to_array<std::string_view>({"Conv2D*", "Conv3D*", "MatMul", "BatchMatMul"});
constexpr auto kBlack = std::to_array<std::string_view>({"Softmax*",
                                                         "LogSoftmax*",
                                                         "NLLLoss*",
                                                         "LayerNorm*",
                                                         "BN*",
                                                         "ReduceSum",
                                                         "ReduceMean",
                                                         "Exp",
                                                         "Log",
                                                         "Pow",
                                                         "Rsqrt",
                                                         "Reciprocal",
                                                         "Erf"});
/// Batch norms: their vectors, one number a channel, stay float32.
constexpr auto kBatchNorms = std::to_array<std::string_view>({"BN*"});
constexpr auto kUntouchedNames = std::to_array<std::string_view>({
#define UNRECORDED(name) name,
#include "core/naming/unrecorded.def"
#undef UNRECORDED
    "_to_copy",
    "to_copy",
    "copy_",
    "clone",
});

/// `word` among `text`'s words; letters, digits and _ make words. With * at its end any word that
/// begins so.
bool has_word(std::string_view text, std::string_view word) {
    const bool begins = word.ends_with('*');
    if (begins) word.remove_suffix(1);
    if (word.empty()) return begins;
    const auto is_part = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               c == '_';
    };
    for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !is_part(text[at - 1])) &&
            (begins || end == text.size() || !is_part(text[end])))
            return true;
    }
    return false;
}

bool listed(std::string_view list, const backend::Op& op) {
    while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        const std::string_view name = list.substr(0, comma);
        if (!name.empty() && (has_word(op.name(), name) || has_word(op.row->kernels, name)))
            return true;
        list.remove_prefix(std::min(list.size(), comma + 1));
    }
    return false;
}

bool any_kernel(std::span<const std::string_view> types, const backend::Op& op) {
    return std::any_of(types.begin(), types.end(), [&](std::string_view type) {
        return has_word(op.row->kernels, type);
    });
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

std::span<const std::string_view> white_kernels() {
    return kWhite;
}

std::span<const std::string_view> black_kernels() {
    return kBlack;
}

PrecisionColour precision_colour(const backend::Op& op, const ChipOptions& options) {
    if (std::find(kUntouchedNames.begin(), kUntouchedNames.end(), op.name()) !=
        kUntouchedNames.end())
        return PrecisionColour::kUntouched;
    if (listed(options.precision_black, op)) return PrecisionColour::kBlack;
    if (listed(options.precision_white, op)) return PrecisionColour::kWhite;
    if (listed(options.precision_grey, op)) return PrecisionColour::kGrey;
    // A Cube op with an addition behind it is a Cube op.
    if (any_kernel(kWhite, op)) return PrecisionColour::kWhite;
    return any_kernel(kBlack, op) ? PrecisionColour::kBlack : PrecisionColour::kGrey;
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
    const bool batch_norm = any_kernel(kBatchNorms, op);
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
