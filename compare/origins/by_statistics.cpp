#include "compare/origins/by_statistics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "compare/dataflow/input_roles.h"
#include "compare/growth/allowance.h"
#include "compare/origins/inflow.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// A result so much farther off than what came before did not get it from there.
constexpr double kJump = 5;
/// What rounding operands to float16 makes, or to bfloat16 and eight bits: half an ulp, and as much
/// again.
constexpr double kHalf = 0x1p-10;
constexpr double kBrain = 0x1p-6;
/// What is farther off is something else, unless it is so small beside what was made before.
constexpr double kNotAlike = 0.1;
constexpr double kNegligible = 1e-5;

/// Of finite numbers: an infinity that both sides have (of a mask) excuses nothing behind it.
double larger(double known, double other) {
    return std::isfinite(other) ? std::max(known, other) : known;
}

bool is_one(const TensorResult& tensor, Direction direction) {
    return tensor.by_statistics && tensor.direction == direction;
}

class StatisticsJudge {
  public:
    StatisticsJudge(const PairedFlows& flows, Result& result)
        : flows_(flows), result_(result), inflows_(flows, result) {}

    void run() {
        const std::vector<Jump> jumps = all_jumps();
        size_t next = 0;
        for (size_t pair = 0; pair < result_.ops.size(); ++pair) {
            judge_inputs(pair);
            for (; next < jumps.size() && jumps[next].pair == pair; ++next)
                judge_output(jumps[next]);
            if (result_.ops[pair].is_pair()) conclude(result_.ops[pair]);
        }
    }

  private:
    /// A result beside what came before it.
    struct Jump {
        size_t pair = 0;
        size_t tensor = 0;     ///< index into OpResult::tensors
        double deviation = 0;  ///< relative to the op's largest element, where it adds up
        double received = 0;   ///< the largest deviation of an input, or of a result before
    };

    [[nodiscard]] std::vector<Jump> all_jumps() const;
    [[nodiscard]] static bool is_beyond(const Jump& jump) {
        // What differs first tells nothing of the arithmetic yet.
        const double rounding = jump.received == 0 ? kBrain : kHalf;
        return !(jump.deviation <= std::max(rounding, kJump * jump.received));
    }
    void judge_inputs(size_t pair);
    void judge_output(const Jump& jump);
    /// Whether both sides' elements are as small beside those of the results before as rounding
    /// leaves of sums that cancel.
    [[nodiscard]] bool is_negligible(const TensorResult& tensor) const {
        return tensor.deviation >= kNotAlike && std::isfinite(tensor.deviation) &&
               tensor.scale * (1 + tensor.deviation) <= kNegligible * largest_;
    }
    void accuse(size_t pair, const TensorResult& tensor);
    [[nodiscard]] std::optional<size_t> maker_of(size_t pair, const TensorResult& tensor) const;

    const PairedFlows& flows_;
    Result& result_;
    Inflows inflows_;
    bool any_before_ = false;     ///< a result before differs
    double before_ = 0;           ///< the largest deviation of one
    double largest_ = 0;          ///< the largest element of a result before
    std::set<std::string> told_;  ///< sentences about what nobody made
};

/// Elements of a result that is smaller than what the op took in are sums: their errors are those
/// of what was added up.
double scaled_deviation(const OpResult& op, const TensorResult& output) {
    double largest = 0;
    int64_t most = 0;
    for (const TensorResult& tensor : op.tensors)
        if (is_one(tensor, Direction::kInput)) {
            largest = std::max(largest, tensor.scale);
            most = std::max(most, numel_of(tensor.shape));
        }
    if (numel_of(output.shape) >= most || !(largest > output.scale)) return output.deviation;
    return output.deviation * (output.scale == 0 ? 1 : output.scale) / largest;
}

/// Whether what the op was given is not the golden's to the bit; without inputs, whether anything
/// before was not.
bool has_changed_input(const OpResult& op, bool any_before) {
    bool any = false;
    for (const TensorResult& tensor : op.tensors) {
        if (!is_one(tensor, Direction::kInput)) continue;
        if (!tensor.change.empty()) return true;
        any = true;
    }
    return !any && any_before;
}

