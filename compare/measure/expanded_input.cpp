#include "compare/measure/expanded_input.h"

#include "compare/relate/view.h"

namespace npuscope::compare {

std::optional<Tensor> expanded_to(const Shape& shape, const ElementSource& elements) {
    const Shape& own = elements.shape();
    if (own.size() > shape.size() || elements.numel() == 0) return std::nullopt;
    const size_t added = shape.size() - own.size();
    const std::vector<int64_t> strides = contiguous_strides(own);
    View view{.shape = shape, .source_numel = elements.numel(), .loops = {}};
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t extent = axis < added ? 1 : own[axis - added];
        if (extent != 1 && extent != shape[axis]) return std::nullopt;
        view.loops.push_back({shape[axis], extent == 1 ? 0 : strides[axis - added]});
    }
    return apply(view, elements.whole());
}

}  // namespace npuscope::compare
