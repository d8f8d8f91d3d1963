#include "compare/relate/per_rank.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "compare/relate/slices.h"

namespace npuscope::compare {

namespace {

/// A loop over elements of both sides.
struct CommonLoop {
    int64_t extent = 1;
    int64_t target = 0;  ///< elements between its places
    int64_t golden = 0;
};

View whole_of(const Shape& shape, int64_t ranks) {
    const int64_t numel = numel_of(shape) * ranks;
    return {.shape = {numel}, .source_numel = numel, .loops = {{numel, 1}}};
}

/// Loops that go through the elements of both views at once; empty where those of one do not divide
/// into those of the other.
std::optional<std::vector<CommonLoop>> common_loops(const View& target, const View& golden) {
    std::vector<View::Loop> mine = target.loops;
    std::vector<View::Loop> theirs = golden.loops;
    const auto is_plain = [](const View::Loop& loop) {
        return loop.is_plain() && loop.stride >= 0;
    };
    if (!std::ranges::all_of(mine, is_plain) || !std::ranges::all_of(theirs, is_plain))
        return std::nullopt;
    std::vector<CommonLoop> loops;
    const auto drop_ones = [](std::vector<View::Loop>& list) {
        while (!list.empty() && list.back().extent == 1)
            list.pop_back();
    };
    // The innermost first.
    for (drop_ones(mine), drop_ones(theirs); !mine.empty() && !theirs.empty();
         drop_ones(mine), drop_ones(theirs)) {
        View::Loop& one = mine.back();
        View::Loop& other = theirs.back();
        const int64_t extent = std::min(one.extent, other.extent);
        if (one.extent % extent != 0 || other.extent % extent != 0) return std::nullopt;
        loops.push_back({extent, one.stride, other.stride});
        one = {one.extent / extent, one.stride * extent};
        other = {other.extent / extent, other.stride * extent};
    }
    if (!mine.empty() || !theirs.empty()) return std::nullopt;
    std::ranges::reverse(loops);
    return loops;
}

/// Takes loops apart that go on from one rank to the next; false where one does so in its midst.
bool cut_at_ranks(std::vector<CommonLoop>& loops, int64_t CommonLoop::*stride, int64_t numel) {
    for (size_t i = 0; i < loops.size(); ++i) {
        const CommonLoop loop = loops[i];
        const int64_t step = loop.*stride;
        if (step == 0 || step >= numel) {
            if (step % numel != 0) return false;
            continue;
        }
        if ((loop.extent - 1) * step < numel) continue;
        const int64_t inner = numel / step;
        if (numel % step != 0 || loop.extent % inner != 0) return false;
        loops[i] = {loop.extent / inner, loop.target * inner, loop.golden * inner};
        loops.insert(loops.begin() + static_cast<int64_t>(i) + 1,
                     {inner, loop.target, loop.golden});
        ++i;
    }
    return true;
}

/// The view of one rank; empty where it shows all as it is.
std::optional<View> view_of(const std::vector<CommonLoop>& loops,
                            int64_t CommonLoop::*stride,
                            int64_t offset,
                            const Shape& shape,
                            const Shape& source) {
    View view{.shape = shape, .source_numel = numel_of(source), .offset = offset};
    for (const CommonLoop& loop : loops) {
        // What lies in one row is one loop.
        const bool goes_on =
            !view.loops.empty() && view.loops.back().stride == loop.*stride * loop.extent;
        if (goes_on) {
            view.loops.back() = {view.loops.back().extent * loop.extent, loop.*stride};
        } else {
            view.loops.push_back({loop.extent, loop.*stride});
        }
    }
    if (view.loops.empty()) view.loops.push_back({1, 0});
    const bool is_all = offset == 0 && shape == source && view.loops.size() == 1 &&
                        (view.loops[0].stride == 1 || view.loops[0].extent == 1);
    return is_all ? std::nullopt : std::optional(std::move(view));
}

/// Whether loops in their order go through all elements of a tensor.
bool are_in_order(const std::vector<CommonLoop>& loops,
                  int64_t CommonLoop::*stride,
                  int64_t numel) {
    int64_t next = 1;
    for (size_t i = loops.size(); i-- > 0; next *= loops[i].extent)
        if (loops[i].*stride != next) return false;
    return next == numel;
}

/// Both sides' views of the loops that stay within a rank.
ShardViews views_of(const std::vector<CommonLoop>& loops,
                    int64_t target_offset,
                    int64_t golden_offset,
                    const Shape& target_shape,
                    const Shape& golden_shape) {
    Shape shape;
    if (are_in_order(loops, &CommonLoop::target, numel_of(target_shape))) {
        shape = target_shape;
    } else if (are_in_order(loops, &CommonLoop::golden, numel_of(golden_shape))) {
        shape = golden_shape;
    } else {
        for (const CommonLoop& loop : loops)
            shape.push_back(loop.extent);
    }
    return {.target = view_of(loops, &CommonLoop::target, target_offset, shape, target_shape),
            .golden = view_of(loops, &CommonLoop::golden, golden_offset, shape, golden_shape)};
}

}  // namespace

std::vector<ShardViews> shard_views(const std::optional<View>& target_view,
                                    const std::optional<View>& golden_view,
                                    const Shape& target_shape,
                                    const Shape& golden_shape,
                                    int64_t target_ranks,
                                    int64_t golden_ranks) {
    const View mine = target_view.value_or(whole_of(target_shape, target_ranks));
    const View theirs = golden_view.value_or(whole_of(golden_shape, golden_ranks));
    auto loops = common_loops(mine, theirs);
    const int64_t target_numel = numel_of(target_shape);
    const int64_t golden_numel = numel_of(golden_shape);
    if (!loops || (target_ranks > 1 && !cut_at_ranks(*loops, &CommonLoop::target, target_numel)) ||
        (golden_ranks > 1 && !cut_at_ranks(*loops, &CommonLoop::golden, golden_numel)))
        return {};
    std::vector<CommonLoop> apart;
    std::vector<CommonLoop> inside;
    for (const CommonLoop& loop : *loops) {
        const bool is_apart = (target_ranks > 1 && loop.target >= target_numel) ||
                              (golden_ranks > 1 && loop.golden >= golden_numel);
        (is_apart ? apart : inside).push_back(loop);
    }
    int64_t target_reach = 0;
    int64_t golden_reach = 0;
    for (const CommonLoop& loop : inside) {
        target_reach += (loop.extent - 1) * loop.target;
        golden_reach += (loop.extent - 1) * loop.golden;
    }
    int64_t count = 1;
    for (const CommonLoop& loop : apart)
        count *= loop.extent;
    std::vector<ShardViews> found;
    for (int64_t each = 0; each < count; ++each) {
        int64_t target_at = mine.offset;
        int64_t golden_at = theirs.offset;
        int64_t rest = each;
        for (size_t i = apart.size(); i-- > 0; rest /= apart[i].extent) {
            target_at += rest % apart[i].extent * apart[i].target;
            golden_at += rest % apart[i].extent * apart[i].golden;
        }
        const int64_t target_offset = target_at % target_numel;
        const int64_t golden_offset = golden_at % golden_numel;
        if (target_offset + target_reach >= target_numel ||
            golden_offset + golden_reach >= golden_numel)
            return {};
        ShardViews views =
            views_of(inside, target_offset, golden_offset, target_shape, golden_shape);
        views.target_rank = static_cast<size_t>(target_at / target_numel);
        views.golden_rank = static_cast<size_t>(golden_at / golden_numel);
        found.push_back(std::move(views));
    }
    return found;
}

std::string text_of_box(const View& view, const Shape& shape) {
    int64_t last = view.offset;
    for (const View::Loop& loop : view.loops)
        last += loop.at(loop.extent - 1);
    const auto strides = contiguous_strides(shape);
    std::string text;
    int64_t numel = 1;
    int64_t first = view.offset;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t low = first / strides[axis];
        const int64_t extent = last / strides[axis] - low + 1;
        first %= strides[axis];
        last %= strides[axis];
        numel *= extent;
        if (extent != shape[axis])
            text += (text.empty() ? "" : " and ") +
                    text_of_range(low, extent, static_cast<int64_t>(axis));
    }
    if (numel != numel_of(view.shape)) return "a part of " + to_string(shape);
    return text.empty() ? "" : text + " of " + to_string(shape);
}

