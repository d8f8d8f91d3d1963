#include "compare/relate/view.h"

#include <cstring>

#include "core/base/error.h"

namespace npuscope::compare {

int64_t place_in_source(const View& view, int64_t element) {
    int64_t at = view.offset;
    for (size_t loop = view.loops.size(); loop-- > 0;) {
        at += element % view.loops[loop].extent * view.loops[loop].stride;
        element /= view.loops[loop].extent;
    }
    return at;
}

bool stays_inside(const View& view) {
    int64_t low = view.offset;
    int64_t high = view.offset;
    for (const View::Loop& loop : view.loops)
        (loop.stride < 0 ? low : high) += loop.stride * (loop.extent - 1);
    return low >= 0 && high < view.source_numel;
}

Tensor apply(const View& view, const Tensor& source) {
    if (source.numel() != view.source_numel)
        throw Error(ErrorKind::kInternal,
                    "a view of " + std::to_string(view.source_numel) +
                        " elements cannot be taken of " + to_string(source.shape()));
    const size_t size = size_of(source.dtype());
    Tensor result(source.dtype(), view.shape);
    std::byte* to = result.mutable_data();
    for_each_place(view, [&](int64_t at) {
        std::memcpy(to, source.data() + static_cast<size_t>(at) * size, size);
        to += size;
        return true;
    });
    return view.cast ? result.cast(*view.cast) : result;
}

}  // namespace npuscope::compare
