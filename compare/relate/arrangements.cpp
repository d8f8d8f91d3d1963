#include "compare/relate/arrangements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "compare/relate/block_orders.h"

namespace npuscope::compare {

namespace {

constexpr int kMostSplits = 2;
/// Largest elements that agree within this share of theirs are the same.
constexpr double kSameTop = 0.02;
constexpr int64_t kSampled = 4096;
/// So few tell what is so many times farther off than what is looked for, of so many times more.
constexpr int64_t kFirstSampled = 128;
constexpr int64_t kManyTimes = 4;
constexpr double kSurely = 1.1;
constexpr double kOutliers = 0.05;
/// Of the norm, what elements beside their mean must have to tell anything: rounding to 8 bits
/// leaves as much.
constexpr double kLeastSpread = 0.005;
/// Of the spread: who is farther off is another.
constexpr double kUnlike = 0.35;

/// Fills the result's axes from the left with axes of the source, or parts of them.
class Enumeration {
  public:
    Enumeration(const Shape& source, const Shape& result, size_t most)
        : result_(result), most_(most) {
        view_.shape = result;
        view_.source_numel = numel_of(source);
        const auto strides = contiguous_strides(source);
        for (size_t axis = 0; axis < source.size(); ++axis)
            if (source[axis] != 1) free_.push_back({source[axis], strides[axis]});
    }

    std::vector<View> views() {
        for (splits_ = 0; splits_ <= kMostSplits && found_.size() < most_; ++splits_)
            fill(0, result_.empty() ? 1 : result_[0], splits_);
        return std::move(found_);
    }

  private:
    /// `need` is what axis `axis` still lacks; exactly `splits` axes are to be split.
    void fill(size_t axis, int64_t need, int splits) {
        if (found_.size() >= most_ || ++steps_ > kMostSteps) return;
        if (need == 1) {
            if (axis + 1 < result_.size()) return fill(axis + 1, result_[axis + 1], splits);
            if (free_.empty() && splits == 0) found_.push_back(view_);
            return;
        }
        for (size_t i = 0; i < free_.size(); ++i) {
            const View::Loop whole = free_[i];
            if (need % whole.extent == 0) {
                free_.erase(free_.begin() + static_cast<int64_t>(i));
                place(whole, axis, need, splits);
                free_.insert(free_.begin() + static_cast<int64_t>(i), whole);
            } else if (splits > 0 && whole.extent % need == 0) {
                const int64_t rest = whole.extent / need;
                free_[i] = {rest, whole.stride};
                place({need, whole.stride * rest}, axis, need, splits - 1);
                free_[i] = {rest, whole.stride * need};
                place({need, whole.stride}, axis, need, splits - 1);
                free_[i] = whole;
            }
        }
    }

    void place(const View::Loop& loop, size_t axis, int64_t need, int splits) {
        view_.loops.push_back(loop);
        fill(axis, need / loop.extent, splits);
        view_.loops.pop_back();
    }

