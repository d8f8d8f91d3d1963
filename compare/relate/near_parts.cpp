#include "compare/relate/near_parts.h"

#include <algorithm>
#include <limits>
#include <set>

#include "compare/relate/arrangements.h"
#include "compare/relate/slices.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// Elements that are farther apart do not say which slice it is.
constexpr double kTelling = 0.9;
constexpr double kPairedDistance = 0.03;
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
                if (known.kind == RelationKind::kPart && !matches_.is_one_to_one(known))
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

    void relate_beside(const TensorRelation& known) {
        const bool part_is_target = known.golden_view.has_value();
        const ListedTensor& mine = matches_.target.tensors[known.target];
        const ListedTensor& theirs = matches_.golden.tensors[known.golden];
        for (const size_t target_op : ops_of(mine))
            for (const size_t golden_op : ops_of(theirs))
                for (const bool outputs : {true, false})
                    for (const size_t target :
                         (outputs ? matches_.target.out : matches_.target.in)[target_op])
                        for (const size_t golden :
                             (outputs ? matches_.golden.out : matches_.golden.in)[golden_op])
                            if (is_like(known, target, golden, part_is_target))
                                try_pair(known, target, golden, part_is_target);
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
        return is_free && numel(matches_.target, target) * numel(matches_.golden, known.golden) ==
                              numel(matches_.golden, golden) * numel(matches_.target, known.target);
    }

    void try_pair(const TensorRelation& known, size_t target, size_t golden, bool part_is_target) {
        const ListedTensor& mine = matches_.target.tensors[target];
        const ListedTensor& theirs = matches_.golden.tensors[golden];
        const ListedTensor& part = part_is_target ? mine : theirs;
        const ListedTensor& whole = part_is_target ? theirs : mine;
        if (!part.sketch.told || !whole.sketch.told || !tried_.emplace(target, golden).second)
            return;
        try {
            const auto elements =
                open_listed(part_is_target ? sources_.target : sources_.golden, part);
            const auto others =
                open_listed(part_is_target ? sources_.golden : sources_.target, whole);
            double nearest = kTelling;
            TensorRelation relation{.target = target,
                                    .golden = golden,
                                    .kind = RelationKind::kPart,
                                    .by_place = true,
                                    .slice_first = known.slice_first,
                                    .slice_extent = known.slice_extent};
            bool any = false;
            for (const SliceForm& form : slice_forms(whole.shape, part.shape)) {
                if (form.extent != known.slice_extent || known.slice_first >= form.positions)
                    continue;
                const View view = form.at(known.slice_first);
                if (!stays_inside(view)) continue;
                const double distance = distance_through(view, *others, *elements);
                if (distance >= nearest) continue;
                nearest = distance;
                any = true;
                relation.distance = distance;
                relation.text = text_of(form, known.slice_first, whole.shape);
                (part_is_target ? relation.golden_view : relation.target_view) = view;
            }
            // What has a partner is related only where its elements are good.
            const size_t partner = part_is_target ? matches_.partner_of_target(target)
                                                  : matches_.partner_of_golden(golden);
            if (any && (partner == kNoTensor || nearest <= kPairedDistance))
                found_.push_back(std::move(relation));
        } catch (const Error&) {
            return;
        }
    }

    /// The nearest first; nothing is a part twice, and no place holds two parts.
    void choose() {
        std::ranges::stable_sort(found_, {}, &TensorRelation::distance);
        for (TensorRelation& each : found_) {
            if (!matches_.is_held(each)) matches_.add_part(std::move(each));
        }
        found_.clear();
    }

    Matches& matches_;
    const SourcePair& sources_;
    std::vector<TensorRelation> found_;
    std::set<std::pair<size_t, size_t>> tried_;
};

}  // namespace

size_t relate_near_parts(Matches& matches, const SourcePair& sources) {
    return NearParts(matches, sources).relate();
}

}  // namespace npuscope::compare
