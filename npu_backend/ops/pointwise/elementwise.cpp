#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

Operands self_and_argument(Lowering& op, bool to_float = false) {
    return common_operands(op, "self", op.argument().empty() ? "other" : op.argument(), to_float);
}

}  // namespace

void lower_unary(Lowering& op) {
    op.result(op.launch(op.kernel(), {op.tensor("self")}), op.declared("self"));
}

void lower_float(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch(op.kernel(), {op.cast(op.tensor("self"), dtype)}), dtype);
}

void lower_binary(Lowering& op) {
    const Operands pair = self_and_argument(op);
    op.result(op.launch(op.kernel(), {pair.self, pair.other}), pair.dtype);
}

void lower_binary_float(Lowering& op) {
    const Operands pair = self_and_argument(op, true);
    op.result(op.launch(op.kernel(), {pair.self, pair.other}), pair.dtype);
}

void lower_comparison(Lowering& op) {
    const Operands pair = self_and_argument(op);
    op.result(op.launch(op.kernel(), {pair.self, pair.other}), DType::kBool);
}

}  // namespace npuscope::backend
