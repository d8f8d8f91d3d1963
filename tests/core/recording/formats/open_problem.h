// Why a path cannot be opened as a recording.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/recording/source.h"

namespace npuscope::test {

/// "" when it can be.
inline std::string open_problem(const std::filesystem::path& path) {
    try {
        static_cast<void>(open_source(path));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace npuscope::test
