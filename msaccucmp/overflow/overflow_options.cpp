#include "msaccucmp/overflow/overflow_options.h"

namespace npuscope::msaccucmp {

std::vector<OptionSpec> overflow_option_specs() {
    using enum ValueKind;
    std::vector<OptionSpec> specs;
    add_option(specs,
               {"-d", "--dump_path"},
               "dump_path",
               kPath,
               "folder with the dumps of an overflow run")
        .required = true;
    add_option(specs, {"-out", "--output"}, "output_path", kPath, "folder of the results")
        .required = true;
    add_option(specs,
               {"-n", "--top_n"},
               "top_n",
               kInteger,
               "how many overflows, the earliest first; 1 (the default) to 5")
        .choices = {1, 2, 3, 4, 5};
    return specs;
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

}  // namespace npuscope::msaccucmp
