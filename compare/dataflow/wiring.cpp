#include "compare/dataflow/wiring.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "compare/dataflow/changed_in_memory.h"
#include "compare/dataflow/crosswise.h"
#include "compare/dataflow/find_part.h"
#include "compare/dataflow/maker_words.h"
#include "compare/dataflow/nearness.h"
#include "compare/dataflow/relation.h"
#include "compare/dataflow/seen_through.h"
#include "compare/dataflow/view.h"
#include "core/base/error.h"
#include "core/naming/casts.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// An input so much farther from the golden's than its producer's output is another tensor.
constexpr double kFarther = 4;
/// Where most elements are those of the producer, the rest is wrong if it is so much farther off.
constexpr double kWorse = 2;
constexpr size_t kMostFindings = 20;
constexpr std::string_view kSum = "add_Tensor";

/// How often sums take these elements.
int64_t uses_in_sums(const Side& side, const Content& content) {
    return std::ranges::count_if(side.flow.tensors, [&](const TracedTensor& use) {
        return use.direction == Direction::kInput && op_of(side, use) == kSum &&
               holds(side, use, content);
    });
}

/// As a cast to the input's 16 bits makes it, whether the cast was recorded or not.
Tensor rounded_as(Tensor expected, const TracedTensor& input) {
    const bool is_half = input.content->fits_half && !input.content->fits_bfloat;
    if (!is_half && !input.content->fits_bfloat) return expected;
    const DType dtype = expected.dtype();
    return expected.cast(is_half ? DType::kFloat16 : DType::kBFloat16).cast(dtype);
}

/// max|one - other| over finite pairs, of as many elements.
double furthest(const Tensor& one, const Tensor& other) {
    const Tensor wide_one = one.cast(DType::kFloat64);
    const Tensor wide_other = other.cast(DType::kFloat64);
    const std::span<const double> a = wide_one.as<double>();
    const std::span<const double> b = wide_other.as<double>();
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        if (std::isfinite(difference)) most = std::max(most, difference);
    }
    return most;
}

/// A view that is not known for sure still only chooses elements of what was made, and none of
/// these is so far from the golden's.
bool is_out_of_reach(const Tensor& input,
                     const Tensor& theirs,
                     const Tensor& made,
                     const Tensor& their_made) {
    if (made.numel() != their_made.numel()) return false;  // it chooses from something else
    const Tensor zero = Tensor::zeros(theirs.dtype(), theirs.shape());
    return furthest(input, theirs) >
           kFarther * furthest(made, their_made) + kOtherTensor * furthest(theirs, zero);
}

class Wires {
  public:
    explicit Wires(PairedFlows& flows) : flows_(flows), through_(flows) {}

    std::vector<WiringFinding> run(int threads) {
        std::vector<InputPair> doubtful;
        for (const InputPair& pair : flows_.inputs())
            if (may_be_wrong(pair) && (is_edited(pair) || is_far(pair))) doubtful.push_back(pair);
        look_for_parts(doubtful, threads);
        for (const InputPair& pair : doubtful)
            if (findings_.size() < kMostFindings) judge(pair);
        return std::move(findings_);
    }

  private:
    [[nodiscard]] const TracedTensor& target(size_t index) const {
        return flows_.target().tensor(index);
    }
    [[nodiscard]] const TracedTensor& golden(size_t index) const {
        return flows_.golden().tensor(index);
    }
    [[nodiscard]] std::unique_ptr<ElementSource> open_target(size_t index) const {
        return open_traced(flows_.target().source, flows_.target().flow, index);
    }
    [[nodiscard]] std::unique_ptr<ElementSource> open_golden(size_t index) const {
        return open_traced(flows_.golden().source, flows_.golden().flow, index);
    }

