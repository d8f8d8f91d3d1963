// IR ops: ATen operators by schema, each lowered to launches of TBE kernels, as rows of one table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npu_backend/ops/schema.h"

namespace npuscope::backend {

class Lowering;

/// Names in a row; those behind the last one are empty.
using KernelNames = std::array<std::string_view, 10>;

/// What a random op draws, as far as its results tell whether it did so rightly.
enum class Draws : uint8_t {
    kNothing,  ///< no random op, or one whose draws tell nothing
    kDropout,  ///< input times a mask over 1 - p, and the mask
    kTrials,   ///< 1 with the probability p, else 0
};

/// One row of a family's table. Each family is one line in ops.def.
struct OpRow {
    std::string_view schema;  ///< in ATen's notation
    /// Every kernel that the lowering may launch, a shared lowering's own first. Casts and
    /// TransDatas that dtypes and formats ask for go without saying.
    KernelNames launches = {};
    /// Another op, by its IR name, that this one carries out: its launches are this one's too.
    std::string_view as = {};
    std::string_view note = {};        ///< the launches in words, where the names do not say it all
    std::string_view source = "ours";  ///< of the lowering: "spec" (CANN adapter read by hand),
                                       ///< "table" (extracted from it), "indirect" (a choice among
                                       ///< what it may launch), "ours"
    void (*lower)(Lowering& op);
    std::string_view argument = {};  ///< a word for a lowering that several rows share
    /// The result that is a sum, a mean or a norm of inputs, by its name in the schema ("result0"
    /// is the first without one); "" when there is none. Its rounding errors grow with the sum of
    /// the magnitudes, which the op gives of the inputs' magnitudes; the sum itself may cancel.
    std::string_view sum = {};
    Draws draws = Draws::kNothing;
    /// Several steps deep: no product of its operands, though it multiplies matrices.
    bool is_composed = false;
    /// "argument=word" where a chip's kernel heeds no word in that argument and does what this one
    /// asks for.
    std::string_view chip_form = {};
};

/// A row with its schema parsed.
struct Op {
    Schema schema;
    const OpRow* row = nullptr;
    /// Of the row and of the op that it names as its like; where both have them, the row's first.
    std::vector<std::string_view> launches = {};
    std::string_view note = {};
    std::string_view argument = {};

    [[nodiscard]] const std::string& name() const { return schema.name; }
    /// What it launches, for people; "none" for a view.
    [[nodiscard]] std::string launches_text() const;
};

#define OPS(family) std::span<const OpRow> family##_ops();
#include "npu_backend/ops/ops.def"
#undef OPS

[[nodiscard]] std::span<const Op> all_ops();
/// nullptr when there is none.
[[nodiscard]] const Op* find_op(std::string_view name);
/// The known name with the smallest edit distance.
[[nodiscard]] const std::string& nearest_op_name(std::string_view name);

}  // namespace npuscope::backend
