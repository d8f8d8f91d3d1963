// One owned HDF5 identifier, and the checks around every library call. Included by core/h5/*.cpp
// only.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

#include "core/base/error.h"

namespace npuscope::h5 {

/// The library's lock. A thread that enters for the first time also switches HDF5's automatic error
/// printing off (it is a per-thread setting).
class LibraryLock {
  public:
    LibraryLock();

  private:
    std::unique_lock<std::recursive_mutex> lock_;
};

/// In a child that was forked while its parent held the lock: the lock belongs to a thread that is
/// none of the child's.
void renew_library_lock();

/// Closes with the function given for its kind; close errors in a destructor are ignored.
class Handle {
  public:
    using Closer = herr_t (*)(hid_t);
    Handle() = default;
    Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
    ~Handle() { reset(); }
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
    Handle& operator=(Handle&& other) noexcept {
        if (this != &other) {
            reset();
            id_ = std::exchange(other.id_, -1);
            closer_ = other.closer_;
        }
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    [[nodiscard]] hid_t get() const { return id_; }
    [[nodiscard]] bool valid() const { return id_ >= 0; }
    void reset() noexcept {
        if (id_ >= 0) closer_(std::exchange(id_, -1));
    }
    /// Closes now and tells whether that worked.
    [[nodiscard]] bool close() { return id_ < 0 || closer_(std::exchange(id_, -1)) >= 0; }

  private:
    hid_t id_ = -1;
    Closer closer_ = nullptr;
};

/// The deepest message of the library's current error stack, "" when it is empty.
std::string library_error();

/// Throws Error(kind) "what: <library error>" when the identifier is negative.
Handle checked(hid_t id,
               Handle::Closer closer,
               const std::string& what,
               ErrorKind kind = ErrorKind::kIo);
void check(herr_t status, const std::string& what, ErrorKind kind = ErrorKind::kIo);

}  // namespace npuscope::h5