namespace {

/// The tensors of a listing by where they were recorded.
class Recorded {
  public:
    Recorded(const Listing& side, const std::optional<JoinedRanks>& ranks) : side_(side) {
        for (const TensorUse& use : side.uses)
            known_[{use.op, use.number}] = use.tensor;
        for (size_t i = 0; i < side.tensors.size(); ++i)
            known_[{side.tensors[i].op, side.tensors[i].number}] = i;
        ranks_ = ranks ? &*ranks : nullptr;
    }

    /// What a tensor of the joined program, listed as `joined`, stands for.
    [[nodiscard]] RankGroup group(const ListedTensor& joined) const {
        if (ranks_ != nullptr) return ranks_->tensors[joined.op][joined.number];
        return {.of = {{joined.op, joined.number}}};
    }
    [[nodiscard]] size_t find(const RecordedPlace& place) const {
        const auto found = known_.find(place);
        return found == known_.end() ? kNoTensor : found->second;
    }
    /// kNoTensor as well where it holds what another one does that is listed in its stead.
    [[nodiscard]] size_t find_itself(const RecordedPlace& place) const {
        const size_t found = find(place);
        if (found == kNoTensor) return kNoTensor;
        const ListedTensor& tensor = side_.tensors[found];
        return RecordedPlace{tensor.op, tensor.number} == place ? found : kNoTensor;
    }
    [[nodiscard]] const Shape& shape(size_t tensor) const { return side_.tensors[tensor].shape; }

