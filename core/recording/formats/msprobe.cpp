#include "core/recording/formats/format.h"

namespace npuscope {

extern const Format k_msprobe_format;
const Format k_msprobe_format = {
    .name = "msprobe",
    .what = "the dump.json or debug.json of msprobe",
    .is_it =
        [](const std::filesystem::path& path) {
            return path.filename() == "dump.json" || path.filename() == "debug.json";
        },
    .open = [](const std::filesystem::path& path, Arrays) { return source_of_msprobe(path); },
};

}  // namespace npuscope
