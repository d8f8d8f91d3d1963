#include "diagnose/judge/stated_arithmetic.h"

#include <algorithm>
#include <vector>

namespace npuscope::diagnose {

namespace {

/// A class is told by what it does, so that no name is written twice.
struct Wanted {
    OperandRounding rounding = OperandRounding::kNone;
    NumberFormat operands = kFloat64;
    NumberFormat sums = kFloat32;
    NumberFormat results = kFloat64;
};

const ProductClass& class_like(const Wanted& wanted) {
    const auto classes = product_classes();
    const auto found = std::ranges::find_if(classes, [&](const ProductClass& each) {
        return each.rounding == wanted.rounding && each.operands == wanted.operands &&
               each.sums == wanted.sums && each.results == wanted.results && each.spread == 0;
    });
    return found == classes.end() ? classes.back() : *found;
}

const VectorClass& vector_class_like(const NumberFormat& steps, const NumberFormat& results) {
    const auto classes = vector_classes();
    const auto found = std::ranges::find_if(classes, [&](const VectorClass& each) {
        return each.steps == steps && each.results == results;
    });
    return found == classes.end() ? classes.back() : *found;
}

ComputeType type_of(DType dtype) {
    switch (dtype) {
        case DType::kFloat64:
            return ComputeType::kFloat64;
        case DType::kFloat16:
            return ComputeType::kFloat16;
        case DType::kBFloat16:
            return ComputeType::kBFloat16;
        default:
            return ComputeType::kFloat32;
    }
}

Wanted shortened_float32(const ChipOptions& options) {
    const NumberFormat format = options.hf32_mantissa + 1 == kHf32.bits ? kHf32 : kTensorFloat32;
    switch (options.hf32_tie) {
        case Hf32Tie::kEven:
            return {.rounding = OperandRounding::kNearest, .operands = format};
        case Hf32Tie::kAway:
            return {.rounding = OperandRounding::kAway, .operands = format};
        case Hf32Tie::kTruncate:
            return {.rounding = OperandRounding::kTruncated, .operands = format};
        case Hf32Tie::kTowardZero:
            break;
    }
    return {.rounding = OperandRounding::kSomehow, .operands = kFloat16};
}

/// Sums whose low bits are cut err by whole units, and all one way.
constexpr double kCutGrowth = 4;

bool cuts_sums(const ChipOptions& options) {
    return options.cube_acc >= CubeAccumulation::kAlignTrunc0 &&
           options.cube_acc <= CubeAccumulation::kAlignTrunc3;
}

const ProductClass& with_cut_sums(const ProductClass& plain) {
    static const std::vector<ProductClass> cut = [] {
        std::vector<ProductClass> rows(product_classes().begin(), product_classes().end());
        for (ProductClass& row : rows)
            row.growth *= kCutGrowth;
        return rows;
    }();
    return cut[static_cast<size_t>(&plain - product_classes().data())];
}

/// Whether a float32 result may be one that was rounded to float16 before.
bool narrows_results(const ChipOptions& options) {
    return options.fp32_on_910a_out == DemotedOutput::kFloat16 ||
           options.precision_mode == PrecisionMode::kForceFp16 ||
           options.precision_mode == PrecisionMode::kAllowMixPrecision;
}

const ProductClass& plain_product_class(const Device& device, ComputeType type, DType result) {
    switch (type == ComputeType::kNone ? type_of(result) : type) {
        case ComputeType::kFloat64:
            return class_like({.sums = kFloat64});
        case ComputeType::kHFloat32:
            return class_like(shortened_float32(device.options));
        case ComputeType::kBFloat16:
            return class_like({.rounding = OperandRounding::kNearest, .operands = kBFloat16});
        case ComputeType::kFloat16: {
            const bool throughout = device.options.cube_c_half;
            const bool narrow = throughout || narrows_results(device.options);
            return class_like({.rounding = OperandRounding::kNearest,
                               .operands = kFloat16,
                               .sums = throughout ? kFloat16 : kFloat32,
                               .results = narrow ? kFloat16 : kFloat64});
        }
        default:
            return class_like({});
    }
}

}  // namespace

const ProductClass& stated_product_class(const Device& device, ComputeType type, DType result) {
    const ProductClass& plain = plain_product_class(device, type, result);
    const bool cut = device.policy == Policy::kChip && cuts_sums(device.options);
    return cut ? with_cut_sums(plain) : plain;
}

const ProductClass& cudnn_product_class() {
    return class_like({.rounding = OperandRounding::kNearest, .operands = kTensorFloat32});
}

const VectorClass& vector_class_around(const ProductClass& product) {
    const bool rounds = product.rounding != OperandRounding::kNone;
    const int bits = std::min(
        {rounds ? product.operands.bits : kFloat64.bits, product.sums.bits, product.results.bits});
    if (bits >= kFloat32.bits) return vector_class_like(kFloat32, kFloat64);
    const NumberFormat& steps = bits >= kFloat16.bits ? kFloat16 : kBFloat16;
    return vector_class_like(steps, steps);
}

const VectorClass& stated_vector_class(ComputeType type, DType result) {
    switch (type == ComputeType::kNone ? type_of(result) : type) {
        case ComputeType::kFloat64:
            return vector_class_like(kFloat64, kFloat64);
        case ComputeType::kFloat16:
            return vector_class_like(kFloat16, kFloat16);
        case ComputeType::kBFloat16:
            return vector_class_like(kBFloat16, kBFloat16);
        default:
            return vector_class_like(kFloat32, kFloat64);
    }
}

}  // namespace npuscope::diagnose
