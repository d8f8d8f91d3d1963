#include "diagnose/apis/operand.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace npuscope::diagnose {

namespace {

/// A recorded list is no longer than that.
constexpr size_t kLongest = 4096;

std::optional<size_t> index_in(const std::string& text) {
    size_t index = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (problem != std::errc() || end != text.data() + text.size() || index >= kLongest)
        return std::nullopt;
    return index;
}

Operand& element(std::vector<Operand>& list, size_t index) {
    if (index >= list.size()) list.resize(index + 1);
    return list[index];
}

/// Where "3.0" or "weight" or "size.1" goes.
Operand& place_of(Operands& operands, const std::string& path) {
    const size_t dot = path.find('.');
    const std::string first = path.substr(0, dot);
    const auto position = index_in(first);
    Operand* place =
        position ? &element(operands.positional, *position) : &operands.keywords[first];
    std::string rest = dot == std::string::npos ? "" : path.substr(dot + 1);
    while (!rest.empty()) {
        const size_t next = rest.find('.');
        const auto index = index_in(rest.substr(0, next));
        place = &element(place->list, index.value_or(place->list.size()));
        rest = next == std::string::npos ? "" : rest.substr(next + 1);
    }
    return *place;
}

/// A function that returns a list has one result: its elements are numbered below it.
void flatten(std::vector<SourceTensor>& outputs) {
    const auto is_below = [](const SourceTensor& each) {
        return each.argument.starts_with("0.") && index_in(each.argument.substr(2));
    };
    if (outputs.empty() || !std::ranges::all_of(outputs, is_below)) return;
    for (SourceTensor& each : outputs)
        each.name = each.argument.substr(2);
}

}  // namespace

bool Operand::is_whole() const {
    if (!is_number() || number->is_bool) return false;
    const double value = number->numbers.front();
    return number->is_whole || (std::isfinite(value) && value == std::floor(value));
}

std::optional<std::vector<double>> Operand::numbers() const {
    if (number && number->text.empty() && !number->is_bool) return number->numbers;
    if (list.empty()) return std::nullopt;
    std::vector<double> all;
    for (const Operand& each : list) {
        if (!each.is_number() || each.number->is_bool) return std::nullopt;
        all.push_back(each.number->numbers.front());
    }
    return all;
}

Operand Operand::of(SourceTensor tensor) {
    Operand operand;
    operand.tensor = std::move(tensor);
    return operand;
}

Operand Operand::of(double value) {
    Operand operand;
    operand.number = PlainArgument{.name = {}, .numbers = {value}};
    return operand;
}

Operand Operand::of(int64_t value) {
    Operand operand = of(static_cast<double>(value));
    operand.number->is_whole = true;
    return operand;
}

Operand Operand::of(bool truth) {
    Operand operand = of(truth ? 1.0 : 0.0);
    operand.number->is_bool = true;
    return operand;
}

Operand Operand::of(std::string text) {
    Operand operand;
    operand.number = PlainArgument{.name = {}, .text = std::move(text)};
    return operand;
}

Operand Operand::of(const std::vector<int64_t>& values) {
    Operand operand;
    operand.number = PlainArgument{
        .name = {}, .numbers = {values.begin(), values.end()}, .is_list = true, .is_whole = true};
    return operand;
}

Operand Operand::parse(const std::string& text) {
    if (text == "true" || text == "false") return of(text == "true");
    std::vector<double> values;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at < end) {
        double value = 0;
        const auto [next, problem] = std::from_chars(at, end, value);
        if (problem != std::errc()) return of(text);
        if (next < end && *next != ',') return of(text);
        values.push_back(value);
        at = next < end ? next + 1 : end;
    }
    const bool whole = text.find_first_of(".e") == std::string::npos;
    if (values.size() > 1) return of(std::vector<int64_t>(values.begin(), values.end()));
    return whole ? of(static_cast<int64_t>(values.front())) : of(values.front());
}

Operands operands_of(const SourceOp& record) {
    Operands operands;
    for (SourceTensor& tensor : record.load()) {
        if (tensor.direction == dumpfile::Direction::kOutput) {
            operands.outputs.push_back(std::move(tensor));
        } else {
            Operand& place = place_of(operands, tensor.argument);
            place.tensor = std::move(tensor);
        }
    }
    flatten(operands.outputs);
    if (!record.facts) return operands;
    for (PlainArgument& argument : record.facts().arguments) {
        Operand& place = place_of(operands, argument.name);
        place.number = std::move(argument);
    }
    return operands;
}

}  // namespace npuscope::diagnose
