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
constexpr size_t kFewestRuns = 2;
/// Where so many ops or groups compute in narrow steps, one run of another that does is no fault.
constexpr size_t kUsual = 2;
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

/// So many runs at least are off, and no other one would show narrow steps: a function of one
/// number may be one step.
bool are_off(const Runs& runs, size_t column, size_t fewest) {
    size_t off = 0;
    for (const SampledRun* run : runs) {
        const bool is_off = run->ratios[column] > 1 && run->off > kSpread;
        if (!is_off && (run->shows_steps || run->ratios[column] > 1)) return false;
        off += is_off ? 1 : 0;
    }
    return off >= fewest;
}

/// How many of the other groups, such as of results that are stored wider, have the class `column`.
size_t groups_of(size_t column,
                 const ArithmeticGroup& but,
                 const std::map<ArithmeticGroup, InferredArithmetic>& classes) {
    return static_cast<size_t>(std::ranges::count_if(classes, [&](const auto& each) {
        const auto& [group, found] = each;
        return group.dtype != but.dtype && found.vector == &vector_classes()[column] &&
               found.within >= static_cast<int64_t>(kFewestRuns);
    }));
}

InferredArithmetic vector_class(size_t column, int64_t sampled, int64_t within) {
    return {.vector = &vector_classes()[column], .sampled = sampled, .within = within};
}

}  // namespace

OpsApart ops_apart(ArithmeticSample& sample,
                   const ArithmeticGroup& group,
                   const std::map<ArithmeticGroup, InferredArithmetic>& classes) {
    const InferredArithmetic& found = classes.at(group);
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
    const auto set_apart = [&](size_t fewest) {
        for (const auto& [name, runs] : by_name) {
            if (apart.ops.contains(name) || !are_off(runs, own, fewest) ||
                !are_within(runs, *narrow))
                continue;
            const auto count = static_cast<int64_t>(runs.size());
            apart.ops[name] = vector_class(*narrow, count, count);
        }
    };
    const auto take_others = [&] {
        others.clear();
        for (const auto& [name, runs] : by_name)
            if (!apart.ops.contains(name))
                for (const SampledRun* run : runs)
                    others.push_back(*run);
    };
    set_apart(kFewestRuns);
    take_others();
    if (!apart.ops.empty() && apart.ops.size() + groups_of(*narrow, group, classes) >= kUsual) {
        const auto several = apart.ops;
        set_apart(1);
        take_others();
        // Else others compute in narrow steps too, and these tell nothing of them.
        if (count_within(others, own) < std::ssize(others)) {
            apart.ops = several;
            take_others();
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
