#include "compare/programs/exchanged_operands.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "compare/dataflow/crosswise.h"
#include "compare/dataflow/nearness.h"
#include "compare/dataflow/trace.h"
#include "core/base/error.h"
#include "core/naming/aliases.h"

namespace npuscope::compare {

namespace {

constexpr auto kCommutative =
    std::to_array<std::string_view>({"add_Tensor", "mul_Tensor", "maximum", "minimum"});

bool scales_an_operand(const SourceOp& op) {
    if (!op.facts) return false;
    const std::vector<PlainArgument> arguments = op.facts().arguments;
    const auto alpha = std::ranges::find(arguments, "alpha", &PlainArgument::name);
    return alpha != arguments.end() && alpha->numbers != std::vector<double>{1};
}

/// But for what scales an operand, which costs more to ask.
bool is_commutative(const OpPair& pair) {
    const std::string_view name = canonical_name(pair.target->id.op);
    return name == canonical_name(pair.golden->id.op) &&
           std::ranges::find(kCommutative, name) != kCommutative.end();
}

/// Two tensors with elements, as indices into the side's flow.
struct Operands {
    size_t self = 0;
    size_t other = 0;
};

std::optional<Operands> operands_of(const Side& side, const SourceOp& op) {
    std::optional<size_t> self;
    std::optional<size_t> other;
    for (const TracedTensor& tensor : side.of_op(op)) {
        if (tensor.direction != dumpfile::Direction::kInput || !tensor.content) continue;
        const auto index = static_cast<size_t>(&tensor - side.flow.tensors.data());
        const std::string_view name = canonical_argument(find_alias(op.id.op), tensor.argument);
        if (name == kFirstOperand) self = index;
        if (name == kSecondOperand) other = index;
    }
    if (!self || !other) return std::nullopt;
    return Operands{*self, *other};
}

class OperandsExchanged {
  public:
    OperandsExchanged(const PairedFlows& flows, const Operands& mine, const Operands& theirs)
        : flows_(flows), mine_(mine), theirs_(theirs) {}

    [[nodiscard]] bool is_told() const {
        if (!have_equal_sizes(mine_.self, theirs_.other) ||
            !have_equal_sizes(mine_.other, theirs_.self))
            return false;
        if (!have_equal_sizes(mine_.self, theirs_.self)) return true;
        if (are_linked(mine_.self, theirs_.self) || are_linked(mine_.other, theirs_.other))
            return false;
        return are_linked(mine_.self, theirs_.other) || are_linked(mine_.other, theirs_.self) ||
               (is_far(mine_.self, theirs_.self) && is_far(mine_.other, theirs_.other) &&
                is_near(mine_.self, theirs_.other) && is_near(mine_.other, theirs_.self));
    }

  private:
    [[nodiscard]] const TracedTensor& target(size_t index) const {
        return flows_.target().tensor(index);
    }
    [[nodiscard]] const TracedTensor& golden(size_t index) const {
        return flows_.golden().tensor(index);
    }
    [[nodiscard]] bool have_equal_sizes(size_t mine, size_t theirs) const {
        return target(mine).content->numel == golden(theirs).content->numel;
    }

    /// Both hold the same, or what paired ops made.
    [[nodiscard]] bool are_linked(size_t mine, size_t theirs) const {
        const TracedTensor& one = target(mine);
        const TracedTensor& other = golden(theirs);
        if (same_content(*one.content, *other.content)) return true;
        return one.producer && other.producer && !one.ambiguous && !other.ambiguous &&
               flows_.partner_of(*other.producer) == one.producer;
    }

    [[nodiscard]] double distance(size_t mine, size_t theirs) const {
        const auto open = [](const Side& side, size_t tensor) {
            return open_traced(side.source, side.flow, tensor);
        };
        return sampled_distance(*open(flows_.target(), mine), *open(flows_.golden(), theirs));
    }
    [[nodiscard]] bool is_far(size_t mine, size_t theirs) const {
        return distance(mine, theirs) > kOtherTensor;
    }
    [[nodiscard]] bool is_near(size_t mine, size_t theirs) const {
        return distance(mine, theirs) <= kNoisyTensor;
    }

    const PairedFlows& flows_;
    const Operands& mine_;
    const Operands& theirs_;
};

bool are_exchanged(const PairedFlows& flows, const OpPair& pair) try {
    const auto mine = operands_of(flows.target(), *pair.target);
    const auto theirs = operands_of(flows.golden(), *pair.golden);
    return mine && theirs && OperandsExchanged(flows, *mine, *theirs).is_told() &&
           !scales_an_operand(*pair.target) && !scales_an_operand(*pair.golden);
} catch (const Error&) {
    return false;
}

}  // namespace

bool exchange_operands(const PairedFlows& flows, Plan& plan) {
    bool any = false;
    for (OpPair& pair : plan.ops) {
        if (pair.target == nullptr || pair.golden == nullptr || pair.exchanged ||
            !pair.ties.empty() || !pair.also_target.empty() || !pair.also_golden.empty() ||
            !is_commutative(pair))
            continue;
        pair.exchanged = are_exchanged(flows, pair);
        any = any || pair.exchanged;
    }
    return any;
}

}  // namespace npuscope::compare