    [[nodiscard]] bool may_be_wrong(const InputPair& pair) const;
    [[nodiscard]] bool is_edited(const InputPair& pair) const;
    [[nodiscard]] bool is_far(const InputPair& pair) const;
    void look_for_parts(const std::vector<InputPair>& pairs, int threads) const;
    void judge(const InputPair& pair);
    [[nodiscard]] bool is_exchanged(const InputPair& pair, size_t partner) const;
    [[nodiscard]] bool is_rewired(const InputPair& pair, size_t partner) const;
    [[nodiscard]] bool was_changed(const InputPair& pair,
                                   const Tensor& input,
                                   const Tensor& expected) const;
    [[nodiscard]] bool holds_what_was_made(const InputPair& pair, size_t partner) const;
    [[nodiscard]] bool is_wrong(const Tensor& input,
                                const Tensor& expected,
                                const Tensor& theirs,
                                bool is_held) const;
    [[nodiscard]] std::string instead(const InputPair& pair,
                                      size_t partner,
                                      const Relation& relation) const;
    void tell(const InputPair& pair, size_t partner, const std::string& instead);

    PairedFlows& flows_;
    SeenThrough through_;
    std::vector<WiringFinding> findings_;
};

/// Not where the hashes already say that it is right, or that nobody can tell.
bool Wires::may_be_wrong(const InputPair& pair) const {
    const TracedTensor& theirs = golden(pair.golden);
    const TracedTensor& mine = target(pair.target);
    // Of a golden's input that several ops may have made the target's tells more.
    if (theirs.ambiguous && (mine.ambiguous || !mine.producer)) return false;
    if (theirs.content->numel == 0 || theirs.content->constant) return false;
    if (theirs.content->numel != mine.content->numel) return false;
    if (is_unread(op_of(flows_.target(), mine), mine.argument)) return false;
    // By what they hold, copies and views pair with others of the same elements; what takes in
    // what they show tells.
    if (flows_.plan().is_related && is_cast(op_of(flows_.target(), mine))) return false;
    if (theirs.content->sequence == mine.content->sequence) return false;
    if (!theirs.producer) return true;
    // In the golden some ops changed nothing: the input may be what any of them made.
    for (const size_t copy : flows_.copies_of(*theirs.producer)) {
        const auto partner = flows_.partner_of(copy);
        if (golden(copy).op >= theirs.op || !partner || !target(*partner).content) continue;
        const Content& made = *target(*partner).content;
        const bool in_order = theirs.passage == Passage::kAsIs;
        // What another view shows is what it made in another order.
        if (in_order && golden(copy).content->sequence != theirs.content->sequence) continue;
        const bool is_any_order =
            theirs.passage != Passage::kReordered && theirs.passage != Passage::kRounded;
        if (made.numel == mine.content->numel && made.sequence == mine.content->sequence
                ? theirs.passage != Passage::kReordered
                : !in_order && is_any_order && same_elements(made, *mine.content))
            return false;
    }
    return true;
}

/// In the golden it holds what an op made; in the target other elements than that op's, or, of the
/// same shape, in another order.
bool Wires::is_edited(const InputPair& pair) const {
    const TracedTensor& theirs = golden(pair.golden);
    const auto maker = through_.maker_of(flows_.golden(), theirs);
    if (!maker) return false;
    const auto partner = flows_.made_by_target(*maker, theirs.op);
    if (!partner || !target(*partner).content) return false;
    const Content& mine = *target(pair.target).content;
    const Content& made = *target(*partner).content;
    if (!same_elements(made, mine)) return true;
    const bool is_in_order = target(*partner).shape == target(pair.target).shape &&
                             golden(*maker).content->sequence == theirs.content->sequence;
    return is_in_order && made.tells_order() && made.sequence != mine.sequence;
}

bool Wires::is_far(const InputPair& pair) const {
    try {
        return sampled_distance(*open_target(pair.target), *open_golden(pair.golden)) >
               kOtherTensor;
    } catch (const Error&) {
        return false;
    }
}

void Wires::look_for_parts(const std::vector<InputPair>& pairs, int threads) const {
    std::vector<size_t> theirs;
    std::vector<size_t> mine;
    for (const InputPair& pair : pairs) {
        theirs.push_back(pair.golden);
        mine.push_back(pair.target);
    }
    find_parts(flows_.golden().source, flows_.golden().flow, theirs, threads);
    find_parts(flows_.target().source, flows_.target().flow, mine, threads);
}

