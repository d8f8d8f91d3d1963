#include "diagnose/apis/primitives.h"

#include <algorithm>
#include <optional>

#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

using Arguments = std::vector<NamedOperand>;
using Outputs = std::vector<SourceTensor>;

const SourceTensor& input(const Arguments& arguments, std::string_view name) {
    const auto found = std::ranges::find(arguments, name, &NamedOperand::name);
    if (found == arguments.end() || !found->value.tensor)
        not_computed(std::string(name) + " is not recorded");
    return *found->value.tensor;
}

const SourceTensor& output(const Outputs& outputs) {
    if (outputs.empty()) not_computed("no result is recorded");
    return outputs.front();
}

/// Empty where the two do not fit, or make another shape than `made`.
std::optional<std::pair<SourceTensor, SourceTensor>> factors(const SourceTensor& a,
                                                             const SourceTensor& b,
                                                             const Shape& made) {
    const size_t ndim = a.shape.size();
    Shape shape(a.shape.begin(), a.shape.end() - 1);
    shape.push_back(b.shape.back());
    const bool same_batch = std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin());
    if (!same_batch || a.shape.back() != b.shape[ndim - 2] || shape != made) return std::nullopt;
    return std::pair(a, b);
}

/// As a batch of matrices.
SourceTensor batch_of(const SourceTensor& tensor) {
    const size_t ndim = tensor.shape.size();
    if (ndim <= 3) return tensor;
    const int64_t matrix = tensor.shape[ndim - 2] * tensor.shape[ndim - 1];
    return reshaped(tensor,
                    {numel_of(tensor.shape) / std::max<int64_t>(1, matrix),
                     tensor.shape[ndim - 2],
                     tensor.shape[ndim - 1]});
}

ApiCall reduction(const char* op, const Arguments& arguments, const Outputs& outputs) {
    const SourceTensor& self = input(arguments, "self");
    const auto dim = std::ranges::find(arguments, "dim", &NamedOperand::name);
    const bool keeps = self.shape.size() == output(outputs).shape.size();
    if (dim == arguments.end() || !dim->value.numbers() || dim->value.numbers()->empty()) {
        if (keeps && !self.shape.empty()) not_computed("its axis is not recorded");
        return bind_named(op, {{"self", Operand::of(self)}});
    }
    return bind_named(
        op, {{"self", Operand::of(self)}, {"dim", dim->value}, {"keepdim", Operand::of(keeps)}});
}

}  // namespace

ApiCall primitive_product(const Arguments& arguments, const Outputs& outputs) {
    const SourceTensor& self = input(arguments, "self");
    const SourceTensor& mat2 = input(arguments, "mat2");
    const Shape& made = output(outputs).shape;
    if (self.shape.size() < 2 || self.shape.size() != mat2.shape.size())
        not_computed("a product of such factors is not computed");
    std::optional<std::pair<SourceTensor, SourceTensor>> found;
    for (const bool turns_self : {false, true})
        for (const bool turns_other : {false, true}) {
            auto tried = factors(turns_self ? transposed(self, -2, -1) : self,
                                 turns_other ? transposed(mat2, -2, -1) : mat2,
                                 made);
            if (!tried) continue;
            if (found) not_computed("which of its factors it transposes is not recorded");
            found = std::move(tried);
        }
    if (!found) not_computed("its factors do not make the recorded shape");
    const SourceTensor first = batch_of(found->first);
    ApiCall call =
        bind_named(first.shape.size() == 2 ? "mm" : "bmm",
                   {{"self", Operand::of(first)}, {"mat2", Operand::of(batch_of(found->second))}});
    if (made.size() > 3) call.result_shape = {first.shape[0], first.shape[1], made.back()};
    return call;
}

ApiCall primitive_sum(const Arguments& arguments, const Outputs& outputs) {
    return reduction("sum", arguments, outputs);
}

ApiCall primitive_mean(const Arguments& arguments, const Outputs& outputs) {
    return reduction("mean", arguments, outputs);
}

ApiCall primitive_bias(const Arguments& arguments, const Outputs&) {
    const SourceTensor& self = input(arguments, "self");
    const SourceTensor& bias = input(arguments, "bias");
    if (self.shape.size() < 2 || bias.shape != Shape{self.shape[1]})
        not_computed("its bias does not fit its second dimension");
    Shape wide(self.shape.size() - 1, 1);
    wide.front() = self.shape[1];
    return bind_named("add",
                      {{"self", Operand::of(self)}, {"other", Operand::of(reshaped(bias, wide))}});
}

ApiCall primitive_gather(const Arguments& arguments, const Outputs&) {
    const auto axis = std::ranges::find(arguments, "axis", &NamedOperand::name);
    if (axis == arguments.end() || !axis->value.is_whole() ||
        axis->value.number->numbers.front() != 0 || input(arguments, "weight").shape.size() != 2)
        not_computed("only rows of a table are gathered here");
    return bind_named("embedding",
                      {{"weight", Operand::of(input(arguments, "weight"))},
                       {"indices", Operand::of(input(arguments, "indices"))}});
}

}  // namespace npuscope::diagnose
