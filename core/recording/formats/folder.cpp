#include <vector>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/recording/formats/format.h"

namespace npuscope {

namespace {

constexpr int kDeepestMsprobe = 4;

/// The dump.json below a folder; msprobe has step<N>/rank<N>/ above it.
std::vector<std::filesystem::path> msprobe_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    const auto all = std::filesystem::directory_options::skip_permission_denied;
    for (auto at = std::filesystem::recursive_directory_iterator(folder, all);
         at != std::filesystem::recursive_directory_iterator();
         ++at) {
        if (at.depth() >= kDeepestMsprobe) at.disable_recursion_pending();
        if (at->path().filename() == "dump.json" && at->is_regular_file())
            found.push_back(at->path());
    }
    return found;
}

Source open_folder(const std::filesystem::path& path, Arrays) {
    const auto files = msprobe_files(path);
    if (files.empty()) return source_of_cann_folder(path);
    if (files.size() == 1) return source_of_msprobe(files.front());
    throw Error(ErrorKind::kUsage,
                in_quotes(path) + " holds " + std::to_string(files.size()) +
                    " dumps of msprobe; name one, " + in_quotes(files.front()) + " for example");
}

}  // namespace

extern const Format k_folder_format;
const Format k_folder_format = {
    .name = "folder",
    .what = "a folder of dumps of msprobe or CANN",
    .is_it =
        [](const std::filesystem::path& path) {
            std::error_code failed;
            return std::filesystem::is_directory(path, failed);
        },
    .open = open_folder,
};

}  // namespace npuscope
