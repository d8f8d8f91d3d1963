#include "npu_backend/ops/schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/error.h"

namespace npuscope::backend {

namespace {

struct TypeName {
    std::string_view text;
    ArgumentKind kind;
};
constexpr auto kTypeNames = std::to_array<TypeName>({
    {"Tensor[]", ArgumentKind::kTensorList},
    {"Tensor?[]", ArgumentKind::kTensorList},
    {"Tensor", ArgumentKind::kTensor},
    {"int[]", ArgumentKind::kIntList},
    {"int", ArgumentKind::kInt},
    {"float[]", ArgumentKind::kFloatList},
    {"float", ArgumentKind::kFloat},
    {"bool[]", ArgumentKind::kBoolMask},
    {"bool", ArgumentKind::kBool},
    {"Scalar", ArgumentKind::kScalar},
    {"ScalarType", ArgumentKind::kDType},
    {"str", ArgumentKind::kString},
    {"Layout", ArgumentKind::kIgnored},
    {"Device", ArgumentKind::kIgnored},
    {"MemoryFormat", ArgumentKind::kIgnored},
    {"Generator", ArgumentKind::kIgnored},
});

[[noreturn]] void bad_line(std::string_view line, const std::string& what) {
    throw Error(ErrorKind::kInternal, "schema '" + std::string(line) + "': " + what);
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

/// Splits at commas outside brackets.
std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            const std::string_view part = trimmed(text.substr(begin, i - begin));
            if (!part.empty()) parts.push_back(part);
            begin = i + 1;
        } else if (text[i] == '[' || text[i] == '(') {
            ++depth;
        } else if (text[i] == ']' || text[i] == ')') {
            --depth;
        }
    }
    return parts;
}

void parse_type(std::string_view line, std::string_view text, Argument& argument) {
    if (text.ends_with('?')) {
        argument.optional = true;
        text.remove_suffix(1);
    }
    std::string plain(text);
    if (const size_t open = plain.find('['); open != std::string::npos) {
        std::from_chars(plain.data() + open + 1, plain.data() + plain.size(), argument.repeat);
        plain = plain.substr(0, open) + "[]";
    }
    for (const TypeName& row : kTypeNames)
        if (row.text == plain) {
            argument.kind = row.kind;
            return;
        }
    bad_line(line, "unknown type '" + plain + "'");
}

template <class Number>
Number parse_number(std::string_view line, std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        bad_line(line, "unreadable default '" + std::string(text) + "'");
    return number;
}

Value parse_default(std::string_view line, std::string_view text, const Argument& argument) {
    if (text == "None") return {};
    switch (argument.kind) {
        case ArgumentKind::kBool:
            return text == "True";
        case ArgumentKind::kInt:
            return parse_number<int64_t>(line, text);
        case ArgumentKind::kFloat:
            return parse_number<double>(line, text);
        case ArgumentKind::kScalar:
            if (text.find_first_of(".e") != std::string_view::npos)
                return Scalar{parse_number<double>(line, text)};
            return Scalar{parse_number<int64_t>(line, text)};
        case ArgumentKind::kIntList: {
            if (!text.starts_with('['))
                return IntList(argument.repeat, parse_number<int64_t>(line, text));
            IntList list;
            for (const std::string_view part : split(text.substr(1, text.size() - 2)))
                list.push_back(parse_number<int64_t>(line, part));
            return list;
        }
        case ArgumentKind::kString:
            return std::string(text.substr(1, text.size() - 2));
        default:
            bad_line(line, "no default is known for '" + argument.name + "'");
    }
}

Argument parse_argument(std::string_view line, std::string_view text) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) bad_line(line, "no name in '" + std::string(text) + "'");
    Argument argument;
    std::string_view name = trimmed(text.substr(space));
    const size_t equals = name.find('=');
    argument.name = std::string(name.substr(0, equals));
    parse_type(line, text.substr(0, space), argument);
    if (equals != std::string_view::npos) {
        argument.has_default = true;
        argument.default_value = parse_default(line, name.substr(equals + 1), argument);
    }
    return argument;
}

