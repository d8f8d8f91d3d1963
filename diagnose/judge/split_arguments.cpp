// Runs that were called with other numbers than the golden's: whether that changes their results.
#include <algorithm>
#include <cmath>

#include "core/naming/aliases.h"
#include "diagnose/judge/inherited.h"
#include "diagnose/judge/other_numbers.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

using compare::Split;
using compare::SplitQuery;

namespace {

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
        const double by_golden = errors[static_cast<size_t>(place)]->ratio;
        splits[i].by_golden_arguments = by_golden;
        splits[i].is_other_constant = is_constant && splits[i].target &&
                                      (differ || by_golden > kNearer * splits[i].target->ratio);
        splits[i].arguments = differences;
    }
}

}  // namespace npuscope::diagnose
