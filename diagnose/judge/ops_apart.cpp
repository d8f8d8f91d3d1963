#include "diagnose/judge/ops_apart.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace npuscope::diagnose {

namespace {

/// Narrow steps show in many numbers: a fault may be in few.
constexpr double kSpread = 0.05;
/// One run may be faulty.
constexpr size_t kFewest = 2;
/// Fewer others do not tell that they compute in more bits.
constexpr size_t kFewestOthers = 10;

/// Of an op and its gradient.
using Runs = std::vector<SampledRun*>;

/// The class whose steps are in the format of such results; empty of other dtypes.
std::optional<size_t> column_of_steps(DType results) {
    const auto bits = results == DType::kBFloat16  ? kBFloat16.bits
                      : results == DType::kFloat16 ? kFloat16.bits
                                                   : 0;
    const auto classes = vector_classes();
    const auto row =
        std::ranges::find_if(classes, [&](const VectorClass& by) { return by.steps.bits == bits; });
    if (row == classes.end()) return std::nullopt;
    return static_cast<size_t>(row - classes.begin());
}

bool are_within(const Runs& runs, size_t column) {
    return std::ranges::all_of(runs, [&](SampledRun* run) {
        if (std::isinf(run->ratios[column]))
            if (auto more = sampled_run(*run->op, Tried::kAll, {true, true}))
                run->ratios = more->ratios;
        return run->ratios[column] <= 1;
    });
}

bool are_off(const Runs& runs, size_t column) {
    return runs.size() >= kFewest && std::ranges::all_of(runs, [&](const SampledRun* run) {
               return run->ratios[column] > 1 && run->off > kSpread;
           });
}

InferredArithmetic vector_class(size_t column, int64_t sampled, int64_t within) {
    return {.vector = &vector_classes()[column], .sampled = sampled, .within = within};
}

}  // namespace

OpsApart ops_apart(ArithmeticSample& sample,
                   const ArithmeticGroup& group,
                   const InferredArithmetic& found) {
    OpsApart none{.others = found};
    const auto narrow = column_of_steps(group.dtype);
    if (is_product(group.kind) || !narrow) return none;
    const bool is_narrow = found.of_vectors().steps_are_narrow();
    const auto own =
        is_narrow ? kPlainColumn : static_cast<size_t>(found.vector - vector_classes().data());
    std::map<std::string, Runs> by_name;
    for (SampledRun& run : sample.runs)
        by_name[run.name].push_back(&run);
    OpsApart apart{.others = found};
    std::vector<SampledRun> others;
    for (const auto& [name, runs] : by_name) {
        if (are_off(runs, own) && are_within(runs, *narrow)) {
            const auto count = static_cast<int64_t>(runs.size());
            apart.ops[name] = vector_class(*narrow, count, count);
        } else {
            for (const SampledRun* run : runs)
                others.push_back(*run);
        }
    }
    // All others would be let off for these, or are too few to tell.
    if (is_narrow && (others.size() < kFewestOthers || !explains(others, own))) return none;
    if (!apart.ops.empty())
        apart.others =
            vector_class(own, static_cast<int64_t>(others.size()), count_within(others, own));
    return apart;
}

}  // namespace npuscope::diagnose
