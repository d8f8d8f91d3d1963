#include "msaccucmp/convert/convert.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel/parallel_for.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/convert/format_files.h"
#include "msaccucmp/convert/tensor_files.h"

namespace npuscope::msaccucmp {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMapping = "mapping.csv";
constexpr const char* kFailedList = "convert_failed_file_list.txt";

std::string real_path(const std::string& path) {
    std::error_code failure;
    const fs::path real = fs::weakly_canonical(fs::absolute(path.empty() ? "." : path), failure);
    return failure ? path : real.string();
}

bool is_one_file(const ConvertOptions& options) {
    std::error_code failure;
    return options.dump_path.find(',') == std::string::npos &&
           fs::is_regular_file(options.dump_path, failure);
}

/// -d as real paths. Errors: CommandError when none is valid.
std::vector<std::string> given_paths(const std::string& text, Log& log) {
    if (text.find(',') == std::string::npos) {
        const std::string path = real_path(text);
        require_path(path, PathType::kAny, log);
        return {path};
    }
    constexpr const char* kBlank = " \t";
    std::vector<std::string> paths;
    for (size_t from = 0; from <= text.size();) {
        const size_t comma = std::min(text.find(',', from), text.size());
        std::string part = text.substr(from, comma - from);
        from = comma + 1;
        part.erase(0, std::min(part.find_first_not_of(kBlank), part.size()));
        part.erase(part.find_last_not_of(kBlank) + 1);
        // The reference tool takes an empty name for this folder.
        const std::string path = real_path(part);
        if (check_path(path, true, false, PathType::kAny, log) == kOk) paths.push_back(path);
    }
    if (paths.empty())
        throw CommandError(kInvalidPath, "There is no valid file in '" + text + "'.");
    return paths;
}

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    std::error_code failure;
    if (paths.size() == 1) {
        for (const fs::directory_entry& entry : fs::directory_iterator(paths.front()))
            if (entry.path().filename() != kMapping && entry.is_regular_file(failure))
                files.push_back(entry.path().string());
        std::sort(files.begin(), files.end());
        return files;
    }
    for (const std::string& path : paths)
        if (fs::path(path).filename() != kMapping && fs::is_regular_file(path, failure))
            files.push_back(path);
    return files;
}

class Converter {
  public:
    Converter(const ConvertOptions& options, Log& log)
        : type_(options.type), names_(real_path(options.output_path)), log_(log) {}

    void set_format(FormatOptions options) { format_ = std::move(options); }

    /// The exit code of one file; never throws.
    int one(const std::string& path) noexcept {
        try {
            require_path(path, PathType::kFile, log_);
            const InputFile file(path);
            const int code = format_ ? write_format_files(file, *format_, names_, log_)
                                     : write_tensor_files(
                                           file,
                                           {.type = type_, .base = file.path().filename().string()},
                                           names_,
                                           log_);
            if (code == kOk) log_.info("\"'" + path + "'\" has been converted.");
            return code;
        } catch (const CommandError& stop) {
            if (*stop.what() != '\0')
                log_.error("Failed to convert \"'" + path + "'\": " + stop.what());
            return stop.code();
        } catch (const std::bad_alloc&) {
            log_.error("Failed to convert \"'" + path + "'\": not enough memory.");
        } catch (const std::exception& problem) {
            log_.error("Failed to convert \"'" + path + "'\": " + problem.what());
        }
        return kUnknownError;
    }

    int many(const std::vector<std::string>& files) {
        std::vector<int> codes(files.size(), kOk);
        parallel_for(static_cast<int64_t>(files.size()), 0, [&](int64_t i) {
            log_.step();
            const auto at = static_cast<size_t>(i);
            codes[at] = one(files[at]);
        });
        int code = kOk;
        for (size_t i = 0; i < files.size(); ++i) {
            if (codes[i] == kOk) continue;
            if (code == kOk) code = codes[i];
            append_line(names_.folder() / kFailedList, files[i]);
        }
        if (code != kOk)
            log_.info("The files that could not be converted are listed in \"'" +
                      (names_.folder() / kFailedList).string() + "'\".");
        return code;
    }

  private:
    ArrayFileType type_;
    OutputNames names_;
    Log& log_;
    std::optional<FormatOptions> format_;
};

/// -f and what belongs to it; -i, -o and -s count for one file only.
FormatOptions format_options(const ConvertOptions& options) {
    FormatOptions format;
    format.type = options.type;
    if (is_one_file(options)) {
        if (options.input) format.only = {true, parse_index_option(*options.input)};
        if (options.output) format.only = {false, parse_index_option(*options.output)};
        if (options.shape && !options.shape->empty())
            format.shape = parse_shape_option(*options.shape);
    }
    format.format = parse_format_option(*options.format);
    return format;
}

}  // namespace

int convert(const ConvertOptions& options, Log& log) {
    std::error_code failure;
    if (fs::is_directory(options.dump_path, failure) && fs::is_empty(options.dump_path, failure))
        throw CommandError(kInvalidParameter, "The dump path is empty.");
    Converter converter(options, log);
    std::unique_ptr<CustomFormats> custom;
    if (options.format) {
        FormatOptions format = format_options(options);
        if (!is_one_file(options) && (options.input || options.output || options.shape))
            log.warning("-i, -o and -s are for one file; they are ignored.");
        if (!options.custom_script_path.empty()) {
            require_path(options.custom_script_path, PathType::kDirectory, log);
            custom = std::make_unique<CustomFormats>(options.custom_script_path, log);
            format.custom = custom.get();
        }
        converter.set_format(std::move(format));
    }
    const std::vector<std::string> paths = given_paths(options.dump_path, log);
    require_output_folder(real_path(options.output_path), log);
    if (paths.size() == 1 && fs::is_regular_file(paths.front(), failure))
        return converter.one(paths.front());
    if (paths.size() == 1 && !fs::is_directory(paths.front(), failure))
        throw CommandError(kInvalidPath, "'" + paths.front() + "' is neither a file nor a folder.");
    return converter.many(files_of(paths));
}

}  // namespace npuscope::msaccucmp
