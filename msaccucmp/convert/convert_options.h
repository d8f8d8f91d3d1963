// Options of `msaccucmp convert`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/layout/format.h"
#include "msaccucmp/base/arguments.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/convert/array_file.h"

namespace npuscope::msaccucmp {

struct ConvertOptions {
    std::string dump_path;  ///< a file, a folder, or several of them with "," between
    std::string output_path;
    ArrayFileType type = ArrayFileType::kNpy;
    std::optional<std::string> format;
    std::optional<std::string> shape;
    std::optional<std::string> input;
    std::optional<std::string> output;
    std::string custom_script_path;
};

[[nodiscard]] std::vector<OptionSpec> convert_option_specs();

/// Errors: CommandError with the exit code of the reference tool; HelpAsked.
[[nodiscard]] ConvertOptions parse_convert_options(std::span<const std::string> arguments,
                                                   Log& log);

/// -s as dims. Errors: CommandError(kInvalidShape).
[[nodiscard]] std::vector<int64_t> parse_shape_option(const std::string& text);
/// -i or -o as a number. Errors: CommandError(kInvalidParameter).
[[nodiscard]] size_t parse_index_option(const std::string& text);
/// -f. Errors: CommandError(kInvalidParameter) a name that the reference tool does not know.
[[nodiscard]] layout::Format parse_format_option(const std::string& text);

}  // namespace npuscope::msaccucmp
