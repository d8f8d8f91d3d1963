// A file as the HDF5 library has it open. Included by core/h5/*.cpp only, used under the library's
// lock.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/h5/handle.h"
#include "core/h5/input_driver.h"
#include "core/h5/object_name.h"

namespace npuscope::h5 {

struct OpenFile {
    std::filesystem::path path;
    std::unique_ptr<Confinement> confinement{};  ///< null for trusted files
    Handle driver{};
    Handle file{};  // goes first

    [[nodiscard]] std::string name(const std::string& object) const {
        return object_name(object, path);
    }
    /// Why another file was not opened since this was last cleared.
    [[nodiscard]] std::string refusal() const { return confinement ? confinement->refusal : ""; }
    void clear_refusal() const {
        if (confinement) confinement->refusal.clear();
    }
};

/// Opens the file behind a descriptor, or at the path when that is -1, without or with limits to
/// what else it may lead to. Errors: Error(kFormat) when the library refuses the file.
[[nodiscard]] OpenFile open_trusted(int descriptor, const std::filesystem::path& path);
[[nodiscard]] OpenFile open_confined(int descriptor, const std::filesystem::path& path);

}  // namespace npuscope::h5
