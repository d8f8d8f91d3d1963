#include "msaccucmp/convert/convert_options.h"

#include "core/base/words.h"
#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

std::vector<OptionSpec> convert_option_specs() {
    using enum ValueKind;
    std::vector<OptionSpec> specs;
    add_option(specs,
               {"-d", "--dump_file"},
               "dump_path",
               kPath,
               "dump files: one, a folder, or a list with ,")
        .required = true;
    add_option(specs, {"-f", "--format"}, "format", kText, "memory format to convert to");
    add_option(
        specs, {"-s", "--shape"}, "shape", kText, "shape of the result, 1,3,224,224 say; with -f");
    add_option(specs,
               {"-o", "--output_tensor"},
               "output",
               kText,
               "index of the one output to convert, with -f")
        .exclusive_group = 1;
    add_option(specs,
               {"-i", "--input_tensor"},
               "input",
               kText,
               "index of the one input to convert, with -f")
        .exclusive_group = 1;
    add_option(specs,
               {"-c", "--custom_script_path"},
               "custom_script_path",
               kPath,
               "folder with format_convert/convert_<FROM>_to_<TO>.py, with -f");
    add_option(specs,
               {"-out", "--output"},
               "output_path",
               kText,
               "folder of the results; here by default");
    add_option(specs, {"-v", "--version"}, "version", kInteger, "version of the dump files")
        .choices = {1, 2};
    add_option(specs, {"-t", "--type"}, "type", kText, "npy (the default), bin, msnpy or pt")
        .words = {"npy", "bin", "msnpy", "pt"};
    return specs;
}

ConvertOptions parse_convert_options(std::span<const std::string> arguments, Log& log) {
    const ParsedArguments given = parse_arguments(convert_option_specs(), arguments);
    const auto text = [&](const std::string& key) -> std::optional<std::string> {
        const auto at = given.find(key);
        return at == given.end() ? std::nullopt : std::optional(at->second);
    };
    ConvertOptions options;
    options.dump_path = given.at("dump_path");
    options.output_path = text("output_path").value_or("");
    options.format = text("format");
    options.shape = text("shape");
    options.input = text("input");
    options.output = text("output");
    options.custom_script_path = text("custom_script_path").value_or("");
    const std::string type = text("type").value_or("npy");
    if (type == "bin") options.type = ArrayFileType::kBin;
    if (type == "msnpy") options.type = ArrayFileType::kMsNpy;
    if (type == "pt") options.type = ArrayFileType::kPt;
    if (options.format && options.format->empty()) options.format.reset();
    for (const auto& [value, name] : {std::pair(options.output, "-o/--output_tensor"),
                                      {options.input, "-i/--input_tensor"},
                                      {options.shape, "-s/--shape"},
                                      {text("custom_script_path"), "-c/--custom_script_path"}})
        if (value && !value->empty() && !options.format)
            throw CommandError(kInvalidParameter, std::string(name) + " needs -f.");
    if (text("version") == "1") log.warning("-v 1 is treated as 2; the option will go away.");
    return options;
}

std::vector<int64_t> parse_shape_option(const std::string& text) {
    std::vector<int64_t> dims;
    for (size_t from = 0; from <= text.size();) {
        const size_t comma = std::min(text.find(',', from), text.size());
        const auto dim = natural(std::string_view(text).substr(from, comma - from));
        if (!dim || *dim == 0)
            throw CommandError(
                kInvalidShape,
                "-s '" + text + "' is no shape; write dimensions above 0 like 1,3,224,224");
        dims.push_back(*dim);
        from = comma + 1;
    }
    if (dims.size() < 2)
        throw CommandError(kInvalidShape, "-s '" + text + "' needs at least two dimensions");
    return dims;
}

size_t parse_index_option(const std::string& text) {
    const auto index = natural(text);
    if (!index)
        throw CommandError(kInvalidParameter,
                           "the index '" + text + "' of a tensor is no natural number");
    return static_cast<size_t>(*index);
}

layout::Format parse_format_option(const std::string& text) {
    for (const layout::FormatInfo& row : layout::all_formats())
        if (row.name == text && row.known_to_msaccucmp) return row.format;
    throw CommandError(kInvalidParameter, "there is no format '" + text + "'");
}

}  // namespace npuscope::msaccucmp
