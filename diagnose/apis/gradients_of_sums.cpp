// Gradients that hand on what they are given: sums, elementwise arithmetic, joints.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

/// The dimensions that a reduction took; all where none were given.
std::vector<int64_t> reduced_dims(const GradientQuery& query) {
    const size_t ndim = query.operand("self").shape.size();
    const auto given = query.forward.argument("dim").numbers();
    std::vector<int64_t> dims;
    if (!given || given->empty())
        for (size_t i = 0; i < ndim; ++i)
            dims.push_back(static_cast<int64_t>(i));
    else
        for (const double dim : *given)
            dims.push_back(dimension(static_cast<int64_t>(dim), ndim));
    return dims;
}

/// A result of a reduction, or its gradient, as wide as what was reduced.
SourceTensor widened(const GradientQuery& query, const SourceTensor& reduced) {
    const Shape& full = query.operand("self").shape;
    Shape kept = full;
    if (!full.empty())
        for (const int64_t dim : reduced_dims(query))
            kept[static_cast<size_t>(dim)] = 1;
    return expanded(reshaped(reduced, kept), full);
}

/// What an operand that was broadcast gets: the sum over what it was repeated along.
ApiCall handed_on(const SourceTensor& gradient, const SourceTensor& made) {
    if (made.shape == gradient.shape)
        return made_by("clone", {{"self", Operand::of(gradient)}}, made);
    const size_t missing =
        gradient.shape.size() - std::min(gradient.shape.size(), made.shape.size());
    std::vector<int64_t> dims(missing);
    std::iota(dims.begin(), dims.end(), 0);
    for (size_t i = 0; i < made.shape.size() && missing + i < gradient.shape.size(); ++i)
        if (made.shape[i] == 1 && gradient.shape[missing + i] != 1)
            dims.push_back(static_cast<int64_t>(missing + i));
    if (dims.empty()) not_computed("the gradient has another shape than its operands");
    Shape kept = gradient.shape;
    for (const int64_t dim : dims)
        kept[static_cast<size_t>(dim)] = 1;
    return made_by("sum",
                   {{"self", Operand::of(gradient)},
                    {"dim", Operand::of(dims)},
                    {"keepdim", Operand::of(true)}},
                   reshaped(made, kept));
}

/// As many times of what was made: `op` of the gradient and `more`, added to its shape.
ApiCall added(std::string_view op,
              const SourceTensor& gradient,
              std::vector<NamedOperand> more,
              const SourceTensor& made) {
    more.push_back({"grad", Operand::of(gradient)});
    more.push_back({"shape", Operand::of(made.shape)});
    return made_by(op, more, made);
}

/// The gradient times what the other operand was.
ApiCall times(const SourceTensor& gradient, const Operand& other, const SourceTensor& made) {
    if (made.shape != gradient.shape)
        return added("gradient_of_factor", gradient, {{"other", other}}, made);
    return made_by("mul", {{"self", Operand::of(gradient)}, {"other", other}}, made);
}

/// `arguments` are grad, self and output.
ApiCall gradient_of_norm(const GradientQuery& query,
                         std::vector<NamedOperand> arguments,
                         const SourceTensor& made) {
    const double power =
        query.number(query.forward.op->name().starts_with("norm") ? "p" : "ord", 2);
    if (power == 2) return made_by("gradient_of_norm", arguments, made);
    if (power == 0) not_computed("the count of elements that are not 0 has no gradient");
    if (power == 1)
        return made_by("gradient_of_sum_of_magnitudes", {arguments[0], arguments[1]}, made);
    if (std::isinf(power)) {
        arguments.push_back({"dim", Operand::of(reduced_dims(query))});
        return made_by("gradient_of_largest_magnitude", arguments, made);
    }
    arguments.push_back({"power", Operand::of(power - 1)});
    return made_by("gradient_of_power_norm", arguments, made);
}

}  // namespace

