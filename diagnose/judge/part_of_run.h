// A large run of an op on some of its elements or rows: it tells as much of the op's arithmetic,
// and costs a fraction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "diagnose/judge/block_of_product.h"
#include "diagnose/judge/cut.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// What of a run is enough to tell how its op computes.
inline constexpr int64_t kTellingElements = int64_t{1} << 12;

/// Of a result with so many, a part is enough for what is estimated.
inline constexpr int64_t kLargeElements = 4 * kTellingElements;

/// Whether the run's first result has so many.
[[nodiscard]] bool is_large(const OpRun& run);

struct PartOfRun {
    OpRun run;
    Cut cut = Cut::kElements;
    std::vector<int64_t> places{};   ///< elements or rows of the results
    std::vector<int64_t> columns{};  ///< of a block
    /// Whether each element of the results comes of the like elements of the operands alone;
    /// else each row comes of the like rows, or of these and whole operands.
    [[nodiscard]] bool by_element() const { return cut == Cut::kElements; }
};

/// About `elements` elements of the results, from all over them, and those at `also` (in C order,
/// of the first result); rows are the places of the first axis. Empty where the op is no such one:
/// what it makes of the part, it must make of the part beside others too. Empty as well where the
/// run is not at least twice as large.
[[nodiscard]] std::optional<PartOfRun> part_of(const OpRun& run,
                                               int64_t elements,
                                               std::span<const int64_t> also = {});

/// The same places of another run of the op; empty where its shapes are others.
[[nodiscard]] std::optional<OpRun> same_part(const OpRun& run, const PartOfRun& part);

/// Rows of a result: its places of the first axis, or its elements.
[[nodiscard]] int64_t rows_of(const Tensor& result, Cut cut);

/// How a run may be cut, proven as by part_of(); products need no proof. Empty where it may not.
[[nodiscard]] std::optional<Cut> cut_of(const OpRun& run);

/// `count` rows of all that is cut, from `first` on; not widened. Empty where the run does not fit
/// the cut.
[[nodiscard]] std::optional<OpRun> stretch_of(const OpRun& run,
                                              Cut cut,
                                              int64_t first,
                                              int64_t count);

/// As part_of(), for products, which need no proof: the first rows of their result, and where that
/// saves much the first columns alone.
[[nodiscard]] OpRun leading_rows(OpRun run, int64_t elements);

}  // namespace npuscope::diagnose
