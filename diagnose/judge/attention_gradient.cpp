// The gradients of attention, whoever recorded them.
#include "diagnose/judge/composed_op.h"
#include "npu_backend/ops/linear/attention.h"

namespace npuscope::diagnose {

void lower_gradient_of_attention(backend::Lowering& op) {
    backend::lower_attention_gradient(op, "grad");
}

}  // namespace npuscope::diagnose
