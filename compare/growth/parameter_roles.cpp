#include "compare/growth/parameter_roles.h"

#include <algorithm>

#include "compare/growth/module_names.h"

namespace npuscope::compare {

namespace {

bool is_of_module(const OpResult& op) {
    const std::string& name = op.id.op;
    return !names_parameter(name) && !names_gradient(name) && !names_state(name);
}

}  // namespace

std::vector<ParameterRole> parameter_roles(const Result& result) {
    std::vector<ParameterRole> roles(result.ops.size(), ParameterRole::kNone);
    const bool are_alone = holds_parameters_alone(result);
    const auto last = std::ranges::find_if(result.ops.rbegin(), result.ops.rend(), is_of_module);
    const auto modules_end = static_cast<size_t>(result.ops.rend() - last);
    bool behind_gradient = false;
    for (size_t place = 0; place < roles.size(); ++place) {
        const std::string& name = result.ops[place].id.op;
        behind_gradient = behind_gradient || names_gradient(name);
        if (!names_parameter(name)) continue;
        roles[place] = are_alone              ? ParameterRole::kGiven
                       : place >= modules_end ? ParameterRole::kLast
                       : behind_gradient      ? ParameterRole::kUpdated
                                              : ParameterRole::kGiven;
    }
    return roles;
}

bool holds_parameters_alone(const Result& result) {
    const auto is_other = [](const OpResult& op) {
        return op.is_pair() && !names_parameter(op.id.op);
    };
    return std::ranges::any_of(result.ops, &OpResult::is_pair) &&
           std::ranges::none_of(result.ops, is_other);
}

}  // namespace npuscope::compare
