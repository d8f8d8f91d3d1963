#include "compare/relate/parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compare/relate/arrangements.h"
#include "compare/relate/block_orders.h"
#include "compare/relate/slice_votes.h"
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

uint32_t bucket_of(float value, int bits) {
    return std::bit_cast<uint32_t>(value) >> static_cast<unsigned>(23 - bits);
}

/// One of a part's largest elements.
struct PartTop {
    size_t part = 0;
    size_t top = 0;
};

/// The largest elements of parts, by bucket.
class TopsByBucket {
  public:
    explicit TopsByBucket(int bits) : first_((size_t{1} << static_cast<unsigned>(9 + bits)) + 1) {}

    /// There are no values in buckets beyond the last one.
    void add(uint32_t bucket, PartTop top) {
        if (bucket + size_t{1} < first_.size()) listed_.emplace_back(bucket, top);
    }
    /// Before any is asked for.
    void sort() {
        std::ranges::stable_sort(listed_, {}, [](const auto& each) { return each.first; });
        for (const auto& [bucket, top] : listed_)
            ++first_[bucket + 1];
        for (size_t bucket = 1; bucket < first_.size(); ++bucket)
            first_[bucket] += first_[bucket - 1];
    }
    [[nodiscard]] bool empty() const { return listed_.empty(); }
    [[nodiscard]] std::span<const std::pair<uint32_t, PartTop>> of(uint32_t bucket) const {
        return std::span(listed_).subspan(first_[bucket], first_[bucket + 1] - first_[bucket]);
    }

  private:
    std::vector<std::pair<uint32_t, PartTop>> listed_;
    std::vector<uint32_t> first_;
};

/// By part. Lists are kept for the next whole.
class Hits {
  public:
    void add(size_t part, Hit hit) {
        if (lists_.size() <= part) lists_.resize(part + 1);
        std::vector<Hit>& list = lists_[part];
        if (list.empty()) parts_.push_back(part);
        if (list.size() < kMostHits) list.push_back(hit);
    }
    /// In the order of the parts; forgets them.
    template <class F>
    void take(F&& each) {
        std::ranges::sort(parts_);
        for (const size_t part : parts_) {
            each(part, lists_[part]);
            lists_[part].clear();
        }
        parts_.clear();
    }
    void forget() {
        take([](size_t, const std::vector<Hit>&) {});
    }

  private:
    std::vector<std::vector<Hit>> lists_;
    std::vector<size_t> parts_;
};

/// One side's parts in the other side's wholes.
class PartSearch {
  public:
    PartSearch(Matches& matches, const SourcePair& sources, bool part_is_target, int bits)
        : matches_(matches),
          sources_(sources),
          part_is_target_(part_is_target),
          bits_(bits),
          values_(bits) {}

    void relate() {
        // What has a partner may be a part of what has none.
        const std::vector<ListedTensor>& parts = parts_of();
        const int64_t largest = largest_whole();
        for (size_t part = 0; part < parts.size() && part < kMostParts; ++part)
            if (is_told(parts[part]) && parts[part].sketch.numel < largest &&
                !matches_.is_read_otherwise(part_is_target_, part))
                index(part);
        if (values_.empty()) return;
        values_.sort();
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
                values_.add(near, {part, i});
        }
    }

    void search(size_t whole) {
        const ListedTensor& tensor = wholes_of()[whole];
        try {
            const auto elements =
                open_listed(part_is_target_ ? sources_.golden : sources_.target, tensor);
            visit_dtype(elements->dtype(), [&]<class T>() { look_up_all<T>(*elements); });
        } catch (const Error&) {
            hits_.forget();
            return;
        }
        hits_.take(
            [&](size_t part, const std::vector<Hit>& found) { examine(part, whole, found); });
    }

    template <class T>
    void look_up_all(const ElementSource& elements) {
        constexpr int64_t kPiece = 65536;
        std::vector<std::byte> buffer;
        for (int64_t first = 0; first < elements.numel(); first += kPiece) {
            const int64_t count = std::min(kPiece, elements.numel() - first);
            const std::byte* bytes = elements.range(first, count, buffer);
            for (int64_t i = 0; i < count; ++i) {
                T value;
                std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
                look_up(static_cast<float>(to_double(value)), first + i, elements.numel());
            }
        }
    }

    void look_up(float value, int64_t place, int64_t numel) {
        for (const auto& [bucket, each] : values_.of(bucket_of(value, bits_)))
            if (parts_of()[each.part].sketch.numel < numel) hits_.add(each.part, {each.top, place});
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
        const auto least = std::max(
            kFewTops,
            static_cast<size_t>(kLeastPartTops * static_cast<double>(mine.sketch.top_count)));
        std::vector<int64_t> tops;
        for (size_t i = 0; i < mine.sketch.top_count; ++i)
            tops.push_back(mine.sketch.tops[i].place);
        SliceVotes votes(std::move(tops), hits, least);
        if (votes.distinct() < least) return;
        const std::vector<SliceForm>& forms = forms_.of(wholes_of()[whole].shape, mine.shape);
        for (const SliceForm& form : forms)
            votes.look_at(form);
        const bool is_clear = static_cast<double>(votes.most()) >=
                              kClearPartTops * static_cast<double>(votes.distinct());
        if (!is_clear && bits_ == kFineBits && mine.is_given() && wholes_of()[whole].is_given())
            for (const SliceForm& form : forms) {
                SliceForm reordered = form;
                for (View& view : block_orders(form.first)) {
                    reordered.first = std::move(view);
                    votes.look_at(reordered);
                }
            }
        if (votes.best()) confirm(part, whole, *votes.best(), votes.position());
    }

    void confirm(size_t part, size_t whole, const SliceForm& form, int64_t position) {
        const ListedTensor& mine = parts_of()[part];
        const ListedTensor& theirs = wholes_of()[whole];
        const View view = form.at(position);
        if (!stays_inside(view)) return;
        const Source& part_source = part_is_target_ ? sources_.target : sources_.golden;
        const Source& whole_source = part_is_target_ ? sources_.golden : sources_.target;
        try {
            const size_t partner = part_is_target_ ? matches_.partner_of_target(part)
                                                   : matches_.partner_of_golden(part);
            const double most = partner == kNoTensor ? kPartDistance : kPairedPartDistance;
            const double distance = distance_through(
                view, *open_listed(whole_source, theirs), *open_listed(part_source, mine), most);
            const auto known = found_.find(part);
            if (distance > most || (known != found_.end() && known->second.distance <= distance))
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
    TopsByBucket values_;
    Hits hits_;
    std::map<size_t, TensorRelation> found_;
};

}  // namespace

void relate_parts(Matches& matches, const SourcePair& sources) {
    for (const int bits : {kFineBits, kCoarseBits})
        for (const bool part_is_target : {true, false})
            PartSearch(matches, sources, part_is_target, bits).relate();
}

}  // namespace npuscope::compare