/// The input is near neither to the golden's nor to what the golden's view makes of the producer's
/// output, which itself is near, unless the input `is_held`.
bool Wires::is_wrong(const Tensor& input,
                     const Tensor& expected,
                     const Tensor& theirs,
                     bool is_held) const {
    if (is_held && distance_of(input, expected) > kOtherTensor) return true;
    const double near = distance_of(expected, theirs);
    const double off = distance_of(input, theirs);
    if (!(near <= kNoisyTensor)) return false;
    if (off > kOtherTensor && off > kFarther * near) return true;
    const Likeness likeness = relation_of(input, expected).likeness;
    return (likeness == Likeness::kEdited || likeness == Likeness::kMoved) && off > kWorse * near;
}

/// The op's operands may be exchanged, and the other one is what this one should be. Gradients are
/// added up in the order in which they come: what should be here is added elsewhere as often.
bool Wires::is_exchanged(const InputPair& pair, size_t partner) const {
    const TracedTensor& mine = target(pair.target);
    const std::string_view op = op_of(flows_.target(), mine);
    const Content& missing = *target(partner).content;
    if (op == kSum && op_of(flows_.golden(), golden(pair.golden)) == kSum)
        return uses_in_sums(flows_.target(), missing) ==
               uses_in_sums(flows_.golden(), *golden(pair.golden).content);
    const auto own = flows_.target().flow.of_op(mine.op);
    return op == "mul_Tensor" && std::ranges::any_of(own, [&](const TracedTensor& other) {
               return other.direction == Direction::kInput && other.argument != mine.argument &&
                      other.content && same_elements(*other.content, missing);
           });
}

/// To the bit it is what another op made, and what the partner made is taken by no op: that tells
/// without numbers that are near.
bool Wires::is_rewired(const InputPair& pair, size_t partner) const {
    const TracedTensor& mine = target(pair.target);
    const TracedTensor& theirs = golden(pair.golden);
    if (!mine.producer || mine.ambiguous || *mine.producer == partner) return false;
    if (mine.passage != Passage::kAsIs || theirs.passage != Passage::kAsIs) return false;
    const Content& made = *target(partner).content;
    return std::ranges::none_of(flows_.target().flow.tensors, [&](const TracedTensor& use) {
        return use.direction == Direction::kInput && use.content &&
               (use.producer == partner || same_elements(*use.content, made));
    });
}

/// Nobody made it in the target, where it holds what the partner made, but for some elements, a
/// factor or their order; in the golden it is that to the bit. So it was changed where it lay, and
/// whatever the numbers are, they tell.
bool Wires::was_changed(const InputPair& pair, const Tensor& input, const Tensor& expected) const {
    const TracedTensor& mine = target(pair.target);
    const TracedTensor& theirs = golden(pair.golden);
    if (mine.producer || mine.ambiguous || theirs.ambiguous || theirs.passage != Passage::kAsIs ||
        !mine.content->tells_order())
        return false;
    return is_changed_in_memory(relation_in_memory(input, expected));
}

/// To the bit it holds, but for casts of one side, what the partner made, or a part of that: what
/// is not in its place there no noise explains.
bool Wires::holds_what_was_made(const InputPair& pair, size_t partner) const {
    const TracedTensor& theirs = golden(pair.golden);
    const TracedTensor& mine = target(pair.target);
    if (mine.shape != theirs.shape || !theirs.content->tells_order()) return false;
    if (mine.passage == Passage::kPart)
        return !mine.ambiguous && through_.maker_of(flows_.target(), mine) == partner;
    const TracedTensor& given = target(through_.before_casts(flows_.target(), pair.target));
    return same_elements(*given.content, *target(partner).content);
}

