#include "compare/relate/near_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compare/relate/arrangements.h"
#include "compare/relate/block_orders.h"
#include "compare/relate/slices.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// Elements that are farther apart do not say which slice it is.
constexpr double kTelling = 0.9;
constexpr double kPairedDistance = 0.03;
/// Stands for distances that tell nothing.
constexpr double kUntold = 1;
/// Each shared part and whole counts as much as elements that are so much nearer.
constexpr double kSharedPart = 0.1;
/// Other forms than are known have to be nearer.
constexpr double kOtherForm = 0.5;
/// Pairs are looked for so far around a tensor, and may be so much out of order.
constexpr size_t kAround = 60;
constexpr size_t kOutOfOrder = 8;
/// Ops that have a tensor, at most so many are looked at.
constexpr size_t kMostOps = 8;

class NearParts {
  public:
    NearParts(Matches& matches, const SourcePair& sources) : matches_(matches), sources_(sources) {}

    size_t relate() {
        const size_t before = matches_.relations().size();
        // Those that are found lead to others.
        for (size_t done = 0; done < matches_.relations().size();) {
            for (; done < matches_.relations().size(); ++done) {
                const TensorRelation known = matches_.relations()[done];
                if (known.kind == RelationKind::kPart && !matches_.is_one_to_one(known) &&
                    !is_reordered(known))
                    relate_beside(known);
            }
            choose();
        }
        return matches_.relations().size() - before;
    }

  private:
    static std::vector<size_t> ops_of(const ListedTensor& tensor) {
        std::vector<size_t> ops = tensor.users;
        if (!tensor.is_given()) ops.push_back(tensor.op);
        if (ops.size() > kMostOps) ops.resize(kMostOps);
        return ops;
    }

    static bool is_reordered(const TensorRelation& part) {
        const std::optional<View>& view = part.golden_view ? part.golden_view : part.target_view;
        return view && has_block_order(*view);
    }

    void relate_beside(const TensorRelation& known) {
        const bool part_is_target = known.golden_view.has_value();
        const ListedTensor& mine = matches_.target.tensors[known.target];
        const ListedTensor& theirs = matches_.golden.tensors[known.golden];
        const std::vector<size_t> target_ops = ops_of(mine);
        const std::vector<size_t> golden_ops = ops_of(theirs);
        for (size_t i = 0; i < target_ops.size(); ++i)
            for (size_t j = 0; j < golden_ops.size(); ++j)
                for (const bool outputs : {true, false})
                    for (const size_t target :
                         (outputs ? matches_.target.out : matches_.target.in)[target_ops[i]])
                        for (const size_t golden :
                             (outputs ? matches_.golden.out : matches_.golden.in)[golden_ops[j]])
                            if (is_like(known, target, golden, part_is_target))
                                try_pair(known,
                                         target,
                                         golden,
                                         part_is_target,
                                         i == j && i < mine.users.size() &&
                                             mine.users.size() == theirs.users.size());
    }

    /// Whether they are as many times larger as what is known, and the whole has no partner.
    [[nodiscard]] bool is_like(const TensorRelation& known,
                               size_t target,
                               size_t golden,
                               bool part_is_target) const {
        const bool is_free = part_is_target ? matches_.partner_of_golden(golden) == kNoTensor
                                            : matches_.partner_of_target(target) == kNoTensor;
        const auto numel = [](const Listing& side, size_t tensor) {
            return static_cast<double>(side.tensors[tensor].sketch.numel);
        };
        return is_free && !matches_.is_read_otherwise(true, target) &&
               !matches_.is_read_otherwise(false, golden) &&
               numel(matches_.target, target) * numel(matches_.golden, known.golden) ==
                   numel(matches_.golden, golden) * numel(matches_.target, known.target);
    }

    /// Whether both lie between the nearest pairs around them.
    [[nodiscard]] bool is_in_order(size_t target, size_t golden) const {
        const size_t count = matches_.target.tensors.size();
        for (size_t off = 1; off <= std::min(target, kAround); ++off)
            if (const size_t partner = matches_.partner_of_target(target - off);
                partner != kNoTensor) {
                if (partner > golden + kOutOfOrder) return false;
                break;
            }
        for (size_t off = 1; off <= kAround && target + off < count; ++off)
            if (const size_t partner = matches_.partner_of_target(target + off);
                partner != kNoTensor)
                return golden <= partner + kOutOfOrder;
        return true;
    }

    /// A part that lies at the same place of its whole, of tensors of these shapes; `known` where
    /// there is none.
    [[nodiscard]] const TensorRelation& like_shapes(const TensorRelation& known,
                                                    const Shape& target,
                                                    const Shape& golden) const {
        const auto found =
            std::ranges::find_if(matches_.relations(), [&](const TensorRelation& each) {
                return each.kind == RelationKind::kPart &&
                       each.golden_view.has_value() == known.golden_view.has_value() &&
                       each.slice_first == known.slice_first &&
                       each.slice_extent == known.slice_extent &&
                       matches_.target.tensors[each.target].shape == target &&
                       matches_.golden.tensors[each.golden].shape == golden;
            });
        return found == matches_.relations().end() ? known : *found;
    }

