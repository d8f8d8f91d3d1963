#include "diagnose/apis/autograd_nodes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/not_computed.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

namespace {

using dumpfile::Direction;

struct Node {
    std::string_view name;
    std::string_view op;
    std::string_view renames;  ///< "its=op's", blanks between
};

constexpr auto kNodes = std::to_array<Node>({
#define NODE(name, op, renames) {name, op, renames},
#include "diagnose/apis/autograd_nodes.def"
#undef NODE
});

constexpr std::string_view kGiven = "grads/grads_";
constexpr std::string_view kMade = "grad_inputs/grad_inputs_";

const Node* find_node(std::string_view name) {
    const auto found = std::ranges::find(kNodes, name, &Node::name);
    return found == kNodes.end() ? nullptr : &*found;
}

std::string renamed(const Node& node, const std::string& own) {
    for (std::string_view rest = node.renames; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        const size_t equals = word.find('=');
        if (word.substr(0, equals) == own) return std::string(word.substr(equals + 1));
    }
    return own;
}

/// What the op was given, as far as the node saved it.
void take_saved(const Node& node, const std::string& name, Operand value, ApiCall& forward) {
    const std::string own = renamed(node, name);
    if (own != "result") {
        forward.arguments.push_back({own, std::move(value)});
    } else if (value.tensor && forward.results.empty()) {
        forward.results.push_back(*std::move(value.tensor));
    }
}

/// A convolution that is called by these names is no transposed one; a norm's momentum moves
/// nothing that its gradient reads.
void take_unsaid(ApiCall& forward) {
    if (forward.op->name() == "native_batch_norm")
        forward.arguments.push_back({"momentum", Operand::of(0.0)});
    if (forward.op->name() != "convolution") return;
    if (forward.argument("dilation").is_none())
        forward.arguments.push_back({"dilation", Operand::of(std::vector<int64_t>{1, 1})});
    forward.arguments.push_back({"transposed", Operand::of(false)});
    forward.arguments.push_back({"output_padding", Operand::of(std::vector<int64_t>{0})});
    if (forward.argument("groups").is_none())
        forward.arguments.push_back({"groups", Operand::of(int64_t{1})});
}

/// The original saves how many elements are one mean's, and not their shape.
void take_normalized_shape(ApiCall& forward) {
    const Operand size = forward.argument("N");
    const Operand input = forward.argument("input");
    if (forward.op->name() != "native_layer_norm" || !size.is_number() || !input.tensor ||
        !forward.argument("normalized_shape").is_none())
        return;
    const Shape& shape = input.tensor->shape;
    int64_t left = static_cast<int64_t>(size.number->numbers.front());
    size_t first = shape.size();
    while (first > 0 && left > 1 && left % shape[first - 1] == 0)
        left /= shape[--first];
    forward.arguments.push_back({"normalized_shape",
                                 Operand::of(std::vector<int64_t>(
                                     shape.begin() + static_cast<ptrdiff_t>(first), shape.end()))});
}

std::vector<SourceOp> runs_of(const SourceOp& record, const Node& node) {
    ApiCall forward{.op = row_of(node.op)};
    if (forward.op == nullptr) not_computed("there is no op " + std::string(node.op));
    std::vector<SourceTensor> given;
    std::vector<SourceTensor> made;
    for (SourceTensor& tensor : record.load()) {
        if (tensor.direction == Direction::kOutput) {
            if (!tensor.argument.starts_with(kMade)) continue;
            tensor.name = tensor.argument.substr(kMade.size());
            made.push_back(std::move(tensor));
        } else if (tensor.argument.starts_with(kGiven)) {
            given.push_back(std::move(tensor));
        } else {
            const std::string name = tensor.argument;
            take_saved(node, name, Operand::of(std::move(tensor)), forward);
        }
    }
    if (record.facts)
        for (const PlainArgument& number : record.facts().arguments)
            take_saved(node, number.recorded, Operand{.number = number}, forward);
    take_unsaid(forward);
    take_normalized_shape(forward);
    const GradientQuery query{forward, std::move(given), std::move(made)};
    std::vector<SourceOp> runs;
    for (const ApiCall& each : gradient_calls(query))
        if (!each.results.empty()) runs.push_back(each.as_source(record));
    if (runs.empty()) not_computed("none of its results is one that is computed");
    return runs;
}

}  // namespace

void describe_nodes(Source& source) {
    for (SourceOp& op : source.ops) {
        const Node* node = find_node(op.id.op);
        if (node == nullptr || op.calls) continue;
        const auto is_given = [](const SourceTensor& tensor) {
            return tensor.direction == Direction::kInput && tensor.open &&
                   tensor.argument.starts_with(kGiven);
        };
        if (std::ranges::none_of(op.load(), is_given)) continue;
        const auto record = std::make_shared<const SourceOp>(op);
        op.calls = [record, node] { return runs_of(*record, *node); };
    }
}

}  // namespace npuscope::diagnose
