#include "core/h5/input_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/h5/superblock.h"

namespace npuscope::h5 {

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
    require_regular_file(path, "HDF5 file");
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ >= 0) mapping_ = MappedFile::map(descriptor_);
    if (looks_sound()) return;
    // It has to do all, or to say what is wrong.
    try {
        const LibraryLock lock;
        static_cast<void>(library());
    } catch (...) {
        if (descriptor_ >= 0) ::close(descriptor_);
        throw;
    }
}

InputFile::~InputFile() {
    if (library_) {
        const LibraryLock lock;
        library_.reset();
    }
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool InputFile::looks_sound() const {
    if (!mapping_) return false;
    try {
        const Superblock superblock = read_superblock(mapping_->bytes());
        if (superblock.in_use || superblock.end > mapping_->bytes().size()) return false;
    } catch (const Damaged&) {
        return false;
    } catch (const Unsupported&) {
        return false;
    }
    // The library's own sign that somebody writes: it holds an exclusive lock meanwhile.
    return ::flock(descriptor_, LOCK_SH | LOCK_NB) == 0;
}

const OpenFile& InputFile::library() const {
    if (!library_) library_.emplace(OpenFile{path_, open_with_library(descriptor_, path_)});
    return *library_;
}

}  // namespace npuscope::h5
