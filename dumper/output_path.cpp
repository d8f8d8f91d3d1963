#include "dumper/output_path.h"

#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>
#include <system_error>

#include "core/base/error.h"
#include "core/base/free_name.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"

namespace npuscope::dumper {

namespace fs = std::filesystem;

namespace {

constexpr const char* kExtension = ".h5";

/// Local time as YYYYmmdd_HHMMSS.ffffff
std::string timestamp() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(
                            now.time_since_epoch() % std::chrono::seconds(1))
                            .count();
    std::tm local{};
    ::localtime_r(&seconds, &local);
    std::array<char, 32> day{};
    std::strftime(day.data(), day.size(), "%Y%m%d_%H%M%S", &local);
    const std::string fraction = std::to_string(1000000 + micros).substr(1);
    return std::string(day.data()) + "." + fraction;
}

fs::path absolute_form(const fs::path& path) {
    std::error_code failure;
    fs::path resolved = fs::weakly_canonical(path, failure);
    if (failure) resolved = fs::absolute(path).lexically_normal();
    return resolved;
}

/// The names that this process has given to dumps. A process-wide table is the point: two scopes on
/// different executors must not replace each other's file either.
struct ClaimTable {
    std::mutex mutex;
    std::map<std::string, bool> open_by_path;  ///< false: that scope has ended
};
ClaimTable& claims() {
    static ClaimTable table;
    return table;
}

}  // namespace

fs::path resolved_dump_path(const fs::path& wanted) {
    std::error_code ignored;
    if (wanted.empty()) return timestamp() + kExtension;
    if (fs::is_directory(wanted, ignored)) return wanted / (timestamp() + kExtension);
    const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, ignored))
        throw Error(ErrorKind::kUsage,
                    "dump_path " + in_quotes(wanted) + ": the folder " + in_quotes(folder) +
                        " does not exist; create it first");
    if (wanted.extension() != kExtension)
        throw Error(ErrorKind::kUsage,
                    "dump_path " + in_quotes(wanted) +
                        ": give a file name that ends in .h5, or an existing folder");
    return wanted;
}

void check_load_path(const fs::path& path) {
    if (path.empty())
        throw Error(ErrorKind::kUsage,
                    "load mode needs load_file_path: the .h5 file with the golden run's inputs");
    if (path.extension() != kExtension)
        throw Error(ErrorKind::kUsage,
                    "load_file_path " + in_quotes(path) + ": give a file whose name ends in .h5");
    require_regular_file(path, "load_file_path");
}

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code failure;
    if (fs::equivalent(a, b, failure) && !failure) return true;
    return absolute_form(a) == absolute_form(b);
}

PathClaim::PathClaim(const fs::path& wanted, int number) : number_(number) {
    ClaimTable& table = claims();
    const std::lock_guard guard(table.mutex);
    for (;; ++number_) {
        path_ = number_ == 1 ? wanted : with_suffix(wanted, "_" + std::to_string(number_));
        key_ = absolute_form(path_).string();
        const auto found = table.open_by_path.find(key_);
        std::error_code ignored;
        if (found == table.open_by_path.end() || (!found->second && !fs::exists(path_, ignored)))
            break;
    }
    table.open_by_path[key_] = true;
}

PathClaim::~PathClaim() {
    ClaimTable& table = claims();
    const std::lock_guard guard(table.mutex);
    if (kept_)
        table.open_by_path[key_] = false;
    else
        table.open_by_path.erase(key_);
}

}  // namespace npuscope::dumper
