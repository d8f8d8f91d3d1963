#include "compare/dataflow/recorded_givens.h"

#include <set>

#include "compare/dataflow/givens.h"
#include "compare/dataflow/overwritten.h"

namespace npuscope::compare {

namespace {

/// The golden's tensor of that argument; nullptr for a number.
const TracedTensor* traced_input(const Side& side, const SourceOp& op, const std::string& name) {
    for (const TracedTensor& tensor :
         side.flow.of_op(static_cast<size_t>(&op - side.source.ops.data())))
        if (tensor.direction == dumpfile::Direction::kInput && tensor.argument == name)
            return &tensor;
    return nullptr;
}

/// How often a state was saved, say: not what is computed.
bool is_counter(const SourceOp& op, const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return dtype && !is_float(*dtype) && tensor.content && tensor.content->numel == 1 &&
           op.id.op.starts_with("add");
}

}  // namespace

std::vector<RecordedGiven> recorded_givens(const PairedFlows& flows,
                                           std::vector<std::string>& remarks) {
    std::vector<RecordedGiven> found;
    std::set<size_t> told;
    bool told_unread = false;
    for (size_t pair = 0; pair < flows.plan().ops.size(); ++pair) {
        const OpPair& ops = flows.plan().ops[pair];
        if (ops.target == nullptr || ops.golden == nullptr || !ops.target->facts) continue;
        for (const dumpfile::GivenFact& fact : ops.target->facts().recorded.given) {
            const std::string path = ops.target->path + "/input/" + fact.input;
            const TracedTensor* golden = traced_input(flows.golden(), *ops.golden, fact.input);
            if (golden != nullptr) {
                if (is_overwritten(ops.golden->id.op, fact.input) ||
                    is_counter(*ops.golden, *golden))
                    continue;
                if (golden->given && !told.insert(*golden->given).second) continue;
                if (fact.input.starts_with("running_") && flows.trains(pair).value_or(false)) {
                    if (!told_unread)
                        remarks.push_back(path +
                                          " is not the golden's; in training the op does not "
                                          "read it");
                    told_unread = true;
                    continue;
                }
            }
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
