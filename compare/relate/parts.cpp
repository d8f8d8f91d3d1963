#include "compare/relate/parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "compare/relate/arrangements.h"
#include "compare/relate/block_orders.h"
#include "compare/relate/slices.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// Values that agree in sign, exponent and so many bits of the fraction are candidates.
constexpr int kFineBits = 10;
constexpr int kCoarseBits = 6;
/// Of larger tensors only the fine ones are looked up: too many agree by chance.
constexpr int64_t kCoarseNumel = int64_t{1} << 18;
/// Of a part's largest elements so many have to lie where the slice says.
constexpr double kLeastPartTops = 0.55;
/// Of parameters blocks in another order are looked for below this.
constexpr double kClearPartTops = 0.9;
constexpr size_t kFewTops = 5;
constexpr size_t kMostHits = 2000;
/// Parts that are looked for.
constexpr size_t kMostParts = 20000;
constexpr double kPartDistance = 0.1;
/// Of what has a partner already, whose elements are known to be good.
constexpr double kPairedPartDistance = 0.02;
constexpr int64_t kFewInPart = 8;

/// An element of a whole that may be one of a part's largest.
struct Hit {
    size_t top = 0;
    int64_t place = 0;
};

uint32_t bucket_of(float value, int bits) {
    return std::bit_cast<uint32_t>(value) >> static_cast<unsigned>(23 - bits);
}

/// One side's parts in the other side's wholes.
class PartSearch {
  public:
    PartSearch(Matches& matches, const SourcePair& sources, bool part_is_target, int bits)
        : matches_(matches), sources_(sources), part_is_target_(part_is_target), bits_(bits) {}

    void relate() {
        // What has a partner may be a part of what has none.
        const std::vector<ListedTensor>& parts = parts_of();
        const int64_t largest = largest_whole();
        for (size_t part = 0; part < parts.size() && part < kMostParts; ++part)
            if (is_told(parts[part]) && parts[part].sketch.numel < largest &&
                !matches_.is_read_otherwise(part_is_target_, part))
                index(part);
        if (values_.empty()) return;
        for (size_t whole = 0; whole < wholes_of().size(); ++whole)
            if (is_whole(whole) && wholes_of()[whole].sketch.numel > smallest_) search(whole);
        choose();
    }

  private:
    static bool is_told(const ListedTensor& tensor) {
        return tensor.sketch.told && tensor.sketch.numel >= kFewInPart &&
               tensor.sketch.top_count >= kFewTops;
    }
    [[nodiscard]] const std::vector<ListedTensor>& parts_of() const {
        return (part_is_target_ ? matches_.target : matches_.golden).tensors;
    }
    [[nodiscard]] const std::vector<ListedTensor>& wholes_of() const {
        return (part_is_target_ ? matches_.golden : matches_.target).tensors;
    }
    [[nodiscard]] bool is_whole(size_t tensor) const {
        const size_t partner = part_is_target_ ? matches_.partner_of_golden(tensor)
                                               : matches_.partner_of_target(tensor);
        const Sketch& sketch = wholes_of()[tensor].sketch;
        return partner == kNoTensor && sketch.told &&
               !matches_.is_read_otherwise(!part_is_target_, tensor) &&
               (bits_ == kFineBits || sketch.numel <= kCoarseNumel);
    }

    /// Elements of the largest tensor that is searched; 0 without any.
    [[nodiscard]] int64_t largest_whole() const {
        int64_t largest = 0;
        for (size_t whole = 0; whole < wholes_of().size(); ++whole)
            if (is_whole(whole)) largest = std::max(largest, wholes_of()[whole].sketch.numel);
        return largest;
    }

    void index(size_t part) {
        const Sketch& sketch = parts_of()[part].sketch;
        smallest_ = std::min(smallest_, sketch.numel);
        for (size_t i = 0; i < sketch.top_count; ++i) {
            const uint32_t bucket = bucket_of(sketch.tops[i].value, bits_);
            for (const uint32_t near : {bucket - 1, bucket, bucket + 1})
                values_[near].push_back({part, i});
        }
    }

    void search(size_t whole) {
        const ListedTensor& tensor = wholes_of()[whole];
        std::map<size_t, std::vector<Hit>> hits;
        try {
            const auto elements =
                open_listed(part_is_target_ ? sources_.golden : sources_.target, tensor);
            visit_dtype(elements->dtype(), [&]<class T>() { look_up_all<T>(*elements, hits); });
        } catch (const Error&) {
            return;
        }
        for (const auto& [part, found] : hits)
            examine(part, whole, found);
    }

    template <class T>
    void look_up_all(const ElementSource& elements,
                     std::map<size_t, std::vector<Hit>>& hits) const {
        constexpr int64_t kPiece = 65536;
        std::vector<std::byte> buffer;
        for (int64_t first = 0; first < elements.numel(); first += kPiece) {
            const int64_t count = std::min(kPiece, elements.numel() - first);
            const std::byte* bytes = elements.range(first, count, buffer);
            for (int64_t i = 0; i < count; ++i) {
                T value;
                std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
                look_up(static_cast<float>(to_double(value)), first + i, elements.numel(), hits);
            }
        }
    }

