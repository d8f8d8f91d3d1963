// An executor that Python threads may share: one call at a time.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "npu_backend/executor.h"

namespace npuscope::python {

/// A hook may call the executor again on the same thread. Whoever takes the mutex has given up
/// Python's lock before, since a hook takes that one inside.
struct LockedExecutor {
    LockedExecutor(Device device, ExecutorOptions options) : executor(std::move(device), options) {}
    Executor executor;
    std::recursive_mutex mutex;
};

}  // namespace npuscope::python
