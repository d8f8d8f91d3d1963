#include "compare/dataflow/recorded_givens.h"

#include <set>

#include "compare/dataflow/counters.h"
#include "compare/dataflow/givens.h"
#include "compare/dataflow/input_roles.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

/// The golden's tensor of that argument; nullptr for a number.
const TracedTensor* traced_input(const Side& side, const SourceOp& op, const std::string& name) {
    for (const TracedTensor& tensor : side.of_op(op))
        if (tensor.direction == dumpfile::Direction::kInput && tensor.argument == name)
            return &tensor;
    return nullptr;
}

/// What was told already, so that it is told once.
struct Told {
    std::set<size_t> givens;
    bool unread = false;
};

/// Whether the golden's tensor need not be told: overwritten, counting, told before, or not read.
bool is_settled(const PairedFlows& flows,
                size_t pair,
                const dumpfile::GivenFact& fact,
                const TracedTensor& golden,
                Told& told,
                std::vector<std::string>& remarks) {
    const OpPair& ops = flows.plan().ops[pair];
    if (is_unread(ops.golden->id.op, fact.input)) return true;
    if (golden.content && is_counter(ops.golden->id.op, golden.dtype, golden.content->numel))
        return true;
    if (golden.given && !told.givens.insert(*golden.given).second) return true;
    if (!fact.input.starts_with("running_") || !flows.trains(pair).value_or(false)) return false;
    if (!told.unread)
        remarks.push_back(ops.target->path + "/input/" + fact.input +
                          " is not the golden's; in training the op does not read it");
    told.unread = true;
    return true;
}

}  // namespace

std::vector<RecordedGiven> recorded_givens(const PairedFlows& flows,
                                           std::vector<std::string>& remarks) {
    std::vector<RecordedGiven> found;
    Told told;
    for (size_t pair = 0; pair < flows.plan().ops.size(); ++pair) {
        const OpPair& ops = flows.plan().ops[pair];
        if (ops.target == nullptr || ops.golden == nullptr || !ops.target->facts) continue;
        for (const dumpfile::GivenFact& fact : ops.target->facts().recorded.given) {
            const std::string path = ops.target->path + "/input/" + fact.input;
            const TracedTensor* golden = traced_input(flows.golden(), *ops.golden, fact.input);
            if (golden != nullptr && is_settled(flows, pair, fact, *golden, told, remarks))
                continue;
            const std::string noun =
                fact.is_number ? "number" : noun_of_input(ops.golden->id.op, fact.input);
            found.push_back({.pair = pair,
                             .argument = fact.input,
                             .path = path,
                             .is_number = fact.is_number,
                             .text = noun + " `" + fact.input + "` of " + ops.target->path +
                                     flows.place_of(pair) + " is not the golden's: " + fact.how});
        }
    }
    return found;
}

}  // namespace npuscope::compare
