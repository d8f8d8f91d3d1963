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

/// The loop that steps least through the target is `near`; the one that steps least through the
/// source is `far`. They go in tiles of `step` by `step`.
struct Tiles {
    Loop far;
    Loop near;
    int64_t step = 1;
};

template <class Run>
void copy_tile(
    const Loop& far, const Loop& near, Run run, const std::byte* source, std::byte* target) {
    for (int64_t i = 0; i < far.extent; ++i) {
        const std::byte* from = source + i * far.source_stride;
        std::byte* to = target + i * far.target_stride;
        for (int64_t j = 0; j < near.extent; ++j) {
            run(from, to);
            from += near.source_stride;
            to += near.target_stride;
        }
    }
}

template <class Run>
void copy_tiled(const Tiles& tiles, Run run, const std::byte* source, std::byte* target) {
    Loop far = tiles.far;
    Loop near = tiles.near;
    for (int64_t i = 0; i < tiles.far.extent; i += tiles.step) {
        far.extent = std::min(tiles.far.extent - i, tiles.step);
        for (int64_t j = 0; j < tiles.near.extent; j += tiles.step) {
            near.extent = std::min(tiles.near.extent - j, tiles.step);
            copy_tile(far,
                      near,
                      run,
                      source + i * far.source_stride + j * near.source_stride,
                      target + i * far.target_stride + j * near.target_stride);
        }
    }
}

/// The loops `around` the tiles, the outermost first.
template <class Run>
void copy_nest(std::span<const Loop> around,
               const Tiles& tiles,
               Run run,
               const std::byte* source,
               std::byte* target) {
    if (around.empty()) {
        copy_tiled(tiles, run, source, target);
        return;
    }
    const Loop& outer = around.front();
    for (int64_t i = 0; i < outer.extent; ++i)
        copy_nest(around.subspan(1),
                  tiles,
                  run,
                  source + i * outer.source_stride,
                  target + i * outer.target_stride);
}

template <class Run>
void copy_runs(
    std::vector<Loop> loops, size_t nbytes, Run run, const std::byte* source, std::byte* target) {
    Tiles tiles;
    if (!loops.empty()) {
        tiles.near = loops.back();
        loops.pop_back();
    }
    const auto least =
        std::min_element(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
            return a.source_stride < b.source_stride;
        });
    if (least != loops.end() && least->source_stride < tiles.near.source_stride) {
        tiles.far = *least;
        loops.erase(least);
    }
    tiles.step =
        std::clamp<int64_t>(2 * kTileBytes / static_cast<int64_t>(nbytes), 8, kMostTileSteps);
    copy_nest(std::span<const Loop>(loops), tiles, run, source, target);
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
