// Runs that were called with other numbers than the golden's: whether that changes their results.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/naming/aliases.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/inherited.h"
#include "diagnose/judge/other_numbers.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

using compare::Split;
using compare::SplitQuery;

namespace {

/// So many times nearer than with the golden's arguments, what came in makes them good: a rate that
/// one side multiplies its gradient by before.
constexpr double kMadeGoodByInputs = 10;

/// max|f(target's inputs) - f(golden's inputs)| / max|f(golden's inputs)|, each with its own
/// arguments; infinity where either is not computed.
double off_as_called(const OpRun& target, const OpRun& golden, const std::string& result) {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    const RecordedResult* mine = recorded_result(target, result);
    const RecordedResult* theirs = recorded_result(golden, result);
    if (mine == nullptr || theirs == nullptr) return kUnknown;
    const Tensor* t = exact_result(target, *mine);
    const Tensor* g = exact_result(golden, *theirs);
    if (t == nullptr || g == nullptr || t->numel() != g->numel()) return kUnknown;
    return relative_difference(*t, *g).value_or(kUnknown);
}

/// Results are those of the arguments that they are so many times nearer to.
constexpr double kNearer = 2;

}  // namespace

void RecomputingSplitter::judge_arguments(const OpRun& target,
                                          const OpRun& golden,
                                          const std::string& differences,
                                          const std::vector<SplitQuery>& outputs,
                                          std::vector<Split>& splits) const {
    if (canonical_name(golden.op->name()) != canonical_name(target.op->name())) return;
    OpRun mixed = target;
    take_numbers(golden, mixed);
    const auto errors = target_judge_->judge(mixed);
    const bool is_constant = has_other_constant(target, golden);
    const bool differ = is_constant && (numbers_change_results(target, mixed) ||
                                        writes_other_statistics(target, golden));
    for (size_t i = 0; i < outputs.size(); ++i) {
        const int place = place_of(target, outputs[i].target);
        if (place < 0 || !errors[static_cast<size_t>(place)]) continue;
        const compare::Introduced& mixed_error = *errors[static_cast<size_t>(place)];
        const std::string& name = target.results[static_cast<size_t>(place)].name;
        if (kMadeGoodByInputs * off_as_called(target, golden, name) < mixed_error.relative)
            continue;
        const double by_golden = mixed_error.ratio;
        splits[i].by_golden_arguments = by_golden;
        splits[i].is_other_constant = is_constant && splits[i].target &&
                                      (differ || by_golden > kNearer * splits[i].target->ratio);
        splits[i].arguments = differences;
    }
}

}  // namespace npuscope::diagnose
