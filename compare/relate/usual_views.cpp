#include "compare/relate/usual_views.h"

#include <algorithm>

namespace npuscope::compare {

namespace {

/// Of the result of a permutation, which axis of the source each of its axes is; empty of others.
std::vector<size_t> axes_of(const View& view, const Shape& source) {
    std::vector<size_t> axes;
    if (view.loops.size() != source.size() || view.offset != 0) return {};
    const auto strides = contiguous_strides(source);
    for (const View::Loop& loop : view.loops) {
        size_t axis = 0;
        while (axis < source.size() &&
               (strides[axis] != loop.stride || source[axis] != loop.extent ||
                std::ranges::find(axes, axis) != axes.end()))
            ++axis;
        if (axis == source.size()) return {};
        axes.push_back(axis);
    }
    return axes;
}

View in_order(const Shape& target, const Shape& golden) {
    const int64_t numel = numel_of(target);
    return {.shape = golden, .source_numel = numel, .loops = {{numel, 1}}};
}

}  // namespace

void UsualViews::learn(const ListedTensor& target,
                       const ListedTensor& golden,
                       const TensorRelation& relation) {
    if (relation.kind == RelationKind::kPart || relation.kind == RelationKind::kSum ||
        relation.kind == RelationKind::kUnlike)
        return;
    const View view = relation.target_view.value_or(in_order(target.shape, golden.shape));
    Votes& votes = by_shapes_[{target.shape, golden.shape}];
    const auto found = std::ranges::find(votes, view, &Votes::value_type::first);
    if (found != votes.end()) {
        ++found->second;
    } else {
        votes.emplace_back(view, 1);
    }
    // Weights lie otherwise than what flows through the network.
    if (target.is_given() || target.shape.size() != golden.shape.size()) return;
    std::vector<size_t> axes = axes_of(view, target.shape);
    if (target.shape == golden.shape && !relation.target_view) {
        axes.resize(target.shape.size());
        for (size_t axis = 0; axis < axes.size(); ++axis)
            axes[axis] = axis;
    }
    if (axes.size() > 1) ++orders_[axes.size()][axes];
}

std::optional<View> UsualViews::of(const Shape& target, const Shape& golden) const {
    const auto found = by_shapes_.find({target, golden});
    if (found != by_shapes_.end())
        return std::ranges::max_element(found->second, {}, &Votes::value_type::second)->first;
    const auto orders = orders_.find(target.size());
    if (orders == orders_.end() || golden.size() != target.size()) return std::nullopt;
    const auto strides = contiguous_strides(target);
    std::optional<View> best;
    int most = 0;
    for (const auto& [axes, votes] : orders->second) {
        if (votes <= most) continue;
        View view{.shape = golden, .source_numel = numel_of(target)};
        bool fits = true;
        for (size_t i = 0; i < axes.size(); ++i) {
            fits = fits && target[axes[i]] == golden[i];
            view.loops.push_back({target[axes[i]], strides[axes[i]]});
        }
        if (!fits) continue;
        best = std::move(view);
        most = votes;
    }
    return best;
}

}  // namespace npuscope::compare
