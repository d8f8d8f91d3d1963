#include "core/h5/handle.h"

#include <new>

namespace npuscope::h5 {

namespace {
std::recursive_mutex& library_mutex() {
    // One lock for one C library with process-wide state; constructed on first use, never
    // destroyed.
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a lock is there to change
    static auto* const mutex = new std::recursive_mutex;
    return *mutex;
}

herr_t keep_deepest(unsigned, const H5E_error2_t* entry, void* target) {
    if (entry->desc != nullptr) *static_cast<std::string*>(target) = entry->desc;
    return 0;
}
}  // namespace

void renew_library_lock() {
    new (&library_mutex()) std::recursive_mutex;
}

LibraryLock::LibraryLock() : lock_(library_mutex()) {
    thread_local const bool quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
    static_cast<void>(quiet);
}

std::string library_error() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_deepest, &text);
    H5Eclear2(H5E_DEFAULT);
    return text;
}

Handle checked(hid_t id, Handle::Closer closer, const std::string& what, ErrorKind kind) {
    if (id < 0) {
        const std::string reason = library_error();
        throw Error(kind, reason.empty() ? what : what + " (HDF5: " + reason + ")");
    }
    return {id, closer};
}

void check(herr_t status, const std::string& what, ErrorKind kind) {
    if (status < 0) {
        const std::string reason = library_error();
        throw Error(kind, reason.empty() ? what : what + " (HDF5: " + reason + ")");
    }
}

}  // namespace npuscope::h5
