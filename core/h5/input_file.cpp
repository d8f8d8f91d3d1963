#include "core/h5/input_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/pending_file.h"

namespace npuscope::h5 {

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
    require_regular_file(path, "HDF5 file");
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    library_ = std::make_unique<LibraryAccess>(path, descriptor_);
    if (descriptor_ >= 0 && map_sound()) return;
    // It has to do all, or to say what is wrong.
    try {
        library_->open();
    } catch (...) {
        if (descriptor_ >= 0) ::close(descriptor_);
        throw;
    }
}

InputFile::~InputFile() {
    library_.reset();
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool InputFile::map_sound() {
    // A superblock that is just being written may be seen in part.
    constexpr int kAttempts = 3;
    for (int attempt = 0; attempt < kAttempts && !superblock_; ++attempt) {
        mapping_ = MappedFile::map(descriptor_);
        if (!mapping_) return false;
        try {
            Superblock found = read_superblock(mapping_->bytes());
            if (found.in_use) return false;
            if (found.end > mapping_->bytes().size()) {
                // The file has grown since it was mapped, or it is cut short.
                mapping_ = MappedFile::map(descriptor_);
                if (!mapping_ || found.end > mapping_->bytes().size()) return false;
                found.file = FileBytes(mapping_->bytes(), found.file.base());
            }
            superblock_ = found;
        } catch (const Damaged&) {
            continue;
        } catch (const Unsupported&) {
            return false;
        }
    }
    // The library's own sign that somebody writes: it holds an exclusive lock meanwhile. Some file
    // systems know no locks.
    return superblock_ && (::flock(descriptor_, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK);
}

Superblock InputFile::superblock() const {
    return superblock_ ? *superblock_ : read_superblock(mapping_->bytes());
}

}  // namespace npuscope::h5
