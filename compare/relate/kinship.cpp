#include "compare/relate/kinship.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "compare/relate/arrangements.h"

namespace npuscope::compare {

namespace {

constexpr auto kSteps = std::to_array<std::pair<std::string_view, Step>>({
#define STEP(name, step) {name, Step::step},
#include "compare/relate/steps.def"
#undef STEP
});

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
    Step one;
    Step other;
    Results results;
    Kinship kinship;
};

constexpr auto kRows = std::to_array<Row>({
    // Whole ops, and the steps that make the same.
    {Step::kProduct, Step::kProduct, Results::kAll, Kinship::kAkin},
    {Step::kProduct, Step::kProductAndSum, Results::kAll, Kinship::kAkin},
    {Step::kProductAndSum, Step::kProductAndSum, Results::kAll, Kinship::kAkin},
    {Step::kProductAndSum, Step::kSum, Results::kAll, Kinship::kAkin},
    {Step::kNorm, Step::kNorm, Results::kAll, Kinship::kAkin},
    {Step::kNorm, Step::kSum, Results::kAll, Kinship::kAkin},
    {Step::kNorm, Step::kScaling, Results::kAll, Kinship::kAkin},
    {Step::kGatedFunction, Step::kScaling, Results::kAll, Kinship::kAkin},
    {Step::kRotary, Step::kSum, Results::kAll, Kinship::kAkin},
    {Step::kAttention, Step::kProduct, Results::kAll, Kinship::kAkin},
    {Step::kProductGradient, Step::kProductGradient, Results::kAll, Kinship::kAkin},
    {Step::kProductGradient, Step::kSumGradient, Results::kOfWeights, Kinship::kAkin},
    {Step::kNormGradient, Step::kNormGradient, Results::kAll, Kinship::kAkin},
    {Step::kNormGradient, Step::kFirstGradient, Results::kFlowing, Kinship::kAkin},
    {Step::kNormGradient, Step::kScalingGradient, Results::kOfWeights, Kinship::kAkin},
    {Step::kNormGradient, Step::kSumGradient, Results::kOfWeights, Kinship::kAkin},
    {Step::kGatedGradient, Step::kScalingGradient, Results::kAll, Kinship::kAkin},
    // Ops, and steps inside of them that others follow.
    {Step::kProduct, Step::kFunction, Results::kAll, Kinship::kUnlike},
    {Step::kProduct, Step::kRepeat, Results::kAll, Kinship::kUnlike},
    {Step::kProductAndSum, Step::kScaling, Results::kAll, Kinship::kUnlike},
    {Step::kProductAndSum, Step::kFunction, Results::kAll, Kinship::kUnlike},
    {Step::kProductAndSum, Step::kStatistic, Results::kAll, Kinship::kUnlike},
    {Step::kNorm, Step::kDifference, Results::kAll, Kinship::kUnlike},
    {Step::kNorm, Step::kFunction, Results::kAll, Kinship::kUnlike},
    {Step::kNorm, Step::kStatistic, Results::kAll, Kinship::kUnlike},
    {Step::kRotary, Step::kScaling, Results::kAll, Kinship::kUnlike},
    {Step::kRotary, Step::kRepeat, Results::kAll, Kinship::kUnlike},
    {Step::kAttention, Step::kScaling, Results::kAll, Kinship::kUnlike},
    {Step::kAttention, Step::kSum, Results::kAll, Kinship::kUnlike},
    {Step::kNormGradient, Step::kScalingGradient, Results::kFlowing, Kinship::kUnlike},
    {Step::kNormGradient, Step::kStatisticGradient, Results::kFlowing, Kinship::kUnlike},
    {Step::kSumGradient, Step::kStatisticGradient, Results::kFlowing, Kinship::kUnlike},
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

bool is_of(const Row& row, Step one, Step other, bool flow) {
    if (row.results != Results::kAll && (row.results == Results::kFlowing) != flow) return false;
    return (row.one == one && row.other == other) || (row.one == other && row.other == one);
}

bool is_single(Step step) {
    return step >= Step::kSum && step <= Step::kRepeat;
}

std::vector<Step> steps_of(const Source& source) {
    std::vector<Step> steps;
    steps.reserve(source.ops.size());
    for (const SourceOp& op : source.ops)
        steps.push_back(step_of(op.op()));
    return steps;
}

}  // namespace

Step step_of(std::string_view op) {
    const std::string name = bare_name(op);
    const auto is_in_name = [&](std::string_view word) {
        return name.find(word) != std::string::npos;
    };
    if (std::ranges::any_of(kNorms, is_in_name))
        return name.ends_with("_backward") ? Step::kNormGradient : Step::kNorm;
    const auto row = std::ranges::find(kSteps, name, [](const auto& each) { return each.first; });
    return row == kSteps.end() ? Step::kAny : row->second;
}

Kin::Kin(const SourcePair& sources)
    : targets_(steps_of(sources.target)), goldens_(steps_of(sources.golden)) {}

Kinship Kin::of(const ListedTensor& target, const ListedTensor& golden) const {
    if (target.is_given() || golden.is_given()) return Kinship::kUnknown;
    const Step one = targets_[target.op];
    const Step other = goldens_[golden.op];
    if (is_single(one) && is_single(other))
        return one == other ? Kinship::kUnknown : Kinship::kUnlike;
    const bool flow =
        without_ones(target.shape).size() > 1 && without_ones(golden.shape).size() > 1;
    const auto row =
        std::ranges::find_if(kRows, [&](const Row& each) { return is_of(each, one, other, flow); });
    return row == kRows.end() ? Kinship::kUnknown : row->kinship;
}

}  // namespace npuscope::compare
