#include "compare/by_statistics.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compare/dataflow/givens.h"
#include "compare/inflow.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// A result so much farther off than what came in did not get it from there.
constexpr double kJump = 5;
/// Operands rounded to 16 bits, half an ulp of float16 and as much again.
constexpr double kRounding = 0x1p-10;

bool is_one(const TensorResult& tensor, Direction direction) {
    return tensor.by_statistics && tensor.direction == direction;
}

class StatisticsJudge {
  public:
    StatisticsJudge(const PairedFlows& flows, Result& result)
        : flows_(flows), result_(result), inflows_(flows, result) {
        for (size_t i = 0; i < inflows_.side().flow.tensors.size(); ++i)
            tensors_.emplace(inflows_.side().tensor(i).path, i);
    }

    void run() {
        for (size_t pair = 0; pair < result_.ops.size(); ++pair) {
            OpResult& op = result_.ops[pair];
            if (op.target.empty() || op.golden.empty()) continue;
            const std::optional<double> received = judge_inputs(pair);
            for (TensorResult& tensor : op.tensors)
                if (is_one(tensor, Direction::kOutput)) judge_output(tensor, received);
            for (const TensorResult& tensor : op.tensors)
                if (is_one(tensor, Direction::kOutput))
                    before_ = std::max(before_, tensor.deviation);
            conclude(op);
        }
    }

  private:
    /// The largest deviation of an input; empty where none is known.
    std::optional<double> judge_inputs(size_t pair);
    void judge_output(TensorResult& tensor, std::optional<double> received) const;
    void accuse(size_t pair, const TensorResult& tensor);
    [[nodiscard]] std::optional<size_t> maker_of(size_t pair, const TensorResult& tensor) const;

    const PairedFlows& flows_;
    Result& result_;
    Inflows inflows_;
    std::unordered_map<std::string, size_t> tensors_;  ///< of the side's flow, by path
    double before_ = 0;                                ///< largest deviation of results
    std::set<std::string> told_;                       ///< sentences about what nobody made
};

std::optional<size_t> StatisticsJudge::maker_of(size_t pair, const TensorResult& tensor) const {
    const auto place = tensors_.find(inflows_.by_target() ? tensor.target : tensor.golden);
    if (place == tensors_.end()) return std::nullopt;
    for (const Inflow& inflow : inflows_.of(pair))
        if (inflow.tensor == place->second) return inflow.maker;
    return std::nullopt;
}

std::optional<double> StatisticsJudge::judge_inputs(size_t pair) {
    OpResult& op = result_.ops[pair];
    std::optional<double> received;
    for (TensorResult& tensor : op.tensors) {
        if (!is_one(tensor, Direction::kInput)) continue;
        received = std::max(received.value_or(0), tensor.deviation);
        if (tensor.judgement.verdict != Verdict::kFail) continue;
        if (const auto maker = maker_of(pair, tensor)) {
            tensor.judgement.rule += "; " + result_.ops[*maker].target + " made it";
        } else {
            const std::string noun = noun_of_input(op.id.op, tensor.argument);
            if (before_ == 0 || noun == "weight" || noun == "bias") accuse(pair, tensor);
        }
        tensor.judgement.verdict = Verdict::kInherited;
    }
    return received;
}

void StatisticsJudge::accuse(size_t pair, const TensorResult& tensor) {
    const OpResult& op = result_.ops[pair];
    if (!told_.insert(tensor.judgement.rule).second) return;
    result_.culprits.push_back({.kind = CulpritKind::kTensor,
                                .op = pair,
                                .tensor = tensor.target,
                                .why = noun_of_input(op.id.op, tensor.argument) + " `" +
                                       tensor.argument + "` of " + op.target +
                                       flows_.place_of(pair) +
                                       " is not the golden's: " + tensor.judgement.rule});
}

void StatisticsJudge::judge_output(TensorResult& tensor, std::optional<double> received) const {
    if (tensor.judgement.verdict != Verdict::kFail) return;
    const double source = received.value_or(before_);
    const char* const what = received ? "what came in" : "what was made before";
    const double allowed = std::max(kRounding, kJump * source);
    const std::string off = fmt::format("statistics are off by {:.2g}", tensor.deviation);
    if (!(tensor.deviation <= allowed)) {
        tensor.judgement.rule += fmt::format("; {} is off by {:.2g}", what, source);
    } else if (tensor.deviation <= kRounding && source == 0) {
        tensor.judgement.verdict = Verdict::kPass;
        tensor.judgement.rule = off + ", as operands rounded to 16 bits make";
    } else {
        tensor.judgement.verdict = Verdict::kInherited;
        tensor.judgement.rule = off + fmt::format(", {} by {:.2g}", what, source);
    }
}

}  // namespace

void judge_by_statistics(const PairedFlows& flows, Result& result) {
    StatisticsJudge(flows, result).run();
}

}  // namespace npuscope::compare