    static constexpr int kMostSteps = 20000;
    Shape result_;
    size_t most_;
    std::vector<View::Loop> free_;
    View view_;
    int splits_ = 0;
    int steps_ = 0;
    std::vector<View> found_;
};

std::vector<double> values_at(const ElementSource& elements, const std::vector<int64_t>& places) {
    std::vector<std::byte> buffer;
    const std::byte* bytes = elements.range(0, elements.numel(), buffer);
    std::vector<double> values(places.size());
    visit_dtype(elements.dtype(), [&]<class T>() {
        for (size_t i = 0; i < places.size(); ++i) {
            T value;
            std::memcpy(&value, bytes + static_cast<size_t>(places[i]) * sizeof(T), sizeof(T));
            values[i] = to_double(value);
        }
    });
    elements.release(0, elements.numel());
    return values;
}

std::vector<View::Loop> merged_loops(const View& view) {
    std::vector<View::Loop> merged;
    for (const View::Loop& loop : view.loops) {
        if (loop.extent == 1) continue;
        if (!merged.empty() && merged.back().is_plain() && loop.is_plain() &&
            merged.back().stride == loop.stride * loop.extent) {
            merged.back() = {merged.back().extent * loop.extent, loop.stride};
        } else {
            merged.push_back(loop);
        }
    }
    return merged;
}

}  // namespace

Shape without_ones(const Shape& shape) {
    Shape rest;
    std::ranges::copy_if(shape, std::back_inserter(rest), [](int64_t dim) { return dim != 1; });
    return rest;
}

std::vector<View> arrangements(const Shape& source, const Shape& result, size_t most) {
    if (numel_of(source) != numel_of(result) || numel_of(source) == 0) return {};
    return Enumeration(source, result, most).views();
}

bool is_in_order(const View& view) {
    const std::vector<View::Loop> merged = merged_loops(view);
    return view.offset == 0 && numel_of(view.shape) == view.source_numel &&
           (merged.empty() ||
            (merged.size() == 1 && merged[0].stride == 1 && merged[0].is_plain()));
}

std::string text_of(const View& view, const Shape& source) {
    if (has_block_order(view)) {
        const View plain = without_block_order(view);
        const std::string order = text_of_block_order(view, source);
        return is_in_order(plain) ? order : text_of(plain, source) + ", " + order;
    }
    const Shape axes = without_ones(source);
    const auto strides = contiguous_strides(axes);
    std::string order;
    bool is_permutation = view.loops.size() == axes.size();
    for (const View::Loop& loop : view.loops) {
        const auto found = std::ranges::find(strides, loop.stride);
        const auto axis = found - strides.begin();
        is_permutation = is_permutation && found != strides.end() &&
                         axes[static_cast<size_t>(axis)] == loop.extent;
        order += (order.empty() ? "" : ",") + std::to_string(axis);
    }
    if (is_permutation && axes.size() == 2) return "its transpose";
    if (is_permutation && axes.size() == source.size() && view.shape.size() == source.size())
        return "permuted (" + order + ")";
    return to_string(source) + " rearranged to " + to_string(view.shape);
}

double share_of_tops(const View& view, const Sketch& source, const Sketch& result) {
    std::unordered_map<int64_t, double> places;
    for (size_t i = 0; i < source.top_count; ++i)
        places.emplace(source.tops[i].place, source.tops[i].value);
    size_t agreed = 0;
    for (size_t i = 0; i < result.top_count; ++i) {
        const auto found = places.find(place_in_source(view, result.tops[i].place));
        const double value = result.tops[i].value;
        if (found != places.end() && std::abs(found->second - value) <= kSameTop * std::abs(value))
            ++agreed;
    }
    const size_t most = std::min(source.top_count, result.top_count);
    return most == 0 ? 0 : static_cast<double>(agreed) / static_cast<double>(most);
}

namespace {

/// Of so many elements, evenly chosen.
double sampled_distance(const View& view,
                        const ElementSource& source,
                        const ElementSource& result,
                        int64_t most) {
    const int64_t numel = result.numel();
    const int64_t count = std::min(numel, most);
    std::vector<int64_t> here;
    std::vector<int64_t> there;
    here.reserve(static_cast<size_t>(count));
    there.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        // An odd stride through the tensor, so that no axis is left out.
        const int64_t place = count == numel ? i : (i * (numel / count | 1)) % numel;
        here.push_back(place);
        there.push_back(place_in_source(view, place));
    }
    const std::vector<double> mine = values_at(source, there);
    const std::vector<double> theirs = values_at(result, here);
    struct Square {
        double off = 0;
        double value = 0;
    };
    std::vector<Square> squares;
    squares.reserve(mine.size());
    for (size_t i = 0; i < mine.size(); ++i) {
        const double difference = mine[i] - theirs[i];
        if (std::isfinite(difference)) squares.push_back({difference * difference, theirs[i]});
    }
    if (2 * squares.size() < mine.size()) return std::numeric_limits<double>::infinity();
    const size_t kept =
        squares.size() - static_cast<size_t>(kOutliers * static_cast<double>(squares.size()));
    if (kept < squares.size())
        std::ranges::nth_element(
            squares, squares.begin() + static_cast<ptrdiff_t>(kept), {}, &Square::off);
    squares.resize(kept);
    double off = 0;
    double size = 0;
    double sum = 0;
    for (const Square& square : squares) {
        off += square.off;
        size += square.value * square.value;
        sum += square.value;
    }
    if (size <= 0) return off > 0 ? std::numeric_limits<double>::infinity() : 0;
    const double distance = std::sqrt(off / size);
    // Of weights about 1 any are near to any others: what they are beside that has to agree.
    const double spread = size - sum * sum / static_cast<double>(squares.size());
    const bool is_told = spread > kLeastSpread * kLeastSpread * size;
    return is_told && off > kUnlike * kUnlike * spread ? std::sqrt(off / spread) : distance;
}

}  // namespace

double distance_through(const View& view,
                        const ElementSource& source,
                        const ElementSource& result,
                        double telling) {
    if (std::isfinite(telling) && result.numel() >= kManyTimes * kFirstSampled)
        if (const double first = sampled_distance(view, source, result, kFirstSampled);
            first > kSurely * telling)
            return first;
    return sampled_distance(view, source, result, kSampled);
}

}  // namespace npuscope::compare
