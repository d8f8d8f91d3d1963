// A record whose tensors are told by numbers instead of elements. Included by dumper/*.cpp only.
#pragma once

#include "core/dumpfile/writer.h"

namespace npuscope::dumper {

/// The record without its tensors; its facts gain "statistics": {"input/self": {"dtype", "shape",
/// "count", "finite", "nan", "positive_inf", "negative_inf", "zero", "min", "max", "mean",
/// "deviation"}, …} as dumpfile::Statistics defines them. Other values stay.
[[nodiscard]] dumpfile::OpRecord with_statistics(const dumpfile::OpRecord& record);

}  // namespace npuscope::dumper
