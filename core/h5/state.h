// What an open file consists of. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/printable.h"
#include "core/h5/h5.h"
#include "core/h5/handle.h"

namespace npuscope::h5 {

struct OpenFile {
    std::filesystem::path path;
    Handle file;

    /// "'/op/1' in 'file.h5'" for messages.
    [[nodiscard]] std::string name(const std::string& object) const {
        return "'" + printable(object) + "' in '" + printable(path.string()) + "'";
    }
};

struct Writer::State : OpenFile {
    Handle make_parents;
};
struct Reader::State : OpenFile {};

/// Whether every link on the way resolves to an object.
bool path_exists(hid_t file, const std::string& path);

}  // namespace npuscope::h5
