#include "core/recording/plain_arguments.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dtype/extremes.h"
#include "core/naming/aliases.h"
#include "core/naming/ir_name.h"

namespace npuscope {

namespace {

/// More elements of a list are not shown.
constexpr size_t kMostShown = 8;

bool is_of(const dumpfile::Entry& entry, SaveType type) {
    return entry.save_type == static_cast<int64_t>(type);
}

PlainArgument read_argument(const dumpfile::Reader& reader, const dumpfile::Entry& entry) {
    PlainArgument argument{.name = entry.argument, .recorded = entry.argument};
    const Tensor stored = reader.read_stored(entry);
    argument.is_list = stored.ndim() > 0;
    argument.is_whole = !is_float(stored.dtype());
    argument.is_bool = is_of(entry, SaveType::kBool) || is_of(entry, SaveType::kBoolMask);
    for (int64_t i = 0; i < stored.numel(); ++i)
        argument.numbers.push_back(stored.at(i));
    if (is_of(entry, SaveType::kDType) && argument.numbers.size() == 1) {
        const auto dtype = dtype_from_dump_code(static_cast<int>(argument.numbers[0]));
        argument.text = dtype ? std::string(name_of(*dtype)) : "another dtype";
        argument.numbers.clear();
    }
    return argument;
}

bool are_equal(double one, double other) {
    if (std::isnan(one) || std::isnan(other)) return std::isnan(one) && std::isnan(other);
    return one == other || static_cast<float>(one) == static_cast<float>(other) ||
           are_extremes(one, other);
}

bool are_equal(const PlainArgument& one, const PlainArgument& other) {
    if (one.text.empty() != other.text.empty()) return false;
    if (!one.text.empty()) return one.text == other.text;
    return std::equal(one.numbers.begin(),
                      one.numbers.end(),
                      other.numbers.begin(),
                      other.numbers.end(),
                      [](double a, double b) { return are_equal(a, b); });
}

/// Six digits, or with `exact` as many as tell the number from all others.
std::string value_text(const PlainArgument& argument, bool exact) {
    if (!argument.text.empty()) return argument.text;
    std::string text;
    for (size_t i = 0; i < std::min(argument.numbers.size(), kMostShown); ++i) {
        const double number = argument.numbers[i];
        text += i == 0 ? "" : ",";
        if (argument.is_bool) {
            text += number != 0 ? "true" : "false";
        } else {
            text += exact ? fmt::format("{}", number) : fmt::format("{:g}", number);
        }
    }
    if (argument.numbers.size() > kMostShown) text += ",…";
    return argument.is_list ? "[" + text + "]" : text;
}

ArgumentDifference difference_of(const PlainArgument& target, const PlainArgument& golden) {
    ArgumentDifference found{target.name, value_text(target, false), value_text(golden, false)};
    if (found.target == found.golden)
        found = {target.name, value_text(target, true), value_text(golden, true)};
    return found;
}

}  // namespace

std::string plain_text(const std::string& text) {
    constexpr std::string_view kTorch = "torch.";
    const bool is_dtype = text.starts_with(kTorch) &&
                          dtype_from_name(std::string_view(text).substr(kTorch.size())).has_value();
    return is_dtype ? text.substr(kTorch.size()) : text;
}

bool is_address(const std::string& text) {
    return text.starts_with('<') && text.find(" at 0x") != std::string::npos;
}

std::string to_text(const std::vector<ArgumentDifference>& differences) {
    std::string text;
    for (const ArgumentDifference& each : differences) {
        // A place says that it is one: "argument 1 is 0.5, golden 0.99".
        const bool is_place = std::ranges::all_of(
            each.name, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
        const std::string name = is_place ? "argument " + each.name + " is" : each.name;
        text += (text.empty() ? "" : "; ") + name + " " + each.target + ", golden " + each.golden;
    }
    return text;
}

std::vector<PlainArgument> plain_arguments(const dumpfile::Reader& reader,
                                           const dumpfile::OpEntry& op,
                                           const dumpfile::OpFacts& facts) {
    std::vector<PlainArgument> arguments;
    const Alias* alias = find_alias(ir_name(op.id.op));
    for (const dumpfile::Entry& entry : op.entries) {
        if (entry.is_tensor() || entry.direction != dumpfile::Direction::kInput ||
            !entry.save_type || !entry.stored.dtype || entry.stored.null_space)
            continue;
        try {
            arguments.push_back(read_argument(reader, entry));
        } catch (const Error&) {
            continue;
        }
    }
    for (const auto& [argument, word] : facts.words)
        arguments.push_back({.name = argument, .recorded = argument, .text = word});
    for (PlainArgument& argument : arguments)
        argument.name = canonical_argument(alias, argument.name);
    return arguments;
}

std::vector<ArgumentDifference> one_sided_arguments(const std::vector<PlainArgument>& target,
                                                    const std::vector<PlainArgument>& golden) {
    constexpr const char* kNotGiven = "not given";
    const auto lacks = [](const std::vector<PlainArgument>& side, const PlainArgument& argument) {
        return std::ranges::none_of(
            side, [&](const PlainArgument& each) { return each.name == argument.name; });
    };
    std::vector<ArgumentDifference> found;
    for (const PlainArgument& mine : target)
        if (lacks(golden, mine)) found.push_back({mine.name, value_text(mine, false), kNotGiven});
    for (const PlainArgument& theirs : golden)
        if (lacks(target, theirs))
            found.push_back({theirs.name, kNotGiven, value_text(theirs, false)});
    return found;
}

std::vector<ArgumentDifference> differing_arguments(const std::vector<PlainArgument>& target,
                                                    const std::vector<PlainArgument>& golden) {
    std::vector<ArgumentDifference> differences;
    for (const PlainArgument& mine : target) {
        const auto theirs = std::find_if(
            golden.begin(), golden.end(), [&](const auto& each) { return each.name == mine.name; });
        if (theirs != golden.end() && !are_equal(mine, *theirs))
            differences.push_back(difference_of(mine, *theirs));
    }
    return differences;
}

}  // namespace npuscope
