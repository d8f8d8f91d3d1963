#include "compare/dataflow/view.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <unordered_map>

namespace npuscope::compare {

namespace {

/// Lines through so many elements are followed in each dimension.
constexpr int kLines = 16;
/// Of a longer dimension, the first so many places and as many others.
constexpr int64_t kPlaces = 48;

using Index = std::vector<int64_t>;

/// An element of the input whose place in the source is known.
struct Anchor {
    Index index;
    int64_t place = 0;
};

int64_t flat(const Index& index, const std::vector<int64_t>& strides) {
    int64_t at = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
        at += index[axis] * strides[axis];
    return at;
}

/// Elements on lines along every dimension, and where they lie in the source if only there.
std::vector<Anchor> anchors(std::span<const double> input,
                            const Shape& shape,
                            std::span<const double> source) {
    const auto strides = contiguous_strides(shape);
    std::mt19937_64 random(1);
    std::map<Index, double> chosen;
    for (int line = 0; line < kLines; ++line) {
        Index base(shape.size());
        for (size_t axis = 0; axis < shape.size(); ++axis)
            base[axis] = static_cast<int64_t>(random() % static_cast<uint64_t>(shape[axis]));
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            const int64_t step = std::max<int64_t>(1, shape[axis] / kPlaces);
            for (int64_t c = 0; c < shape[axis]; c += c < kPlaces ? 1 : step) {
                Index index = base;
                index[axis] = c;
                chosen[index] = input[static_cast<size_t>(flat(index, strides))];
            }
        }
    }
    constexpr int64_t kNowhere = -1;
    constexpr int64_t kSeveral = -2;
    std::unordered_map<uint64_t, int64_t> places;
    for (const auto& [index, value] : chosen)
        places.try_emplace(std::bit_cast<uint64_t>(value), kNowhere);
    for (size_t i = 0; i < source.size(); ++i) {
        const auto found = places.find(std::bit_cast<uint64_t>(source[i]));
        if (found == places.end()) continue;
        found->second = found->second == kNowhere ? static_cast<int64_t>(i) : kSeveral;
    }
    std::vector<Anchor> known;
    for (const auto& [index, value] : chosen)
        if (const int64_t place = places[std::bit_cast<uint64_t>(value)]; place >= 0)
            known.push_back({index, place});
    return known;
}

/// How far each place of each dimension lies from place 0, as far as the anchors tell: the
/// distances of the dimensions add up.
class Distances {
  public:
    Distances(const std::vector<Anchor>& anchors, size_t ndim) : of_axis_(ndim) {
        if (anchors.empty()) return;
        for (size_t axis = 0; axis < ndim; ++axis)
            of_axis_[axis][anchors[0].index[axis]] = 0;
        start_ = anchors[0].place;
        for (bool learned = true; learned;) {
            learned = false;
            for (const Anchor& anchor : anchors)
                learned = learn(anchor) || learned;
        }
    }

    [[nodiscard]] const std::map<int64_t, int64_t>& of(size_t axis) const { return of_axis_[axis]; }
    [[nodiscard]] int64_t start() const { return start_; }

  private:
    /// What is known of all dimensions but one tells that one.
    bool learn(const Anchor& anchor) {
        int64_t rest = anchor.place - start_;
        std::optional<size_t> unknown;
        for (size_t axis = 0; axis < of_axis_.size(); ++axis) {
            const auto known = of_axis_[axis].find(anchor.index[axis]);
            if (known != of_axis_[axis].end()) {
                rest -= known->second;
            } else if (unknown) {
                return false;
            } else {
                unknown = axis;
            }
        }
        if (unknown) of_axis_[*unknown][anchor.index[*unknown]] = rest;
        return unknown.has_value();
    }

    std::vector<std::map<int64_t, int64_t>> of_axis_;
    int64_t start_ = 0;
};

/// The place's distance in a dimension split into blocks of `inner`.
struct AxisSplit {
    int64_t inner = 1;
    int64_t outer_stride = 0;
    int64_t inner_stride = 0;

