#include "compare/relate/slices.h"

#include <algorithm>

#include "compare/relate/arrangements.h"
#include "compare/relate/block_orders.h"

namespace npuscope::compare {

namespace {

/// Of one shape of the whole in which the part is a slice.
constexpr size_t kMostSliced = 24;

/// A shape of as many elements as the whole, the part but for one axis.
struct Enlarged {
    Shape shape;
    size_t axis = 0;     ///< the one that is larger
    int64_t extent = 1;  ///< what the part has of it
};

void add_inserted(const Shape& part, size_t at, int64_t extent, std::vector<Enlarged>& found) {
    Enlarged enlarged{.shape = part, .axis = at};
    enlarged.shape.insert(enlarged.shape.begin() + static_cast<int64_t>(at), extent);
    found.push_back(std::move(enlarged));
}

std::vector<Enlarged> enlarged_shapes(const Shape& part, int64_t whole) {
    std::vector<Enlarged> found;
    const int64_t numel = numel_of(part);
    for (size_t axis = 0; axis < part.size(); ++axis) {
        const int64_t rest = numel / part[axis];
        if (whole % rest != 0) continue;
        found.push_back({.shape = part, .axis = axis, .extent = part[axis]});
        found.back().shape[axis] = whole / rest;
    }
    if (whole % numel != 0) return found;
    const int64_t ratio = whole / numel;
    for (size_t at = 0; at <= part.size(); ++at)
        add_inserted(part, at, ratio, found);
    for (size_t axis = 0; axis < part.size(); ++axis)
        for (int64_t inner = 2; inner <= part[axis] / 2; ++inner) {
            if (part[axis] % inner != 0) continue;
            Shape split = part;
            split[axis] = part[axis] / inner;
            split.insert(split.begin() + static_cast<int64_t>(axis) + 1, inner);
            add_inserted(split, axis + 1, ratio, found);
        }
    return found;
}

/// The slices of an arrangement of the whole; none where the axis is made of loops that a slice
/// would cut.
void add_form(const View& arrangement,
              const Enlarged& enlarged,
              const Shape& part,
              std::vector<SliceForm>& forms) {
    // Loops of each axis stand beside each other; their extents multiply to it.
    size_t loop = 0;
    for (size_t axis = 0; axis < enlarged.axis; ++axis)
        for (int64_t need = enlarged.shape[axis]; need > 1;
             need /= arrangement.loops[loop++].extent) {
        }
    size_t last = loop;
    for (int64_t need = enlarged.shape[enlarged.axis]; need > 1; ++last)
        need /= arrangement.loops[last].extent;
    if (last != loop + 1) return;
    SliceForm form{.first = arrangement};
    form.first.shape = part;
    form.step = arrangement.loops[loop].stride;
    form.first.loops[loop].extent = enlarged.extent;
    form.extent = enlarged.extent;
    form.positions = enlarged.shape[enlarged.axis] - enlarged.extent + 1;
    forms.push_back(std::move(form));
}

}  // namespace

View SliceForm::at(int64_t position) const {
    View view = first;
    view.offset += position * step;
    return view;
}

std::vector<SliceForm> slice_forms(const Shape& whole, const Shape& part) {
    std::vector<SliceForm> forms;
    const Shape axes = without_ones(part);
    for (const Enlarged& enlarged : enlarged_shapes(axes, numel_of(whole)))
        for (const View& view : arrangements(whole, enlarged.shape, kMostSliced))
            add_form(view, enlarged, part, forms);
    return forms;
}

const std::vector<SliceForm>& SliceForms::of(const Shape& whole, const Shape& part) {
    const auto [found, is_new] = known_.try_emplace({whole, part});
    if (is_new) found->second = slice_forms(whole, part);
    return found->second;
}

std::string text_of_range(int64_t first, int64_t extent, int64_t axis) {
    return std::to_string(first) + ":" + std::to_string(first + extent) + " along axis " +
           std::to_string(axis);
}

std::string text_of(const SliceForm& form, int64_t position, const Shape& whole) {
    if (has_block_order(form.first)) {
        SliceForm plain = form;
        plain.first = without_block_order(form.first);
        return text_of(plain, position, whole) + ", " + text_of_block_order(form.first, whole);
    }
    const auto strides = contiguous_strides(whole);
    const auto axis = std::ranges::find(strides, form.step);
    if (axis != strides.end())
        return text_of_range(position, form.extent, axis - strides.begin()) + " of " +
               to_string(whole);
    return to_string(form.first.shape) + " of " + to_string(whole) + " from element " +
           std::to_string(position * form.step) + " on";
}

}  // namespace npuscope::compare