  private:
    const Listing& side_;
    const JoinedRanks* ranks_ = nullptr;
    std::map<RecordedPlace, size_t> known_;
};

class PerRank {
  public:
    PerRank(const Relations& found, Recorded target, Recorded golden)
        : found_(found), target_(std::move(target)), golden_(std::move(golden)) {}

    std::vector<TensorRelation> relations() {
        for (const TensorRelation& each : found_.found)
            relate(each);
        return std::move(relations_);
    }

  private:
    void relate(const TensorRelation& joined) {
        const RankGroup mine = target_.group(found_.target.tensors[joined.target]);
        const RankGroup theirs = golden_.group(found_.golden.tensors[joined.golden]);
        if (mine.form == RankForm::kShards || theirs.form == RankForm::kShards) {
            relate_shards(joined, mine, theirs);
            return;
        }
        const bool are_terms = mine.form == RankForm::kTerms || theirs.form == RankForm::kTerms;
        const std::vector<RecordedPlace> targets = shown_of(mine);
        const std::vector<RecordedPlace> goldens = shown_of(theirs);
        // Of copies on both sides the first stands for the others.
        for (size_t i = 0; i < std::max(targets.size(), goldens.size()); ++i) {
            TensorRelation relation = joined;
            relation.target = target_.find_itself(targets[std::min(i, targets.size() - 1)]);
            relation.golden = golden_.find_itself(goldens[std::min(i, goldens.size() - 1)]);
            if (!more_of(found_.target, target_, joined.more_target, relation.more_target) ||
                !more_of(found_.golden, golden_, joined.more_golden, relation.more_golden))
                return;
            if (are_terms) {
                relation.kind = RelationKind::kSum;
                relation.text = "the sum of " +
                                std::to_string(std::max(mine.of.size(), theirs.of.size())) +
                                " ranks" + (joined.text.empty() ? "" : "; " + joined.text);
                if (!take_terms(mine, target_, relation.more_target) ||
                    !take_terms(theirs, golden_, relation.more_golden))
                    return;
            }
            add(std::move(relation));
        }
    }

    /// Every copy; of terms the first, as the others are added to it.
    static std::vector<RecordedPlace> shown_of(const RankGroup& group) {
        if (group.form == RankForm::kTerms) return {group.of.front()};
        return group.of;
    }

