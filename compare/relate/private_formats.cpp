#include "compare/relate/private_formats.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compare/relate/arrangements.h"
#include "core/base/error.h"
#include "core/layout/stored_layout.h"

namespace npuscope::compare {

namespace {

using layout::Format;

/// Padding is 0 and changes no norm.
constexpr double kStoredNorm = 0.02;
constexpr double kStoredTops = 0.45;
constexpr double kStoredDistance = 0.2;
/// Another candidate has to be so many times farther.
constexpr double kClearlyStored = 2;
constexpr int64_t kFewStored = 8;
/// Blocks are so large at least, and at most.
constexpr int64_t kLeastBlock = 4;
constexpr int64_t kMostBlock = 64;

constexpr Format kOfFour[] = {Format::kNC1HWC0,
                              Format::kNC1HWC0_C04,
                              Format::kFRACTAL_Z,
                              Format::kFRACTAL_Z_C04,
                              Format::kC1HWNC0,
                              Format::kNHWC1C0};
constexpr Format kOfFive[] = {Format::kNDC1HWC0, Format::kFRACTAL_Z_3D};

/// `axes` tells of each axis of the plain tensor which axis of the format it is.
std::optional<PrivateForm> form_of(Format format,
                                   const std::string& plain_name,
                                   const Shape& stored,
                                   const Shape& plain,
                                   const std::vector<size_t>& axes) {
    layout::Dims logical(plain.size());
    for (size_t i = 0; i < plain.size(); ++i)
        logical[axes[i]] = plain[i];
    const int64_t block = stored.back();
    if (block < kLeastBlock || block > kMostBlock) return std::nullopt;
    layout::StoredLayout known;
    try {
        known = layout::stored_layout(format, logical, {.c0 = block});
    } catch (const Error&) {
        return std::nullopt;
    }
    if (known.shape != stored) return std::nullopt;
    PrivateForm form{.view = {.shape = plain, .source_numel = numel_of(stored)},
                     .text = std::string(layout::name_of(format)) + " of " + plain_name};
    std::string padded;
    for (size_t i = 0; i < plain.size(); ++i) {
        View::Loop loop{.extent = plain[i]};
        int64_t stride = form.view.source_numel;
        int64_t room = 1;
        for (const layout::Digit& digit : known.digits) {
            stride /= digit.extent;
            if (digit.axis != axes[i]) continue;
            room *= digit.extent;
            if (digit.weight == 1) {
                loop.stride = stride;
            } else if (loop.tile == 0) {
                loop.tile = digit.weight;
                loop.jump = stride;
            } else {
                return std::nullopt;  // No format has three blocks of one axis.
            }
        }
        if (room > plain[i])
            padded += (padded.empty() ? ", padded " : " and ") + std::to_string(plain[i]) + " to " +
                      std::to_string(room);
        form.view.loops.push_back(loop);
    }
    form.text += padded;
    return form;
}

/// One side's stored tensors and the other side's plain ones.
class PrivatePairs {
  public:
    PrivatePairs(Matches& matches, const SourcePair& sources, bool stored_is_target)
        : matches_(matches), sources_(sources), stored_is_target_(stored_is_target) {}

    void pair() {
        std::vector<size_t> stored = free_of(stored_is_target_);
        std::erase_if(stored, [&](size_t each) {
            const Shape& shape = tensor(stored_is_target_, each).shape;
            // Shards beside each other have an axis that no format has.
            return tensor(stored_is_target_, each).form == RankForm::kShards || shape.size() < 4 ||
                   shape.back() < kLeastBlock || shape.back() > kMostBlock;
        });
        if (stored.empty()) return;
        std::vector<size_t> plain = free_of(!stored_is_target_);
        const auto norm = [&](size_t each) { return tensor(!stored_is_target_, each).sketch.l2; };
        std::ranges::sort(plain, {}, norm);
        for (const size_t each : stored) {
            const double own = tensor(stored_is_target_, each).sketch.l2;
            auto at = std::ranges::lower_bound(plain, own * (1 - kStoredNorm), {}, norm);
            for (; at != plain.end() && norm(*at) <= own * (1 + kStoredNorm); ++at)
                try_pair(each, *at);
        }
        choose();
    }

