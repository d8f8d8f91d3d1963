#include "msaccucmp/base/paths.h"

#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

constexpr size_t kMostPathBytes = 4096;
constexpr size_t kMostNameBytes = 255;

bool is_plain(const std::string& path) {
    for (const char c : path)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
            std::string_view("_./:()=\\-").find(c) == std::string_view::npos)
            return false;
    return true;
}

std::string real_path(const std::string& path) {
    std::error_code failure;
    const auto absolute = std::filesystem::absolute(path, failure);
    auto real = std::filesystem::weakly_canonical(absolute, failure);
    std::string text = failure ? absolute.string() : real.string();
    while (text.size() > 1 && text.back() == '/')
        text.pop_back();
    return text;
}

bool make_folders(const std::string& path) {
    std::error_code failure;
    if (std::filesystem::exists(path, failure)) return true;
    const std::string parent = std::filesystem::path(path).parent_path().string();
    if (!parent.empty() && parent != path && !make_folders(parent)) return false;
    return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

int check_length(const std::string& real, Log& log) {
    if (real.size() >= kMostPathBytes) {
        log.error("The path is longer than " + std::to_string(kMostPathBytes - 1) + " bytes.");
        return kInvalidPath;
    }
    for (const auto& part : std::filesystem::path(real))
        if (part.string().size() >= kMostNameBytes) {
            log.error("A name in the path is longer than " + std::to_string(kMostNameBytes - 1) +
                      " bytes.");
            return kInvalidPath;
        }
    return kOk;
}

}  // namespace

int check_path(const std::string& path, bool exist, bool writable, PathType type, Log& log) {
    if (path.empty()) {
        log.error("The path is null.");
        return kInvalidParameter;
    }
    if (!is_plain(path)) {
        log.error("The path '" + path +
                  "' has characters other than A-Z a-z 0-9 _ . / : ( ) = \\ -");
        return kInvalidParameter;
    }
    std::string real = real_path(path);
    if (const int code = check_length(real, log); code != kOk) return code;
    if (!exist) real = std::filesystem::path(real).parent_path().string();
    std::error_code failure;
    if (!std::filesystem::exists(real, failure)) {
        log.error("The path \"'" + real + "'\" does not exist.");
        return kInvalidPath;
    }
    if (::access(real.c_str(), R_OK) != 0) {
        log.error("The path \"'" + real + "'\" cannot be read: permission denied.");
        return kInvalidPath;
    }
    if (writable && ::access(real.c_str(), W_OK) != 0) {
        log.error("The path \"'" + real + "'\" cannot be written: permission denied.");
        return kInvalidPath;
    }
    const bool there = std::filesystem::exists(path, failure);
    if (type == PathType::kFile && there && !std::filesystem::is_regular_file(path, failure)) {
        log.error("The path \"'" + path + "'\" is not a file.");
        return kInvalidPath;
    }
    if (type == PathType::kDirectory && !std::filesystem::is_directory(path, failure)) {
        log.error("The path \"'" + path + "'\" is not a directory.");
        return kInvalidPath;
    }
    return kOk;
}

void require_path(const std::string& path, PathType type, Log& log) {
    if (const int code = check_path(path, true, false, type, log); code != kOk)
        throw CommandError(code, "");
}

std::filesystem::path canonical(const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
}

void require_output_folder(const std::string& path, Log& log) {
    if (const int code = check_output_folder(path, log); code != kOk) throw CommandError(code, "");
}

int check_output_folder(const std::string& path, Log& log) {
    const std::string real = real_path(path.empty() ? "." : path);
    if (!make_folders(real)) {
        log.error("Failed to create \"'" + real + "'\": " + std::generic_category().message(errno));
        return kInvalidPath;
    }
    return check_path(path, true, true, PathType::kDirectory, log);
}

}  // namespace npuscope::msaccucmp
