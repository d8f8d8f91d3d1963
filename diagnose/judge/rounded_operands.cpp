#include "diagnose/judge/rounded_operands.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/ir/real_number.h"
#include "diagnose/judge/round_elements.h"

namespace npuscope::diagnose {

namespace {

constexpr float kLargestInt8 = 127;

/// What is finite, to no more than the format's largest number.
void saturate(std::span<double> elements, const NumberFormat& format) {
    const double largest = format.largest();
    for (double& element : elements)
        if (std::isfinite(element)) element = std::clamp(element, -largest, largest);
}

/// What is less than the format's least normal number, to 0.
void flush(std::span<double> elements, const NumberFormat& format) {
    const double least = power_of_two(format.lowest);
    for (double& element : elements)
        element = std::abs(element) < least ? std::copysign(0.0, element) : element;
}

void round_operand(std::span<double> elements, const ProductClass& by) {
    if (by.rounding == OperandRounding::kTruncated) return truncate_elements(elements, by.operands);
    if (by.rounding == OperandRounding::kAway) return round_elements_away(elements, by.operands);
    if (by.rounding == OperandRounding::kSaturated) saturate(elements, by.operands);
    round_elements(elements, by.operands);
    if (by.rounding == OperandRounding::kFlushed) flush(elements, by.operands);
}

/// Whose conversion rounds as the class does.
std::optional<DType> dtype_rounded_to(const ProductClass& by) {
    if (by.rounding != OperandRounding::kNearest) return std::nullopt;
    for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32})
        if (format_of(dtype) == by.operands) return dtype;
    return std::nullopt;
}

/// Calls f with the elements as float32, a few at a time, which it may change; they follow in
/// float64.
template <class F>
Tensor widened_after(const Tensor& tensor, F&& f) {
    constexpr size_t kBlock = 1024;
    std::array<float, kBlock> block{};
    Tensor wide(DType::kFloat64, tensor.shape());
    const auto count = static_cast<size_t>(tensor.numel());
    const size_t size = size_of(tensor.dtype());
    auto* to = reinterpret_cast<double*>(wide.mutable_data());
    for (size_t first = 0; first < count; first += kBlock) {
        const auto some = std::span(block).first(std::min(kBlock, count - first));
        const std::byte* from = tensor.data() + first * size;
        convert_elements(from, tensor.dtype(), some.data(), DType::kFloat32, some.size());
        f(some);
        convert_elements(some.data(), DType::kFloat32, to + first, DType::kFloat64, some.size());
    }
    return wide;
}

/// Of float32 elements, where that is a cast to `dtype`.
Tensor rounded_to(const Tensor& tensor, DType dtype) {
    std::array<uint16_t, 1024> narrow{};
    return widened_after(tensor, [&](std::span<float> some) {
        convert_elements(some.data(), DType::kFloat32, narrow.data(), dtype, some.size());
        convert_elements(narrow.data(), dtype, some.data(), DType::kFloat32, some.size());
    });
}

/// Of float32 elements, to nearest, ties to even, of a format with float32's exponents: carries go
/// from the significand into the exponent as they should.
Tensor rounded_to_bits(const Tensor& tensor, int bits) {
    const auto dropped = static_cast<uint32_t>(kFloat32.bits - bits);
    const uint32_t below_half = (uint32_t{1} << (dropped - 1)) - 1;
    return widened_after(tensor, [&](std::span<float> some) {
        for (float& element : some) {
            const auto kept = std::bit_cast<uint32_t>(element);
            const uint32_t up = kept + below_half + ((kept >> dropped) & 1U);
            const auto rounded = std::bit_cast<float>(up >> dropped << dropped);
            element = std::isfinite(element) ? rounded : element;
        }
    });
}

/// 1 where there is none.
double alpha_of(const OpRun& run) {
    const Value* alpha = find(run.wide, "alpha");
    return alpha == nullptr ? 1 : real_of(*alpha).value_or(1);
}

/// In float32, as a vector unit does it.
void scale(Tensor& tensor, double alpha) {
    const auto factor = static_cast<float>(alpha);
    for (double& element : tensor.mutable_as<double>())
        element = static_cast<float>(element) * factor;
}

/// In float32, as libraries quantize.
void quantize(Tensor& tensor, double largest) {
    const auto step = static_cast<float>(largest / kLargestInt8);
    if (step == 0) return;
    for (double& element : tensor.mutable_as<double>())
        element = std::nearbyint(static_cast<float>(element) / step) * step;
}

}  // namespace

double largest_finite(const Tensor& tensor) {
    double largest = 0;
    visit_dtype(tensor.dtype(), [&]<class T>() {
        for (const T element : tensor.as<T>())
            if (const double size = std::abs(to_double(element)); std::isfinite(size))
                largest = std::max(largest, size);
    });
    return largest;
}

double largest_of(const OpRun& run, const std::string& operand) {
    const Tensor* tensor = tensor_named(run.whole.empty() ? run.wide : run.whole, operand);
    return tensor == nullptr ? 0 : largest_finite(*tensor);
}

bool rounds_otherwise_scaled(const OpRun& run) {
    int exponent = 0;
    return std::abs(std::frexp(alpha_of(run), &exponent)) != 0.5;
}

bool is_bias(const backend::Op& op, const std::string& argument) {
    if (argument == "bias") return true;
    return argument == "self" && std::ranges::any_of(op.schema.arguments, [](const auto& each) {
               return each.name == "beta";
           });
}

bool is_emulated(const ProductClass& by) {
    return by.rounding != OperandRounding::kNone && by.rounding != OperandRounding::kSomehow &&
           by.rounding != OperandRounding::kScaled;
}

NamedValues rounded_operands(const OpRun& run, const ProductClass& by, Rounded which) {
    if (which == Rounded::kNothing || !is_emulated(by)) return run.wide;
    const std::optional<DType> dtype = dtype_rounded_to(by);
    const bool is_quick = by.rounding == OperandRounding::kNearest &&
                          by.operands.bits < kFloat32.bits &&
                          (dtype || by.operands.lowest == kFloat32.lowest);
    NamedValues rounded = run.wide;
    bool is_scaled = which != Rounded::kScaled;
    for (NamedValue& argument : rounded) {
        if (which == Rounded::kScaled && argument.name == "alpha") argument.value = 1.0;
        auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr || tensor->dtype() != DType::kFloat64) continue;
        if (which != Rounded::kBiasToo && is_bias(*run.op, argument.name)) continue;
        const bool scales = !std::exchange(is_scaled, true);
        if (scales) scale(*tensor, alpha_of(run));
        if (by.rounding == OperandRounding::kQuantized) {
            const double factor = scales ? std::abs(alpha_of(run)) : 1;
            quantize(*tensor, factor * largest_of(run, argument.name));
            continue;
        }
        // As recorded they are fewer bytes; either way they are rounded once.
        const Tensor* recorded = tensor_named(run.arguments, argument.name);
        if (is_quick && !scales && recorded != nullptr && recorded->dtype() == DType::kFloat32) {
            *tensor = dtype ? rounded_to(*recorded, *dtype)
                            : rounded_to_bits(*recorded, by.operands.bits);
        } else if (dtype) {
            *tensor = tensor->cast(*dtype).cast(DType::kFloat64);
        } else {
            round_operand(tensor->mutable_as<double>(), by);
        }
    }
    return rounded;
}

}  // namespace npuscope::diagnose