  private:
    struct Found {
        size_t stored = 0;
        size_t plain = 0;
        double distance = 0;
        PrivateForm form;
    };

    [[nodiscard]] const ListedTensor& tensor(bool of_target, size_t index) const {
        return (of_target ? matches_.target : matches_.golden).tensors[index];
    }
    [[nodiscard]] std::vector<size_t> free_of(bool of_target) const {
        std::vector<size_t> free = of_target ? matches_.free_targets() : matches_.free_goldens();
        std::erase_if(free, [&](size_t each) {
            const Sketch& sketch = tensor(of_target, each).sketch;
            return !sketch.told || sketch.numel < kFewStored || sketch.l2 == 0;
        });
        return free;
    }

    void try_pair(size_t stored, size_t plain) {
        const ListedTensor& mine = tensor(stored_is_target_, stored);
        const ListedTensor& theirs = tensor(!stored_is_target_, plain);
        if (std::abs(mine.sketch.l1 - theirs.sketch.l1) > 2 * kStoredNorm * mine.sketch.l1) return;
        for (PrivateForm& form : private_forms(mine.shape, theirs.shape)) {
            if (share_of_tops(form.view, mine.sketch, theirs.sketch) < kStoredTops) continue;
            try {
                const double distance = distance_through(
                    form.view,
                    *open_listed(stored_is_target_ ? sources_.target : sources_.golden, mine),
                    *open_listed(stored_is_target_ ? sources_.golden : sources_.target, theirs));
                if (distance <= kStoredDistance)
                    found_.push_back({stored, plain, distance, std::move(form)});
            } catch (const Error&) {
                // It stays free.
            }
        }
    }

    /// The nearest first, where no other of either is about as near.
    void choose() {
        std::ranges::stable_sort(found_, {}, &Found::distance);
        for (size_t i = 0; i < found_.size(); ++i) {
            const Found& each = found_[i];
            const bool is_clear = std::ranges::none_of(found_, [&](const Found& other) {
                return (other.stored == each.stored) != (other.plain == each.plain) &&
                       other.distance < kClearlyStored * each.distance;
            });
            const size_t target = stored_is_target_ ? each.stored : each.plain;
            const size_t golden = stored_is_target_ ? each.plain : each.stored;
            if (!is_clear || !matches_.is_free_target(target) || !matches_.is_free_golden(golden))
                continue;
            TensorRelation relation{.target = target,
                                    .golden = golden,
                                    .kind = RelationKind::kPermuted,
                                    .distance = each.distance,
                                    .text = each.form.text};
            (stored_is_target_ ? relation.target_view : relation.golden_view) = each.form.view;
            matches_.add(std::move(relation));
        }
    }

    Matches& matches_;
    const SourcePair& sources_;
    bool stored_is_target_;
    std::vector<Found> found_;
};

}  // namespace

std::vector<PrivateForm> private_forms(const Shape& stored, const Shape& plain) {
    std::vector<PrivateForm> forms;
    if (stored.empty() || plain.size() < 2) return forms;
    const auto add = [&](Format format, const std::string& name, const std::vector<size_t>& axes) {
        if (auto form = form_of(format, name, stored, plain, axes))
            forms.push_back(std::move(*form));
    };
    if (plain.size() == 4)
        for (const Format format : kOfFour) {
            add(format, "NCHW", {0, 1, 2, 3});
            add(format, "NHWC", {0, 2, 3, 1});
        }
    if (plain.size() == 5)
        for (const Format format : kOfFive)
            add(format, "NCDHW", {0, 1, 2, 3, 4});
    std::vector<size_t> in_order;
    for (size_t axis = 0; axis < plain.size(); ++axis)
        in_order.push_back(axis);
    add(Format::kFRACTAL_NZ, to_string(plain), in_order);
    return forms;
}

void pair_private(Matches& matches, const SourcePair& sources) {
    for (const bool stored_is_target : {true, false})
        PrivatePairs(matches, sources, stored_is_target).pair();
}

}  // namespace npuscope::compare