    static bool take_terms(const RankGroup& group,
                           const Recorded& side,
                           std::vector<size_t>& more) {
        if (group.form != RankForm::kTerms) return true;
        for (size_t i = 1; i < group.of.size(); ++i) {
            more.push_back(side.find(group.of[i]));
            if (more.back() == kNoTensor) return false;
        }
        return true;
    }

    /// Tensors that are added, of copies the first.
    static bool more_of(const Listing& joined,
                        const Recorded& side,
                        const std::vector<size_t>& more,
                        std::vector<size_t>& found) {
        found.clear();
        for (const size_t each : more) {
            const RankGroup group = side.group(joined.tensors[each]);
            if (group.form == RankForm::kShards || group.form == RankForm::kTerms) return false;
            found.push_back(side.find(group.of[group.shown]));
            if (found.back() == kNoTensor) return false;
        }
        return true;
    }

    void relate_shards(const TensorRelation& joined,
                       const RankGroup& mine,
                       const RankGroup& theirs) {
        if (!joined.more_target.empty() || !joined.more_golden.empty() ||
            mine.form == RankForm::kTerms || theirs.form == RankForm::kTerms)
            return;
        const size_t a_target = target_.find(mine.of.front());
        const size_t a_golden = golden_.find(theirs.of.front());
        if (a_target == kNoTensor || a_golden == kNoTensor) return;
        const bool of_target = mine.form == RankForm::kShards;
        const bool of_golden = theirs.form == RankForm::kShards;
        const Shape target_shape = shape_of(found_.target.tensors[joined.target].shape, of_target);
        const Shape golden_shape = shape_of(found_.golden.tensors[joined.golden].shape, of_golden);
        if (joined.kind == RelationKind::kUnlike) return;
        for (ShardViews& views :
             shard_views(joined.target_view,
                         joined.golden_view,
                         target_shape,
                         golden_shape,
                         of_target ? static_cast<int64_t>(mine.of.size()) : 1,
                         of_golden ? static_cast<int64_t>(theirs.of.size()) : 1)) {
            TensorRelation relation = joined;
            // Of the golden's copies each would do.
            relation.golden = golden_.find_itself(theirs.of[of_golden ? views.golden_rank : 0]);
            relation.kind = RelationKind::kPart;
            relation.target_view = std::move(views.target);
            relation.golden_view = std::move(views.golden);
            relation.text = text_of(relation, target_shape, golden_shape);
            for (size_t rank = 0; rank < mine.of.size(); ++rank) {
                if (of_target && rank != views.target_rank) continue;
                relation.target = target_.find_itself(mine.of[rank]);
                add(relation);
            }
        }
    }

    /// Of one rank.
    static Shape shape_of(const Shape& joined, bool are_shards) {
        return are_shards ? Shape(joined.begin() + 1, joined.end()) : joined;
    }

    static std::string text_of(const TensorRelation& relation,
                               const Shape& target,
                               const Shape& golden) {
        const std::string mine =
            relation.target_view ? text_of_box(*relation.target_view, target) : "";
        std::string theirs = relation.golden_view ? text_of_box(*relation.golden_view, golden) : "";
        if (mine.empty()) return theirs;
        return theirs.empty() ? mine : mine + " is " + theirs;
    }

    void add(TensorRelation relation) {
        if (relation.target == kNoTensor || relation.golden == kNoTensor ||
            !known_.emplace(relation.target, relation.golden).second)
            return;
        relations_.push_back(std::move(relation));
    }

    const Relations& found_;
    Recorded target_;
    Recorded golden_;
    std::vector<TensorRelation> relations_;
    std::set<std::pair<size_t, size_t>> known_;
};

}  // namespace

std::vector<TensorRelation> relations_per_rank(const Relations& found,
                                               const std::optional<JoinedRanks>& target_ranks,
                                               const std::optional<JoinedRanks>& golden_ranks,
                                               const Listing& target,
                                               const Listing& golden) {
    return PerRank(found, Recorded(target, target_ranks), Recorded(golden, golden_ranks))
        .relations();
}

}  // namespace npuscope::compare
