#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "diagnose/judge/fault_pattern.h"
#include "diagnose/judge/foretold.h"

namespace npuscope::diagnose {

namespace {

/// Of a slice so many elements are looked at; more would only make the odds longer.
constexpr int64_t kLookedAt = 4096;
/// Tiles are halves of the elements in their order, halves of these, and so on.
constexpr int64_t kMostTiles = 64;
constexpr int64_t kFewestInTile = 2;

/// The elements as [outer, size, inner]; slices of one index along `size`.
struct View {
    int64_t outer = 1;
    int64_t size = 1;
    int64_t inner = 1;
    std::optional<size_t> axis{};  ///< empty: tiles

    [[nodiscard]] int64_t in_slice() const { return outer * inner; }
    /// The k-th element of a slice.
    [[nodiscard]] int64_t at(int64_t slice, int64_t k) const {
        return (k / inner * size + slice) * inner + k % inner;
    }
    [[nodiscard]] int64_t slice_of(int64_t element) const { return element / inner % size; }
    [[nodiscard]] int64_t wrapped(int64_t slice) const { return (slice + size) % size; }
};

std::vector<View> views_of(const Shape& shape) {
    std::vector<View> views;
    const int64_t numel = numel_of(shape);
    int64_t outer = 1;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t size = shape[axis];
        if (size > 1) views.push_back({outer, size, numel / (outer * size), axis});
        outer *= size;
    }
    for (int64_t tiles = 2; tiles <= kMostTiles && numel / tiles >= kFewestInTile; tiles *= 2)
        views.push_back({1, tiles, numel / tiles});
    return views;
}

/// "[:, 3]" or "elements 32 to 63".
std::string place_text(const View& view, const Shape& shape, int64_t slice) {
    if (!view.axis)
        return fmt::format("elements {} to {}", slice * view.inner, (slice + 1) * view.inner - 1);
    std::string text = "[";
    for (size_t axis = 0; axis <= *view.axis; ++axis)
        text += axis == *view.axis ? std::to_string(slice) : ":, ";
    text += *view.axis + 1 < shape.size() ? ", ...]" : "]";
    return text;
}

class Search {
  public:
    explicit Search(const ResultElements& elements) : elements_(elements) {}

    /// Whether slice `slice` holds what belongs in `source`.
    [[nodiscard]] bool holds(const View& view, int64_t slice, int64_t source) {
        seen_.emplace(elements_.format);
        look_at(view, slice, source);
        return seen_->by_others();
    }

    /// Whether each slice holds what belongs in the one `step` before it.
    [[nodiscard]] bool is_shifted(const View& view, int64_t step) {
        seen_.emplace(elements_.format);
        const int64_t every = std::max<int64_t>(1, view.size * view.in_slice() / kLookedAt);
        for (int64_t slice = 0; slice < view.size; ++slice)
            for (int64_t k = slice % every; k < view.in_slice(); k += every)
                add(view.at(slice, k), view.at(view.wrapped(slice - step), k), 1);
        return seen_->by_others();
    }

    /// Whether slice `slice` has the other sign.
    [[nodiscard]] bool is_negated(const View& view, int64_t slice) {
        seen_.emplace(elements_.format);
        const int64_t every = every_of(view);
        for (int64_t k = 0; k < view.in_slice(); k += every)
            add(view.at(slice, k), view.at(slice, k), -1);
        return seen_->by_others();
    }

  private:
    static int64_t every_of(const View& view) {
        return std::max<int64_t>(1, view.in_slice() / kLookedAt);
    }
    void look_at(const View& view, int64_t slice, int64_t source) {
        const int64_t every = every_of(view);
        for (int64_t k = 0; k < view.in_slice(); k += every)
            add(view.at(slice, k), view.at(source, k), 1);
    }
    void add(int64_t place, int64_t source, double sign) {
        const auto i = static_cast<size_t>(place);
        seen_->add(elements_.recorded[i],
                   elements_.exact[i],
                   sign * elements_.exact[static_cast<size_t>(source)]);
    }

    const ResultElements& elements_;
    std::optional<Foretold> seen_;
};

std::vector<int64_t> places_of(const View& view, std::initializer_list<int64_t> slices) {
    std::vector<int64_t> places;
    for (const int64_t slice : slices)
        for (int64_t k = 0; k < view.in_slice(); ++k)
            places.push_back(view.at(slice, k));
    std::ranges::sort(places);
    return places;
}

std::vector<int64_t> all_places(const ResultElements& elements) {
    std::vector<int64_t> places(elements.exact.size());
    std::iota(places.begin(), places.end(), 0);
    return places;
}

std::optional<FaultPattern> displaced_along(const View& view, const ResultElements& elements) {
    Search search(elements);
    const int64_t slice = view.slice_of(elements.furthest);
    const auto text = [&](int64_t each) { return place_text(view, elements.shape, each); };
    for (const int64_t step : {1, -1}) {
        // Of two slices a shift is an exchange.
        if (!view.axis || view.size < 3 || !search.is_shifted(view, step)) continue;
        return FaultPattern{fmt::format("all elements stand one place {} along axis {}",
                                        step > 0 ? "further" : "back",
                                        *view.axis),
                            all_places(elements)};
    }
    for (const int64_t step : {1, -1}) {
        const int64_t source = view.wrapped(slice - step);
        if (!search.holds(view, slice, source)) continue;
        if (search.holds(view, source, slice))
            return FaultPattern{text(std::min(slice, source)) + " and " +
                                    text(std::max(slice, source)) + " are exchanged",
                                places_of(view, {slice, source})};
        return FaultPattern{
            text(slice) + (view.axis ? " holds" : " hold") + " what belongs in " + text(source),
            places_of(view, {slice})};
    }
    if (!view.axis || !search.is_negated(view, slice)) return std::nullopt;
    return FaultPattern{text(slice) + " has the other sign", places_of(view, {slice})};
}

}  // namespace

std::optional<FaultPattern> displaced(const ResultElements& elements) {
    for (const View& view : views_of(elements.shape)) {
        // Elements behind the last whole tile.
        if (view.outer == 1 && elements.furthest >= view.size * view.inner) continue;
        if (auto found = displaced_along(view, elements)) return found;
    }
    return std::nullopt;
}

}  // namespace npuscope::diagnose
