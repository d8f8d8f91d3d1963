// What aligned ops made, how far it is off, and what came in.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/compare.h"
#include "compare/growth/side_distances.h"
#include "compare/match.h"

namespace npuscope::compare {

/// A measured tensor of a pair of ops. Borrows it.
struct MeasuredRun {
    size_t place = 0;  ///< of its pair, index into Plan::ops
    TensorResult* tensor = nullptr;
    bool is_input = false;     ///< taken in, from an op that has no partner; else made
    bool is_gradient = false;  ///< of a backward pass
    Distance out{};
    Distance before{};                       ///< the worst of what was made before it
    Entry entry{};                           ///< of both sides
    std::vector<const SourceOp*> crossed{};  ///< of either side, that nothing was compared of
    bool crosses_gates =
        false;                  ///< of a backward pass in which nothing but parameters was compared
    bool may_cut_off = false;   ///< a matrix unit that cuts operands off may have made it
    int bits = 0;               ///< of the significand, that results like this one are rounded to
    double like = 0;            ///< of the norm: what like runs add to what came in, and, of a
                                ///< gradient, what values are off by
    double largest = 0;         ///< |t-g| of the element that is farthest off
    bool in_any_order = false;  ///< of other shapes: so far off at least
    double growth = 0;          ///< above 1: errors grow here (allowance.h)

    [[nodiscard]] bool is_computed() const { return tensor->split && tensor->split->target; }
};

/// In the plan's order. `result` is the plan's. Results of pairs by name that nothing relates, with
/// as many elements in other shapes, are among them. An infinity that only one side has is
/// infinitely far off, unless all are negative (a mask). Complexity: 4096 elements a result.
[[nodiscard]] std::vector<MeasuredRun> measured_runs(const Plan& plan,
                                                     const SideDistances& target,
                                                     const SideDistances& golden,
                                                     Result& result);

/// Whether the result was paired by its place in the program alone, which tells nothing of its
/// elements.
[[nodiscard]] bool is_by_place(const OpPair& pair, const TensorResult& result);

/// The ops between: ", through /mean_dim/3, /sub_Tensor/4", ", through 57 ops, /sigmoid/72 to
/// /mul/135".
[[nodiscard]] std::string text_across(const MeasuredRun& run);

}  // namespace npuscope::compare
