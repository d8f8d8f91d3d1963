#include "core/base/allocator.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace npuscope {

void keep_freed_blocks() {
#ifdef __GLIBC__
    constexpr int kLargeBlock = 4 << 20;
    constexpr int kMostKept = 64 << 20;
    // NOLINTBEGIN(concurrency-mt-unsafe): no other thread runs yet.
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
    mallopt(M_TRIM_THRESHOLD, kMostKept);
    // NOLINTEND(concurrency-mt-unsafe)
#endif
}

}  // namespace npuscope
