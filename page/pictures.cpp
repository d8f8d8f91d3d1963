#include "page/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/dtype/dtype.h"

namespace npuscope::page {

namespace {

using nlohmann::ordered_json;

constexpr int64_t kPiece = 16384;
constexpr size_t kBins = 64;
constexpr int64_t kMapRows = 32;
constexpr int64_t kMapColumns = 48;
constexpr int64_t kAxisParts = 256;
constexpr size_t kMostMaps = 6;
constexpr size_t kWorst = 10;

/// Elements of any real dtype as doubles, piece by piece.
class Doubles {
  public:
    explicit Doubles(const ElementSource& source) : source_(source) {}

    const std::vector<double>& piece(int64_t first, int64_t count) {
        const std::byte* bytes = source_.range(first, count, buffer_);
        values_.resize(static_cast<size_t>(count));
        visit_dtype(source_.dtype(), [&]<class T>() {
            for (size_t i = 0; i < values_.size(); ++i) {
                T value;
                std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
                values_[i] = to_double(value);
            }
        });
        source_.release(first, count);
        return values_;
    }

  private:
    const ElementSource& source_;
    std::vector<std::byte> buffer_;
    std::vector<double> values_;
};

/// visit(index, t, g) of each element in C order.
template <class Visit>
void for_each_pair(const ElementSource& target, const ElementSource& golden, Visit&& visit) {
    Doubles mine(target), theirs(golden);
    for (int64_t first = 0; first < target.numel(); first += kPiece) {
        const int64_t count = std::min(kPiece, target.numel() - first);
        const std::vector<double>& t = mine.piece(first, count);
        const std::vector<double>& g = theirs.piece(first, count);
        for (int64_t i = 0; i < count; ++i)
            visit(first + i, t[static_cast<size_t>(i)], g[static_cast<size_t>(i)]);
    }
}

/// |t - g|; infinity where the sides are not both finite, nor the same.
double difference(double t, double g) {
    if (t == g || (std::isnan(t) && std::isnan(g))) return 0;
    const double error = std::fabs(t - g);
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// The smallest and largest finite value, and of the errors that are not 0.
struct Ranges {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double least_error = low;
    double largest_error = 0;
};

Ranges ranges_of(const ElementSource& target, const ElementSource& golden) {
    Ranges ranges;
    for_each_pair(target, golden, [&](int64_t, double t, double g) {
        for (const double value : {t, g})
            if (std::isfinite(value)) {
                ranges.low = std::min(ranges.low, value);
                ranges.high = std::max(ranges.high, value);
            }
        const double error = difference(t, g);
        if (error > 0 && std::isfinite(error)) {
            ranges.least_error = std::min(ranges.least_error, error);
            ranges.largest_error = std::max(ranges.largest_error, error);
        }
    });
    return ranges;
}

size_t bin_of(double value, double low, double high, size_t bins) {
    if (!(high > low)) return 0;
    const double place = (value - low) / (high - low) * static_cast<double>(bins);
    return std::min(bins - 1, static_cast<size_t>(std::max(0.0, place)));
}

void put_histograms(const ElementSource& target,
                    const ElementSource& golden,
                    const Ranges& ranges,
                    ordered_json& out) {
    std::array<int64_t, kBins> mine{}, theirs{}, errors{};
    const double low = std::log10(ranges.least_error);
    const double high = std::log10(ranges.largest_error);
    for_each_pair(target, golden, [&](int64_t, double t, double g) {
        if (std::isfinite(t)) ++mine[bin_of(t, ranges.low, ranges.high, kBins)];
        if (std::isfinite(g)) ++theirs[bin_of(g, ranges.low, ranges.high, kBins)];
        const double error = difference(t, g);
        if (error > 0 && std::isfinite(error))
            ++errors[bin_of(std::log10(error), low, high, kBins)];
    });
    if (ranges.low <= ranges.high)
        out["values"] = {
            {"low", ranges.low}, {"high", ranges.high}, {"target", mine}, {"golden", theirs}};
    if (ranges.largest_error > 0)
        out["errors"] = {{"low", low}, {"high", high}, {"counts", errors}};
}

/// How an axis is cut into parts of `group` indices.
struct Cut {
    int64_t extent = 1;
    int64_t group = 1;
    [[nodiscard]] int64_t parts() const { return (extent + group - 1) / group; }
};

Cut cut_of(int64_t extent, int64_t most_parts) {
    return {extent, (extent + most_parts - 1) / most_parts};
}

/// The largest error by two axes; by one where `row_axis` is -1.
struct Map {
    int row_axis = -1;
    int column_axis = 0;
    Cut rows;
    Cut columns;
    std::vector<double> largest;
};

std::vector<Map> maps_for(const Shape& shape) {
    std::vector<int> axes;
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 1) axes.push_back(static_cast<int>(axis));
    const auto extent = [&](int axis) { return shape[static_cast<size_t>(axis)]; };
    std::vector<Map> maps;
    if (axes.size() == 1)
        maps.push_back({-1, axes[0], {}, cut_of(extent(axes[0]), kMapColumns * 2), {}});
    // The last two axes first.
    for (size_t j = axes.size(); j-- > 1;)
        for (size_t i = j; i-- > 0 && maps.size() < kMostMaps;)
            maps.push_back({axes[i],
                            axes[j],
                            cut_of(extent(axes[i]), kMapRows),
                            cut_of(extent(axes[j]), kMapColumns),
                            {}});
    for (Map& map : maps)
        map.largest.assign(static_cast<size_t>(map.rows.parts() * map.columns.parts()), 0);
    return maps;
}

struct Share {
    Cut cut;
    std::vector<double> sums;
};

/// The place of an element by axis, advanced one element at a time.
class Place {
  public:
    explicit Place(const Shape& shape) : shape_(shape), at_(shape.size(), 0) {}
    void advance() {
        for (size_t axis = at_.size(); axis-- > 0;) {
            if (++at_[axis] < shape_[axis]) return;
            at_[axis] = 0;
        }
    }
    [[nodiscard]] int64_t operator[](int axis) const { return at_[static_cast<size_t>(axis)]; }
    [[nodiscard]] std::string text() const {
        std::string text = "[";
        for (size_t axis = 0; axis < at_.size(); ++axis)
            text += (axis > 0 ? "," : "") + std::to_string(at_[axis]);
        return text + "]";
    }

