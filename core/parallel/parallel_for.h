// Independent tasks over the machine's cores.
#pragma once

#include <cstdint>
#include <functional>

namespace npuscope {

/// Cores that this process may use, at least 1.
[[nodiscard]] int available_threads();

/// Calls task(i) once for each i in [0, count), on up to `threads` threads (0:
/// available_threads()), in any order. The first exception is rethrown here after all threads
/// ended; tasks not yet started are skipped. Results must not depend on the order.
void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& task);

}  // namespace npuscope
