// Gradients that lay what they are given to the places that were chosen, and of joints and parts.
#include <algorithm>
#include <cmath>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

SourceTensor zeros_like(const SourceTensor& tensor) {
    return made_of(tensor, dtype_of(tensor), tensor.shape, [](const Tensor& elements) {
        return Tensor::zeros(elements.dtype(), elements.shape());
    });
}

/// -1, 0 or 1: exact.
SourceTensor signs_of(const SourceTensor& tensor) {
    return made_of(tensor, dtype_of(tensor), tensor.shape, [](const Tensor& elements) {
        Tensor signs = elements.cast(DType::kFloat64);
        for (double& each : signs.mutable_as<double>())
            each = each > 0 ? 1 : each < 0 ? -1 : each;
        return signs.cast(elements.dtype());
    });
}

/// Where a number is below `low` or above `high`.
SourceTensor outside(const SourceTensor& tensor, double low, double high) {
    return made_of(tensor, DType::kBool, tensor.shape, [low, high](const Tensor& elements) {
        Tensor mask(DType::kBool, elements.shape());
        for (int64_t i = 0; i < elements.numel(); ++i) {
            const double value = elements.at(i);
            mask.mutable_as<bool>()[static_cast<size_t>(i)] = value < low || value > high;
        }
        return mask;
    });
}

const SourceTensor& indices_of(const GradientQuery& query) {
    for (const SourceTensor& result : query.forward.results)
        if (result.name == "indices") return result;
    not_computed("the indices of its forward run are not recorded");
}

std::vector<ApiCall> one(std::string_view op,
                         const std::vector<NamedOperand>& arguments,
                         const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    return {made_by(op, arguments, *made)};
}

}  // namespace

/// What was chosen along `dim` goes back to where it stood.
std::vector<ApiCall> gradients_of_selection(const GradientQuery& query) {
    const SourceTensor& self = query.operand("self");
    const auto dim = static_cast<int64_t>(query.number("dim", -1));
    SourceTensor gradient = query.gradient();
    SourceTensor indices = indices_of(query);
    if (gradient.shape.size() + 1 == self.shape.size()) {
        Shape kept = self.shape;
        kept[static_cast<size_t>(dimension(dim, self.shape.size()))] = 1;
        gradient = reshaped(gradient, kept);
        indices = reshaped(indices, kept);
    }
    return one("scatter",
               {{"self", Operand::of(zeros_like(self))},
                {"dim", Operand::of(dim)},
                {"index", Operand::of(indices)},
                {"src", Operand::of(gradient)}},
               query);
}

std::vector<ApiCall> gradients_of_gather(const GradientQuery& query) {
    return one("scatter_add",
               {{"self", Operand::of(zeros_like(query.operand("self")))},
                {"dim", query.forward.argument("dim")},
                {"index", query.forward.argument("index")},
                {"src", Operand::of(query.gradient())}},
               query);
}

std::vector<ApiCall> gradients_of_index_select(const GradientQuery& query) {
    return one("index_add",
               {{"self", Operand::of(zeros_like(query.operand("self")))},
                {"dim", query.forward.argument("dim")},
                {"index", query.forward.argument("index")},
                {"source", Operand::of(query.gradient())}},
               query);
}

std::vector<ApiCall> gradients_of_clamp(const GradientQuery& query) {
    const SourceTensor mask = outside(
        query.operand("self"), query.number("min", -HUGE_VAL), query.number("max", HUGE_VAL));
    return one("masked_fill",
               {{"self", Operand::of(query.gradient())},
                {"mask", Operand::of(mask)},
                {"value", Operand::of(int64_t{0})}},
               query);
}

/// An elu whose input is divided by alpha.
std::vector<ApiCall> gradients_of_celu(const GradientQuery& query) {
    const double alpha = query.number("alpha", 1);
    return one("elu_backward",
               {{"grad_output", Operand::of(query.gradient())},
                {"alpha", Operand::of(alpha)},
                {"scale", Operand::of(1.0)},
                {"input_scale", Operand::of(1 / alpha)},
                {"is_result", Operand::of(false)},
                {"self_or_result", Operand::of(query.operand("self"))}},
               query);
}

