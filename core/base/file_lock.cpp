#include "core/base/file_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace npuscope {

namespace {

Lock take(int descriptor, short type) {
    struct flock whole_file {};
    whole_file.l_type = type;
    whole_file.l_whence = SEEK_SET;
    if (::fcntl(descriptor, F_OFD_SETLK, &whole_file) == 0) return Lock::kTaken;
    return errno == EAGAIN || errno == EACCES ? Lock::kHeld : Lock::kUnsupported;
}

}  // namespace

Lock lock_as_writer(int descriptor) {
    return take(descriptor, F_RDLCK);
}

Lock lock_as_heir(int descriptor) {
    return take(descriptor, F_WRLCK);
}

}  // namespace npuscope
