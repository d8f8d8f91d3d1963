// Tells other processes that a file is being written.
#pragma once

namespace npuscope {

/// What came of asking for a lock.
enum class Lock {
    kTaken,
    kHeld,         ///< somebody else has one that excludes it
    kUnsupported,  ///< the file system has no locks
};

/// Locks of open file descriptions (Linux's F_OFD_SETLK), which end when the last descriptor of the
/// open file is closed, so with a killed process too. They do not wait.
///
/// They are not those of flock(2), which HDF5 takes on every file that it opens: h5py reads a file
/// that is being written. Where a network file system makes one kind of both, a writer's lock is
/// shared, as a reader's of HDF5 is.
///
/// The descriptor is open for reading and writing; OwnedDescriptor keeps it from children.
[[nodiscard]] Lock lock_as_writer(int descriptor);
/// Taken only where no process has the other lock: whoever wrote the file has ended.
[[nodiscard]] Lock lock_as_heir(int descriptor);

}  // namespace npuscope
