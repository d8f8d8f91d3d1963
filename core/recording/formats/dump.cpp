#include "core/dumpfile/reader.h"
#include "core/recording/formats/format.h"

namespace npuscope {

extern const Format k_dump_format;
const Format k_dump_format = {
    .name = "dump",
    .what = "a .h5 dump",
    .is_it =
        [](const std::filesystem::path& path) {
            return has_extension(path, {".h5", ".hdf5"});
        },
    .open = [](const std::filesystem::path& path,
               Arrays) { return source_of_dump(std::make_shared<const dumpfile::Reader>(path)); },
};

}  // namespace npuscope
