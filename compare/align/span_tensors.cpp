#include "compare/align/span_tensors.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/naming/aliases.h"
#include "core/tensor/padding.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// An argument of an op, and what the op that computes product and sum calls it; "": not the same.
struct Renaming {
    std::string_view op;
    std::string_view argument;
    std::string_view fused;
};
constexpr auto kRenamings = std::to_array<Renaming>({{"mm", "self", "mat1"},
                                                     {"linear", "input", "mat1"},
                                                     {"linear", "bias", "self"},
                                                     {"linear", "weight", ""}});

std::string fused_argument(const SourceOp& op, const std::string& argument) {
    const std::string_view name = canonical_name(op.id.op);
    for (const Renaming& row : kRenamings)
        if (row.op == name && row.argument == argument) return std::string(row.fused);
    return std::string(canonical_argument(find_alias(op.id.op), argument));
}

bool is_linear(const SourceOp& op) {
    return canonical_name(op.id.op) == "linear";
}

bool is_span(const OpPair& pair) {
    return !pair.also_target.empty() || !pair.also_golden.empty() ||
           is_linear(*pair.target) != is_linear(*pair.golden);
}

std::vector<SourceTensor> of_direction(std::vector<SourceTensor> tensors, Direction direction) {
    std::erase_if(tensors, [&](const SourceTensor& each) { return each.direction != direction; });
    return tensors;
}

void add_operands(const SourceOp& op, std::vector<SourceTensor>& tensors) {
    for (SourceTensor& tensor : of_direction(op.load(), Direction::kInput)) {
        tensor.argument = fused_argument(op, tensor.argument);
        if (!tensor.argument.empty()) tensors.push_back(std::move(tensor));
    }
}

/// Of two operands the smaller one.
void add_bias(const SourceOp& product, const SourceOp& addition, std::vector<SourceTensor>& all) {
    std::vector<SourceTensor> operands = of_direction(addition.load(), Direction::kInput);
    if (operands.size() != 2) return;
    const auto size = [](const SourceTensor& tensor) {
        return std::pair(numel_of(tensor.shape), tensor.shape.size());
    };
    SourceTensor& bias = size(operands[0]) < size(operands[1]) ? operands[0] : operands[1];
    bias.argument = canonical_name(product.id.op) == "convolution" ? "bias" : "self";
    all.push_back(std::move(bias));
}

std::vector<SourceTensor> fused_tensors(const SourceOp& last,
                                        const std::vector<const SourceOp*>& also) {
    std::vector<SourceTensor> tensors;
    if (also.empty()) {
        add_operands(last, tensors);
    } else {
        add_operands(*also.front(), tensors);
        add_bias(*also.front(), last, tensors);
    }
    for (SourceTensor& tensor : of_direction(last.load(), Direction::kOutput))
        tensors.push_back(std::move(tensor));
    return tensors;
}

/// Other elements' shape for the same elements.
class ReshapedElements : public ElementSource {
  public:
    ReshapedElements(std::unique_ptr<ElementSource> elements, Shape shape)
        : elements_(std::move(elements)), shape_(std::move(shape)) {}
    [[nodiscard]] DType dtype() const override { return elements_->dtype(); }
    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] int64_t numel() const override { return elements_->numel(); }
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t count,
                                         std::vector<std::byte>& buffer) const override {
        return elements_->range(first, count, buffer);
    }
    void release(int64_t first, int64_t count) const override { elements_->release(first, count); }
    void require_intact() const override { elements_->require_intact(); }

  private:
    std::unique_ptr<ElementSource> elements_;
    Shape shape_;
};

void take_shape(const Shape& shape, SourceTensor& tensor) {
    if (tensor.shape == shape || numel_of(tensor.shape) != numel_of(shape)) return;
    tensor.shape = shape;
    if (tensor.open)
        tensor.open = [open = std::move(tensor.open), shape]() -> std::unique_ptr<ElementSource> {
            return std::make_unique<ReshapedElements>(open(), shape);
        };
}

