// What became of an overflow: born in one op, carried by those that passed it on, killed by those
// whose results show nothing of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overflow/record.h"

namespace npuscope::overflow {

/// What the results of an op show.
struct Marks {
    bool non_finite = false;
    bool saturated = false;  ///< the largest finite value
};

/// An op with a damaged input whose floating-point results are all undamaged: a maximum, a where,
/// a clamp, a masked softmax.
struct FlowStop {
    std::string path;
    OpSource source;
    std::string via;  ///< the input
};

/// Lists are cut at kMostNamed, counts are not.
struct OverflowFlow {
    OverflowRecord birth;              ///< of the op where it began; or came in, by its kind
    std::vector<std::string> carried;  ///< paths of ops that passed it on, in their order
    int64_t carried_count = 0;
    std::vector<FlowStop> killed;
    int64_t killed_count = 0;
    std::vector<std::string> unread;  ///< ops whose damaged results no recorded op read
    int64_t unread_count = 0;
    Marks marks;  ///< of any op in it

    /// The largest finite value, and nowhere an inf or a nan that would be noticed.
    [[nodiscard]] bool silent() const { return marks.saturated && !marks.non_finite; }
    /// Whether an op made it, so that it is none of a model's inputs or of a mask.
    [[nodiscard]] bool is_own() const { return birth.kind != OverflowKind::kInheritedFromInput; }
};
inline constexpr size_t kMostNamed = 1000;

/// The flows that a tensor carries: numbers in ascending order, at most 64, the oldest.
using FlowIds = std::vector<size_t>;
void add(const FlowIds& more, FlowIds& ids);

/// Follows the flows of one scan.
class Flows {
  public:
    /// Begins one.
    FlowIds born(const OverflowRecord& birth, const Marks& results);
    void carried(const FlowIds& ids, const std::string& path, const Marks& results);
    void killed(const FlowIds& ids, const FlowStop& stop);
    void left_unread(const FlowIds& ids, const std::string& path);

    [[nodiscard]] std::vector<OverflowFlow> take() { return std::move(flows_); }

  private:
    std::vector<OverflowFlow> flows_;
};

}  // namespace npuscope::overflow