std::vector<StatisticsJudge::Jump> StatisticsJudge::all_jumps() const {
    std::vector<Jump> jumps;
    double before = 0;
    for (size_t pair = 0; pair < result_.ops.size(); ++pair) {
        const OpResult& op = result_.ops[pair];
        if (!op.is_pair()) continue;
        double received = before;
        for (const TensorResult& tensor : op.tensors)
            if (is_one(tensor, Direction::kInput)) received = larger(received, tensor.deviation);
        for (size_t i = 0; i < op.tensors.size(); ++i) {
            if (!is_one(op.tensors[i], Direction::kOutput)) continue;
            jumps.push_back({pair, i, scaled_deviation(op, op.tensors[i]), received});
            before = larger(before, jumps.back().deviation);
        }
    }
    return jumps;
}

std::optional<size_t> StatisticsJudge::maker_of(size_t pair, const TensorResult& tensor) const {
    const auto place = inflows_.place_of(inflows_.by_target() ? tensor.target : tensor.golden);
    if (!place) return std::nullopt;
    for (const Inflow& inflow : inflows_.of(pair))
        if (inflow.tensor == *place) return inflow.maker;
    return std::nullopt;
}

void StatisticsJudge::judge_inputs(size_t pair) {
    OpResult& op = result_.ops[pair];
    for (TensorResult& tensor : op.tensors) {
        if (!is_one(tensor, Direction::kInput) || tensor.judgement.verdict != Verdict::kFail)
            continue;
        if (const auto maker = maker_of(pair, tensor)) {
            tensor.judgement.rule += "; " + result_.ops[*maker].target + " made it";
        } else {
            // Some step that is not recorded may have made it of what was made before.
            const bool told =
                !any_before_ || is_parameter(op.id.op, tensor.argument) ||
                (tensor.deviation > std::max(kBrain, kJump * before_) && !is_negligible(tensor));
            if (told && !is_unread(op.id.op, tensor.argument)) accuse(pair, tensor);
        }
        tensor.judgement.verdict = Verdict::kInherited;
    }
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

void StatisticsJudge::judge_output(const Jump& jump) {
    TensorResult& tensor = result_.ops[jump.pair].tensors[jump.tensor];
    const bool is_small = is_negligible(tensor);
    const bool came_in = has_changed_input(result_.ops[jump.pair], any_before_);
    any_before_ = any_before_ || !tensor.change.empty();
    if (!is_small) before_ = larger(before_, tensor.deviation);
    if (tensor.scale < kMasked) largest_ = larger(largest_, tensor.scale);
    if (tensor.judgement.verdict != Verdict::kFail) return;
    any_before_ = true;
    if (is_small) {
        tensor.judgement.verdict = Verdict::kInherited;
        tensor.judgement.rule += "; both are what rounding leaves of sums that cancel";
        return;
    }
    if (tensor.hash_differs && (!came_in || tensor.deviation == 0)) {
        tensor.judgement.verdict = came_in ? Verdict::kInherited : Verdict::kFail;
        tensor.judgement.rule +=
            came_in ? "; it came in" : "; what the op was given is the golden's";
        return;
    }
    const std::string off = fmt::format("statistics are off by {:.2g}", tensor.deviation);
    if (is_beyond(jump)) {
        tensor.judgement.rule += fmt::format("; what was before is off by {:.2g}", jump.received);
    } else if (jump.received == 0) {
        tensor.judgement.verdict = Verdict::kPass;
        tensor.judgement.rule = off + ", as operands rounded to 16 bits make";
    } else {
        tensor.judgement.verdict = Verdict::kInherited;
        tensor.judgement.rule = off + fmt::format(", what was before by {:.2g}", jump.received);
    }
}

}  // namespace

void judge_by_statistics(const PairedFlows& flows, Result& result) {
    StatisticsJudge(flows, result).run();
}

}  // namespace npuscope::compare