/// The golden's shapes where the same arguments have as many elements.
void take_shapes(BothTensors& tensors) {
    for (SourceTensor& tensor : tensors.target)
        for (const SourceTensor& golden : tensors.golden)
            if (golden.direction == tensor.direction && golden.argument == tensor.argument)
                take_shape(golden.shape, tensor);
}

/// Likewise the golden's shapes of inputs whose rows are as long.
void take_rows(BothTensors& tensors) {
    for (SourceTensor& tensor : tensors.target)
        for (const SourceTensor& golden : tensors.golden)
            if (tensor.direction == Direction::kInput && golden.direction == Direction::kInput &&
                golden.argument == tensor.argument && !golden.shape.empty() &&
                !tensor.shape.empty() && golden.shape.back() == tensor.shape.back())
                take_shape(golden.shape, tensor);
}

/// Whether kernels of the op ask for widths of their own, and programs fill these up with zeros.
bool asks_for_widths(const SourceOp& op) {
    return canonical_name(op.id.op).find("attention") != std::string_view::npos;
}

/// Without the padding that the other side's op of the same arguments has not.
void take_padding_off(const SourceOp& op,
                      std::vector<SourceTensor>& tensors,
                      const SourceOp& other_op,
                      const std::vector<SourceTensor>& others) {
    const Alias* alias = find_alias(op.id.op);
    const Alias* other_alias = find_alias(other_op.id.op);
    for (SourceTensor& tensor : tensors)
        for (const SourceTensor& other : others) {
            if (other.direction != tensor.direction || !tensor.open ||
                !may_be_padded(tensor.shape, other.shape) ||
                canonical_argument(other_alias, other.argument) !=
                    canonical_argument(alias, tensor.argument))
                continue;
            const auto inside = without_padding(tensor.open()->whole(), other.shape);
            if (!inside) continue;
            tensor.shape = other.shape;
            tensor.open = [inside = *inside]() -> std::unique_ptr<ElementSource> {
                return std::make_unique<TensorElements>(inside);
            };
        }
}

/// Whatever the only output is called.
void name_outputs_alike(BothTensors& tensors) {
    const auto is_output = [](const SourceTensor& each) {
        return each.direction == Direction::kOutput;
    };
    const auto mine = std::ranges::find_if(tensors.target, is_output);
    const auto theirs = std::ranges::find_if(tensors.golden, is_output);
    if (mine != tensors.target.end() && theirs != tensors.golden.end())
        theirs->argument = mine->argument;
}

void keep_common(std::vector<SourceTensor>& tensors, const std::vector<SourceTensor>& others) {
    std::erase_if(tensors, [&](const SourceTensor& each) {
        return std::ranges::none_of(others, [&](const SourceTensor& other) {
            return other.direction == each.direction && other.argument == each.argument;
        });
    });
}

}  // namespace

BothTensors tensors_of(const OpPair& pair) {
    if (!pair.ties.empty()) {
        BothTensors tensors;
        for (const TensorTie& tie : pair.ties) {
            TiedTensors tied = tensors_of(tie);
            tensors.target.push_back(std::move(tied.target));
            tensors.golden.push_back(std::move(tied.golden));
        }
        return tensors;
    }
    if (!is_span(pair)) {
        BothTensors tensors{pair.target->load(), pair.golden->load()};
        if (pair.inputs_differ) take_rows(tensors);
        if (asks_for_widths(*pair.target)) {
            take_padding_off(*pair.target, tensors.target, *pair.golden, tensors.golden);
            take_padding_off(*pair.golden, tensors.golden, *pair.target, tensors.target);
        }
        return tensors;
    }
    BothTensors tensors{fused_tensors(*pair.target, pair.also_target),
                        fused_tensors(*pair.golden, pair.also_golden)};
    name_outputs_alike(tensors);
    keep_common(tensors.target, tensors.golden);
    keep_common(tensors.golden, tensors.target);
    take_shapes(tensors);
    return tensors;
}

}  // namespace npuscope::compare
