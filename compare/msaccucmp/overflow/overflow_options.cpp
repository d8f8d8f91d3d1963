#include "compare/msaccucmp/overflow/overflow_options.h"

namespace npuscope::compare::msaccucmp {

std::vector<OptionSpec> overflow_option_specs() {
    using enum ValueKind;
    return {{.names = {"-d", "--dump_path"},
             .key = "dump_path",
             .kind = kPath,
             .help = "folder with the dumps of an overflow run",
             .required = true,
             .choices = {}},
            {.names = {"-out", "--output"},
             .key = "output_path",
             .kind = kPath,
             .help = "folder of the results",
             .required = true,
             .choices = {}},
            {.names = {"-n", "--top_n"},
             .key = "top_n",
             .kind = kInteger,
             .help = "how many overflows, the earliest first; 1 (the default) to 5",
             .choices = {1, 2, 3, 4, 5}}};
}

OverflowOptions parse_overflow_options(std::span<const std::string> arguments) {
    const ParsedArguments given = parse_arguments(overflow_option_specs(), arguments);
    OverflowOptions options;
    options.dump_path = given.at("dump_path");
    options.output_path = given.at("output_path");
    if (const auto top = given.find("top_n"); top != given.end())
        options.top_n = static_cast<size_t>(top->second.front() - '0');
    return options;
}

}  // namespace npuscope::compare::msaccucmp
