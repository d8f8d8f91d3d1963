#include "diagnose/apis/gradients.h"

#include <algorithm>
#include <array>

#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"
#include "diagnose/judge/composed_op.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

namespace {

constexpr auto kRules = std::to_array<GradientRule>({
#define GRADIENT(op, by, text) {op, by, text},
#define GRADIENT_BY(op, function) {op, {}, {}, function},
#include "diagnose/apis/gradients.def"
#undef GRADIENT
#undef GRADIENT_BY
});

/// What an argument that was not given is; None where it has no default.
Operand default_of(const backend::Op& op, std::string_view name) {
    const auto& arguments = op.schema.arguments;
    const auto own = std::ranges::find(arguments, name, &backend::Argument::name);
    if (own == arguments.end() || !own->has_default) return {};
    const Value& value = own->default_value;
    if (const auto* whole = std::get_if<int64_t>(&value)) return Operand::of(*whole);
    if (const auto* real = std::get_if<double>(&value)) return Operand::of(*real);
    if (const auto* truth = std::get_if<bool>(&value)) return Operand::of(*truth);
    if (const auto* list = std::get_if<IntList>(&value)) return Operand::of(*list);
    if (const auto* text = std::get_if<std::string>(&value)) return Operand::of(*text);
    if (const auto* scalar = std::get_if<Scalar>(&value))
        return std::visit([](auto number) { return Operand::of(number); }, scalar->number);
    return {};
}

/// A result of the forward call that its recorder does not see, such as the indices of a pool.
SourceTensor computed_result(const ApiCall& forward, const std::string& result) {
    const auto forward_op = std::make_shared<const SourceOp>(forward.as_source({}));
    SourceTensor tensor;
    tensor.open = [forward_op, op = forward.op, result] {
        Executor executor(Device::reference32(), {.threads = 1, .bounded = true});
        const Results results = executor.call_named(*op, RecordedOp(*forward_op, *op).arguments());
        const Tensor* found = result_named(results, result);
        if (found == nullptr) not_computed(op->name() + " has no result " + result);
        return std::make_unique<TensorElements>(*found);
    };
    return tensor;
}

/// What stands behind '=' in a rule.
Operand source_of(const GradientQuery& query, std::string_view word) {
    if (word == "grad") return Operand::of(query.gradient());
    if (word == "result") return Operand::of(query.result());
    if (word == "2*result") return Operand::of(doubled(query.result()));
    if (word == "2*self") return Operand::of(doubled(query.operand("self")));
    const Operand given = query.forward.argument(word);
    return given.is_none() ? default_of(*query.forward.op, word) : given;
}

Operand operand_by(const GradientQuery& query, char kind, std::string_view word) {
    switch (kind) {
        case '=':
            return source_of(query, word);
        case ':':
            return Operand::parse(std::string(word));
        case '@':
            return Operand::of(computed_result(query.forward, std::string(word)));
        case '$':
            return Operand::of(query.operand(word).shape);
        case '#': {
            const Shape& shape = query.operand(word).shape;
            if (shape.empty()) not_computed(std::string(word) + " has no dimensions");
            return Operand::of(shape.front());
        }
        default: {
            const Operand tensor = query.forward.argument(word);
            return tensor.tensor ? Operand::of(tensor.tensor->dtype) : Operand();
        }
    }
}

std::vector<ApiCall> by_one_op(const GradientRule& rule, const GradientQuery& query) {
    const backend::Op* op = row_of(rule.by);
    if (op == nullptr) not_computed("there is no op " + std::string(rule.by));
    std::vector<NamedOperand> arguments;
    for (std::string_view rest = rule.text; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        const size_t sign = word.find_first_of("=:@$#%");
        const std::string own(word.substr(0, sign));
        // Who records nodes may keep the size alone.
        Operand value = word[sign] == '#' ? query.forward.argument(own) : Operand();
        if (value.is_none()) value = operand_by(query, word[sign], word.substr(sign + 1));
        arguments.push_back({own, std::move(value)});
    }
    for (const backend::Argument& own : op->schema.arguments) {
        if (std::ranges::find(arguments, own.name, &NamedOperand::name) != arguments.end())
            continue;
        if (own.name == "grad_output" || own.name == "grad_out" || own.name == "grad") {
            arguments.push_back({own.name, source_of(query, "grad")});
        } else if (own.name == "output") {
            arguments.push_back({own.name, source_of(query, "result")});
        } else if (Operand value = source_of(query, own.name); !value.is_none()) {
            arguments.push_back({own.name, std::move(value)});
        }
    }
    ApiCall call{.op = op, .arguments = std::move(arguments)};
    take_results(call, query.made);
    return {std::move(call)};
}

}  // namespace

const SourceTensor& GradientQuery::gradient() const {
    if (given.empty()) not_computed("the gradient of its result is not recorded");
    return given.front();
}

const SourceTensor& GradientQuery::operand(std::string_view name) const {
    const auto found = std::ranges::find(forward.arguments, name, &NamedOperand::name);
    if (found == forward.arguments.end() || !found->value.tensor)
        not_computed(std::string(name) + " of its forward run is not recorded");
    return *found->value.tensor;
}

double GradientQuery::number(std::string_view name, double otherwise) const {
    const Operand given = forward.argument(name);
    return given.is_number() ? given.number->numbers.front() : otherwise;
}

const SourceTensor& GradientQuery::result() const {
    if (forward.results.empty()) not_computed("the result of its forward run is not recorded");
    return forward.results.front();
}

const SourceTensor* GradientQuery::at(size_t place) const {
    const auto found = std::ranges::find(made, std::to_string(place), place_among);
    return found == made.end() ? nullptr : &*found;
}

const std::string& place_among(const SourceTensor& made) {
    return made.name.empty() ? made.argument : made.name;
}

std::span<const GradientRule> all_gradient_rules() {
    return kRules;
}

const GradientRule* find_gradient_rule(std::string_view op) {
    const auto found = std::ranges::find(kRules, op, &GradientRule::op);
    return found == kRules.end() ? nullptr : &*found;
}

std::vector<ApiCall> gradient_calls(const GradientQuery& query) {
    const GradientRule* rule = find_gradient_rule(query.forward.op->name());
    if (rule == nullptr) not_computed("no rule for the gradient of " + query.forward.op->name());
    return rule->make != nullptr ? rule->make(query) : by_one_op(*rule, query);
}

ApiCall made_by(std::string_view op,
                const std::vector<NamedOperand>& arguments,
                const SourceTensor& made) {
    const backend::Op* composed = find_composed_op(op);
    ApiCall call = composed != nullptr ? bind_to(*composed, arguments) : bind_named(op, arguments);
    SourceTensor result = made;
    result.name = call.op->schema.results.front().name;
    call.results.push_back(std::move(result));
    return call;
}

}  // namespace npuscope::diagnose
