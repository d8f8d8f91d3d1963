#include "compare/programs/agrees_behind.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compare/agreement.h"
#include "compare/dataflow/ways_on.h"
#include "compare/relate/kinship.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of max|g|: what was given to a pair that is farther apart is something else.
constexpr double kUnlike = 0.5;
/// Numbers that are put where attention is not to look.
constexpr double kHides = -9e3;
/// Who chooses another one does not choose one that is near.
constexpr double kOtherChoice = 2;
/// Of max|g|: farther off than that is no noise.
constexpr double kMostNoise = 0.1;

class Behind {
  public:
    Behind(const PairedFlows& flows, const Result& result)
        : plan_(flows.plan()),
          side_(flows.target()),
          result_(result),
          places_(places_of(flows.plan())) {
        for (size_t i = 0; i < side_.flow.tensors.size(); ++i) {
            const TracedTensor& input = side_.flow.tensors[i];
            if (input.direction == Direction::kInput && input.producer)
                users_.emplace(side_.tensor(*input.producer).op, input.op);
        }
    }

    /// As agrees_behind().
    [[nodiscard]] bool agrees(size_t place, double limit) const {
        const SourceOp* begin = plan_.ops[place].target;
        if (begin == nullptr) return false;
        return do_ways_agree(
            users_of(static_cast<size_t>(begin - side_.source.ops.data())),
            [&](size_t op) { return users_of(op); },
            [&](size_t op) { return way_through(op, limit); });
    }

  private:
    [[nodiscard]] std::vector<size_t> users_of(size_t op) const {
        std::vector<size_t> users;
        const auto [first, last] = users_.equal_range(op);
        for (auto each = first; each != last; ++each)
            users.push_back(each->second);
        return users;
    }

    [[nodiscard]] Way way_through(size_t op, double limit) const {
        if (ends_well(op, limit)) return Way::kAgrees;
        return step_of(side_.source.ops[op].op()) == OpStep::kSum ? Way::kSumsUp : Way::kGoesOn;
    }

    /// Paired, compared, and no farther off than may be.
    [[nodiscard]] bool ends_well(size_t op, double limit) const {
        const SourceOp* own = &side_.source.ops[op];
        const auto place = places_.find(own);
        // Not an op that is a part of a pair: the pair's results are others'.
        if (place == places_.end() || plan_.ops[place->second].target != own) return false;
        const OpResult& pair = result_.ops[place->second];
        if (pair.golden.empty()) return false;
        const auto error = worst_error(pair, Direction::kOutput);
        return error && *error <= limit;
    }

    const Plan& plan_;
    const Side& side_;
    const Result& result_;
    std::unordered_map<const SourceOp*, size_t> places_;
    std::unordered_multimap<size_t, size_t> users_{};  ///< of the target's ops, by their makers
};

/// Whether an op without partner takes in what the pair made, on either side.
bool is_taken_in_by_one_side(const PairedFlows& flows, size_t place) {
    const auto paired = paired_ops(flows.plan());
    const OpPair& pair = flows.plan().ops[place];
    const auto by_others = [&](const Side& side, const SourceOp* own) {
        return own != nullptr &&
               std::ranges::any_of(side.flow.tensors, [&](const TracedTensor& input) {
                   return input.direction == Direction::kInput && input.producer &&
                          &side.source.ops[side.tensor(*input.producer).op] == own &&
                          !paired.contains(&side.source.ops[input.op]);
               });
    };
    return by_others(flows.target(), pair.target) || by_others(flows.golden(), pair.golden);
}

/// The number of an argument that only hides what stands there.
std::optional<double> hiding_number(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !(number <= kHides))
        return std::nullopt;
    return number;
}

/// Whether it was called with numbers on both sides that only hide what stands there, minus
/// infinity or one that is far below all others, and somebody chose another one. What is left of it
/// shows whether it was far enough.
bool only_masks(const OpResult& op) {
    return !op.arguments.empty() &&
           std::ranges::all_of(op.arguments, [](const ArgumentDifference& each) {
               const auto mine = hiding_number(each.target);
               const auto theirs = hiding_number(each.golden);
               return mine && theirs &&
                      std::min(*mine, *theirs) <= kOtherChoice * std::max(*mine, *theirs);
           });
}

}  // namespace

bool agrees_behind(const PairedFlows& flows, const Result& result, size_t place, double limit) {
    return Behind(flows, result).agrees(place, limit);
}

void forget_other_roles(const PairedFlows& flows, Result& result) {
    const auto is_by_numbers_alone = [](const TensorResult& tensor) {
        return tensor.judgement.verdict == Verdict::kFail && tensor.split &&
               tensor.split->by_golden_arguments.value_or(0) > 1 && tensor.split->target &&
               tensor.split->target->ratio <= 1;
    };
    std::optional<Behind> behind;
    double noise = kChainNoise;
    for (size_t place = 0; place < result.ops.size(); ++place) {
        OpResult& op = result.ops[place];
        if (std::ranges::none_of(op.tensors, is_by_numbers_alone)) {
            const double error = worst_error(op, Direction::kOutput).value_or(0);
            if (error <= kMostNoise) noise = std::max(noise, error);
            continue;
        }
        // Given something else, or a factor that what comes behind makes good again.
        if (!only_masks(op) && worst_error(op, Direction::kInput).value_or(0) <= kUnlike &&
            (worst_error(op, Direction::kOutput).value_or(0) <= kUnlike ||
             !is_taken_in_by_one_side(flows, place)))
            continue;
        if (!behind) behind.emplace(flows, result);
        if (!behind->agrees(place, noise)) continue;
        for (TensorResult& tensor : op.tensors)
            if (is_by_numbers_alone(tensor))
                tensor.judgement = {Verdict::kInherited,
                                    "called with other numbers than the golden's op of its name; "
                                    "what is made of it agrees"};
        conclude(op, result.allow_golden_at_fault);
    }
}

}  // namespace npuscope::compare