/// The value as the declared kind, where that loses nothing.
std::optional<Value> converted(const Argument& argument, Value value) {
    if (is_none(value)) {
        if (argument.optional || argument.kind == ArgumentKind::kIgnored) return value;
        return std::nullopt;
    }
    const auto* whole = std::get_if<int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    const auto* truth = std::get_if<bool>(&value);
    const auto* scalar = std::get_if<Scalar>(&value);
    switch (argument.kind) {
        case ArgumentKind::kTensor:
            if (std::holds_alternative<Tensor>(value)) return value;
            if (whole != nullptr) return Value(Tensor::scalar<int64_t>(*whole));
            if (real != nullptr) return Value(Tensor::scalar<double>(*real));
            return std::nullopt;
        case ArgumentKind::kTensorList:
            if (std::holds_alternative<TensorList>(value)) return value;
            return std::nullopt;
        case ArgumentKind::kInt:
            if (whole != nullptr) return value;
            if (scalar != nullptr && std::holds_alternative<int64_t>(scalar->number))
                return Value(std::get<int64_t>(scalar->number));
            return std::nullopt;
        case ArgumentKind::kFloat:
            if (real != nullptr) return value;
            if (whole != nullptr) return Value(static_cast<double>(*whole));
            if (scalar != nullptr) return Value(scalar->to_double());
            return std::nullopt;
        case ArgumentKind::kBool:
            if (truth != nullptr) return value;
            if (whole != nullptr && (*whole == 0 || *whole == 1)) return Value(*whole == 1);
            return std::nullopt;
        case ArgumentKind::kScalar:
            if (scalar != nullptr) return value;
            if (whole != nullptr) return Value(Scalar{*whole});
            if (real != nullptr) return Value(Scalar{*real});
            if (truth != nullptr) return Value(Scalar{*truth});
            return std::nullopt;
        case ArgumentKind::kIntList:
            if (whole != nullptr && argument.repeat != 0)
                return Value(IntList(argument.repeat, *whole));
            if (std::holds_alternative<IntList>(value)) return value;
            return std::nullopt;
        case ArgumentKind::kBoolMask:
            if (std::holds_alternative<BoolMask>(value)) return value;
            return std::nullopt;
        case ArgumentKind::kDType:
            if (std::holds_alternative<DType>(value)) return value;
            return std::nullopt;
        case ArgumentKind::kString:
            if (std::holds_alternative<std::string>(value)) return value;
            return std::nullopt;
        case ArgumentKind::kFloatList:
            if (std::holds_alternative<FloatList>(value)) return value;
            if (const auto* list = std::get_if<IntList>(&value))
                return Value(FloatList(list->begin(), list->end()));
            return std::nullopt;
        case ArgumentKind::kIgnored:
            return value;
    }
    __builtin_unreachable();
}

std::string_view described(ArgumentKind kind) {
    for (const TypeName& row : kTypeNames)
        if (row.kind == kind) return row.text;
    return "value";
}

Value accept(const Schema& schema, const Argument& argument, Value value) {
    std::optional<Value> result = converted(argument, std::move(value));
    if (!result)
        throw Error(ErrorKind::kUsage,
                    schema.name + ": argument '" + argument.name + "' must be " +
                        std::string(described(argument.kind)) +
                        (argument.optional ? " or None" : ""));
    return *std::move(result);
}

/// The widest float dtype of the tensors, those with dimensions before those without.
std::optional<DType> widest_float(const NamedValues& values, bool with_dimensions) {
    std::optional<DType> widest;
    for_each_tensor(values, [&](const std::string&, const Tensor& tensor) {
        if (is_float(tensor.dtype()) && (tensor.ndim() > 0) == with_dimensions &&
            (!widest || size_of(tensor.dtype()) > size_of(*widest)))
            widest = tensor.dtype();
    });
    return widest;
}

