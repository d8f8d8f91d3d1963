#include "diagnose/apis/api_call.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <variant>

#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"
#include "diagnose/judge/overload.h"

namespace npuscope::diagnose {

namespace {

using backend::Argument;
using backend::ArgumentKind;
using backend::Op;

std::string_view next_word(std::string_view& rest) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    return word;
}

struct Parameter {
    std::string_view keyword;
    std::string_view name;
    bool must_be_none = false;
};

std::vector<Parameter> parameters_of(const ApiName& row) {
    std::vector<Parameter> all;
    for (std::string_view rest = row.arguments; !rest.empty();) {
        std::string_view word = next_word(rest);
        const bool must_be_none = word.starts_with('!');
        if (must_be_none) word.remove_prefix(1);
        const size_t equals = word.find('=');
        const std::string_view keyword = word.substr(0, equals);
        all.push_back({keyword,
                       equals == std::string_view::npos ? keyword : word.substr(equals + 1),
                       must_be_none});
    }
    return all;
}

/// mean, sum and none are numbers in ATen.
Operand reduction_of(const Operand& operand) {
    constexpr std::array<std::string_view, 3> kWords = {"none", "mean", "sum"};
    const auto found = std::ranges::find(kWords, operand.number->text);
    return found == kWords.end() ? operand
                                 : Operand::of(static_cast<int64_t>(found - kWords.begin()));
}

/// "torch.float16" is float16.
Operand plain_dtype(const Operand& operand) {
    std::string name = operand.number->text.substr(operand.number->text.rfind('.') + 1);
    if (name == "half") name = "float16";
    if (name == "float") name = "float32";
    if (name == "double") name = "float64";
    if (name == "long") name = "int64";
    return Operand::of(std::move(name));
}

bool is_list_of_tensors(const Operand& operand) {
    return !operand.list.empty() && std::ranges::all_of(operand.list, [](const Operand& each) {
        return each.tensor.has_value();
    });
}

Operand list_of_numbers(const Operand& operand, const Argument& argument) {
    std::vector<double> values = operand.numbers().value_or(std::vector<double>());
    if (values.size() == 1 && argument.repeat > 1) values.resize(argument.repeat, values[0]);
    Operand list = Operand::of(std::vector<int64_t>(values.begin(), values.end()));
    list.number->numbers = std::move(values);
    return list;
}

std::optional<Operand> mask_of(const Operand& operand) {
    Operand mask = Operand::of(std::vector<int64_t>());
    mask.number->is_bool = true;
    for (const Operand& each : operand.list) {
        if (!each.is_number() || !each.number->is_bool) return std::nullopt;
        mask.number->numbers.push_back(each.number->numbers.front());
    }
    return mask;
}

/// In the form that the argument wants; empty where it does not take it. `lenient`: a number may
/// stand for a tensor.
std::optional<Operand> fitted(const Argument& argument, const Operand& operand, bool lenient) {
    const bool is_number = operand.is_number();
    switch (argument.kind) {
        case ArgumentKind::kTensor:
            if (operand.tensor || (lenient && is_number)) return operand;
            return std::nullopt;
        case ArgumentKind::kTensorList:
            if (is_list_of_tensors(operand)) return operand;
            return std::nullopt;
        case ArgumentKind::kInt:
            if (operand.is_text() && argument.name == "reduction") {
                Operand number = reduction_of(operand);
                if (number.is_number()) return number;
            }
            if (operand.is_whole()) return operand;
            return std::nullopt;
        case ArgumentKind::kBool:
            if (is_number && operand.number->is_bool) return operand;
            return std::nullopt;
        case ArgumentKind::kFloat:
        case ArgumentKind::kScalar:
            if (is_number) return operand;
            return std::nullopt;
        case ArgumentKind::kIntList:
        case ArgumentKind::kFloatList:
            if (operand.numbers()) return list_of_numbers(operand, argument);
            return std::nullopt;
        case ArgumentKind::kDType:
            if (operand.is_text()) return plain_dtype(operand);
            return std::nullopt;
        case ArgumentKind::kString:
            if (operand.is_text()) return operand;
            return std::nullopt;
        case ArgumentKind::kBoolMask:
            return mask_of(operand);
        case ArgumentKind::kIgnored:
            return Operand();
    }
    return std::nullopt;
}

/// Why the op does not take them, or the call.
std::variant<ApiCall, std::string> bound(const Op& op,
                                         const std::vector<NamedOperand>& given,
                                         bool lenient) {
    ApiCall call{.op = &op};
    for (const NamedOperand& each : given) {
        if (each.value.is_none()) continue;
        const bool known = std::ranges::any_of(
            op.schema.arguments, [&](const Argument& own) { return own.name == each.name; });
        if (!known) return "it has no " + each.name;
    }
    for (const Argument& argument : op.schema.arguments) {
        const auto own = std::ranges::find_if(given, [&](const NamedOperand& each) {
            return each.name == argument.name && !each.value.is_none();
        });
        if (own == given.end()) {
            if (argument.has_default || argument.optional ||
                argument.kind == ArgumentKind::kIgnored || argument.kind == ArgumentKind::kBoolMask)
                continue;
            return argument.name + " is not recorded";
        }
        std::optional<Operand> value = fitted(argument, own->value, lenient);
        if (!value) return argument.name + " is of another kind";
        if (!value->is_none()) call.arguments.push_back({argument.name, *std::move(value)});
    }
    return call;
}

/// x.view(2, 3): all that follow are one list.
bool takes_all_as_list(const Op& op, const Operands& operands) {
    const auto& arguments = op.schema.arguments;
    if (arguments.size() < 2 || arguments[1].kind != ArgumentKind::kIntList ||
        operands.positional.size() < 3)
        return false;
    if (arguments.size() > 2 &&
        (arguments[2].kind == ArgumentKind::kIntList || arguments[2].kind == ArgumentKind::kInt))
        return false;
    return std::all_of(operands.positional.begin() + 1,
                       operands.positional.end(),
                       [](const Operand& each) { return each.is_whole(); });
}

std::vector<NamedOperand> named_by_schema(const Op& op, const Operands& operands) {
    const auto& arguments = op.schema.arguments;
    const auto has = [&](std::string_view name) {
        return std::ranges::any_of(arguments,
                                   [&](const Argument& own) { return own.name == name; });
    };
    std::vector<NamedOperand> all;
    if (takes_all_as_list(op, operands)) {
        all.push_back({arguments[0].name, operands.positional[0]});
        Operand list;
        list.list.assign(operands.positional.begin() + 1, operands.positional.end());
        all.push_back({arguments[1].name, std::move(list)});
    } else {
        for (size_t i = 0; i < operands.positional.size(); ++i)
            all.push_back(
                {i < arguments.size() ? arguments[i].name : "argument " + std::to_string(i),
                 operands.positional[i]});
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOtherWords = {
        {{"input", "self"}, {"axis", "dim"}, {"keepdims", "keepdim"}, {"x", "self"}}};
    for (const auto& [keyword, value] : operands.keywords) {
        std::string name = keyword;
        for (const auto& [word, other] : kOtherWords)
            if (name == word && !has(word) && has(other)) name = other;
        if (name != "inplace") all.push_back({std::move(name), value});
    }
    return all;
}

}  // namespace

Operand ApiCall::argument(std::string_view name) const {
    const auto found = std::ranges::find(arguments, name, &NamedOperand::name);
    return found == arguments.end() ? Operand() : found->value;
}

SourceOp ApiCall::as_source(const SourceOp& record) const {
    struct Parts {
        std::vector<SourceTensor> tensors;
        SideFacts facts;
    };
    const auto parts = std::make_shared<Parts>();
    const auto add = [&](SourceTensor tensor, const std::string& name) {
        tensor.direction = dumpfile::Direction::kInput;
        tensor.name = name;
        parts->tensors.push_back(std::move(tensor));
    };
    for (const auto& [name, value] : arguments) {
        if (value.tensor) {
            add(*value.tensor, name);
        } else if (value.number) {
            PlainArgument number = *value.number;
            number.name = number.recorded = name;
            parts->facts.arguments.push_back(std::move(number));
        } else {
            const std::string of_list = std::string(name).append("/").append(name).append("_");
            for (size_t i = 0; i < value.list.size(); ++i)
                if (value.list[i].tensor) add(*value.list[i].tensor, of_list + std::to_string(i));
        }
    }
    std::ranges::copy(results, std::back_inserter(parts->tensors));
    SourceOp source{.id = record.id,
                    .path = record.path,
                    .load = [parts] { return parts->tensors; },
                    .facts = [parts] { return parts->facts; }};
    source.computes = op->name();
    return source;
}

ApiCall bind_named(std::string_view base_name, const std::vector<NamedOperand>& arguments) {
    std::string why = "there is no op of this name";
    for (const bool lenient : {false, true})
        for (const Op* op : overloads_of(base_name)) {
            auto tried = bound(*op, arguments, lenient);
            if (auto* call = std::get_if<ApiCall>(&tried)) return std::move(*call);
            why = std::get<std::string>(std::move(tried));
        }
    not_computed(std::string(base_name) + ": " + why);
}

ApiCall bind_to(const backend::Op& op, const std::vector<NamedOperand>& arguments) {
    auto tried = bound(op, arguments, true);
    if (auto* call = std::get_if<ApiCall>(&tried)) return std::move(*call);
    not_computed(op.name() + ": " + std::get<std::string>(tried));
}

std::vector<NamedOperand> named(const ApiName& row, const Operands& operands) {
    const std::vector<Parameter> parameters = parameters_of(row);
    std::vector<NamedOperand> all;
    const auto add = [&](const Parameter& parameter, const Operand& value) {
        if (value.is_none()) return;
        if (parameter.must_be_none)
            not_computed(std::string(row.api) + ": " + std::string(parameter.keyword) +
                         " is not computed");
        all.push_back({std::string(parameter.name), value});
    };
    for (size_t i = 0; i < operands.positional.size(); ++i) {
        if (i >= parameters.size())
            not_computed(std::string(row.api) + ": " +
                         "it takes fewer arguments than were recorded");
        add(parameters[i], operands.positional[i]);
    }
    for (const auto& [keyword, value] : operands.keywords) {
        const auto found =
            std::ranges::find_if(parameters, [&name = keyword](const Parameter& each) {
                return each.keyword == name || each.name == name;
            });
        add(found != parameters.end() ? *found : Parameter{keyword, keyword}, value);
    }
    for (std::string_view rest = row.defaults; !rest.empty();) {
        const std::string_view word = next_word(rest);
        const std::string name(word.substr(0, word.find('=')));
        if (std::ranges::find(all, name, &NamedOperand::name) == all.end())
            all.push_back({name, Operand::parse(std::string(word.substr(word.find('=') + 1)))});
    }
    return all;
}

ApiCall bind_call(std::string_view base_name, const ApiName* row, const Operands& operands) {
    if (row != nullptr && !(row->arguments.empty() && row->defaults.empty())) {
        std::vector<NamedOperand> arguments = named(*row, operands);
        // What the op does not have changes nothing: `inplace`, `return_indices`.
        const auto ops = overloads_of(base_name);
        const std::vector<Parameter> parameters = parameters_of(*row);
        std::erase_if(arguments, [&](const NamedOperand& each) {
            const bool is_parameter =
                std::ranges::find(parameters, each.name, &Parameter::name) != parameters.end();
            const bool is_known = std::ranges::any_of(ops, [&](const Op* op) {
                return std::ranges::find(op->schema.arguments, each.name, &Argument::name) !=
                       op->schema.arguments.end();
            });
            return is_parameter && !is_known;
        });
        return bind_named(base_name, arguments);
    }
    std::string why = "there is no op of this name";
    for (const bool lenient : {false, true})
        for (const Op* op : overloads_of(base_name)) {
            auto tried = bound(*op, named_by_schema(*op, operands), lenient);
            if (auto* call = std::get_if<ApiCall>(&tried)) return std::move(*call);
            why = std::get<std::string>(std::move(tried));
        }
    not_computed(std::string(base_name) + ": " + why);
}

void take_results(ApiCall& call, std::vector<SourceTensor> outputs) {
    const auto& results = call.op->schema.results;
    const bool is_list = results.size() == 1 && results[0].kind == ArgumentKind::kTensorList;
    for (size_t i = 0; i < outputs.size(); ++i) {
        SourceTensor& output = outputs[i];
        const std::string& own = output.name.empty() ? output.argument : output.name;
        const bool numbered = own.find_first_not_of("0123456789") == std::string::npos;
        const size_t index = numbered ? std::stoul("0" + own) : i;
        const auto by_name = std::ranges::find(results, own, &Argument::name);
        if (is_list) {
            output.name = results[0].name + "/" + results[0].name + "_" + std::to_string(index);
        } else if (by_name != results.end()) {
            output.name = own;
        } else if (index < results.size()) {
            output.name = results[index].name;
        } else {
            continue;
        }
        if (!call.result_shape.empty() && call.results.empty())
            output = reshaped(std::move(output), call.result_shape);
        call.results.push_back(std::move(output));
    }
}

}  // namespace npuscope::diagnose
