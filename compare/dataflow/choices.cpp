#include "compare/dataflow/choices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "compare/dataflow/traced_numbers.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

using Values = std::span<const double>;

/// One axis of a tensor as three: what is before it, itself, and what is behind it.
struct Axis {
    size_t before = 1;
    size_t size = 1;
    size_t behind = 1;
};

Axis axis_of(const Shape& shape, size_t axis) {
    Axis made{.size = static_cast<size_t>(shape[axis])};
    for (size_t i = 0; i < shape.size(); ++i)
        if (i != axis) (i < axis ? made.before : made.behind) *= static_cast<size_t>(shape[i]);
    return made;
}

/// Whether along the axis the indices are those of the largest elements (the smallest, with `sign`
/// -1), the first of all first.
bool are_places(Values indices, Values from, const Axis& axis, double sign) {
    const size_t lines = axis.before * axis.behind;
    if (axis.size < 2 || lines == 0 || indices.size() % lines != 0) return false;
    const size_t chosen = indices.size() / lines;
    if (chosen == 0 || chosen > axis.size) return false;
    for (size_t line = 0; line < lines; ++line) {
        const size_t before = line / axis.behind;
        const size_t behind = line % axis.behind;
        const double* first = &from[before * axis.size * axis.behind + behind];
        double bound = -std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < axis.size; ++i)
            bound = std::max(bound, sign * first[i * axis.behind]);
        for (size_t i = 0; i < chosen; ++i) {
            const double place = indices[(before * chosen + i) * axis.behind + behind];
            if (place < 0 || place >= static_cast<double>(axis.size)) return false;
            const double value = sign * first[static_cast<size_t>(place) * axis.behind];
            if (i == 0 ? value != bound : value > bound) return false;
            bound = value;
        }
    }
    return true;
}

template <class Cut>
bool are_cut(Values whole, Values from, Cut cut) {
    return std::ranges::equal(
        whole, from, [&](double one, double value) { return one == cut(value); });
}

/// Whether all ones stand above all zeros, or all below.
bool are_beyond_a_threshold(Values mask, Values from) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double lowest[] = {kInfinity, kInfinity};
    double highest[] = {-kInfinity, -kInfinity};
    for (size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != 0 && mask[i] != 1) return false;
        const size_t side = mask[i] == 1 ? 1 : 0;
        lowest[side] = std::min(lowest[side], from[i]);
        highest[side] = std::max(highest[side], from[i]);
    }
    return lowest[1] > highest[0] || lowest[0] > highest[1];
}

bool are_chosen(Values whole, Values from, const Shape& shape) {
    if (whole.size() == from.size() &&
        (are_cut(whole, from, [](double value) { return std::trunc(value); }) ||
         are_cut(whole, from, [](double value) { return std::floor(value); }) ||
         are_cut(whole, from, [](double value) { return std::nearbyint(value); }) ||
         are_beyond_a_threshold(whole, from)))
        return true;
    for (size_t i = 0; i < shape.size(); ++i)
        for (const double sign : {1.0, -1.0})
            if (are_places(whole, from, axis_of(shape, i), sign)) return true;
    return false;
}

}  // namespace

bool may_be_chosen(const PairedFlows& flows, const InputPair& input) {
    const Side& golden = flows.golden();
    const TracedTensor& chosen = golden.tensor(input.golden);
    const Tensor whole = traced_numbers(golden, input.golden);
    for (size_t i = 0; i < golden.flow.first[chosen.op]; ++i) {
        const TracedTensor& made = golden.tensor(i);
        const auto dtype = dtype_from_name(made.dtype);
        if (made.direction != dumpfile::Direction::kOutput || !made.content || !dtype ||
            !is_float(*dtype) || made.content->numel < whole.numel())
            continue;
        const auto partner = flows.partner_of(i);
        const auto* mine = partner ? &flows.target().tensor(*partner).content : nullptr;
        if (mine != nullptr && *mine && (*mine)->sequence == made.content->sequence) continue;
        try {
            const Tensor from = traced_numbers(golden, i);
            if (are_chosen(whole.as<double>(), from.as<double>(), made.shape)) return true;
        } catch (const Error&) {
            continue;
        }
    }
    return false;
}

}  // namespace npuscope::compare
