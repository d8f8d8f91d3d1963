#include "diagnose/judge/ops_apart.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/judge/apart_runs.h"
#include "diagnose/judge/rounded_ops.h"

namespace npuscope::diagnose {

namespace {

/// Where so many ops or groups compute in narrow steps, one run of another that does is no fault.
constexpr size_t kUsual = 2;

/// So many runs at least are off in many elements, and no other one would show narrow steps: a
/// function of one number may be one step.
bool are_off(const ApartRuns& runs, size_t column, size_t fewest) {
    size_t off = 0;
    for (const SampledRun* run : runs) {
        const bool is_off = run->ratios[column] > 1 && run->off > kSpreadOfSteps;
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
               found.within >= static_cast<int64_t>(kFewestApart);
    }));
}

/// Whether the class of an op that is apart is that of a run of it: of results in float32 (a norm's
/// statistics beside what it normalises aside) only where nearly all their numbers are of its
/// format (the optimizer's products may be computed in float32, beside the forward pass's).
bool is_apart(const OpRun& run, const InferredArithmetic& of_op) {
    int64_t most = 0;
    for (const RecordedResult& result : run.results)
        most = std::max(most, result.elements.numel());
    const bool is_wide = std::ranges::any_of(run.results, [&](const RecordedResult& result) {
        return result.elements.dtype() == DType::kFloat32 && 2 * result.elements.numel() >= most;
    });
    if (!is_wide) return true;
    const int bits = result_bits(run).first;
    return bits > 0 && bits <= of_op.of_vectors().results.bits;
}

}  // namespace

bool OpsApart::has(const std::string& name, bool is_gradient) const {
    return ops.contains(name) && !(is_gradient && without_gradients.contains(name));
}

const InferredArithmetic* OpsApart::class_of(const OpRun& run) const {
    const std::string name = name_of_forms(*run.op);
    const bool is_gradient = run.op->name() != name;
    const InferredArithmetic* found = has(name, is_gradient) ? &ops.at(name)
                                      : any                  ? &*any
                                                             : nullptr;
    return found != nullptr && is_apart(run, *found) ? found : nullptr;
}

OpsApart ops_apart(ArithmeticSamples& samples,
                   const ArithmeticGroup& group,
                   const std::map<ArithmeticGroup, InferredArithmetic>& classes) {
    const InferredArithmetic& found = classes.at(group);
    OpsApart none{.others = found};
    if (is_product(group.kind)) return none;
    if (group.dtype == DType::kFloat32) return rounded_apart(samples, group, found);
    ArithmeticSample& sample = samples.at(group);
    const auto narrow = column_of_steps(group.dtype);
    if (!narrow) return none;
    const bool is_narrow = found.of_vectors().steps_are_narrow();
    const auto own =
        is_narrow ? kPlainColumn : static_cast<size_t>(found.vector - vector_classes().data());
    std::map<std::string, ApartRuns> by_name;
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
        for (const SampledRun& run : sample.runs)
            if (!apart.has(run.name, is_gradient(run))) others.push_back(run);
    };
    const auto set_written_apart = [&] {
        for (const auto& [name, runs] : by_name) {
            if (apart.ops.contains(name)) continue;
            if (const auto written = written_apart(name, runs, own, *narrow)) {
                apart.ops[name] = *written;
                apart.without_gradients.insert(name);
            }
        }
    };
    set_apart(kFewestApart);
    set_written_apart();
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
    if (is_narrow && (others.size() < kFewestOthersApart || !explains(others, own))) return none;
    if (!apart.ops.empty())
        apart.others =
            vector_class(own, static_cast<int64_t>(others.size()), count_within(others, own));
    return apart;
}

}  // namespace npuscope::diagnose
