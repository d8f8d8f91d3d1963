#include "compare/dataflow/input_roles.h"

#include <algorithm>
#include <cctype>

#include "core/naming/api_names.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

/// Whose parameters are W, R and B in ONNX, w and b in CANN.
bool is_recurrent(std::string_view op) {
    constexpr std::string_view kRecurrent[] = {"lstm", "gru", "rnn", "dynamicrnn"};
    return std::ranges::any_of(kRecurrent, [&](std::string_view name) {
        return std::ranges::equal(op, name, {}, [](unsigned char letter) {
            return static_cast<char>(std::tolower(letter));
        });
    });
}

/// "weight" of what a record of linear takes in place 1, or a module's as "parameters.weight".
std::string_view plain_argument(std::string_view op, std::string_view argument) {
    constexpr std::string_view kOfModule = "parameters.";
    if (argument.starts_with(kOfModule)) argument.remove_prefix(kOfModule.size());
    const std::string_view named = argument_in_place(op, argument);
    return named.empty() ? argument : named;
}

bool is_bias(std::string_view op, std::string_view recorded) {
    const std::string_view argument = plain_argument(op, recorded);
    return argument.starts_with("bias") || (op == "addmm" && argument == "self") ||
           (is_recurrent(op) && (argument == "B" || argument == "b"));
}

bool is_weight(std::string_view op, std::string_view recorded) {
    const std::string_view argument = plain_argument(op, recorded);
    return argument.starts_with("weight") || argument.starts_with("params") ||
           (argument == "mat2" && (op == "mm" || op == "addmm")) ||
           (is_recurrent(op) && (argument == "W" || argument == "R" || argument == "w"));
}

}  // namespace

bool is_parameter(std::string_view op, std::string_view argument) {
    return is_weight(op, argument) || is_bias(op, argument);
}

bool takes_parameter(const Side& side, const TracedTensor& input) {
    const SourceOp& op = side.source.ops[input.op];
    if (is_parameter(op.id.op, input.argument)) return true;
    if (!is_cast(op.id.op)) return false;
    return std::ranges::any_of(side.flow.tensors, [&](const TracedTensor& taken) {
        return taken.direction == dumpfile::Direction::kInput && taken.producer &&
               side.tensor(*taken.producer).op == input.op &&
               is_parameter(side.source.ops[taken.op].id.op, taken.argument);
    });
}

bool is_running(std::string_view op, std::string_view argument) {
    return plain_argument(op, argument).starts_with("running_");
}

std::string noun_of_input(std::string_view op, std::string_view argument) {
    if (is_weight(op, argument)) return "weight";
    if (is_bias(op, argument)) return "bias";
    return is_running(op, argument) ? "buffer" : "input";
}

}  // namespace npuscope::compare
