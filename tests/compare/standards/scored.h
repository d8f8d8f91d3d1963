// Arrays, or ops, held to a named standard.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "compare/standards/standard.h"
#include "core/recording/source.h"
#include "tests/compare/dataflow/hand_made.h"
#include "tests/support/values.h"

namespace npuscope::compare {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

inline Tensor numbers(DType dtype, const std::vector<double>& values) {
    Tensor wide(DType::kFloat64, {static_cast<int64_t>(values.size())});
    std::ranges::copy(values, wide.mutable_as<double>().begin());
    return wide.cast(dtype);
}

/// Says of infinities what a chip of 910B and later does, where that is asked for.
class ChipOfInfinities final : public Splitter {
  public:
    [[nodiscard]] bool was_loaded(PairedFlows& /*flows*/) const override { return false; }
    void prepare(PairedFlows& /*flows*/, std::span<const size_t> /*chosen*/) override {}
    [[nodiscard]] std::vector<Split> split(
        const OpPair& /*pair*/,
        const std::vector<SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& /*arguments*/) const override {
        return std::vector<Split>(outputs.size());
    }
    [[nodiscard]] bool infinities_count() const override { return true; }
};

/// What the standard says of one array; `third` may be empty.
inline StandardVerdict scored(std::string_view standard,
                              const Tensor& target,
                              const Tensor& golden,
                              const std::vector<Tensor>& third = {},
                              bool infinities_count = false) {
    const Source mine = source_of_arrays({{"y", target}}, {}, Arrays::kAlone);
    const Source theirs = source_of_arrays({{"y", golden}}, {}, Arrays::kAlone);
    ChipOfInfinities chip;
    Options options;
    if (infinities_count) options.splitter = &chip;
    options.standard.standard = &standard_named(standard);
    Source other;
    if (!third.empty()) {
        other = source_of_arrays({{"y", third.front()}}, {}, Arrays::kAlone);
        options.standard.third_source = &other;
    }
    const Result result = compare_sources(mine, theirs, PrecisionBounds(), options);
    return result.ops.at(0).tensors.at(0).standard;
}

inline double figure(const StandardVerdict& verdict, std::string_view name) {
    for (const auto& [key, value] : verdict.figures)
        if (key == name) return value;
    return kNotANumber;
}

}  // namespace npuscope::compare