/// Real numbers given for tensors: float64 beside float64 tensors, else float32; the dtype of the
/// others where none has dimensions. Source: PyTorch, type promotion of numbers.
void settle_numbers(NamedValues& bound, const std::vector<size_t>& numbers) {
    if (numbers.empty()) return;
    std::vector<Tensor> given;
    for (const size_t i : numbers) {
        given.push_back(std::get<Tensor>(bound[i].value));
        bound[i].value = Value();
    }
    DType dtype = DType::kFloat32;
    if (const std::optional<DType> tensors = widest_float(bound, true))
        dtype = *tensors == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
    else if (const std::optional<DType> scalars = widest_float(bound, false))
        dtype = *scalars;
    for (size_t i = 0; i < numbers.size(); ++i)
        bound[numbers[i]].value = given[i].cast(dtype);
}

bool is_number_for_tensor(const Argument& argument, const Value& value) {
    return argument.kind == ArgumentKind::kTensor && std::holds_alternative<double>(value);
}

Value missing(const Schema& schema, const Argument& argument) {
    if (argument.has_default) return argument.default_value;
    if (argument.optional) return {};
    throw Error(ErrorKind::kUsage, schema.name + ": argument '" + argument.name + "' is missing");
}

}  // namespace

Schema Schema::parse(std::string_view line) {
    const size_t open = line.find('(');
    const size_t arrow = line.find(") -> ");
    if (open == std::string_view::npos || arrow == std::string_view::npos)
        bad_line(line, "expected name(arguments) -> results");
    Schema schema;
    schema.name = std::string(line.substr(0, open));
    for (char& letter : schema.name)
        if (letter == '.') letter = '_';
    for (const std::string_view part : split(line.substr(open + 1, arrow - open - 1)))
        if (part != "*") schema.arguments.push_back(parse_argument(line, part));
    std::string_view results = trimmed(line.substr(arrow + 5));
    const bool tuple = results.starts_with('(');
    if (tuple) results = results.substr(1, results.size() - 2);
    for (const std::string_view part : split(results)) {
        Argument result;
        const size_t space = part.find(' ');
        parse_type(line, part.substr(0, space), result);
        if (space != std::string_view::npos)
            result.name = std::string(trimmed(part.substr(space)));
        else
            result.name = tuple ? "result" + std::to_string(schema.results.size()) : "result";
        schema.results.push_back(std::move(result));
    }
    return schema;
}

NamedValues Schema::bind(std::vector<Value> positional) const {
    if (positional.size() > arguments.size())
        throw Error(ErrorKind::kUsage,
                    name + " takes " + std::to_string(arguments.size()) + " arguments, not " +
                        std::to_string(positional.size()));
    NamedValues bound;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < positional.size(); ++i)
        if (is_number_for_tensor(arguments[i], positional[i])) numbers.push_back(i);
    for (size_t i = 0; i < arguments.size(); ++i)
        bound.push_back({arguments[i].name,
                         i < positional.size()
                             ? accept(*this, arguments[i], std::move(positional[i]))
                             : missing(*this, arguments[i])});
    settle_numbers(bound, numbers);
    return bound;
}

NamedValues Schema::bind_named(NamedValues named) const {
    for (const NamedValue& item : named) {
        const bool known = std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) {
            return a.name == item.name;
        });
        if (!known) throw Error(ErrorKind::kUsage, name + " has no argument '" + item.name + "'");
    }
    NamedValues bound;
    std::vector<size_t> numbers;
    for (const Argument& argument : arguments) {
        Value* given = nullptr;
        for (NamedValue& item : named)
            if (item.name == argument.name) given = &item.value;
        if (given != nullptr && is_number_for_tensor(argument, *given))
            numbers.push_back(bound.size());
        bound.push_back({argument.name,
                         given != nullptr ? accept(*this, argument, std::move(*given))
                                          : missing(*this, argument)});
    }
    settle_numbers(bound, numbers);
    return bound;
}

}  // namespace npuscope::backend
