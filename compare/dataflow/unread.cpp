#include "compare/dataflow/unread.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compare/dataflow/traced_numbers.h"
#include "core/base/error.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

/// Of a difference of what the tensor held: what is left of it where it was written over.
constexpr double kLeftOver = 0.01;
/// Of what an element is: a difference that makes none.
constexpr double kNoMatter = 1e-6;

/// The output of the input's op that is the same tensor.
std::optional<size_t> written(const Side& side, size_t input) {
    const Dataflow& flow = side.flow;
    const TracedTensor& in = flow.tensors[input];
    for (size_t i = flow.first[in.op]; i < flow.first[in.op + 1]; ++i) {
        const TracedTensor& out = flow.tensors[i];
        if (out.direction == dumpfile::Direction::kOutput &&
            writes_over(side.source.ops[in.op].id.op, in.argument, out.argument) &&
            out.shape == in.shape)
            return i;
    }
    return std::nullopt;
}

/// The one input that holds what was made; empty where there is none, or are several.
std::optional<size_t> only_user(const Dataflow& flow, size_t output) {
    std::optional<size_t> user;
    for (size_t i = output + 1; i < flow.tensors.size(); ++i) {
        if (flow.tensors[i].producer != output) continue;
        if (user) return std::nullopt;
        user = i;
    }
    return user;
}

/// What differed, and where.
struct WrittenPlace {
    size_t index = 0;
    double difference = 0;  ///< infinite of what is not finite
};

std::vector<WrittenPlace> places_apart(const Tensor& target, const Tensor& golden) {
    const auto t = target.as<double>();
    const auto g = golden.as<double>();
    std::vector<WrittenPlace> places;
    for (size_t i = 0; i < t.size(); ++i) {
        if (t[i] == g[i] || (std::isnan(t[i]) && std::isnan(g[i]))) continue;
        const double off = std::abs(t[i] - g[i]);
        places.push_back({i, std::isfinite(off) ? off : HUGE_VAL});
    }
    return places;
}

bool is_written(double target, double golden, const WrittenPlace& place) {
    const double size = std::max(std::abs(target), std::abs(golden));
    const double off = std::abs(target - golden);
    return (std::isfinite(off) && off <= kLeftOver * place.difference) ||
           place.difference <= kNoMatter * size;
}

}  // namespace

bool is_written_before_read(const PairedFlows& flows, const InputPair& input) try {
    const Side& mine = flows.target();
    const Side& theirs = flows.golden();
    auto target = written(mine, input.target);
    auto golden = written(theirs, input.golden);
    if (!target || !golden) return false;
    std::vector<WrittenPlace> places =
        places_apart(traced_numbers(mine, input.target), traced_numbers(theirs, input.golden));
    while (target && golden) {
        const Tensor made = traced_numbers(mine, *target);
        const Tensor expected = traced_numbers(theirs, *golden);
        if (made.numel() != expected.numel()) return false;
        const auto t = made.as<double>();
        const auto g = expected.as<double>();
        std::erase_if(places, [&](const WrittenPlace& place) {
            return is_written(t[place.index], g[place.index], place);
        });
        if (places.empty()) return true;
        const auto next_target = only_user(mine.flow, *target);
        const auto next_golden = only_user(theirs.flow, *golden);
        if (!next_target || !next_golden) return false;
        target = written(mine, *next_target);
        golden = written(theirs, *next_golden);
    }
    return false;
} catch (const Error&) {
    return false;
}

}  // namespace npuscope::compare
