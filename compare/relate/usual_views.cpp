#include "compare/relate/usual_views.h"

#include <algorithm>
#include <functional>

namespace npuscope::compare {

namespace {

/// What one tensor of a rank is at most put together of.
constexpr int64_t kMostFused = 3;

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
        if (axis == source.size() || !loop.is_plain()) return {};
        axes.push_back(axis);
    }
    return axes;
}

/// Whether two views take the same elements of one tensor, some of them looked at.
bool show_alike(const View& one, const View& other) {
    constexpr int64_t kLookedAt = 61;
    const int64_t numel = numel_of(one.shape);
    for (int64_t i = 0; i < numel; i += numel / kLookedAt + 1)
        if (place_in_source(one, i) != place_in_source(other, i)) return false;
    return true;
}

View in_order(const Shape& target, const Shape& golden) {
    const int64_t numel = numel_of(target);
    return {.shape = golden, .source_numel = numel, .loops = {{numel, 1}}};
}

}  // namespace

std::optional<View> view_of_shards(const Shape& shards,
                                   const Shape& whole,
                                   size_t axis,
                                   bool whole_is_target,
                                   int64_t parts,
                                   bool transposed) {
    if (shards.size() != whole.size() + 1 || shards.front() < 1) return std::nullopt;
    // Which axis of the shards, or of the whole, an axis of the other is.
    const auto other = [&](size_t i) { return transposed ? whole.size() - 1 - i : i; };
    for (size_t i = 0; i < whole.size(); ++i)
        if (whole[i] != shards[other(i) + 1] * (i == axis ? shards.front() : 1))
            return std::nullopt;
    const int64_t extent = shards[other(axis) + 1];
    if (extent % parts != 0) return std::nullopt;
    const int64_t length = extent / parts;
    const auto strides = contiguous_strides(whole_is_target ? whole : shards);
    View view{.shape = whole_is_target ? shards : whole, .source_numel = numel_of(whole)};
    if (whole_is_target) view.loops.push_back({shards[0], strides[axis] * length});
    for (size_t at = 0; at < whole.size(); ++at) {
        const size_t i = whole_is_target ? other(at) : at;
        const int64_t stride = strides[whole_is_target ? i : other(i) + 1];
        if (i != axis) {
            view.loops.push_back({whole[i], stride});
            continue;
        }
        // The whole's axis: parts, each of ranks, each of a length.
        view.loops.push_back({parts, stride * length * (whole_is_target ? shards[0] : 1)});
        if (!whole_is_target) view.loops.push_back({shards[0], strides[0]});
        view.loops.push_back({length, stride});
    }
    return view;
}

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
    learn_fused(target, golden, relation);
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
    if ((target.form == RankForm::kShards) != (golden.form == RankForm::kShards)) {
        const bool whole_is_target = golden.form == RankForm::kShards;
        const Shape& whole = whole_is_target ? target.shape : golden.shape;
        for (size_t axis = 0; axis < whole.size(); ++axis) {
            const Shape& shards = whole_is_target ? golden.shape : target.shape;
            for (int64_t parts = 1; parts <= kMostFused; ++parts)
                for (const bool transposed : {false, true}) {
                    const auto shown =
                        view_of_shards(shards, whole, axis, whole_is_target, parts, transposed);
                    if (!shown || !show_alike(*shown, view)) continue;
                    // Weights are cut along other axes than what flows through the network.
                    if (!target.is_given() && !transposed) ++shard_axes_[whole.size()][axis];
                    const size_t own = transposed ? whole.size() - 1 - axis : axis;
                    ++shard_parts_[{shards[0], shards[own + 1]}][parts];
                }
        }
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

void UsualViews::learn_fused(const ListedTensor& target,
                             const ListedTensor& golden,
                             const TensorRelation& relation) {
    if (relation.kind != RelationKind::kPart) return;
    const bool part_is_target = relation.golden_view.has_value();
    const ListedTensor& part = part_is_target ? target : golden;
    const ListedTensor& whole = part_is_target ? golden : target;
    if (part.form != RankForm::kShards || whole.form == RankForm::kShards ||
        part.sketch.numel == 0 || whole.sketch.numel % part.sketch.numel != 0)
        return;
    const int64_t parts = whole.sketch.numel / part.sketch.numel;
    const std::optional<View>& view = part_is_target ? relation.golden_view : relation.target_view;
    if (parts > kMostFused || !view || view->loops.empty()) return;
    const auto strides = contiguous_strides(whole.shape);
    const View::Loop& ranks = view->loops.front();
    if (ranks.extent != part.shape.front() || !ranks.is_plain()) return;
    // Side by side, the shards fill one of so many equal parts of an axis.
    for (size_t axis = 0; axis < whole.shape.size(); ++axis)
        if (const int64_t extent = whole.shape[axis];
            extent % (parts * ranks.extent) == 0 &&
            ranks.stride == strides[axis] * (extent / (parts * ranks.extent)))
            ++shard_parts_[{ranks.extent, extent / ranks.extent}][parts];
}

int64_t UsualViews::parts_of(const Shape& shards, size_t axis) const {
    if (axis + 1 >= shards.size()) return 1;
    const auto found = shard_parts_.find({shards[0], shards[axis + 1]});
    if (found == shard_parts_.end()) return 1;
    return std::ranges::max_element(found->second, {}, [](const auto& each) { return each.second; })
        ->first;
}

std::optional<View> UsualViews::of_shards(const ListedTensor& target,
                                          const ListedTensor& golden,
                                          std::optional<int64_t> parts) const {
    const bool whole_is_target = golden.form == RankForm::kShards;
    const Shape& shards = whole_is_target ? golden.shape : target.shape;
    const Shape& whole = whole_is_target ? target.shape : golden.shape;
    std::optional<View> best;
    int most = -1;
    int fitting = 0;
    const auto known = shard_axes_.find(whole.size());
    for (size_t axis = 0; axis < whole.size(); ++axis) {
        auto view = view_of_shards(
            shards, whole, axis, whole_is_target, parts.value_or(parts_of(shards, axis)));
        if (!view) continue;
        ++fitting;
        int votes = 0;
        if (known != shard_axes_.end())
            if (const auto found = known->second.find(axis); found != known->second.end())
                votes = found->second;
        if (votes <= most) continue;
        most = votes;
        best = std::move(view);
    }
    return most > 0 || fitting == 1 ? best : std::nullopt;
}

std::optional<View> UsualViews::of(const ListedTensor& target_tensor,
                                   const ListedTensor& golden_tensor) const {
    const Shape& target = target_tensor.shape;
    const Shape& golden = golden_tensor.shape;
    if (numel_of(target) != numel_of(golden)) return std::nullopt;
    const auto found = by_shapes_.find({target, golden});
    if (found != by_shapes_.end())
        return std::ranges::max_element(found->second, {}, &Votes::value_type::second)->first;
    if ((target_tensor.form == RankForm::kShards) != (golden_tensor.form == RankForm::kShards))
        if (auto view = of_shards(target_tensor, golden_tensor)) return view;
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

std::vector<View> UsualViews::all_of(const ListedTensor& target, const ListedTensor& golden) const {
    std::vector<View> views;
    if (const auto found = by_shapes_.find({target.shape, golden.shape});
        found != by_shapes_.end()) {
        Votes votes = found->second;
        std::ranges::stable_sort(votes, std::greater<>(), &Votes::value_type::second);
        for (auto& [view, count] : votes)
            views.push_back(std::move(view));
    } else if (auto usual = of(target, golden)) {
        views.push_back(std::move(*usual));
        if ((target.form == RankForm::kShards) != (golden.form == RankForm::kShards))
            for (int64_t parts = 1; parts <= kMostFused; ++parts)
                if (auto view = of_shards(target, golden, parts); view && *view != views.front())
                    views.push_back(std::move(*view));
    }
    return views;
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
