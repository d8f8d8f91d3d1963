// Rows of a kernel shared among threads.
#pragma once

#include <algorithm>
#include <mutex>

#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend {

/// Calls tile(first, end), which gives a FloatStatus, for runs of rows that cover [0, rows), and
/// merges what they give. How the rows are cut depends on their number and length only.
template <class Tile>
void for_row_tiles(KernelCall& call, int64_t rows, int64_t length, Tile&& tile) {
    constexpr int64_t kElements = 16384;
    const int64_t each = std::max<int64_t>(1, kElements / std::max<int64_t>(length, 1));
    std::mutex mutex;
    parallel_for((rows + each - 1) / each, call.numerics.threads, [&](int64_t t) {
        const FloatStatus status = tile(t * each, std::min(rows, (t + 1) * each));
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
}

}  // namespace npuscope::backend
