// What an open file consists of. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/h5/h5.h"
#include "core/h5/handle.h"
#include "core/h5/input_file.h"
#include "core/h5/object_name.h"
#include "core/h5/output_driver.h"

namespace npuscope::h5 {

struct Writer::State {
    std::filesystem::path path;
    OutputStatus status;  // outlives the file, as does the driver
    Handle driver;
    Handle file;
    Handle make_parents;

    [[nodiscard]] std::string name(const std::string& object) const {
        return object_name(object, path);
    }
    /// Throws Error(kIo) when the system refused a write; the library does not know of it.
    void check_written() const;
};
struct Reader::State : InputFile {
    using InputFile::InputFile;
};

/// Whether every link on the way resolves to an object.
bool path_exists(hid_t file, const std::string& path);

}  // namespace npuscope::h5
