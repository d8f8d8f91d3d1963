#include <vector>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/recording/formats/format.h"
#include "core/recording/tree.h"

namespace npuscope {

namespace {

Source open_folder(const std::filesystem::path& path, Arrays) {
    const std::vector<RecordedRun> runs = recorded_runs(path);
    if (runs.size() > 1)
        throw Error(ErrorKind::kUsage,
                    in_quotes(path) + " holds " + std::to_string(runs.size()) +
                        " recorded runs; name one, " + in_quotes(runs.front().path) +
                        " for example");
    const std::filesystem::path& run = runs.front().path;
    return std::filesystem::is_directory(run) ? source_of_cann_folder(run) : source_of_msprobe(run);
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
