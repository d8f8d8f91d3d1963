// What a dump keeps of an op beside its tensors. Included by dumper/*.cpp only.
#pragma once

#include "core/dumpfile/writer.h"
#include "core/event/observer.h"
#include "dumper/golden.h"

namespace npuscope::dumper {

/// Where the op stands; where a kernel ran: kernels and status; with `match` (load mode) the golden
/// run; with `inputs` the strides of those whose framework held them otherwise than in C order.
[[nodiscard]] dumpfile::OpFacts op_facts(const OpEnd& op, const Match* match, bool inputs);

/// Keeps the record's tensors by their statistics in place of their elements; other values stay.
void keep_statistics(dumpfile::OpRecord& record);
/// The same by their hashes.
void keep_hashes(dumpfile::OpRecord& record);

}  // namespace npuscope::dumper
