// The JSON text that a dump keeps for each op beside its tensors. Included by dumper/*.cpp only.
#pragma once

#include <string>

#include "core/event/observer.h"
#include "dumper/golden.h"

namespace npuscope::dumper {

/// {"node", "module", "line", "autograd", "fallback", "thread", "step" (where known); where a
/// kernel ran: "kernels": […], "status": {"bits", "overflow"}, "golden": "/op/seqid", "alias": true
/// (load mode), "strides": {"input/mat2": [1, 64]} (with `inputs`: of those whose framework held
/// them otherwise than in C order)}. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string op_facts(const OpEnd& op, const Match* match, bool inputs);

}  // namespace npuscope::dumper