/// Of a variance or its root, by 2 / (count - correction).
std::vector<ApiCall> gradients_of_deviation(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    const SourceTensor& self = query.operand("self");
    const double correction = query.number("correction", query.number("unbiased", 1));
    const double freedom =
        static_cast<double>(numel_of(self.shape)) /
            std::max(1.0, static_cast<double>(numel_of(query.gradient().shape))) -
        correction;
    if (freedom <= 0) not_computed("a variance of so few elements has no gradient");
    std::vector<NamedOperand> arguments = {{"grad", Operand::of(widened(query, query.gradient()))},
                                           {"self", Operand::of(self)},
                                           {"dim", Operand::of(reduced_dims(query))},
                                           {"factor", Operand::of(2 / freedom)}};
    if (query.forward.op->name().starts_with("var"))
        return {made_by("gradient_of_var", arguments, *made)};
    arguments.push_back({"output", Operand::of(widened(query, query.result()))});
    return {made_by("gradient_of_std", arguments, *made)};
}

std::vector<ApiCall> gradients_of_sum(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    return {made_by("clone", {{"self", Operand::of(widened(query, query.gradient()))}}, *made)};
}

std::vector<ApiCall> gradients_of_mean(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    const int64_t reduced = numel_of(query.operand("self").shape) /
                            std::max<int64_t>(1, numel_of(query.gradient().shape));
    return {made_by("div",
                    {{"self", Operand::of(widened(query, query.gradient()))},
                     {"other", Operand::of(static_cast<double>(reduced))}},
                    *made)};
}

std::vector<ApiCall> gradients_of_add(const GradientQuery& query) {
    const std::string& op = query.forward.op->name();
    // self - other, and other - self.
    const size_t turned = op.starts_with("sub") ? 1 : op.starts_with("rsub") ? 0 : 2;
    const Operand alpha = query.forward.argument("alpha");
    const size_t scaled = op.starts_with("rsub") ? 0 : 1;
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place) {
        const SourceTensor* made = query.at(place);
        if (made == nullptr) continue;
        const double factor =
            (place == turned ? -1 : 1) *
            (place == scaled && alpha.is_number() ? alpha.number->numbers.front() : 1);
        if (factor == 1)
            calls.push_back(handed_on(query.gradient(), *made));
        else if (factor == -1 && made->shape == query.gradient().shape)
            calls.push_back(made_by("neg", {{"self", Operand::of(query.gradient())}}, *made));
        else
            calls.push_back(added(
                "gradient_of_term", query.gradient(), {{"alpha", Operand::of(factor)}}, *made));
    }
    return calls;
}

std::vector<ApiCall> gradients_of_expand(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    return {handed_on(query.gradient(), *made)};
}

/// The other vector times one number.
std::vector<ApiCall> gradients_of_dot(const GradientQuery& query) {
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place)
        if (const SourceTensor* made = query.at(place); made != nullptr)
            calls.push_back(
                made_by("mul",
                        {{"self", Operand::of(query.operand(place == 0 ? "tensor" : "self"))},
                         {"other", Operand::of(query.gradient())}},
                        *made));
    return calls;
}

std::vector<ApiCall> gradients_of_mul(const GradientQuery& query) {
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(0); made != nullptr)
        calls.push_back(times(query.gradient(), query.forward.argument("other"), *made));
    if (const SourceTensor* made = query.at(1); made != nullptr)
        calls.push_back(times(query.gradient(), query.forward.argument("self"), *made));
    return calls;
}

