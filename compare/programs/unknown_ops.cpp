#include "compare/programs/unknown_ops.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/random_ops.h"
#include "core/recording/msprobe/record_name.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// So many times farther off than like runs.
constexpr double kOfLike = 4;

/// Every tensor that it takes in was held against the golden's.
bool has_inputs(const OpResult& op) {
    bool any = false;
    for (const TensorResult& tensor : op.tensors) {
        if (tensor.direction != Direction::kInput) continue;
        if (tensor.sums.numel == 0) return false;
        any = any || is_floating(tensor);
    }
    return any;
}

/// The first result, of an op that nobody could compute; what an op keeps beside it (random states,
/// work space) may be anything.
TensorResult* unknown_result(OpResult& op) {
    const auto first = std::ranges::find_if(op.tensors, [](const TensorResult& tensor) {
        return tensor.direction == Direction::kOutput;
    });
    if (first == op.tensors.end() || first->metrics.empty() || !is_floating(*first) ||
        first->judgement.verdict != Verdict::kNotProvable || !first->split ||
        first->split->why_not.starts_with(kRandomOp))
        return nullptr;
    return &*first;
}

class UnknownOps {
  public:
    UnknownOps(const Plan& plan, Result& result) : plan_(plan), result_(result) {
        for (OpResult& op : result.ops)
            if (const TensorResult* first = unknown_result(op))
                errors_[op.id.op].push_back(relative_error(*first));
        for (auto& each : errors_)
            std::ranges::sort(each.second);
    }

    void accuse() {
        double before = 0;
        for (size_t place = 0; place < result_.ops.size() && !errors_.empty(); ++place) {
            OpResult& op = result_.ops[place];
            if (!op.is_pair()) continue;
            const double given = worst_error(op, Direction::kInput, true).value_or(0);
            before = std::max(before, given);
            TensorResult* first = unknown_result(op);
            if (first != nullptr && may_be_accused(place) &&
                relative_error(*first) > allowed(op.id.op, before))
                accuse(op, *first, before);
            before = std::max(before, worst_error(op, Direction::kOutput, true).value_or(0));
        }
    }

  private:
    [[nodiscard]] bool may_be_accused(size_t place) const {
        const OpPair& pair = plan_.ops[place];
        return pair.target->op() == pair.golden->op() && pair.also_target.empty() &&
               pair.also_golden.empty() && !pair.target->lacks_numbers &&
               !pair.golden->lacks_numbers && !may_be_random(*pair.target) &&
               has_inputs(result_.ops[place]);
    }

    /// Of one run alone nobody knows what is usual.
    [[nodiscard]] double allowed(const std::string& name, double before) const {
        const std::vector<double>& like = errors_.at(name);
        const double usual = like.size() < 3 ? 0 : like[like.size() / 2];
        return std::max({kChainNoise, kChainGrowth * before, kOfLike * usual});
    }

    void accuse(OpResult& op, TensorResult& first, double before) const {
        first.judgement.verdict = Verdict::kFail;
        first.judgement.rule = fmt::format(
            "off by {:.2g} max|g|, where nothing that was compared before it or given to it is off "
            "by more than {:.2g}: it cannot be computed again ({}), but the error begins in it",
            relative_error(first),
            before,
            first.split->why_not);
        conclude(op, result_.allow_golden_at_fault);
    }

    const Plan& plan_;
    Result& result_;
    std::unordered_map<std::string, std::vector<double>> errors_{};  ///< of unknown ops by name
};

}  // namespace

void accuse_unknown_ops(const Plan& plan, Result& result) {
    if (!plan.is_related) UnknownOps(plan, result).accuse();
}

void forgive_modules(const Plan& plan, Result& result) {
    for (size_t place = 0; place < result.ops.size(); ++place) {
        OpResult& op = result.ops[place];
        const auto record = msprobe::parse_record_name(op.target);
        if (plan.ops[place].golden == nullptr || !record || !record->is_module()) continue;
        bool any = false;
        for (TensorResult& tensor : op.tensors) {
            if (tensor.direction != Direction::kOutput || tensor.metrics.empty() ||
                !is_floating(tensor) || tensor.judgement.verdict != Verdict::kFail ||
                tensor.judgement.bound.given || (tensor.split && tensor.split->target) ||
                tensor.sums.nonfinite_differs > 0 || relative_error(tensor) > kChainNoise)
                continue;
            tensor.judgement.verdict = Verdict::kNotProvable;
            tensor.judgement.rule =
                fmt::format("off by {:.2g} max|g|: a module; the functions that it ran are judged",
                            relative_error(tensor));
            any = true;
        }
        if (any) conclude(op, result.allow_golden_at_fault);
    }
}

}  // namespace npuscope::compare