    void look_up(float value,
                 int64_t place,
                 int64_t numel,
                 std::map<size_t, std::vector<Hit>>& hits) const {
        const auto found = values_.find(bucket_of(value, bits_));
        if (found == values_.end()) return;
        for (const auto& [part, top] : found->second) {
            if (parts_of()[part].sketch.numel >= numel) continue;
            std::vector<Hit>& list = hits[part];
            if (list.size() < kMostHits) list.push_back({top, place});
        }
    }

    void examine(size_t part, size_t whole, const std::vector<Hit>& hits) {
        const ListedTensor& mine = parts_of()[part];
        if (mine.is_float != wholes_of()[whole].is_float) return;
        if (sources_.kin.are_unlike(matches_.target.tensors[part_is_target_ ? part : whole],
                                    matches_.golden.tensors[part_is_target_ ? whole : part]))
            return;
        // One rank's shard is found among all.
        if (mine.form == RankForm::kMaybeCopy &&
            2 * mine.sketch.numel <= wholes_of()[whole].sketch.numel)
            return;
        std::set<size_t> distinct;
        for (const Hit& hit : hits)
            distinct.insert(hit.top);
        const auto least = std::max(
            kFewTops,
            static_cast<size_t>(kLeastPartTops * static_cast<double>(mine.sketch.top_count)));
        if (distinct.size() < least) return;
        const Shape& shape = wholes_of()[whole].shape;
        std::optional<SliceForm> best;
        int64_t best_position = 0;
        size_t most = least - 1;
        const auto vote = [&](const SliceForm& form) {
            std::map<int64_t, std::set<size_t>> votes;
            for (const Hit& hit : hits) {
                const int64_t off =
                    hit.place - place_in_source(form.first, mine.sketch.tops[hit.top].place);
                if (off < 0 || off % form.step != 0 || off / form.step >= form.positions) continue;
                votes[off / form.step].insert(hit.top);
            }
            for (const auto& [position, tops] : votes)
                if (tops.size() > most) {
                    most = tops.size();
                    best = form;
                    best_position = position;
                }
        };
        const std::vector<SliceForm>& forms = forms_.of(shape, mine.shape);
        std::ranges::for_each(forms, vote);
        const bool is_clear =
            static_cast<double>(most) >= kClearPartTops * static_cast<double>(distinct.size());
        if (!is_clear && bits_ == kFineBits && mine.is_given() && wholes_of()[whole].is_given())
            for (const SliceForm& form : forms) {
                SliceForm reordered = form;
                for (View& view : block_orders(form.first)) {
                    reordered.first = std::move(view);
                    vote(reordered);
                }
            }
        if (!best) return;
        confirm(part, whole, *best, best_position);
    }

    void confirm(size_t part, size_t whole, const SliceForm& form, int64_t position) {
        const ListedTensor& mine = parts_of()[part];
        const ListedTensor& theirs = wholes_of()[whole];
        const View view = form.at(position);
        if (!stays_inside(view)) return;
        const Source& part_source = part_is_target_ ? sources_.target : sources_.golden;
        const Source& whole_source = part_is_target_ ? sources_.golden : sources_.target;
        try {
            const double distance = distance_through(
                view, *open_listed(whole_source, theirs), *open_listed(part_source, mine));
            const auto known = found_.find(part);
            const size_t partner = part_is_target_ ? matches_.partner_of_target(part)
                                                   : matches_.partner_of_golden(part);
            if (distance > (partner == kNoTensor ? kPartDistance : kPairedPartDistance) ||
                (known != found_.end() && known->second.distance <= distance))
                return;
            TensorRelation relation{.target = part_is_target_ ? part : whole,
                                    .golden = part_is_target_ ? whole : part,
                                    .kind = RelationKind::kPart,
                                    .distance = distance,
                                    .slice_first = position,
                                    .slice_extent = form.extent,
                                    .text = text_of(form, position, theirs.shape)};
            (part_is_target_ ? relation.golden_view : relation.target_view) = view;
            found_[part] = std::move(relation);
        } catch (const Error&) {
            return;
        }
    }

    /// The nearest first; no place of a whole holds two parts. Most of a whole is its partner.
    void choose() {
        std::vector<TensorRelation> found;
        for (auto& [part, relation] : found_)
            found.push_back(std::move(relation));
        std::ranges::stable_sort(found, {}, &TensorRelation::distance);
        for (TensorRelation& each : found) {
            if (matches_.is_held(each)) continue;
            const int64_t mine = matches_.target.tensors[each.target].sketch.numel;
            const int64_t theirs = matches_.golden.tensors[each.golden].sketch.numel;
            const bool is_most = 2 * std::min(mine, theirs) > std::max(mine, theirs);
            if (is_most && matches_.is_free_target(each.target) &&
                matches_.is_free_golden(each.golden)) {
                matches_.add(std::move(each));
            } else if (!is_most) {
                matches_.add_part(std::move(each));
            }
        }
    }

    Matches& matches_;
    const SourcePair& sources_;
    bool part_is_target_;
    int bits_;
    int64_t smallest_ = int64_t{1} << 62;
    SliceForms forms_;
    std::unordered_map<uint32_t, std::vector<std::pair<size_t, size_t>>> values_;
    std::map<size_t, TensorRelation> found_;
};

}  // namespace

void relate_parts(Matches& matches, const SourcePair& sources) {
    for (const int bits : {kFineBits, kCoarseBits})
        for (const bool part_is_target : {true, false})
            PartSearch(matches, sources, part_is_target, bits).relate();
}

}  // namespace npuscope::compare