  private:
    const Shape& shape_;
    std::vector<int64_t> at_;
};

struct WorstElement {
    double error = 0;
    std::string place;
    double target = 0;
    double golden = 0;
};

class WhereErrorsLie {
  public:
    explicit WhereErrorsLie(const Shape& shape) : maps_(maps_for(shape)) {
        for (const int64_t extent : shape) {
            const Cut cut = cut_of(extent, kAxisParts);
            shares_.push_back({cut, std::vector<double>(static_cast<size_t>(cut.parts()), 0)});
        }
    }

    void take(const Place& place, double t, double g) {
        const double error = difference(t, g);
        if (error == 0) return;
        for (Map& map : maps_) {
            const int64_t row = map.row_axis < 0 ? 0 : place[map.row_axis] / map.rows.group;
            const int64_t column = place[map.column_axis] / map.columns.group;
            double& cell = map.largest[static_cast<size_t>(row * map.columns.parts() + column)];
            cell = std::max(cell, error);
        }
        if (std::isfinite(error)) {
            total_ += error;
            for (size_t axis = 0; axis < shares_.size(); ++axis) {
                Share& share = shares_[axis];
                share.sums[static_cast<size_t>(place[static_cast<int>(axis)] / share.cut.group)] +=
                    error;
            }
        }
        if (worst_.size() < kWorst || error > worst_.back().error) {
            const auto before = std::upper_bound(
                worst_.begin(), worst_.end(), error, [](double value, const WorstElement& each) {
                    return value > each.error;
                });
            worst_.insert(before, {error, place.text(), t, g});
            if (worst_.size() > kWorst) worst_.pop_back();
        }
    }

    void put(ordered_json& out) const {
        if (worst_.empty()) return;
        put_axes(out);
        put_maps(out);
        ordered_json list = ordered_json::array();
        for (const WorstElement& each : worst_)
            list.push_back({{"place", each.place},
                            {"target", number_json(each.target)},
                            {"golden", number_json(each.golden)}});
        out["worst"] = std::move(list);
    }

  private:
    void put_axes(ordered_json& out) const {
        constexpr size_t kTop = 4;
        ordered_json axes = ordered_json::array();
        for (size_t axis = 0; axis < shares_.size(); ++axis) {
            const Share& share = shares_[axis];
            if (share.cut.extent < 2 || total_ == 0) continue;
            std::vector<size_t> order(share.sums.size());
            std::iota(order.begin(), order.end(), size_t{0});
            const size_t kept = std::min(kTop, order.size());
            std::partial_sort(order.begin(),
                              order.begin() + static_cast<ptrdiff_t>(kept),
                              order.end(),
                              [&](size_t a, size_t b) { return share.sums[a] > share.sums[b]; });
            ordered_json top = ordered_json::array();
            for (size_t i = 0; i < kept && share.sums[order[i]] > 0; ++i)
                top.push_back({{"at", order[i]}, {"share", share.sums[order[i]] / total_}});
            axes.push_back({{"axis", axis}, {"group", share.cut.group}, {"top", std::move(top)}});
        }
        out["axes"] = std::move(axes);
    }

    void put_maps(ordered_json& out) const {
        ordered_json maps = ordered_json::array();
        for (const Map& map : maps_) {
            ordered_json lines = ordered_json::array();
            for (int64_t row = 0; row < map.rows.parts(); ++row) {
                ordered_json line = ordered_json::array();
                for (int64_t column = 0; column < map.columns.parts(); ++column) {
                    const double value =
                        map.largest[static_cast<size_t>(row * map.columns.parts() + column)];
                    // Four digits are more than a colour shows, and keep the page small.
                    line.push_back(std::isfinite(value) ? ordered_json(static_cast<float>(value))
                                                        : ordered_json());
                }
                lines.push_back(std::move(line));
            }
            maps.push_back({{"rows", map.row_axis},
                            {"columns", map.column_axis},
                            {"row_extent", map.rows.extent},
                            {"column_extent", map.columns.extent},
                            {"row_group", map.rows.group},
                            {"column_group", map.columns.group},
                            {"values", std::move(lines)}});
        }
        out["maps"] = std::move(maps);
    }

    std::vector<Map> maps_;
    std::vector<Share> shares_;
    std::vector<WorstElement> worst_;  ///< the largest error first
    double total_ = 0;
};

}  // namespace

ordered_json pictures_of(const ElementSource& target, const ElementSource& golden) {
    ordered_json out = ordered_json::object();
    put_histograms(target, golden, ranges_of(target, golden), out);
    WhereErrorsLie where(target.shape());
    Place place(target.shape());
    for_each_pair(target, golden, [&](int64_t, double t, double g) {
        where.take(place, t, g);
        place.advance();
    });
    where.put(out);
    return out;
}

}  // namespace npuscope::page
