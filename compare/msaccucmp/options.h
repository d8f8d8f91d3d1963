// Options of `msaccucmp compare`, and the checks that the reference tool makes before it starts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/msaccucmp/arguments.h"
#include "compare/msaccucmp/log.h"

namespace npuscope::compare::msaccucmp {

struct CompareOptions {
    std::string my_path;
    std::string golden_path;
    std::string fusion_rule_file;
    std::string quant_fusion_rule_file;
    std::string output_path;
    std::string custom_script_path;
    std::string algorithm_options;
    std::string algorithm = "all";
    std::optional<std::string> op_name;
    std::optional<int> post_process;
    bool mapping = false;
    bool advisor = false;
    int version = 2;
};

/// `arguments` are those after `compare`. `is_list` of -alg depends on them, hence the argument.
[[nodiscard]] std::vector<OptionSpec> compare_option_specs(std::span<const std::string> arguments);

/// Parses and checks what can be checked without looking at the files. Errors: CommandError, with
/// the exit code of the reference tool; HelpAsked.
[[nodiscard]] CompareOptions parse_compare_options(std::span<const std::string> arguments,
                                                   Log& log);

/// Numbers of the algorithms that -alg names, in column order; unknown names are logged and
/// dropped. Errors: CommandError(kInvalidParameter) empty, (kInvalidAlgorithm) none left.
[[nodiscard]] std::vector<int> select_algorithms(const std::string& text, Log& log);

/// Checks -a, "name:key=value,key=value;name:…". The built-in algorithms take no parameters.
/// Errors: CommandError(kInvalidParameter).
void check_algorithm_options(const std::string& text);

}  // namespace npuscope::compare::msaccucmp
