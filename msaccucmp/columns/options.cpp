#include "msaccucmp/columns/options.h"

#include <algorithm>

#include "core/base/words.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/columns/algorithms.h"

namespace npuscope::msaccucmp {

namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw CommandError(kInvalidParameter, message);
}

bool has(std::span<const std::string> arguments, const std::string& word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
}

bool is_digit(const std::string& text) {
    return text.size() == 1 && text[0] >= '0' && text[0] <= '9';
}

/// `-alg 3 1 2`: the second word after the option is a single digit.
bool takes_list(std::span<const std::string> arguments) {
    for (const std::string name : {"-alg", "--algorithm"}) {
        const auto at = std::find(arguments.begin(), arguments.end(), name);
        if (arguments.end() - at > 2 && is_digit(*(at + 2))) return true;
    }
    return false;
}

std::string all_algorithms() {
    std::string text;
    for (size_t i = 0; i < kAlgorithmNames.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(i) + "=" + std::string(kAlgorithmNames[i]);
    return text;
}

/// The checks on combinations of options, in the reference tool's order.
void check_combinations(const ParsedArguments& given, std::span<const std::string> arguments) {
    const auto text = [&](const std::string& key) {
        const auto at = given.find(key);
        return at == given.end() ? std::string() : at->second;
    };
    const bool op = !text("op_name").empty();
    for (const auto& [key, name] : {std::pair("range", "-r/--range"), {"select", "-s/--select"}}) {
        if (!given.contains(key)) continue;
        if (text("fusion_rule_file").empty()) refuse(std::string(name) + " needs -f.");
        if (op) refuse(std::string(name) + " and -op exclude each other.");
    }
    if (!text("range").empty() && given.contains("select"))
        refuse("-r/--range and -s/--select exclude each other.");
    if (text("max_cmp_size").starts_with('-'))
        refuse("-max/--max_cmp_size must be 0 or more, not " + text("max_cmp_size") + ".");
    if (given.contains("mapping")) {
        if (op) refuse("-op cannot be used with -map/--mapping.");
        if (!text("output").empty() || !text("input").empty())
            refuse("-i and -o cannot be used with -map/--mapping.");
        if (text("fusion_rule_file").empty() && text("quant_fusion_rule_file").empty())
            refuse("-map/--mapping needs -f or -q.");
        return;
    }
    if (given.contains("op_name")) return;
    if (given.contains("output")) refuse("-o/--output_tensor needs -op.");
    if (given.contains("input")) refuse("-i/--input_tensor needs -op.");
    if (has(arguments, "-n") || has(arguments, "--topn")) refuse("-n/--topn needs -op.");
    if (has(arguments, "--ignore_single_op_result")) refuse("--ignore_single_op_result needs -op.");
    // The reference tests the value here, and the option without a value cannot be parsed.
    if (given.contains("max_line") && (has(arguments, "-ml") || has(arguments, "--max_line")))
        refuse("-ml/--max_line needs -op.");
}

}  // namespace

std::vector<OptionSpec> compare_option_specs(std::span<const std::string> arguments) {
    using enum ValueKind;
    std::vector<OptionSpec> specs;
    add_option(
        specs, {"-m", "--my_dump_path"}, "my_dump_path", kPath, "dump of the NPU, a file or folder")
        .required = true;
    add_option(specs,
               {"-g", "--golden_dump_path"},
               "golden_dump_path",
               kPath,
               "golden dump, a file or folder")
        .required = true;
    add_option(
        specs, {"-f", "--fusion_rule_file"}, "fusion_rule_file", kPath, "fusion rules (.json)");
    add_option(specs,
               {"-q", "--quant_fusion_rule_file"},
               "quant_fusion_rule_file",
               kPath,
               "quantisation rules");
    add_option(specs,
               {"-cf", "--close_fusion_rule_file"},
               "close_fusion_rule_file",
               kPath,
               "rules unfused");
    add_option(specs,
               {"-out", "--output"},
               "output_path",
               kPath,
               "folder of the result; needed for .h5 files");
    add_option(
        specs, {"-c", "--custom_script_path"}, "custom_script_path", kPath, "custom algorithms");
    add_option(specs,
               {"-a", "--algorithm_options"},
               "algorithm_options",
               kText,
               "parameters, name:key=value,key=value;name:...");
    OptionSpec& algorithm = add_option(specs,
                                       {"-alg", "--algorithm"},
                                       "algorithm",
                                       takes_list(arguments) ? kIntegerList : kPath,
                                       "all (the default), or a list of " + all_algorithms());
    if (algorithm.kind == kIntegerList) algorithm.choices = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    add_option(
        specs, {"-map", "--mapping"}, "mapping", kFlag, "write the mapping of ops (dump folders)");
    add_option(
        specs, {"-overflow_detection"}, "overflow_detection", kFlag, "add a column (dump folders)");
    add_option(specs, {"-r", "--range"}, "range", kText, "start,end,step of ops (dump folders)");
    add_option(specs, {"-s", "--select"}, "select", kText, "indexes of ops (dump folders)");
    add_option(specs,
               {"-p", "--post_process"},
               "post_process",
               kInteger,
               "1 writes rows of low cosine and their tensors apart (.h5 files)")
        .choices = {0, 1};
    add_option(specs,
               {"-max", "--max_cmp_size"},
               "max_cmp_size",
               kInteger,
               "first elements only (dump folders)");
    add_option(specs, {"-advisor"}, "advisor", kFlag, "write advisor_summary.txt");
    add_option(specs, {"-v", "--version"}, "version", kInteger, "version of the dump files")
        .choices = {1, 2};
    add_option(specs, {"-op", "--op_name"}, "op_name", kText, "details of one op (dump folders)");
    add_option(specs, {"-o", "--output_tensor"}, "output", kText, "index of an output, with -op")
        .exclusive_group = 1;
    add_option(specs, {"-i", "--input_tensor"}, "input", kText, "index of an input, with -op")
        .exclusive_group = 1;
    add_option(specs, {"--ignore_single_op_result"}, "ignore_single_op_result", kFlag, "with -op");
    add_option(specs, {"-n", "--topn"}, "topn", kInteger, "with -op");
    add_option(specs, {"-ml", "--max_line"}, "max_line", kInteger, "with -op");
    add_option(specs, {"-ffts"}, "ffts", kFlag, "compare FFTS+ dumps as they are (dump folders)");
    return specs;
}