    /// `is_same_use`: both belong to the k-th op that takes in what is known.
    void try_pair(const TensorRelation& known,
                  size_t target,
                  size_t golden,
                  bool part_is_target,
                  bool is_same_use) {
        const ListedTensor& mine = matches_.target.tensors[target];
        const ListedTensor& theirs = matches_.golden.tensors[golden];
        const ListedTensor& part = part_is_target ? mine : theirs;
        const ListedTensor& whole = part_is_target ? theirs : mine;
        if (part.is_float != whole.is_float || !part.sketch.told || !whole.sketch.told ||
            !tried_.emplace(target, golden).second)
            return;
        try {
            const auto elements =
                open_listed_for_many(part_is_target ? sources_.target : sources_.golden, part);
            const auto others =
                open_listed_for_many(part_is_target ? sources_.golden : sources_.target, whole);
            TensorRelation relation{.target = target,
                                    .golden = golden,
                                    .kind = RelationKind::kPart,
                                    .distance = kUntold,
                                    .by_place = true,
                                    .slice_first = known.slice_first,
                                    .slice_extent = known.slice_extent};
            auto& shown = part_is_target ? relation.golden_view : relation.target_view;
            // Weights and their gradients lie alike.
            const TensorRelation& like = like_shapes(known, mine.shape, theirs.shape);
            const auto& known_view = part_is_target ? like.golden_view : like.target_view;
            const bool lies_alike = mine.shape == matches_.target.tensors[like.target].shape &&
                                    theirs.shape == matches_.golden.tensors[like.golden].shape;
            size_t forms = 0;
            std::optional<View> likely;
            const SliceForm* likely_form = nullptr;
            for (const SliceForm& form : forms_.of(whole.shape, part.shape)) {
                if (form.extent != known.slice_extent || known.slice_first >= form.positions)
                    continue;
                const View view = form.at(known.slice_first);
                if (!stays_inside(view)) continue;
                ++forms;
                if (!lies_alike || view == known_view) {
                    likely = view;
                    likely_form = &form;
                }
                const double least = std::min(relation.distance, kTelling);
                const double distance = distance_through(view, *others, *elements, least);
                if (distance >= least) continue;
                relation.distance = distance;
                relation.text = text_of(form, known.slice_first, whole.shape);
                shown = view;
            }
            // What has a partner is related only where its elements are good.
            const size_t partner = part_is_target ? matches_.partner_of_target(target)
                                                  : matches_.partner_of_golden(golden);
            if (partner != kNoTensor && relation.distance > kPairedDistance) return;
            // Shards may be copies that differ.
            const bool is_doubtful = whole.form == RankForm::kShards && !lies_alike;
            if (shown && is_doubtful && relation.distance > kOtherForm) return;
            const bool is_in_turn =
                is_same_use ? lies_alike || (forms == 1 && !is_doubtful)
                            : lies_alike && &like != &known && is_in_order(target, golden);
            if (!shown && is_in_turn && sources_.kin.may_be_one(mine, theirs)) {
                shown = likely;
                relation.text = likely_form == nullptr
                                    ? like.text
                                    : text_of(*likely_form, known.slice_first, whole.shape);
            }
            if (shown)
                found_.emplace_back(relation.distance - kSharedPart * shared_parts(target, golden),
                                    std::move(relation));
        } catch (const Error&) {
            return;
        }
    }

    /// What the op of a result takes in, and what made what has no partner of it: a bias may be
    /// added apart.
    [[nodiscard]] std::set<size_t> taken_for(bool of_target, size_t tensor) const {
        const Listing& side = of_target ? matches_.target : matches_.golden;
        std::set<size_t> taken;
        if (side.tensors[tensor].is_given()) return taken;
        for (const size_t input : side.in[side.tensors[tensor].op]) {
            taken.insert(input);
            const bool is_free =
                of_target ? matches_.is_free_target(input) : matches_.is_free_golden(input);
            if (is_free && !side.tensors[input].is_given())
                taken.insert(side.in[side.tensors[input].op].begin(),
                             side.in[side.tensors[input].op].end());
        }
        return taken;
    }

    /// Of how many parts and their wholes both are made.
    [[nodiscard]] double shared_parts(size_t target, size_t golden) {
        for (; known_ < matches_.relations().size(); ++known_) {
            const TensorRelation& each = matches_.relations()[known_];
            if (each.kind == RelationKind::kPart) parts_.emplace(each.target, each.golden);
        }
        const std::set<size_t> theirs = taken_for(false, golden);
        double shared = 0;
        for (const size_t mine : taken_for(true, target))
            shared += static_cast<double>(std::ranges::count_if(theirs, [&](size_t other) {
                return parts_.contains({mine, other});
            }));
        return shared;
    }

    /// The likeliest first; nothing is a part twice, and no place holds two parts.
    void choose() {
        std::ranges::stable_sort(found_, {}, &Found::first);
        for (auto& [rank, each] : found_) {
            if (!matches_.is_held(each)) matches_.add_part(std::move(each));
        }
        found_.clear();
    }

    Matches& matches_;
    const SourcePair& sources_;
    /// Beside how unlikely they are.
    using Found = std::pair<double, TensorRelation>;
    std::vector<Found> found_;
    std::set<std::pair<size_t, size_t>> parts_;  ///< and their wholes, of the first relations
    size_t known_ = 0;                           ///< how many of them
    std::set<std::pair<size_t, size_t>> tried_;
    SliceForms forms_;
};

}  // namespace

size_t relate_near_parts(Matches& matches, const SourcePair& sources) {
    return NearParts(matches, sources).relate();
}

}  // namespace npuscope::compare
