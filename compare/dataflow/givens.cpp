#include "compare/dataflow/givens.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "compare/dataflow/choices.h"
#include "compare/dataflow/counters.h"
#include "compare/dataflow/differing_outputs.h"
#include "compare/dataflow/drift.h"
#include "compare/dataflow/find_part.h"
#include "compare/dataflow/input_roles.h"
#include "compare/dataflow/late_givens.h"
#include "compare/dataflow/narrow_givens.h"
#include "compare/dataflow/nearness.h"
#include "compare/dataflow/one_element.h"
#include "compare/dataflow/other_given.h"
#include "compare/dataflow/parted_givens.h"
#include "compare/dataflow/running_statistics.h"
#include "compare/dataflow/seen_through.h"
#include "compare/dataflow/single_numbers.h"
#include "compare/dataflow/unread.h"
#include "core/base/error.h"
#include "core/naming/backward.h"
#include "core/naming/casts.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// An input that may come from unrecorded arithmetic is told where it is so much farther from the
/// golden's than all that was computed before, and farther than noise.
constexpr double kFarther = 4;
constexpr double kNoise = 0.05;

/// Of the norm: less than rounding of its largest elements makes.
constexpr double kRounding = 0x1p-25;

/// What one side splits and the other slices is one batch if so large a share of it is equal.
constexpr double kOneBatch = 0.5;

/// Elements that tell too little.
constexpr int64_t kFewNumbers = 4;

/// An input of both sides whose elements differ, the golden's made by nobody.
struct Suspect {
    InputPair input;
    InputPair given;            ///< what its casts of one side alone were given
    bool was_equal = false;     ///< the golden's tensor was equal at an earlier use
    bool late = false;          ///< a backward pass began before
    bool noise_before = false;  ///< some earlier output differs
    bool is_parted = false;     ///< of ops that one side alone has
};

class Search {
  public:
    explicit Search(PairedFlows& flows) : flows_(flows), through_(flows) {}

    Givens run(int threads) {
        remark_nan();
        std::vector<Suspect> suspects = differing();
        if (suspects.empty()) return std::move(givens_);
        late_.emplace(flows_);
        if (!late_->remark().empty()) givens_.remarks.push_back(late_->remark());
        are_few_narrow_ = are_few_givens_narrow(flows_);
        look_for_parts(suspects, threads);
        find_drift(suspects);
        for (const Suspect& suspect : suspects)
            judge(suspect);
        return std::move(givens_);
    }

  private:
    [[nodiscard]] const TracedTensor& target(const InputPair& pair) const {
        return flows_.target().tensor(pair.target);
    }
    [[nodiscard]] const TracedTensor& golden(const InputPair& pair) const {
        return flows_.golden().tensor(pair.golden);
    }
    [[nodiscard]] const std::string& op_name(const InputPair& pair) const {
        return flows_.target().source.ops[target(pair).op].id.op;
    }

    void remark_nan();
    [[nodiscard]] std::vector<Suspect> differing() const;
    [[nodiscard]] InputPair before_casts(const InputPair& pair) const;
    [[nodiscard]] bool may_be_judged(const InputPair& pair, const InputPair& given) const;
    void look_for_parts(std::vector<Suspect>& suspects, int threads) const;
    void find_drift(const std::vector<Suspect>& suspects);
    [[nodiscard]] bool has_drifted(const Suspect& suspect, const Relation& relation) const;
    void judge(const Suspect& suspect);
    void remark_unread(const InputPair& pair);
    [[nodiscard]] bool accuses(const Suspect& suspect, const Relation& relation) const;
    [[nodiscard]] bool is_other_choice(const Suspect& suspect, const Relation& relation) const;
    [[nodiscard]] bool is_first_use(const Suspect& suspect) const;

    [[nodiscard]] Relation relation(const Suspect& suspect) const;

    PairedFlows& flows_;
    SeenThrough through_;
    std::optional<LateGivens> late_{};  ///< made where there are suspects
    Givens givens_;
    std::set<size_t> told_;  ///< golden givens
    std::set<uint64_t> told_target_;
    bool told_unread_ = false;
    bool are_few_narrow_ = false;
    Drift drift_;
};

