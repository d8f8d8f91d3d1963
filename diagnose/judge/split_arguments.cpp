// Runs that were called with other numbers than the golden's: whether that changes their results.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "core/naming/aliases.h"
#include "diagnose/judge/inherited.h"
#include "diagnose/judge/other_numbers.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

using compare::Split;
using compare::SplitQuery;

namespace {

std::optional<double> number_of(const Value& value) {
    if (const auto* scalar = std::get_if<Scalar>(&value)) return scalar->to_double();
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
    return std::nullopt;
}

/// Whether a tensor of the target's is as many times the golden's, but for noise, as the golden's
/// only other number is the target's: a rate that one side multiplies its gradient by before.
bool inputs_make_good(const OpRun& target, const OpRun& golden) {
    constexpr double kAlikeSquared = 0.9;
    constexpr double kNear = 0.1;  // of how far it is from the same number, in logarithms
    double times = 1;
    for (const NamedValue& argument : target.wide) {
        const auto other = std::ranges::find(golden.wide, argument.name, &NamedValue::name);
        const auto mine = number_of(argument.value);
        const auto theirs = other != golden.wide.end() ? number_of(other->value) : std::nullopt;
        if (!mine || !theirs || *mine == *theirs) continue;
        if (times != 1 || *mine == 0) return false;
        times = *theirs / *mine;
    }
    return times != 1 && std::ranges::any_of(target.wide, [&](const NamedValue& argument) {
               const auto* mine = std::get_if<Tensor>(&argument.value);
               const Tensor* theirs = tensor_named(golden.wide, argument.name);
               if (mine == nullptr || theirs == nullptr || mine->dtype() != DType::kFloat64 ||
                   theirs->dtype() != DType::kFloat64 || mine->numel() != theirs->numel())
                   return false;
               double products = 0;
               double squares = 0;
               double own = 0;
               for (size_t i = 0; i < mine->as<double>().size(); ++i) {
                   const double t = mine->as<double>()[i];
                   const double g = theirs->as<double>()[i];
                   products += t * g;
                   squares += g * g;
                   own += t * t;
               }
               const double ratio = products / squares / times;
               return products * products >= kAlikeSquared * squares * own && ratio > 0 &&
                      std::abs(std::log(ratio)) < kNear * std::abs(std::log(std::abs(times)));
           });
}

/// Results are those of the arguments that they are so many times nearer to.
constexpr double kNearer = 2;

}  // namespace

void RecomputingSplitter::judge_arguments(const OpRun& target,
                                          const OpRun& golden,
                                          const std::string& differences,
                                          const std::vector<SplitQuery>& outputs,
                                          std::vector<Split>& splits) const {
    if (canonical_name(golden.op->name()) != canonical_name(target.op->name()) ||
        inputs_make_good(target, golden))
        return;
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
