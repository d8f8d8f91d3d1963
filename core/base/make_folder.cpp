#include "core/base/make_folder.h"

#include <system_error>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope {

namespace {

namespace fs = std::filesystem;

void require_made(const std::error_code& failure, const fs::path& folder) {
    if (failure)
        throw Error(ErrorKind::kIo,
                    "cannot make the folder " + in_quotes(folder) + ": " + failure.message());
}

}  // namespace

void make_folder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    require_made(failure, folder);
}

bool make_new_folder(const fs::path& folder) {
    std::error_code failure;
    const bool made = fs::create_directory(folder, failure);
    require_made(failure, folder);
    return made;
}

}  // namespace npuscope
