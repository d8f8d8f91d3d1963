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

/// Whole ops, and the steps that make the same.
struct Kindred {
    Step one;
    Step other;
};

constexpr auto kAkin = std::to_array<Kindred>({
    {Step::kProduct, Step::kProduct},
    {Step::kProductAndSum, Step::kProductAndSum},
    {Step::kProductAndSum, Step::kSum},
    {Step::kNorm, Step::kNorm},
    {Step::kNorm, Step::kSum},
    {Step::kNorm, Step::kScaling},
    {Step::kGatedFunction, Step::kScaling},
    {Step::kRotary, Step::kSum},
    {Step::kAttention, Step::kProduct},
    {Step::kProductGradient, Step::kProductGradient},
    {Step::kNormGradient, Step::kNormGradient},
    {Step::kGatedGradient, Step::kScalingGradient},
});

/// Ops, and steps inside of them that others follow.
constexpr auto kUnlike = std::to_array<Kindred>({
    {Step::kProduct, Step::kFunction},
    {Step::kProduct, Step::kRepeat},
    {Step::kProductAndSum, Step::kProduct},
    {Step::kProductAndSum, Step::kScaling},
    {Step::kProductAndSum, Step::kFunction},
    {Step::kProductAndSum, Step::kStatistic},
    {Step::kNorm, Step::kDifference},
    {Step::kNorm, Step::kFunction},
    {Step::kNorm, Step::kStatistic},
    {Step::kRotary, Step::kScaling},
    {Step::kRotary, Step::kRepeat},
    {Step::kAttention, Step::kScaling},
    {Step::kAttention, Step::kSum},
});

/// Of gradients that flow on.
constexpr auto kAkinFlowing = std::to_array<Kindred>({
    {Step::kNormGradient, Step::kFirstGradient},
});

/// Of gradients of weights: of one axis, each made in one step.
constexpr auto kAkinOfWeights = std::to_array<Kindred>({
    {Step::kNormGradient, Step::kScalingGradient},
    {Step::kNormGradient, Step::kSumGradient},
    {Step::kProductGradient, Step::kSumGradient},
});

constexpr auto kUnlikeFlowing = std::to_array<Kindred>({
    {Step::kNormGradient, Step::kScalingGradient},
    {Step::kNormGradient, Step::kStatisticGradient},
    {Step::kSumGradient, Step::kStatisticGradient},
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

template <size_t N>
bool holds(const std::array<Kindred, N>& rows, Step one, Step other) {
    return std::ranges::any_of(rows, [&](const Kindred& row) {
        return (row.one == one && row.other == other) || (row.one == other && row.other == one);
    });
}

bool is_single(Step step) {
    return step >= Step::kSum && step <= Step::kRepeat;
}

/// Of x and a weight: a layer without bias.
constexpr size_t kOperands = 2;

std::vector<Step> steps_of(const Source& source, const Listing& listing) {
    std::vector<Step> steps;
    steps.reserve(source.ops.size());
    for (size_t op = 0; op < source.ops.size(); ++op) {
        const Step step = step_of(source.ops[op].op());
        const bool adds_nothing =
            step == Step::kProductAndSum && listing.in[op].size() <= kOperands;
        steps.push_back(adds_nothing ? Step::kProduct : step);
    }
    return steps;
}

}  // namespace

Step step_of(std::string_view op) {
    const std::string name = bare_name(op);
    if (name.find("norm") != std::string::npos)
        return name.ends_with("_backward") ? Step::kNormGradient : Step::kNorm;
    const auto row = std::ranges::find(kSteps, name, [](const auto& each) { return each.first; });
    return row == kSteps.end() ? Step::kAny : row->second;
}

Kin::Kin(const Matches& matches, const SourcePair& sources)
    : targets_(steps_of(sources.target, matches.target)),
      goldens_(steps_of(sources.golden, matches.golden)) {}

Kinship Kin::of(const ListedTensor& target, const ListedTensor& golden) const {
    if (target.is_given() || golden.is_given()) return Kinship::kUnknown;
    const Step one = targets_[target.op];
    const Step other = goldens_[golden.op];
    if (is_single(one) && is_single(other))
        return one == other ? Kinship::kUnknown : Kinship::kUnlike;
    if (holds(kAkin, one, other)) return Kinship::kAkin;
    if (holds(kUnlike, one, other)) return Kinship::kUnlike;
    const bool flow =
        without_ones(target.shape).size() > 1 && without_ones(golden.shape).size() > 1;
    if (flow && holds(kUnlikeFlowing, one, other)) return Kinship::kUnlike;
    const bool are_akin =
        flow ? holds(kAkinFlowing, one, other) : holds(kAkinOfWeights, one, other);
    return are_akin ? Kinship::kAkin : Kinship::kUnknown;
}

}  // namespace npuscope::compare
