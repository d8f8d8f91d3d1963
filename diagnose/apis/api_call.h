// A run of a function as a call of one of our ops: its operands by the names of the op's schema.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/naming/api_names.h"
#include "core/recording/source.h"
#include "diagnose/apis/operand.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

struct NamedOperand {
    std::string name;
    Operand value;
};

/// Borrows the op's row.
struct ApiCall {
    const backend::Op* op = nullptr;
    std::vector<NamedOperand> arguments{};
    std::vector<SourceTensor> results{};  ///< as recorded, with their names in the schema
    Shape result_shape{};  ///< of the first result as the op gives it, where that is another
    /// The function's tensors, gradients too, in the layout that the op takes; empty: as they are.
    std::function<SourceTensor(const SourceTensor&)> layout{};

    /// None where it was not given.
    [[nodiscard]] Operand argument(std::string_view name) const;
    /// A run of the op as the judge takes it; its path is the record's.
    [[nodiscard]] SourceOp as_source(const SourceOp& record) const;
};

/// The first overload that takes such arguments, with numbers, texts and lists in the form that its
/// schema wants. Errors: Error(kUnsupported) says what does not fit.
[[nodiscard]] ApiCall bind_named(std::string_view base_name,
                                 const std::vector<NamedOperand>& arguments);

/// Of one op.
[[nodiscard]] ApiCall bind_to(const backend::Op& op, const std::vector<NamedOperand>& arguments);

/// `operands` of a function by the names of the op that `row` says it comes to, with the row's
/// defaults; without a row by the schema of each overload. Errors: as bind_named().
[[nodiscard]] ApiCall bind_call(std::string_view base_name,
                                const ApiName* row,
                                const Operands& operands);
/// The operands by the names that the row gives them.
[[nodiscard]] std::vector<NamedOperand> named(const ApiName& row, const Operands& operands);

/// The outputs as the results of the op, in their order, or by their own names.
void take_results(ApiCall& call, std::vector<SourceTensor> outputs);

}  // namespace npuscope::diagnose
