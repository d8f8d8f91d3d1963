#include "core/layout/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace npuscope::layout {

namespace {

constexpr int64_t kTileBytes = 64;  // of the two loops that are cut into tiles: a cache line
constexpr int64_t kMostTileSteps = 32;

/// Loops of one step go, loops that continue each other become one; the order is that of the
/// target's memory, outermost first.
void simplify(std::vector<Loop>& loops) {
    std::erase_if(loops, [](const Loop& loop) { return loop.extent == 1; });
    std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
        return a.target_stride != b.target_stride ? a.target_stride > b.target_stride
                                                  : a.source_stride > b.source_stride;
    });
    for (size_t i = loops.size(); i-- > 1;) {
        Loop& outer = loops[i - 1];
        const Loop& inner = loops[i];
        if (outer.source_stride != inner.source_stride * inner.extent ||
            outer.target_stride != inner.target_stride * inner.extent)
            continue;
        outer = {.extent = outer.extent * inner.extent,
                 .source_stride = inner.source_stride,
                 .target_stride = inner.target_stride};
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// Copies runs of bytes: strides are in bytes from here on.
template <size_t kBytes>
struct FixedRun {
    void operator()(const std::byte* source, std::byte* target) const {
        std::memcpy(target, source, kBytes);
    }
};
struct AnyRun {
    size_t nbytes;
    void operator()(const std::byte* source, std::byte* target) const {
        std::memcpy(target, source, nbytes);
    }
};

template <class Run>
void copy_tiled(const Loop& far,
                const Loop& near,
                int64_t step,
                Run run,
                const std::byte* source,
                std::byte* target) {
    for (int64_t i0 = 0; i0 < far.extent; i0 += step) {
        const int64_t i1 = std::min(far.extent, i0 + step);
        for (int64_t j0 = 0; j0 < near.extent; j0 += step) {
            const int64_t j1 = std::min(near.extent, j0 + step);
            for (int64_t i = i0; i < i1; ++i) {
                const std::byte* from = source + i * far.source_stride + j0 * near.source_stride;
                std::byte* to = target + i * far.target_stride + j0 * near.target_stride;
                for (int64_t j = j0; j < j1; ++j) {
                    run(from, to);
                    from += near.source_stride;
                    to += near.target_stride;
                }
            }
        }
    }
}

/// The loop that steps least through the target is `near`; the one that steps least through the
/// source is `far`. The others go around them.
template <class Run>
void copy_nest(std::span<const Loop> around,
               const Loop& far,
               const Loop& near,
               int64_t step,
               Run run,
               const std::byte* source,
               std::byte* target) {
    if (around.empty()) {
        copy_tiled(far, near, step, run, source, target);
        return;
    }
    const Loop& outer = around.front();
    for (int64_t i = 0; i < outer.extent; ++i)
        copy_nest(around.subspan(1),
                  far,
                  near,
                  step,
                  run,
                  source + i * outer.source_stride,
                  target + i * outer.target_stride);
}

template <class Run>
void copy_runs(
    std::vector<Loop> loops, size_t nbytes, Run run, const std::byte* source, std::byte* target) {
    Loop near;
    Loop far;
    if (!loops.empty()) {
        near = loops.back();
        loops.pop_back();
    }
    const auto least =
        std::min_element(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
            return a.source_stride < b.source_stride;
        });
    if (least != loops.end() && least->source_stride < near.source_stride) {
        far = *least;
        loops.erase(least);
    }
    const auto step =
        std::clamp<int64_t>(2 * kTileBytes / static_cast<int64_t>(nbytes), 8, kMostTileSteps);
    copy_nest(std::span<const Loop>(loops), far, near, step, run, source, target);
}

}  // namespace

void strided_copy(std::vector<Loop> loops,
                  size_t element_size,
                  const std::byte* source,
                  std::byte* target) {
    for (const Loop& loop : loops)
        if (loop.extent <= 0) return;
    simplify(loops);
    size_t nbytes = element_size;
    if (!loops.empty() && loops.back().source_stride == 1 && loops.back().target_stride == 1) {
        nbytes *= static_cast<size_t>(loops.back().extent);
        loops.pop_back();
    }
    for (Loop& loop : loops) {
        loop.source_stride *= static_cast<int64_t>(element_size);
        loop.target_stride *= static_cast<int64_t>(element_size);
    }
    switch (nbytes) {
        case 1:
            return copy_runs(std::move(loops), nbytes, FixedRun<1>{}, source, target);
        case 2:
            return copy_runs(std::move(loops), nbytes, FixedRun<2>{}, source, target);
        case 4:
            return copy_runs(std::move(loops), nbytes, FixedRun<4>{}, source, target);
        case 8:
            return copy_runs(std::move(loops), nbytes, FixedRun<8>{}, source, target);
        case 16:
            return copy_runs(std::move(loops), nbytes, FixedRun<16>{}, source, target);
        case 32:
            return copy_runs(std::move(loops), nbytes, FixedRun<32>{}, source, target);
        case 64:
            return copy_runs(std::move(loops), nbytes, FixedRun<64>{}, source, target);
        default:
            return copy_runs(std::move(loops), nbytes, AnyRun{nbytes}, source, target);
    }
}

}  // namespace npuscope::layout
