// In-place forms: another op, its result stored into self.
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void lower_in_place(Lowering& op) {
    find_op(op.like())->row->lower(op);
    op.store_result("self");
}

}  // namespace

std::span<const OpRow> in_place_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
#define IN_PLACE(call, op, evidence) \
    {.schema = call " -> Tensor self", .as = (op), .source = (evidence), .lower = lower_in_place},
#include "npu_backend/ops/forms/in_place_forms.def"
#undef IN_PLACE
    });
    return kRows;
}

}  // namespace npuscope::backend
