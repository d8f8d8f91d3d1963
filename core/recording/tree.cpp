#include "core/recording/tree.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>
#include <tuple>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope {

namespace {

namespace fs = std::filesystem;

/// msprobe has PyNative/step<N>/rank<N>/ above a dump.json.
constexpr int kDeepest = 4;
/// "20241201103000", when kernels were dumped.
constexpr size_t kTimeDigits = 14;

/// The number in "step12", of prefix "step".
std::optional<int64_t> number_behind(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    int64_t number = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool all = failure == std::errc() && end == name.data() + name.size() && number >= 0;
    return all ? std::optional(number) : std::nullopt;
}

void take_name(const std::string& name, RecordedRun& run) {
    if (const auto step = number_behind(name, "step")) run.step = step;
    if (number_behind(name, "rank") || number_behind(name, "proc")) run.rank = name;
}

/// Of a folder that holds a run, by the names of the folders down to it.
RecordedRun run_at(const fs::path& root, const fs::path& folder, fs::path path) {
    RecordedRun run{.path = std::move(path)};
    const fs::path whole = fs::absolute(root).lexically_normal();
    // The folder that was named may itself be the step.
    take_name((whole.has_filename() ? whole : whole.parent_path()).filename().string(), run);
    for (const fs::path& part : folder.lexically_relative(root))
        take_name(part.string(), run);
    return run;
}

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

fs::recursive_directory_iterator walk(const fs::path& folder) {
    std::error_code failure;
    fs::recursive_directory_iterator at(
        folder, fs::directory_options::skip_permission_denied, failure);
    if (failure)
        throw Error(ErrorKind::kIo,
                    "cannot read the folder " + in_quotes(folder) + ": " + failure.message());
    return at;
}

std::vector<RecordedRun> dumps_below(const fs::path& root) {
    std::vector<RecordedRun> runs;
    const auto add = [&](const fs::path& folder) {
        for (const char* name : {"dump.json", "debug.json"})
            if (is_file(folder / name)) {
                runs.push_back(run_at(root, folder, folder / name));
                return;
            }
    };
    add(root);
    for (auto at = walk(root); at != fs::recursive_directory_iterator(); ++at) {
        std::error_code ignored;
        if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
        const bool holds_tensors = at->path().filename() == "dump_tensor_data";
        if (at.depth() >= kDeepest || holds_tensors) at.disable_recursion_pending();
        if (!holds_tensors) add(at->path());
    }
    return runs;
}

bool is_number(const std::string& name) {
    return number_behind(name, "").has_value();
}

/// step<N>/<time>/<device>.
std::vector<RecordedRun> kernel_dumps_below(const fs::path& root) {
    std::vector<RecordedRun> runs;
    for (auto at = walk(root); at != fs::recursive_directory_iterator(); ++at) {
        std::error_code ignored;
        if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
        if (at.depth() >= kDeepest) at.disable_recursion_pending();
        const std::string device = at->path().filename().string();
        const std::string time = at->path().parent_path().filename().string();
        if (!is_number(device) || time.size() != kTimeDigits || !is_number(time)) continue;
        runs.push_back(run_at(root, at->path(), at->path()));
        runs.back().rank = "device" + device;
        at.disable_recursion_pending();
    }
    return runs;
}

/// Files that are called by their ranks, rank0.h5, rank1.npz; in the order of the ranks.
std::vector<RecordedRun> rank_files(const fs::path& folder) {
    constexpr std::string_view kRank = "rank";
    std::error_code problem;
    std::vector<RecordedRun> runs;
    std::map<int64_t, fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, problem)) {
        const std::string stem = entry.path().stem().string();
        const auto number = number_behind(stem, kRank);
        if (number && entry.is_regular_file(problem) &&
            stem == std::string(kRank) + std::to_string(*number))
            files.emplace(*number, entry.path());
    }
    if (problem)
        throw Error(ErrorKind::kIo,
                    "cannot read " + in_quotes(folder.string()) + ": " + problem.message());
    for (const auto& [number, path] : files)
        runs.push_back({.rank = std::string(kRank) + std::to_string(number), .path = path});
    return runs;
}

}  // namespace

std::string RecordedRun::joined(std::string_view before_number, std::string_view between) const {
    std::string text = step ? "step" + std::string(before_number) + std::to_string(*step) : "";
    if (!rank.empty()) text += (text.empty() ? "" : std::string(between)) + rank;
    return text;
}

std::string RecordedRun::text() const {
    return joined(" ", ", ");
}

std::string RecordedRun::file_name() const {
    const std::string name = joined("", "_");
    return name.empty() ? "only" : name;
}

std::vector<RecordedRun> recorded_runs(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return {{.path = path}};
    std::vector<RecordedRun> runs = dumps_below(path);
    if (runs.empty()) runs = kernel_dumps_below(path);
    if (runs.empty()) runs = rank_files(path);
    if (runs.empty()) return {{.path = path}};
    std::ranges::sort(runs, {}, [](const RecordedRun& run) {
        const size_t digits = run.rank.find_first_of("0123456789");
        const int64_t number =
            digits == std::string::npos
                ? 0
                : number_behind(run.rank, run.rank.substr(0, digits)).value_or(0);
        return std::tuple(
            run.step.value_or(-1), run.rank.substr(0, digits), number, run.path.native());
    });
    return runs;
}

}  // namespace npuscope
