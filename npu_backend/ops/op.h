// IR ops: ATen operators by schema, each lowered to launches of TBE kernels, as rows of one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "npu_backend/ops/schema.h"

namespace npuscope::backend {

class Lowering;

/// One row of a family's table. Each family is one line in ops.def.
struct OpRow {
    std::string_view schema;   ///< in ATen's notation
    std::string_view kernels;  ///< TBE kernels in launch order; "none" for a view
    std::string_view source;   ///< of the lowering: "spec" (CANN adapter read by hand), "table"
                               ///< (extracted from it), "indirect" (a choice among what it may
                               ///< launch), "ours"
    void (*lower)(Lowering& op);
    /// The result that is a sum or a mean of inputs, by its name in the schema ("result0" is the
    /// first without one); "" when there is none. Its rounding errors grow with the sum of the
    /// magnitudes, which the op gives of the inputs' magnitudes; the sum itself may cancel.
    std::string_view sum = {};
};

/// A row with its schema parsed.
struct Op {
    Schema schema;
    const OpRow* row = nullptr;

    [[nodiscard]] const std::string& name() const { return schema.name; }
};

[[nodiscard]] std::span<const Op> all_ops();
/// nullptr when there is none.
[[nodiscard]] const Op* find_op(std::string_view name);
/// The known name with the smallest edit distance.
[[nodiscard]] const std::string& nearest_op_name(std::string_view name);

}  // namespace npuscope::backend
