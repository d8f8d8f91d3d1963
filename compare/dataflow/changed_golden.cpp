#include "compare/dataflow/changed_golden.h"

#include <optional>
#include <unordered_map>

#include "compare/dataflow/changed_in_memory.h"
#include "compare/dataflow/crosswise.h"
#include "compare/dataflow/maker_words.h"
#include "compare/dataflow/nearness.h"
#include "core/base/error.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

constexpr size_t kMostFindings = 20;
/// An input that is so much nearer to the target's than the result that it should be is right.
constexpr double kNearer = 2;

class ChangedInputs {
  public:
    explicit ChangedInputs(const PairedFlows& flows) : flows_(flows) {
        for (size_t i = 0; i < flows.golden().flow.tensors.size(); ++i)
            if (flows.golden().tensor(i).direction == Direction::kOutput)
                if (const auto partner = flows.partner_of(i)) their_makers_.emplace(*partner, i);
    }

    [[nodiscard]] std::optional<WiringFinding> of(const InputPair& pair) const try {
        const auto maker = golden_maker(pair);
        if (!maker) return {};
        const Tensor theirs = open(flows_.golden(), pair.golden);
        const Tensor made = open(flows_.golden(), *maker);
        const Relation relation = relation_in_memory(theirs, made);
        if (!is_changed_in_memory(relation)) return {};
        // Then what was changed is the result, as it was written.
        const Tensor mine = open(flows_.target(), pair.target);
        if (kNearer * distance_of(theirs, mine) < distance_of(made, mine)) return {};
        return words(pair, *maker, relation);
    } catch (const Error&) {
        return {};
    }

  private:
    [[nodiscard]] static Tensor open(const Side& side, size_t index) {
        return open_traced(side.source, side.flow, index)->whole();
    }

    /// The golden's output that the input should be.
    [[nodiscard]] std::optional<size_t> golden_maker(const InputPair& pair) const {
        const TracedTensor& mine = flows_.target().tensor(pair.target);
        const TracedTensor& theirs = flows_.golden().tensor(pair.golden);
        const std::string_view op = op_of(flows_.target(), mine);
        if (!mine.producer || mine.ambiguous || mine.passage != Passage::kAsIs ||
            !mine.content->tells_order() || is_unread(op, mine.argument))
            return {};
        // Zeros are of every op that makes some.
        const bool is_a_guess = theirs.ambiguous && theirs.producer && !theirs.content->constant;
        if (is_a_guess || theirs.content->numel != mine.content->numel) return {};
        const auto maker = their_makers_.find(*mine.producer);
        if (maker == their_makers_.end()) return {};
        // What holds nearly all elements is found to be a part.
        const bool is_part = theirs.passage == Passage::kPart && theirs.producer == maker->second;
        if (theirs.producer && !is_part && !theirs.content->constant) return {};
        const TracedTensor& made = flows_.golden().tensor(maker->second);
        const bool tells = made.op < theirs.op && made.content && made.content->tells_order() &&
                           made.content->numel == theirs.content->numel;
        return tells ? std::optional(maker->second) : std::nullopt;
    }

    [[nodiscard]] WiringFinding words(const InputPair& pair,
                                      size_t maker,
                                      const Relation& relation) const {
        const Side& target = flows_.target();
        const Side& golden = flows_.golden();
        const TracedTensor& mine = target.tensor(pair.target);
        const TracedTensor& theirs = golden.tensor(pair.golden);
        return {.input = pair,
                .argument = mine.argument,
                .target = mine.path,
                .producer = target.source.ops[target.tensor(*mine.producer).op].path,
                .text = "the golden's input `" + theirs.argument + "` of " +
                        golden.source.ops[theirs.op].path + flows_.place_of(pair.pair) +
                        " is not what its " +
                        maker_words(golden, golden.tensor(maker).op, theirs.op) +
                        " made (in the target it is)" +
                        (relation.text.empty() ? "" : "; " + relation.text)};
    }

    const PairedFlows& flows_;
    std::unordered_map<size_t, size_t> their_makers_;  ///< the golden's by the target's
};

}  // namespace

std::vector<WiringFinding> inputs_changed_in_golden(const PairedFlows& flows) {
    const ChangedInputs changed(flows);
    std::vector<WiringFinding> findings;
    for (const InputPair& pair : flows.inputs()) {
        if (findings.size() == kMostFindings) break;
        if (auto finding = changed.of(pair)) findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace npuscope::compare