void Search::remark_nan() {
    for (const InputPair& pair : flows_.inputs()) {
        if (is_unread(op_name(pair), target(pair).argument)) continue;
        for (const bool is_target : {true, false}) {
            const TracedTensor& tensor = is_target ? target(pair) : golden(pair);
            if (!tensor.given || tensor.content->nan == 0) continue;
            givens_.remarks.push_back(std::string(is_target ? "the target" : "the golden") +
                                      " was given NaN: " + std::to_string(tensor.content->nan) +
                                      " of " + std::to_string(tensor.content->numel) +
                                      " elements of " + tensor.path);
        }
        if (!givens_.remarks.empty()) return;
    }
}

InputPair Search::before_casts(const InputPair& pair) const {
    return {.pair = pair.pair,
            .target = through_.before_casts(flows_.target(), pair.target),
            .golden = through_.before_casts(flows_.golden(), pair.golden)};
}

bool Search::may_be_judged(const InputPair& pair, const InputPair& given) const {
    const TracedTensor& mine = target(pair);
    if (!golden(given).given || mine.content->numel == 0) return false;
    if (mine.content->numel != golden(pair).content->numel) return false;
    return !is_unread(op_name(pair), mine.argument) &&
           !is_counter(op_name(pair), mine.dtype, mine.content->numel) &&
           mine.argument.find("grad") == std::string::npos;
}