std::vector<ApiCall> gradients_of_div(const GradientQuery& query) {
    if (const Operand rounding = query.forward.argument("rounding_mode"); rounding.is_text())
        not_computed("the gradient of a quotient that was rounded is not computed");
    const Operand self = query.forward.argument("self");
    const Operand other = query.forward.argument("other");
    const SourceTensor& gradient = query.gradient();
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(0); made != nullptr) {
        if (made->shape == gradient.shape)
            calls.push_back(
                made_by("div", {{"self", Operand::of(gradient)}, {"other", other}}, *made));
        else
            calls.push_back(added("gradient_of_dividend", gradient, {{"other", other}}, *made));
    }
    if (const SourceTensor* made = query.at(1); made != nullptr)
        calls.push_back(
            added("gradient_of_divisor", gradient, {{"self", self}, {"other", other}}, *made));
    return calls;
}

/// Of two elements that are equal each gets a half.
std::vector<ApiCall> gradients_of_larger(const GradientQuery& query) {
    const bool is_largest = query.forward.op->name() == "maximum";
    const Operand operands[] = {query.forward.argument("self"), query.forward.argument("other")};
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place)
        if (const SourceTensor* made = query.at(place); made != nullptr)
            calls.push_back(added(is_largest ? "gradient_of_larger" : "gradient_of_smaller",
                                  query.gradient(),
                                  {{"self", operands[place]}, {"other", operands[1 - place]}},
                                  *made));
    return calls;
}

std::vector<ApiCall> gradients_of_where(const GradientQuery& query) {
    const Operand condition = query.forward.argument("condition");
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place)
        if (const SourceTensor* made = query.at(place); made != nullptr)
            calls.push_back(added(place == 0 ? "gradient_of_chosen" : "gradient_of_other",
                                  query.gradient(),
                                  {{"condition", condition}},
                                  *made));
    return calls;
}

/// Of a reduction to its one result a row, by a program that is given the result, too.
std::vector<ApiCall> gradients_of_reduction(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    const std::string& op = query.forward.op->name();
    const SourceTensor& self = query.operand("self");
    const bool is_norm = op.find("norm") != std::string::npos;
    std::vector<NamedOperand> arguments = {{"grad", Operand::of(widened(query, query.gradient()))},
                                           {"self", Operand::of(self)},
                                           {"output", Operand::of(widened(query, query.result()))}};
    if (op.starts_with("logsumexp")) return {made_by("gradient_of_logsumexp", arguments, *made)};
    if (is_norm) return {gradient_of_norm(query, std::move(arguments), *made)};
    arguments.push_back({"dim", Operand::of(reduced_dims(query))});
    return {made_by("gradient_of_extreme", arguments, *made)};
}

std::vector<ApiCall> gradients_of_cat(const GradientQuery& query) {
    const Operand parts = query.forward.argument("tensors");
    const Operand dim = query.forward.argument("dim");
    const int64_t axis =
        dimension(dim.is_none() ? 0 : static_cast<int64_t>(dim.number->numbers.front()),
                  query.gradient().shape.size());
    std::vector<ApiCall> calls;
    int64_t start = 0;
    for (size_t i = 0; i < parts.list.size(); ++i) {
        const Shape& shape = parts.list[i].tensor->shape;
        const int64_t length = shape.at(static_cast<size_t>(axis));
        if (const SourceTensor* made = query.at(i); made != nullptr)
            calls.push_back(made_by("narrow",
                                    {{"self", Operand::of(query.gradient())},
                                     {"dim", Operand::of(axis)},
                                     {"start", Operand::of(start)},
                                     {"length", Operand::of(length)}},
                                    *made));
        start += length;
    }
    return calls;
}

std::vector<ApiCall> gradients_of_permute(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    const auto dims = query.forward.argument("dims").numbers();
    if (made == nullptr || !dims) return {};
    std::vector<int64_t> back(dims->size());
    for (size_t i = 0; i < dims->size(); ++i)
        back.at(static_cast<size_t>(dimension(static_cast<int64_t>((*dims)[i]), dims->size()))) =
            static_cast<int64_t>(i);
    return {made_by(
        "permute", {{"self", Operand::of(query.gradient())}, {"dims", Operand::of(back)}}, *made)};
}

}  // namespace npuscope::diagnose
