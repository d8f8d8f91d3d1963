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
        if (axis == source.size() || loop.tile != 0) return {};
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
    const int64_t mine = target.sketch.numel;
    const int64_t theirs = golden.sketch.numel;
    if (relation.kind == RelationKind::kPart &&
        2 * std::min(mine, theirs) > std::max(mine, theirs)) {
        cuts_.try_emplace({target.shape, golden.shape}, relation);
        extents_.insert({std::max(mine, theirs) * relation.slice_extent / std::min(mine, theirs),
                         relation.slice_extent,
                         relation.slice_first});
    }
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
    if (numel_of(target) != numel_of(golden)) return std::nullopt;
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

std::optional<TensorRelation> UsualViews::cut(const Shape& target, const Shape& golden) const {
    if (extents_.empty() || numel_of(target) == numel_of(golden)) return std::nullopt;
    const auto known = cuts_.find({target, golden});
    if (known != cuts_.end()) return known->second;
    if (target.size() != golden.size()) return std::nullopt;
    const bool part_is_target = numel_of(target) < numel_of(golden);
    const Shape& part = part_is_target ? target : golden;
    const Shape& whole = part_is_target ? golden : target;
    const auto strides = contiguous_strides(whole);
    View view{.shape = part, .source_numel = numel_of(whole)};
    TensorRelation relation{.kind = RelationKind::kPart};
    for (size_t axis = 0; axis < part.size(); ++axis) {
        view.loops.push_back({part[axis], strides[axis]});
        if (part[axis] == whole[axis]) continue;
        const auto extents = std::ranges::find_if(extents_, [&](const auto& each) {
            return each[0] == whole[axis] && each[1] == part[axis];
        });
        if (extents == extents_.end()) return std::nullopt;
        const int64_t first = (*extents)[2];
        view.offset += first * strides[axis];
        relation.slice_first = first;
        relation.slice_extent = part[axis];
        relation.text += (relation.text.empty() ? "" : " and ") + std::to_string(first) + ":" +
                         std::to_string(first + part[axis]) + " along axis " + std::to_string(axis);
    }
    relation.text += " of " + to_string(whole);
    (part_is_target ? relation.golden_view : relation.target_view) = std::move(view);
    return relation;
}

}  // namespace npuscope::compare