std::vector<Suspect> Search::differing() const {
    std::vector<Suspect> suspects;
    std::set<size_t> equal;
    const std::optional<size_t> first_backward = first_backward_of(flows_);
    const std::vector<bool> noise = differing_outputs(flows_);
    std::vector<InputPair> inputs = flows_.inputs();
    const size_t paired = inputs.size();
    std::ranges::copy(parted_givens(flows_), std::back_inserter(inputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const InputPair& pair = inputs[i];
        const bool is_parted = i >= paired;
        const InputPair before = is_parted ? pair : before_casts(pair);
        if (!may_be_judged(pair, before)) continue;
        const size_t given = *golden(before).given;
        if (same_content(*target(pair).content, *golden(pair).content)) {
            if (golden(pair).content->tells_order()) equal.insert(given);
            continue;
        }
        suspects.push_back({pair,
                            before,
                            equal.contains(given),
                            first_backward && pair.pair >= *first_backward,
                            pair.pair > 0 && noise[pair.pair - 1],
                            is_parted});
    }
    std::ranges::stable_sort(suspects, {}, [](const Suspect& each) { return each.input.pair; });
    return suspects;
}

/// What an op made after all, in part, is not given.
void Search::look_for_parts(std::vector<Suspect>& suspects, int threads) const {
    std::vector<size_t> mine;
    std::vector<size_t> theirs;
    for (const Suspect& suspect : suspects) {
        mine.push_back(suspect.given.target);
        theirs.push_back(suspect.given.golden);
    }
    find_parts(flows_.target().source, flows_.target().flow, mine, threads);
    find_parts(flows_.golden().source, flows_.golden().flow, theirs, threads);
    std::erase_if(suspects, [&](const Suspect& suspect) {
        const TracedTensor& theirs = golden(suspect.given);
        const bool may_be_given =
            theirs.ambiguous && !target(suspect.given).producer &&
            is_parameter(op_name(suspect.input), golden(suspect.input).argument);
        return (theirs.producer && !may_be_given) ||
               (is_number_expanded(flows_.golden().flow, theirs) &&
                is_number_expanded(flows_.target().flow, target(suspect.given)));
    });
}

/// Whether most parameters are off, and by little: a later step of training, whose steps before
/// left them so.
void Search::find_drift(const std::vector<Suspect>& suspects) {
    const auto takes_parameter = [&](const InputPair& pair) {
        return is_parameter(op_name(pair), target(pair).argument) &&
               target(pair).content->numel > 1;
    };
    std::set<size_t> all;
    for (const InputPair& pair : flows_.inputs())
        if (const auto given = golden(before_casts(pair)).given; given && takes_parameter(pair))
            all.insert(*given);
    std::map<size_t, double> off;
    std::set<size_t> rounded;
    for (const Suspect& suspect : suspects) {
        if (suspect.late || !takes_parameter(suspect.input)) continue;
        const auto given = golden(suspect.given).given;
        if (!given || off.contains(*given)) continue;
        try {
            const Relation found = relation(suspect);
            if (may_drift(found)) off.emplace(*given, found.distance);
            if (found.likeness == Likeness::kRounding || found.likeness == Likeness::kNarrowed)
                rounded.insert(*given);
        } catch (const Error&) {
            continue;
        }
    }
    std::vector<double> distances;
    for (const auto& [given, distance] : off)
        distances.push_back(distance);
    drift_ = drift_of({.all = all.size(),
                       .rounded = rounded.size(),
                       .are_trained = trains(flows_.target()) || trains(flows_.golden())},
                      std::move(distances));
    givens_.most_drifted = drift_.most;
    if (!drift_.remark.empty()) givens_.remarks.push_back(drift_.remark);
}

bool Search::has_drifted(const Suspect& suspect, const Relation& relation) const {
    return drift_.takes_in(relation) &&
           is_parameter(op_name(suspect.input), target(suspect.input).argument);
}

bool Search::is_first_use(const Suspect& suspect) const {
    if (flows_.trains(suspect.input.pair) == false) return true;
    if (suspect.late) return false;
    const TracedTensor& now = golden(suspect.input);
    const std::string place = flows_.place_of(suspect.input.pair);
    for (const InputPair& pair : flows_.inputs()) {
        if (pair.pair >= suspect.input.pair) return true;
        const TracedTensor& before = golden(pair);
        if (before.argument == now.argument && before.shape == now.shape &&
            !same_content(*before.content, *now.content) && flows_.place_of(pair.pair) == place)
            return false;
    }
    return true;
}

/// Labels, indices and masks, which hold no rounding: one other element is a finding, unless a step
/// that is not recorded chose them, or drew a mask at random.
bool Search::is_other_choice(const Suspect& suspect, const Relation& relation) const {
    const TracedTensor& mine = target(suspect.given);
    const auto dtype = dtype_from_name(mine.dtype);
    if (!dtype || is_float(*dtype) || mine.producer) return false;
    const bool is_mask = *dtype == DType::kBool || *dtype == DType::kUInt8;
    const bool tells = relation.likeness == Likeness::kEdited ||
                       (relation.likeness == Likeness::kOther && !is_mask);
    return tells && mine.content->numel > 1 && !is_backward(op_name(suspect.input)) &&
           flows_.autograd_of(suspect.input.pair).empty() && !may_be_chosen(flows_, suspect.input);
}

bool Search::accuses(const Suspect& suspect, const Relation& relation) const {
    if (relation.likeness == Likeness::kEqual || relation.likeness == Likeness::kRounding ||
        (relation.likeness == Likeness::kEdited && relation.distance > 0 &&
         relation.distance <= kRounding))
        return false;
    // Each may be of something else.
    if (suspect.is_parted && relation.likeness == Likeness::kOther && relation.equal < kOneBatch)
        return false;
    const TracedTensor& mine = target(suspect.given);
    const std::string& argument = target(suspect.input).argument;
    const bool parameter = takes_parameter(flows_.target(), target(suspect.input));
    if (relation.likeness == Likeness::kLeaning) return parameter;
    // Made by an op in the target: told only where it surely is another tensor. Numbers that are
    // all alike some op makes by chance.
    const bool is_by_chance =
        mine.content->constant &&
        (is_running(op_name(suspect.input), argument) || parameter ||
         ((!suspect.late || is_written_over(flows_.target(), target(suspect.input))) &&
          golden(suspect.given).content->tells_bag()));
    if (mine.producer && !is_by_chance && (mine.ambiguous || (suspect.late && !parameter)))
        return false;
    // What an op that only the target has made is a matter of the programs.
    if (mine.producer && !mine.ambiguous && relation.likeness == Likeness::kOther &&
        !flows_.is_paired(flows_.target().tensor(*mine.producer).op))
        return false;
    // Given in fewer bits, and widened by an op that is recorded.
    if (relation.likeness == Likeness::kNarrowed && mine.producer &&
        is_cast(flows_.target().source.ops[flows_.target().tensor(*mine.producer).op].id.op))
        return false;
    if (suspect.was_equal) return !(suspect.late && late_->is_moved_alone(suspect.input, relation));
    if (has_drifted(suspect, relation)) return false;
    if (late_->is_put_for_initial(suspect.input, suspect.given, relation)) return true;
    if (is_written_number(golden(suspect.given)) && !mine.producer) return true;
    if (is_running(op_name(suspect.input), argument) && !is_first_use(suspect)) return false;
    if (is_other_choice(suspect, relation)) return true;
    const bool backward = suspect.late || is_backward(op_name(suspect.input)) ||
                          !flows_.autograd_of(suspect.input.pair).empty();
    const Content& theirs = *golden(suspect.given).content;
    const auto is_farther = [&] {
        return relation.distance > std::max(kNoise, kFarther * distance_before(flows_, mine.op));
    };
    // So few numbers are a multiple of any, and in any format by chance.
    if (theirs.numel <= kFewNumbers && suspect.noise_before && !parameter &&
        relation.likeness != Likeness::kMoved)
        return is_farther();
    if (backward) return late_->is_other(suspect.input, suspect.given, relation);
    // Arithmetic of 16 bits leaves most elements equal, wider does not.
    const bool unnamed =
        relation.likeness == Likeness::kOther ||
        (relation.likeness == Likeness::kEdited && (theirs.fits_half || theirs.fits_bfloat));
    return !unnamed || !suspect.noise_before || parameter || is_farther();
}

/// Batch norm replaces its running statistics in training and computes with the batch's.
void Search::remark_unread(const InputPair& pair) {
    if (std::exchange(told_unread_, true)) return;
    givens_.remarks.push_back(target(pair).path +
                              " is not the golden's; in training the op does not read it");
}

/// Where casts of one side were given the golden's elements only their order is in doubt. What its
/// recorder stores wider is so narrow where little else is.
Relation Search::relation(const Suspect& suspect) const {
    const auto& [pair, given] = std::tie(suspect.input, suspect.given);
    const bool is_cast = given.target != pair.target || given.golden != pair.golden;
    if (is_cast && target(given).content->numel == golden(given).content->numel &&
        target(given).content->bag == golden(given).content->bag) {
        Relation relation = relation_of(as_it_was(flows_.target(), pair.target),
                                        as_it_was(flows_.golden(), pair.golden));
        return relation.likeness == Likeness::kMoved ? relation : Relation{};
    }
    const Relation relation = relation_of(through_.uncast(flows_.target(), pair.target),
                                          through_.uncast(flows_.golden(), pair.golden));
    if (relation.likeness != Likeness::kEqual || is_cast || !are_few_narrow_) return relation;
    const auto stored = [](const Side& side, size_t tensor) {
        return open_traced(side.source, side.flow, tensor)->whole();
    };
    return relation_of(stored(flows_.target(), pair.target), stored(flows_.golden(), pair.golden));
}

void Search::judge(const Suspect& suspect) {
    const InputPair& pair = suspect.input;
    const InputPair& before = suspect.given;
    const size_t given = golden(before).given.value_or(before.golden);
    if (told_.contains(given) || told_target_.contains(target(before).content->sequence)) return;
    Relation relation;
    try {
        relation = this->relation(suspect);
    } catch (const Error&) {
        return;
    }
    if (!accuses(suspect, relation) || is_written_before_read(flows_, pair) ||
        is_one_element(flows_, pair))
        return;
    if (is_running(op_name(pair), target(pair).argument) &&
        flows_.trains(pair.pair).value_or(false) &&
        may_be_other_statistic(flows_, pair, relation.distance)) {
        remark_unread(pair);
        return;
    }
    bool is_of_another = false;
    if (relation.likeness == Likeness::kOther) {
        if (const std::string other = other_given(flows_, before); !other.empty()) {
            relation.text = other;
            is_of_another = !stands_among_own(flows_, through_, pair);
        } else if (const auto producer = target(before).producer) {
            relation.text = "it is what " + flows_.target().tensor(*producer).path +
                            " made, while nobody made the golden's";
        }
    }
    told_.insert(given);
    told_target_.insert(target(before).content->sequence);
    givens_.findings.push_back({.input = pair,
                                .argument = target(pair).argument,
                                .target = target(before).path,
                                .golden = golden(before).path,
                                .relation = relation,
                                .is_of_another = is_of_another,
                                .text = noun_of_input(op_name(pair), target(pair).argument) + " `" +
                                        target(pair).argument + "` of " +
                                        flows_.target().source.ops[target(pair).op].path +
                                        flows_.place_of(pair.pair) +
                                        " is not the golden's: " + relation.text});
}

}  // namespace

Givens differing_givens(PairedFlows& flows, int threads) {
    return Search(flows).run(threads);
}

}  // namespace npuscope::compare
