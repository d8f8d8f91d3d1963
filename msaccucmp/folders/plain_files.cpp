#include "msaccucmp/folders/plain_files.h"

#include <algorithm>
#include <filesystem>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/base/result_file.h"
#include "msaccucmp/columns/algorithm_set.h"
#include "msaccucmp/folders/array_file.h"
#include "msaccucmp/folders/result_table.h"

namespace npuscope::msaccucmp {

namespace {

/// KullbackLeiblerDivergence and StandardDeviation are not part of file_compare.
constexpr const char* kFileAlgorithms = "0,1,2,3,6,7,8,9";

RealArray read_or_end(const std::string& path) {
    try {
        return read_array_file(path);
    } catch (const CompareFailure& failure) {
        throw CommandError(failure.code(), failure.what());
    }
}

AlgorithmTexts compare_arrays(const std::string& my_path,
                              const std::string& golden_path,
                              const AlgorithmSet& algorithms,
                              int threads) {
    const RealArray my = read_or_end(my_path);
    const RealArray golden = read_or_end(golden_path);
    if (my.shape() != golden.shape())
        throw CommandError(kInvalidShape,
                           "The shapes differ: " + to_string(my.shape()) + " in '" + my_path +
                               "', " + to_string(golden.shape()) + " in '" + golden_path + "'.");
    const int64_t numel = my.values.numel();
    return algorithms.run({.my = my.values.reshaped({numel}),
                           .golden = golden.values.reshaped({numel}),
                           .my_shape = my.shape(),
                           .my_name = my_path,
                           .golden_name = golden_path},
                          threads);
}

/// Names and values one below the other.
void log_table(const std::vector<std::string>& names, const AlgorithmTexts& texts, Log& log) {
    std::string title;
    std::string line;
    for (size_t i = 0; i < names.size(); ++i) {
        const size_t width = std::max(title.size(), line.size());
        title.resize(width, ' ');
        line.resize(width, ' ');
        title += names[i] + " ";
        line += texts.values[i] + " ";
    }
    log.info(title);
    log.info(line);
    if (!texts.reasons.empty()) log.info(joined_reasons(texts.reasons));
}

}  // namespace

int compare_plain_files(const CompareOptions& options, Log& log, int threads) {
    const AlgorithmSet algorithms({.selection = options.algorithm,
                                   .parameters = options.algorithm_options,
                                   .custom_folder = options.custom_script_path},
                                  log);
    const std::string my = canonical(options.my_path).string();
    const std::string golden = canonical(options.golden_path).string();
    for (const std::string& path : {my, golden})
        require_path(path, PathType::kFile, log);
    log.info("My file is '" + my + "'.");
    log.info("The golden file is '" + golden + "'.");
    log_table(algorithms.names(), compare_arrays(my, golden, algorithms, threads), log);
    return kOk;
}

std::vector<OptionSpec> file_compare_option_specs() {
    using enum ValueKind;
    std::vector<OptionSpec> specs;
    add_option(specs, {"-m", "--my_dump_path"}, "my_dump_path", kPath, "a .npy file of the NPU")
        .required = true;
    add_option(
        specs, {"-g", "--golden_dump_path"}, "golden_dump_path", kPath, "the golden .npy file")
        .required = true;
    add_option(specs, {"-out", "--output"}, "output_path", kPath, "folder of the result").required =
        true;
    return specs;
}

int file_compare(std::span<const std::string> arguments, Log& log, int threads) {
    const auto specs = file_compare_option_specs();
    const ParsedArguments given = parse_arguments(specs, arguments);
    const std::string& my = given.at("my_dump_path");
    const std::string& golden = given.at("golden_dump_path");
    for (const std::string& path : {my, golden}) {
        if (!path.ends_with(".npy"))
            throw CommandError(kInvalidType, "'" + path + "' is no .npy file.");
        require_path(path, PathType::kFile, log);
    }
    const std::string& output = given.at("output_path");
    if (check_output_folder(output, log) != kOk) return kInvalidPath;
    const AlgorithmSet algorithms(
        {.selection = kFileAlgorithms, .parameters = {}, .custom_folder = {}}, log);
    const AlgorithmTexts texts =
        compare_arrays(canonical(my).string(), canonical(golden).string(), algorithms, threads);
    log_table(algorithms.names(), texts, log);
    const auto file = new_result_file(canonical(output).string(), "file_result_", ".txt");
    for (size_t i = 0; i < texts.values.size(); ++i)
        file->write(algorithms.names()[i] + ": " + texts.values[i] + "\n");
    file->close();
    log.info("The result has been written to \"'" + file->path().string() + "'\".");
    return kOk;
}

}  // namespace npuscope::msaccucmp
