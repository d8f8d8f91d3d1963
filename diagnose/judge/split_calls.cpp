// Records of functions that came to several runs of ops: each run is split by itself.
#include "diagnose/judge/recorded_op.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

using compare::OpPair;
using compare::Split;
using compare::SplitQuery;

std::vector<const SourceOp*> RecomputingSplitter::runs_of(const SourceOp& op) {
    if (!op.calls) return {&op};
    const auto [place, fresh] = runs_.try_emplace(&op);
    std::string why_not;
    if (fresh) place->second = calls_of(op, why_not);
    std::vector<const SourceOp*> runs;
    for (const SourceOp& run : place->second)
        runs.push_back(&run);
    return runs;
}

std::vector<Split> RecomputingSplitter::split(
    const OpPair& pair,
    const std::vector<SplitQuery>& outputs,
    const std::vector<ArgumentDifference>& arguments) const {
    if (!pair.target->calls) return split_run(pair, outputs, arguments);
    std::string why_not = "no op of ours makes this result";
    const std::vector<SourceOp> targets = calls_of(*pair.target, why_not);
    std::string golden_why_not;
    const std::vector<SourceOp> goldens =
        pair.golden == nullptr ? std::vector<SourceOp>() : calls_of(*pair.golden, golden_why_not);
    std::vector<Split> splits(outputs.size());
    for (Split& split : splits)
        split.why_not = why_not;
    for (size_t i = 0; i < targets.size(); ++i) {
        OpPair part = pair;
        part.target = &targets[i];
        part.golden = goldens.size() == targets.size() ? &goldens[i] : nullptr;
        std::vector<SplitQuery> own;
        std::vector<size_t> places;
        for (const SourceTensor& made : targets[i].load())
            for (size_t at = 0; at < outputs.size(); ++at)
                if (made.direction == dumpfile::Direction::kOutput &&
                    outputs[at].target != nullptr &&
                    outputs[at].target->argument == made.argument) {
                    own.push_back(outputs[at]);
                    places.push_back(at);
                }
        std::vector<Split> found = split_run(part, own, arguments);
        for (size_t at = 0; at < found.size(); ++at)
            splits[places[at]] = std::move(found[at]);
    }
    return splits;
}

}  // namespace npuscope::diagnose