std::vector<ApiCall> gradients_of_abs(const GradientQuery& query) {
    return one("mul",
               {{"self", Operand::of(query.gradient())},
                {"other", Operand::of(signs_of(query.operand("self")))}},
               query);
}

std::vector<ApiCall> gradients_of_pow(const GradientQuery& query) {
    const double exponent = query.number("exponent", 0);
    const SourceTensor& self = query.operand("self");
    if (exponent == 0) not_computed("the gradient of the power 0 is not computed");
    if (exponent == 2)
        return one("mul",
                   {{"self", Operand::of(query.gradient())}, {"other", Operand::of(doubled(self))}},
                   query);
    return one("gradient_of_pow",
               {{"grad", Operand::of(query.gradient())},
                {"self", Operand::of(self)},
                {"exponent", Operand::of(exponent)},
                {"power", Operand::of(exponent - 1)}},
               query);
}

std::vector<ApiCall> gradients_of_stack(const GradientQuery& query) {
    const auto dim = static_cast<int64_t>(query.number("dim", 0));
    std::vector<ApiCall> calls;
    for (const SourceTensor& made : query.made)
        calls.push_back(made_by(
            "select",
            {{"self", Operand::of(query.gradient())},
             {"dim", Operand::of(dim)},
             {"index", Operand::of(static_cast<int64_t>(std::stoul("0" + place_among(made))))}},
            made));
    return calls;
}

/// A part that was not used has none: zeros.
std::vector<ApiCall> gradients_of_split(const GradientQuery& query) {
    Operand parts;
    for (size_t i = 0; i < query.forward.results.size(); ++i) {
        const auto given =
            std::ranges::find(query.given, std::to_string(i), &SourceTensor::argument);
        parts.list.push_back(Operand::of(
            given == query.given.end() ? zeros_like(query.forward.results[i]) : *given));
    }
    const auto dim = static_cast<int64_t>(query.number("dim", 0));
    return one("cat", {{"tensors", parts}, {"dim", Operand::of(dim)}}, query);
}

std::vector<ApiCall> gradients_of_pad(const GradientQuery& query) {
    const auto sizes = query.forward.argument("pad").numbers();
    if (!sizes) not_computed("pad of its forward run is not recorded");
    std::vector<int64_t> cut;
    for (const double each : *sizes)
        cut.push_back(-static_cast<int64_t>(each));
    return one("constant_pad_nd",
               {{"self", Operand::of(query.gradient())}, {"pad", Operand::of(cut)}},
               query);
}

/// Places of patches: of an image those behind its batch and channels.
std::vector<ApiCall> gradients_of_patches(const GradientQuery& query) {
    const bool is_unfold = query.forward.op->name() == "im2col";
    const Shape& shape = query.operand("self").shape;
    std::vector<NamedOperand> arguments = {{"self", Operand::of(query.gradient())}};
    for (const char* name : {"kernel_size", "dilation", "padding", "stride"})
        arguments.push_back({name, query.forward.argument(name)});
    if (is_unfold && shape.size() != 4) not_computed("an image without a batch is not computed");
    if (is_unfold)
        arguments.push_back(
            {"output_size", Operand::of(std::vector<int64_t>(shape.begin() + 2, shape.end()))});
    return one(is_unfold ? "col2im" : "im2col", arguments, query);
}

/// Where a zero was given, only what was made tells whether it was kept.
std::vector<ApiCall> gradients_of_dropout(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    const double share = query.number("p", 0.5);
    if (share >= 1 || query.number("train", 1) == 0)
        not_computed("the gradient of a dropout that drops all or nothing is not computed");
    return {made_by("gradient_of_dropout",
                    {{"grad", Operand::of(query.gradient())},
                     {"self", Operand::of(query.operand("input"))},
                     {"output", Operand::of(query.result())},
                     {"made", Operand::of(*made)},
                     {"scale", Operand::of(1 / (1 - share))}},
                    *made)};
}

}  // namespace npuscope::diagnose
