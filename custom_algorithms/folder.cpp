#include "custom_algorithms/folder.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::custom_algorithms {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostPathBytes = 4095;
constexpr size_t kMostNameBytes = 254;

[[noreturn]] void refuse(const fs::path& path, const std::string& problem) {
    throw Error(ErrorKind::kUsage, "custom algorithms: " + in_quotes(path) + " " + problem);
}

bool has_only(std::string_view text, std::string_view more) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               more.find(c) != std::string_view::npos;
    });
}

void check_path(const fs::path& path) {
    if (!has_only(path.string(), "_./:()=\\-"))
        refuse(path, "has characters other than A-Z a-z 0-9 _ . / : ( ) = \\ -");
    if (path.string().size() > kMostPathBytes) refuse(path.filename(), "has too long a path");
    for (const fs::path& part : path)
        if (part.string().size() > kMostNameBytes) refuse(path, "has too long a name");
    if (::access(path.c_str(), R_OK) != 0) refuse(path, "cannot be read");
}

void check_tree(const fs::path& folder, size_t& files) {
    const auto depth = std::distance(folder.begin(), folder.end());
    if (static_cast<size_t>(depth) > kDeepestFolder)
        refuse(folder, "is nested deeper than " + std::to_string(kDeepestFolder) + " folders");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const fs::path& path = entry.path();
        check_path(path);
        if (entry.is_directory()) {
            if (!entry.is_symlink()) check_tree(path, files);
            continue;
        }
        if (!entry.is_regular_file()) refuse(path, "is neither a file nor a folder");
        if (entry.file_size() > kLargestFile)
            refuse(path, "is larger than " + std::to_string(kLargestFile) + " bytes");
        if (++files > kMostFiles)
            refuse(folder, "holds more than " + std::to_string(kMostFiles) + " files");
    }
}

}  // namespace

void check_scripts(const fs::path& folder) {
    std::error_code failure;
    if (!fs::is_directory(folder, failure)) refuse(folder, "is not a folder");
    try {
        const fs::path whole = fs::canonical(folder);
        check_path(whole);
        size_t files = 0;
        check_tree(whole, files);
    } catch (const fs::filesystem_error& problem) {
        throw Error(ErrorKind::kUsage,
                    "custom algorithms: " + printable(std::string(problem.what())));
    }
}

std::vector<std::string> algorithm_names(const fs::path& folder) {
    std::error_code failure;
    if (!fs::is_directory(folder, failure)) refuse(folder, "is not a folder");
    const fs::path whole = fs::canonical(folder);
    const fs::path scripts = whole / "algorithm";
    if (!fs::is_directory(scripts, failure))
        refuse(folder, "has no folder 'algorithm' with scripts alg_<Name>.py in it");
    std::vector<std::string> names;
    try {
        check_path(whole);
        size_t files = 0;
        check_tree(scripts, files);
        for (const fs::directory_entry& entry : fs::directory_iterator(scripts)) {
            const std::string stem = entry.path().stem().string();
            const std::string extension = entry.path().extension().string();
            if (!stem.starts_with("alg_") || (extension != ".py" && extension != ".pyc")) continue;
            const std::string name = stem.substr(4);
            if (name.empty() || !has_only(name, "_"))
                refuse(entry.path(), "has no name of letters, digits and _ after 'alg_'");
            names.push_back(name);
        }
    } catch (const fs::filesystem_error& problem) {
        throw Error(ErrorKind::kUsage,
                    "custom algorithms: " + printable(std::string(problem.what())));
    }
    if (names.empty()) refuse(scripts, "holds no script alg_<Name>.py");
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace npuscope::custom_algorithms