CompareOptions parse_compare_options(std::span<const std::string> arguments, Log& log) {
    const ParsedArguments given = parse_arguments(compare_option_specs(arguments), arguments);
    const auto text = [&](const std::string& key) {
        const auto at = given.find(key);
        return at == given.end() ? std::string() : at->second;
    };
    check_combinations(given, arguments);
    CompareOptions options;
    options.my_path = text("my_dump_path");
    options.golden_path = text("golden_dump_path");
    options.fusion_rule_file = text("fusion_rule_file");
    options.quant_fusion_rule_file = text("quant_fusion_rule_file");
    options.close_fusion_rule_file = text("close_fusion_rule_file");
    options.output_path = text("output_path");
    options.custom_script_path = text("custom_script_path");
    options.algorithm_options = text("algorithm_options");
    if (given.contains("algorithm")) options.algorithm = text("algorithm");
    if (given.contains("op_name")) options.op_name = text("op_name");
    if (given.contains("post_process")) options.post_process = text("post_process") == "1" ? 1 : 0;
    const auto optional_text = [&](const std::string& key) {
        return given.contains(key) ? std::optional(text(key)) : std::nullopt;
    };
    options.output_tensor = optional_text("output");
    options.input_tensor = optional_text("input");
    options.range = optional_text("range");
    options.select = optional_text("select");
    // The parser took these for integers.
    if (given.contains("max_line")) options.max_line = std::stoi(text("max_line"));
    if (given.contains("max_cmp_size")) options.max_cmp_size = std::stoi(text("max_cmp_size"));
    if (given.contains("topn")) options.topn = std::stoi(text("topn"));
    options.ignore_single_op_result = given.contains("ignore_single_op_result");
    options.overflow_detection = given.contains("overflow_detection");
    options.ffts = given.contains("ffts");
    for (const char* word : {"-r", "-s", "--range", "--select"})
        options.has_sequence_column = options.has_sequence_column || has(arguments, word);
    options.mapping = given.contains("mapping");
    options.advisor = given.contains("advisor");
    options.version = text("version") == "1" ? 1 : 2;
    if (options.version == 1) log.warning("-v 1 is treated as 2; the option will go away.");
    return options;
}

std::vector<int> select_algorithms(const std::string& text,
                                   Log& log,
                                   std::span<const std::string> custom) {
    if (text.empty()) refuse("-alg is empty; name at least one algorithm: " + all_algorithms());
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    std::vector<int> selected;
    for (const std::string& part : fields_of(text, ',')) {
        const std::string name = trimmed(part);
        if (name.empty()) continue;
        const auto known = std::find(kAlgorithmNames.begin(), kAlgorithmNames.end(), name);
        int number = is_digit(name) ? name[0] - '0' : -1;
        if (known != kAlgorithmNames.end())
            number = static_cast<int>(known - kAlgorithmNames.begin());
        const auto own = std::find(custom.begin(), custom.end(), name);
        if (number < 0 && own != custom.end())
            number =
                static_cast<int>(kAlgorithmNames.size()) + static_cast<int>(own - custom.begin());
        if (number < 0) {
            if (lower != "all")
                log.warning("There is no algorithm '" + name + "'; it is left out.");
        } else if (std::find(selected.begin(), selected.end(), number) == selected.end()) {
            selected.push_back(number);
        }
    }
    if (lower == "all") return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    if (selected.empty())
        throw CommandError(
            kInvalidAlgorithm,
            "-alg '" + text + "' names no known algorithm; known are " + all_algorithms());
    return selected;
}

AlgorithmParameters parse_algorithm_options(const std::string& text) {
    AlgorithmParameters parameters;
    for (const std::string& part : fields_of(text, ';')) {
        if (part.empty()) continue;
        const std::string problem =
            "-a '" + part + "' is not of the form name:key=value,key=value;name:...";
        const auto name_and_parameters = fields_of(part, ':');
        std::string name = trimmed(name_and_parameters[0]);
        if (name_and_parameters.size() != 2 || name.empty()) refuse(problem);
        if (is_digit(name)) name = kAlgorithmNames[static_cast<size_t>(name[0] - '0')];
        for (const std::string& parameter : fields_of(name_and_parameters[1], ',')) {
            if (trimmed(parameter).empty()) continue;
            const auto key_and_value = fields_of(parameter, '=');
            if (key_and_value.size() != 2 || trimmed(key_and_value[0]).empty() ||
                trimmed(key_and_value[1]).empty())
                refuse(problem);
            parameters[name][trimmed(key_and_value[0])] = trimmed(key_and_value[1]);
        }
    }
    return parameters;
}

}  // namespace npuscope::msaccucmp