void Wires::judge(const InputPair& pair) try {
    const TracedTensor& theirs = golden(pair.golden);
    const TracedTensor& mine = target(pair.target);
    const auto their_maker = through_.maker_of(flows_.golden(), theirs);
    if (!their_maker) return;
    // What an op that only the target has made is a matter of the programs.
    const auto my_maker = through_.maker_of(flows_.target(), mine);
    if (my_maker && !flows_.is_paired(target(*my_maker).op)) return;
    const auto partner = flows_.made_by_target(*their_maker, theirs.op);
    if (!partner || !target(*partner).content) return;
    const bool is_later = target(*partner).op >= mine.op;
    const bool is_rounded = mine.passage == Passage::kRounded || my_maker != mine.producer;
    // Casts round what the right op made; a view may show it in another order.
    if (my_maker == partner && is_rounded && mine.passage != Passage::kPart && !is_far(pair))
        return;
    const bool is_held = holds_what_was_made(pair, *partner);
    if (!is_held && is_exchanged(pair, *partner)) return;
    const bool is_rewired = this->is_rewired(pair, *partner);
    if (theirs.ambiguous && !is_rewired) return;
    const bool is_near =
        is_rewired || is_held ||
        sampled_distance(*open_target(*partner), *open_golden(*their_maker)) <= kNoisyTensor;
    if (!is_near && mine.producer) return;
    const Tensor made = open_target(*partner)->whole();
    const Tensor golden_input = open_golden(pair.golden)->whole();
    const Tensor their_made = open_golden(*their_maker)->whole();
    auto view = find_view(golden_input, their_made);
    if (!view) view = find_view(golden_input, rounded_as(their_made, theirs));
    const Tensor input = open_target(pair.target)->whole();
    if (!view || view->source_numel != made.numel()) {
        if (is_near && !is_later && is_out_of_reach(input, golden_input, made, their_made))
            tell(pair, *partner, instead(pair, *partner, {.likeness = Likeness::kOther}));
        return;
    }
    const Tensor shown = apply(*view, made);
    const Tensor expected = rounded_as(shown, mine);
    if (is_near ? !is_rewired && !is_wrong(input, expected, golden_input, is_held)
                : !was_changed(pair, input, expected))
        return;
    // Another op takes it instead: then the ops are paired crosswise, and the wires are right.
    const Crosswise crosswise(flows_, through_);
    for (const Tensor& each : {shown, expected}) {
        const Content missing = content_of(TensorElements(each));
        const bool may_be = is_later || crosswise.is_taken_elsewhere(pair, missing);
        if (may_be && !crosswise.is_told_apart(pair, missing) &&
            !crosswise.are_taken_as_paired(pair))
            return;
    }
    tell(pair, *partner, instead(pair, *partner, relation_of(input, expected)));
} catch (const Error&) {
    return;
}

/// "it is what /relu/28 made"
std::string Wires::instead(const InputPair& pair, size_t partner, const Relation& relation) const {
    const TracedTensor& mine = target(pair.target);
    if (relation.likeness != Likeness::kOther) return relation.text;
    const auto maker = through_.maker_of(flows_.target(), mine);
    if (maker && *maker != partner && !mine.ambiguous) {
        const std::string made = maker_words(flows_.target(), target(*maker).op, mine.op);
        return (mine.passage == Passage::kPart ? "it is a part of what " : "it is what ") + made +
               " made";
    }
    return mine.given ? "nobody made it" : relation.text;
}

void Wires::tell(const InputPair& pair, size_t partner, const std::string& instead) {
    const TracedTensor& mine = target(pair.target);
    const Side& side = flows_.target();
    const std::string& producer = side.source.ops[target(partner).op].path;
    findings_.push_back({.input = pair,
                         .argument = mine.argument,
                         .target = target(through_.before_casts(side, pair.target)).path,
                         .producer = producer,
                         .text = "input `" + mine.argument + "` of " +
                                 side.source.ops[mine.op].path + flows_.place_of(pair.pair) +
                                 " is not what " + maker_words(side, target(partner).op, mine.op) +
                                 " made (in the golden it is)" +
                                 (instead.empty() ? "" : "; " + instead)});
}

}  // namespace

std::vector<WiringFinding> wrong_wires(PairedFlows& flows, int threads) {
    return Wires(flows).run(threads);
}

}  // namespace npuscope::compare
