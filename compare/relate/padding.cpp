#include "compare/relate/padding.h"

#include <algorithm>
#include <string>

#include "compare/relate/slices.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// One tensor may be most of another for other reasons.
constexpr int kLeastVotes = 2;

/// "0:12 along axis 1 of [2,13,32]".
std::string text_of_kept(const View& kept, const Shape& shape) {
    const auto strides = contiguous_strides(shape);
    std::string text;
    int64_t rest = kept.offset;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t first = rest / strides[axis];
        rest %= strides[axis];
        if (kept.shape[axis] == shape[axis]) continue;
        text += (text.empty() ? "" : " and ") +
                text_of_range(first, kept.shape[axis], static_cast<int64_t>(axis));
    }
    return text + " of " + to_string(shape);
}

void put_back_listing(std::map<size_t, ListedTensor>& recorded, Listing& side) {
    for (auto& [index, tensor] : recorded)
        side.tensors[index] = std::move(tensor);
    recorded.clear();
}

}  // namespace

bool Padding::is_padding(const TensorRelation& relation, bool of_target) const {
    return relation.kind == RelationKind::kPart && !relation.by_place &&
           relation.target_view.has_value() == of_target && found_.is_one_to_one(relation);
}

Padding::Cuts Padding::cuts_of(bool of_target) const {
    const Listing& side = of_target ? target_ : golden_;
    std::map<size_t, int> parts;
    for (const TensorRelation& each : found_.relations())
        if (each.kind == RelationKind::kPart) ++parts[of_target ? each.target : each.golden];
    Cuts cuts;
    for (const TensorRelation& each : found_.relations()) {
        if (!is_padding(each, of_target)) continue;
        const size_t index = of_target ? each.target : each.golden;
        const ListedTensor& whole = side.tensors[index];
        const int64_t part_numel =
            (of_target ? golden_.tensors[each.golden] : target_.tensors[each.target]).sketch.numel;
        // What holds several is put together, not padded; weights say nothing of what flows.
        if (whole.is_given() || parts[index] > 1) continue;
        const int64_t extent = whole.sketch.numel * each.slice_extent / part_numel;
        Seen& seen = cuts[extent][{.part = each.slice_extent, .first = each.slice_first}];
        ++seen.votes;
        if (std::ranges::count(whole.shape, extent) == 1)
            seen.axes.emplace(whole.shape.size(),
                              std::ranges::find(whole.shape, extent) - whole.shape.begin());
    }
    for (auto& [extent, seen] : cuts)
        std::erase_if(seen, [](const auto& each) { return each.second.votes < kLeastVotes; });
    return cuts;
}

std::optional<View> Padding::kept_of(const Shape& shape, const Cuts& cuts) const {
    const auto strides = contiguous_strides(shape);
    View view{.shape = shape, .source_numel = numel_of(shape)};
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const auto found = cuts.find(shape[axis]);
        if (found != cuts.end() && !found->second.empty()) {
            const auto& [cut, seen] = *std::ranges::max_element(
                found->second, {}, [](const auto& each) { return each.second.votes; });
            // Where axes of such tensors are known, others of that extent are other things.
            const bool is_known = std::ranges::any_of(
                seen.axes, [&](const auto& each) { return each.first == shape.size(); });
            if (!is_known || seen.axes.contains({shape.size(), axis})) {
                view.shape[axis] = cut.part;
                view.offset += cut.first * strides[axis];
            }
        }
        view.loops.push_back({view.shape[axis], strides[axis]});
    }
    return view.shape == shape ? std::nullopt : std::optional(std::move(view));
}

void Padding::leave_out(bool of_target, const Cuts& cuts) {
    Listing& side = of_target ? target_ : golden_;
    const Source& source = of_target ? sources_.target : sources_.golden;
    auto& recorded = of_target ? recorded_targets_ : recorded_goldens_;
    std::vector<size_t> padded = of_target ? found_.free_targets() : found_.free_goldens();
    for (const TensorRelation& each : found_.relations())
        if (is_padding(each, of_target)) padded.push_back(of_target ? each.target : each.golden);
    std::ranges::sort(padded);
    for (const size_t index : padded) {
        ListedTensor& tensor = side.tensors[index];
        auto kept = kept_of(tensor.shape, cuts);
        if (!kept) continue;
        ListedTensor changed = tensor;
        changed.shape = kept->shape;
        changed.kept = std::move(kept);
        try {
            changed.sketch = sketch_of(*open_listed(source, changed));
        } catch (const Error&) {
            continue;
        }
        if (side.tensors[changed.twin].kept != changed.kept) changed.twin = index;
        recorded.emplace(index, std::move(tensor));
        tensor = std::move(changed);
    }
}

bool Padding::leave_out() {
    // Both are looked at before either is changed.
    const Cuts of_target = cuts_of(true);
    const Cuts of_golden = cuts_of(false);
    leave_out(true, of_target);
    leave_out(false, of_golden);
    return !recorded_targets_.empty() || !recorded_goldens_.empty();
}

void Padding::take_over(Matches& matches) const {
    for (const TensorRelation& each : found_.relations()) {
        if (recorded_targets_.contains(each.target) || recorded_goldens_.contains(each.golden))
            continue;
        if (found_.is_one_to_one(each)) {
            matches.add(each);
        } else {
            matches.add_part(each);
        }
    }
}

bool Padding::tell(TensorRelation& relation) const {
    std::string words;
    bool is_changed = false;
    const auto change = [&](const Listing& side,
                            const std::map<size_t, ListedTensor>& recorded,
                            size_t index,
                            std::optional<View>& view) {
        const ListedTensor& tensor = side.tensors[index];
        if (!tensor.kept) return true;
        is_changed = true;
        if (view && !(view = composed(*view, *tensor.kept))) return false;
        if (!view) view = tensor.kept;
        words += (words.empty() ? "" : ", ") + text_of_kept(*tensor.kept, recorded.at(index).shape);
        return true;
    };
    if (!change(target_, recorded_targets_, relation.target, relation.target_view) ||
        !change(golden_, recorded_goldens_, relation.golden, relation.golden_view))
        return false;
    if (!is_changed) return true;
    if (relation.kind == RelationKind::kSum) return false;  // Its terms are compared whole.
    if (relation.kind == RelationKind::kEqual || relation.kind == RelationKind::kReshaped ||
        relation.kind == RelationKind::kPermuted)
        relation.kind = RelationKind::kPart;
    relation.text += (relation.text.empty() ? "" : "; ") + words;
    return true;
}

void Padding::put_back(std::vector<TensorRelation>& relations) {
    std::erase_if(relations, [&](TensorRelation& each) {
        const bool is_padded_term =
            std::ranges::any_of(
                each.more_target,
                [&](size_t term) { return target_.tensors[term].kept.has_value(); }) ||
            std::ranges::any_of(each.more_golden, [&](size_t term) {
                return golden_.tensors[term].kept.has_value();
            });
        return is_padded_term || !tell(each);
    });
    put_back_listing(recorded_targets_, target_);
    put_back_listing(recorded_goldens_, golden_);
}

}  // namespace npuscope::compare
