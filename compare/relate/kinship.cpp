#include "compare/relate/kinship.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "compare/relate/arrangements.h"

namespace npuscope::compare {

namespace {

constexpr auto kSteps = std::to_array<std::pair<std::string_view, OpStep>>({
#define STEP(name, step) {name, OpStep::step},
#include "compare/relate/steps.def"
#undef STEP
});

/// In the names of those among them that take no mean off.
constexpr auto kRmsNorms = std::to_array<std::string_view>({"rms_norm", "rmsnorm"});

/// In the names of ops that normalize, "native_layer_norm" or "LayerNormalization"; `norm` alone is
/// a length, and `normal_` random.
constexpr auto kNorms = std::to_array<std::string_view>({
    "layer_norm",
    "layernorm",
    "rms_norm",
    "rmsnorm",
    "batch_norm",
    "batchnorm",
    "group_norm",
    "groupnorm",
    "instance_norm",
    "instancenorm",
});

enum class Results : uint8_t {
    kAll,
    kFlowing,    ///< of two axes or more
    kOfWeights,  ///< gradients of one axis, each made in one step
};

struct Row {
    OpStep one;
    OpStep other;
    Results results;
    Kinship kinship;
};

constexpr auto kRows = std::to_array<Row>({
    // Whole ops, and the steps that make the same.
    {OpStep::kProduct, OpStep::kProduct, Results::kAll, Kinship::kAkin},
    {OpStep::kProduct, OpStep::kProductAndSum, Results::kAll, Kinship::kAkin},
    {OpStep::kProductAndSum, OpStep::kProductAndSum, Results::kAll, Kinship::kAkin},
    {OpStep::kProductAndSum, OpStep::kSum, Results::kAll, Kinship::kAkin},
    {OpStep::kNorm, OpStep::kNorm, Results::kAll, Kinship::kAkin},
    {OpStep::kNorm, OpStep::kSum, Results::kAll, Kinship::kAkin},
    {OpStep::kNorm, OpStep::kScaling, Results::kAll, Kinship::kAkin},
    {OpStep::kGatedFunction, OpStep::kScaling, Results::kAll, Kinship::kAkin},
    {OpStep::kRotary, OpStep::kSum, Results::kAll, Kinship::kAkin},
    {OpStep::kAttention, OpStep::kProduct, Results::kAll, Kinship::kAkin},
    {OpStep::kProductGradient, OpStep::kProductGradient, Results::kAll, Kinship::kAkin},
    {OpStep::kProductGradient, OpStep::kSumGradient, Results::kOfWeights, Kinship::kAkin},
    {OpStep::kNormGradient, OpStep::kNormGradient, Results::kAll, Kinship::kAkin},
    {OpStep::kNormGradient, OpStep::kFirstGradient, Results::kFlowing, Kinship::kAkin},
    {OpStep::kNormGradient, OpStep::kMeanGradient, Results::kFlowing, Kinship::kAkin},
    {OpStep::kRmsNormGradient, OpStep::kRmsNormGradient, Results::kAll, Kinship::kAkin},
    {OpStep::kRmsNormGradient, OpStep::kFirstGradient, Results::kFlowing, Kinship::kAkin},
    {OpStep::kRmsNormGradient, OpStep::kScalingGradient, Results::kOfWeights, Kinship::kAkin},
    {OpStep::kNormGradient, OpStep::kScalingGradient, Results::kOfWeights, Kinship::kAkin},
    {OpStep::kNormGradient, OpStep::kSumGradient, Results::kOfWeights, Kinship::kAkin},
    {OpStep::kGatedGradient, OpStep::kScalingGradient, Results::kAll, Kinship::kAkin},
    // Ops, and steps inside of them that others follow.
    {OpStep::kProduct, OpStep::kFunction, Results::kAll, Kinship::kUnlike},
    {OpStep::kProduct, OpStep::kRepeat, Results::kAll, Kinship::kUnlike},
    {OpStep::kProductAndSum, OpStep::kScaling, Results::kAll, Kinship::kUnlike},
    {OpStep::kProductAndSum, OpStep::kFunction, Results::kAll, Kinship::kUnlike},
    {OpStep::kProductAndSum, OpStep::kStatistic, Results::kAll, Kinship::kUnlike},
    {OpStep::kNorm, OpStep::kDifference, Results::kAll, Kinship::kUnlike},
    {OpStep::kNorm, OpStep::kFunction, Results::kAll, Kinship::kUnlike},
    {OpStep::kNorm, OpStep::kStatistic, Results::kAll, Kinship::kUnlike},
    {OpStep::kRotary, OpStep::kScaling, Results::kAll, Kinship::kUnlike},
    {OpStep::kRotary, OpStep::kRepeat, Results::kAll, Kinship::kUnlike},
    {OpStep::kAttention, OpStep::kScaling, Results::kAll, Kinship::kUnlike},
    {OpStep::kAttention, OpStep::kSum, Results::kAll, Kinship::kUnlike},
    {OpStep::kNormGradient, OpStep::kScalingGradient, Results::kFlowing, Kinship::kUnlike},
    {OpStep::kNormGradient, OpStep::kStatisticGradient, Results::kFlowing, Kinship::kUnlike},
    {OpStep::kNormGradient, OpStep::kSumGradient, Results::kFlowing, Kinship::kUnlike},
    {OpStep::kRmsNormGradient, OpStep::kScalingGradient, Results::kFlowing, Kinship::kUnlike},
    {OpStep::kRmsNormGradient, OpStep::kSumGradient, Results::kFlowing, Kinship::kUnlike},
    {OpStep::kRmsNormGradient, OpStep::kMeanGradient, Results::kFlowing, Kinship::kUnlike},
    {OpStep::kSumGradient, OpStep::kScalingGradient, Results::kFlowing, Kinship::kUnlike},
    {OpStep::kSumGradient, OpStep::kStatisticGradient, Results::kFlowing, Kinship::kUnlike},
});

/// "add" of "aten::Add_.Tensor", "mul_backward" of "mul_Tensor_backward".
std::string bare_name(std::string_view op) {
    if (const size_t space = op.rfind("::"); space != std::string_view::npos)
        op.remove_prefix(space + 2);
    std::string name(op.substr(0, op.find('.')));
    std::ranges::transform(
        name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string_view overload : {"_tensor", "_scalar"})
        if (const size_t at = name.find(overload); at != std::string::npos)
            name.erase(at, overload.size());
    while (!name.empty() && name.back() == '_')
        name.pop_back();
    return name;
}

bool is_of(const Row& row, OpStep one, OpStep other, bool flow) {
    if (row.results != Results::kAll && (row.results == Results::kFlowing) != flow) return false;
    return (row.one == one && row.other == other) || (row.one == other && row.other == one);
}

bool is_single(OpStep step) {
    return step >= OpStep::kSum && step <= OpStep::kRepeat;
}

std::vector<OpStep> steps_of(const Source& source) {
    std::vector<OpStep> steps;
    steps.reserve(source.ops.size());
    for (const SourceOp& op : source.ops)
        steps.push_back(step_of(op.op()));
    return steps;
}

}  // namespace

OpStep step_of(std::string_view op) {
    const std::string name = bare_name(op);
    const auto is_in_name = [&](std::string_view word) {
        return name.find(word) != std::string::npos;
    };
    if (std::ranges::any_of(kNorms, is_in_name)) {
        if (!name.ends_with("_backward")) return OpStep::kNorm;
        const bool is_rms = std::ranges::any_of(kRmsNorms, is_in_name);
        return is_rms ? OpStep::kRmsNormGradient : OpStep::kNormGradient;
    }
    const auto row = std::ranges::find(kSteps, name, [](const auto& each) { return each.first; });
    return row == kSteps.end() ? OpStep::kAny : row->second;
}

Kin::Kin(const Source& target, const Source& golden)
    : targets_(steps_of(target)), goldens_(steps_of(golden)) {}

bool Kin::may_be_one(const ListedTensor& target, const ListedTensor& golden) const {
    if (target.is_given() || golden.is_given()) return true;
    const OpStep one = targets_[target.op];
    const OpStep other = goldens_[golden.op];
    return one == other || one == OpStep::kAny || other == OpStep::kAny ||
           of(target, golden) == Kinship::kAkin;
}

Kinship Kin::of(const ListedTensor& target, const ListedTensor& golden) const {
    if (target.is_given() || golden.is_given()) return Kinship::kUnknown;
    const OpStep one = targets_[target.op];
    const OpStep other = goldens_[golden.op];
    if (is_single(one) && is_single(other))
        return one == other ? Kinship::kUnknown : Kinship::kUnlike;
    const bool flow =
        without_ones(target.shape).size() > 1 && without_ones(golden.shape).size() > 1;
    const auto row =
        std::ranges::find_if(kRows, [&](const Row& each) { return is_of(each, one, other, flow); });
    return row == kRows.end() ? Kinship::kUnknown : row->kinship;
}

}  // namespace npuscope::compare