    [[nodiscard]] int64_t at(int64_t place) const {
        return place / inner * outer_stride + place % inner * inner_stride;
    }
};

/// Strides that two known places tell, held by all others.
std::optional<AxisSplit> split_by(const std::map<int64_t, int64_t>& known, int64_t inner) {
    AxisSplit split{.inner = inner};
    bool has_inner = inner == 1;
    for (auto a = known.begin(); a != known.end() && !has_inner; ++a) {
        const auto b = std::next(a);
        if (b == known.end()) break;
        if (a->first / inner != b->first / inner) continue;
        split.inner_stride = (b->second - a->second) / (b->first - a->first);
        has_inner = true;
    }
    const auto start = [&](const auto& place) {
        return place.second - place.first % inner * split.inner_stride;
    };
    bool has_outer = false;
    for (auto a = known.begin(); a != known.end() && !has_outer; ++a) {
        const auto b = std::next(a);
        if (b == known.end()) break;
        const int64_t blocks = b->first / inner - a->first / inner;
        if (blocks == 0) continue;
        split.outer_stride = (start(*b) - start(*a)) / blocks;
        has_outer = true;
    }
    if (!has_inner || (!has_outer && known.size() > 1 && inner == 1)) return std::nullopt;
    const auto& [first, distance] = *known.begin();
    const int64_t base = distance - split.at(first);
    for (const auto& [place, there] : known)
        if (base + split.at(place) != there) return std::nullopt;
    return split;
}

/// The loops of one dimension; adds to the offset what its place 0 lies before the anchor.
bool add_loops(const std::map<int64_t, int64_t>& known, int64_t extent, View& view) {
    if (extent == 1) {
        view.offset += known.empty() ? 0 : known.begin()->second;
        return true;
    }
    if (known.size() < 2) return false;
    for (int64_t inner = 1; inner < extent; ++inner) {
        if (extent % inner != 0) continue;
        const auto split = split_by(known, inner);
        if (!split) continue;
        view.offset += known.begin()->second - split->at(known.begin()->first);
        view.loops.push_back({extent / inner, split->outer_stride});
        if (inner > 1) view.loops.push_back({inner, split->inner_stride});
        return true;
    }
    return false;
}

bool same_bits(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

/// Some of the places of one axis, next to each other, of a tensor whose elements come several
/// times each (gradients that a mean or a pool expands): where one start alone fits.
std::optional<View> slice_view(const Tensor& input,
                               std::span<const double> values,
                               const Tensor& source,
                               std::span<const double> places) {
    const Shape& mine = input.shape();
    const Shape& theirs = source.shape();
    if (mine.size() != theirs.size()) return std::nullopt;
    const auto [one, other] = std::ranges::mismatch(mine, theirs);
    if (one == mine.end() || *one > *other || !std::equal(one + 1, mine.end(), other + 1))
        return std::nullopt;
    const int64_t inner = std::accumulate(one + 1, mine.end(), int64_t{1}, std::multiplies());
    const int64_t outer = std::accumulate(mine.begin(), one, int64_t{1}, std::multiplies());
    std::optional<View> found;
    for (int64_t start = 0; start + *one <= *other; ++start) {
        View view{.shape = mine,
                  .source_numel = source.numel(),
                  .offset = start * inner,
                  .loops = {{outer, *other * inner}, {*one * inner, 1}}};
        size_t element = 0;
        if (!for_each_place(view, [&](int64_t at) {
                return same_bits(values[element++], places[static_cast<size_t>(at)]);
            }))
            continue;
        if (found) return std::nullopt;
        found = std::move(view);
    }
    return found;
}

std::optional<View> view_of(const Tensor& input, const Tensor& source) {
    const Tensor wide_input = input.cast(DType::kFloat64);
    const Tensor wide_source = source.cast(DType::kFloat64);
    const auto values = wide_input.as<double>();
    const auto places = wide_source.as<double>();
    View view{.shape = input.shape(), .source_numel = source.numel(), .loops = {}};
    if (values.size() == places.size() && std::ranges::equal(values, places, same_bits)) {
        view.loops = {{input.numel(), 1}};
        return view;
    }
    const auto known = anchors(values, input.shape(), places);
    if (known.empty()) {
        auto slice = slice_view(input, values, source, places);
        return slice ? slice : column_view(input, source);
    }
    const Distances distances(known, input.shape().size());
    view.offset = distances.start();
    for (size_t axis = 0; axis < input.shape().size(); ++axis)
        if (!add_loops(distances.of(axis), input.shape()[axis], view))
            return column_view(input, source);
    if (!stays_inside(view)) return std::nullopt;
    size_t element = 0;
    const bool holds = for_each_place(view, [&](int64_t at) {
        return same_bits(values[element++], places[static_cast<size_t>(at)]);
    });
    return holds ? std::optional(view) : std::nullopt;
}

}  // namespace

std::optional<View> column_view(const Tensor& input, const Tensor& source) {
    if (input.ndim() != 1 || source.ndim() != 2) return std::nullopt;
    const Tensor wide_input = input.cast(DType::kFloat64);
    const Tensor wide_source = source.cast(DType::kFloat64);
    const auto values = wide_input.as<double>();
    const auto places = wide_source.as<double>();
    for (const size_t axis : {size_t{0}, size_t{1}}) {
        const int64_t columns = source.shape()[1 - axis];
        if (source.shape()[axis] != input.numel() || columns > kMostColumns) continue;
        const bool are_rows = axis == 1;
        for (int64_t column = 0; column < columns; ++column) {
            View view{.shape = input.shape(),
                      .source_numel = source.numel(),
                      .offset = are_rows ? column * input.numel() : column,
                      .loops = {{input.numel(), are_rows ? 1 : columns}}};
            size_t element = 0;
            if (for_each_place(view, [&](int64_t at) {
                    return same_bits(values[element++], places[static_cast<size_t>(at)]);
                }))
                return view;
        }
    }
    return std::nullopt;
}

std::optional<View> find_view(const Tensor& input, const Tensor& source) {
    if (input.numel() == 0 || source.numel() == 0) return std::nullopt;
    if (auto view = view_of(input, source)) return view;
    for (const DType narrow : {input.dtype(), DType::kFloat16, DType::kBFloat16}) {
        if (!is_float(narrow) || !is_float(source.dtype()) || narrow == source.dtype()) continue;
        if (auto view = view_of(input, source.cast(narrow))) {
            view->cast = narrow;
            return view;
        }
    }
    return std::nullopt;
}

}  // namespace npuscope::compare
