// Options of `msaccucmp compare`, and the checks that the reference tool makes before it starts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "msaccucmp/base/arguments.h"
#include "msaccucmp/base/log.h"

namespace npuscope::msaccucmp {

struct CompareOptions {
    std::string my_path;
    std::string golden_path;
    std::string fusion_rule_file;
    std::string quant_fusion_rule_file;
    std::string close_fusion_rule_file;
    std::string output_path;
    std::string custom_script_path;
    std::string algorithm_options;
    std::string algorithm = "all";
    std::optional<std::string> op_name;
    std::optional<std::string> output_tensor;  ///< with -op: the index as it was written
    std::optional<std::string> input_tensor;
    std::optional<std::string> range;
    std::optional<std::string> select;
    std::optional<int> post_process;
    std::optional<int> max_line;
    int max_cmp_size = 0;  ///< elements; 0: all
    int topn = 20;
    bool ignore_single_op_result = false;
    bool mapping = false;
    bool overflow_detection = false;
    bool ffts = false;
    bool has_sequence_column = false;  ///< -r or -s was written out
    bool advisor = false;
    int version = 2;
};

/// `arguments` are those after `compare`. `is_list` of -alg depends on them, hence the argument.
[[nodiscard]] std::vector<OptionSpec> compare_option_specs(std::span<const std::string> arguments);

/// Parses and checks what can be checked without looking at the files. Errors: CommandError, with
/// the exit code of the reference tool; HelpAsked.
[[nodiscard]] CompareOptions parse_compare_options(std::span<const std::string> arguments,
                                                   Log& log);

/// Numbers of the algorithms that -alg names, in column order; those after the built-in ones stand
/// for `custom` names. Unknown names are logged and dropped. Errors:
/// CommandError(kInvalidParameter) empty, (kInvalidAlgorithm) none left.
[[nodiscard]] std::vector<int> select_algorithms(const std::string& text,
                                                 Log& log,
                                                 std::span<const std::string> custom = {});

/// Values by algorithm and key.
using AlgorithmParameters = std::map<std::string, std::map<std::string, std::string>>;

/// Reads -a, "name:key=value,key=value;name:…", where a digit stands for a built-in algorithm's
/// name. The built-in algorithms take no parameters. Errors: CommandError(kInvalidParameter).
[[nodiscard]] AlgorithmParameters parse_algorithm_options(const std::string& text);

}  // namespace npuscope::msaccucmp
