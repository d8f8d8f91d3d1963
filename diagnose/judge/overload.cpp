#include "diagnose/judge/overload.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

namespace {

/// By name; whether it is an array of fractions, which stands for no number.
std::map<std::string, bool> recorded_arguments(const SourceOp& recorded) {
    std::map<std::string, bool> arguments;
    for (const SourceTensor& tensor : recorded.load()) {
        if (tensor.direction != dumpfile::Direction::kInput) continue;
        const auto dtype = dtype_from_name(tensor.dtype);
        const bool is_array = dtype && is_float(*dtype) && !tensor.shape.empty();
        arguments[tensor.argument.substr(0, tensor.argument.find('/'))] = is_array;
    }
    if (recorded.facts)
        for (const PlainArgument& argument : recorded.facts().arguments)
            arguments.emplace(argument.recorded, false);
    return arguments;
}

bool takes(const backend::Op& op, const std::map<std::string, bool>& recorded, bool is_numbered) {
    const auto& arguments = op.schema.arguments;
    std::set<std::string> names;
    const auto fits = [&](const auto& each) {
        const std::string by_place =
            is_numbered ? schema_name(each.first, arguments) : std::string();
        const std::string& name = by_place.empty() ? each.first : by_place;
        names.insert(name);
        const auto found = std::ranges::find(arguments, name, &backend::Argument::name);
        if (found == arguments.end()) return false;
        return !each.second || found->kind == backend::ArgumentKind::kTensor ||
               found->kind == backend::ArgumentKind::kTensorList;
    };
    const auto is_there = [&](const backend::Argument& argument) {
        return argument.optional || argument.has_default || names.contains(argument.name);
    };
    return std::ranges::all_of(recorded, fits) && std::ranges::all_of(arguments, is_there);
}

}  // namespace

std::span<const backend::Op* const> overloads_of(std::string_view base_name) {
    static const auto index = [] {
        std::unordered_map<std::string_view, std::vector<const backend::Op*>> by_name;
        for (const backend::Op& op : backend::all_ops()) {
            const std::string_view schema = op.row->schema;
            by_name[schema.substr(0, schema.find_first_of(".("))].push_back(&op);
        }
        return by_name;
    }();
    const auto found = index.find(base_name);
    if (found == index.end()) return {};
    return found->second;
}

bool may_be(const backend::Op& op, const SourceOp& recorded) {
    return takes(op, recorded_arguments(recorded), is_pytorch_call(recorded));
}

const backend::Op* overload_of(const SourceOp& recorded) {
    const auto overloads = overloads_of(recorded.op());
    if (overloads.empty()) return nullptr;
    const auto arguments = recorded_arguments(recorded);
    const bool is_numbered = is_pytorch_call(recorded);
    const auto found = std::ranges::find_if(
        overloads, [&](const backend::Op* op) { return takes(*op, arguments, is_numbered); });
    return found == overloads.end() ? nullptr : *found;
}

}  // namespace npuscope::diagnose
