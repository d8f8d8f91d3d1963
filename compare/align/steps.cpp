#include "compare/align/steps.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace npuscope::compare {

namespace {

/// A product without bias, and the op that adds the bias as well.
struct Fusion {
    std::string_view product;
    std::string_view fused;
    size_t inputs;        ///< tensors of the product alone
    size_t channel_axis;  ///< of its result; 0: the last
};
constexpr auto kFusions =
    std::to_array<Fusion>({{"mm", "addmm", 2, 0}, {"convolution", "convolution", 2, 1}});
constexpr auto kAdditions = std::to_array<std::string_view>({"add_Tensor", "add__Tensor", "add"});

class StepFinder {
  public:
    StepFinder(const BothTraits& traits, const SideTraits& side) : side_(side) {
        for (const Fusion& each : kFusions)
            fusions_.push_back({&each,
                                traits.name_id(std::string(each.product)),
                                traits.name_id(std::string(each.fused))});
        for (const std::string_view name : kAdditions)
            additions_.push_back(traits.name_id(std::string(name)));
    }

    [[nodiscard]] std::vector<Step> steps() const {
        std::vector<Step> steps;
        std::vector<bool> taken(side_.ops.size(), false);
        for (size_t i = 0; i < side_.ops.size(); ++i) {
            if (taken[i] || side_.ops[i].is_cast) continue;
            Step step = fused_from(i).value_or(Step{i, i, side_.ops[i]});
            taken[step.last] = true;
            steps.push_back(step);
        }
        return steps;
    }

  private:
    struct NamedFusion {
        const Fusion* fusion;
        int32_t product;
        int32_t fused;
    };

    [[nodiscard]] std::optional<Step> fused_from(size_t at) const {
        const OpTraits& product = side_.ops[at];
        const auto found = std::ranges::find(fusions_, product.name, &NamedFusion::product);
        if (found == fusions_.end() || found->fused < 0 ||
            side_.inputs[at].size() != found->fusion->inputs)
            return std::nullopt;
        size_t next = at + 1;
        while (next < side_.ops.size() && side_.ops[next].is_cast)
            ++next;
        if (next == side_.ops.size() ||
            std::ranges::find(additions_, side_.ops[next].name) == additions_.end())
            return std::nullopt;
        const auto bias = bias_of(*found->fusion, at, next);
        if (!bias) return std::nullopt;
        Step step{at, next, product};
        step.traits.name = found->fused;
        // The other side may record no inputs at all.
        if (product.inputs != 0) step.traits.inputs += *bias;
        return step;
    }

    /// The shape of the bias that `addition` adds to the result of `product`.
    [[nodiscard]] std::optional<uint64_t> bias_of(const Fusion& fusion,
                                                  size_t product,
                                                  size_t addition) const {
        const Shape& result = side_.outputs[product];
        const std::vector<Shape>& operands = side_.inputs[addition];
        if (operands.size() != 2 || result.size() <= fusion.channel_axis) return std::nullopt;
        const size_t from_end = fusion.channel_axis == 0 ? 1 : result.size() - fusion.channel_axis;
        const int64_t channels = result[result.size() - from_end];
        for (const size_t which : {size_t{0}, size_t{1}}) {
            const Shape& bias = operands[which];
            const Shape& sum = operands[1 - which];
            const bool is_bias = bias.size() >= from_end &&
                                 bias[bias.size() - from_end] == channels &&
                                 numel_of(bias) == channels;
            const bool is_broadcast = numel_of(bias) < numel_of(sum) || bias.size() < sum.size();
            if (is_bias && is_broadcast && numel_of(sum) == numel_of(result))
                return shape_hash(bias);
        }
        return std::nullopt;
    }

    const SideTraits& side_;
    std::vector<NamedFusion> fusions_;
    std::vector<int32_t> additions_;
};

}  // namespace

std::vector<Step> steps_of(const BothTraits& traits, const SideTraits& side) {
    return StepFinder(traits, side).steps();
}

}  // namespace npuscope::compare
