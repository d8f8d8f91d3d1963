// In which order the ops of a recording are scanned. Included by overflow/*.cpp only.
#pragma once

#include <string>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::overflow {

/// Whether it is the record of a module or cell of msprobe, which gives out what ops or modules in
/// it made.
[[nodiscard]] bool is_module(const SourceOp& op);

/// The ops as they were recorded, but for modules: msprobe writes them when they begin, and they
/// are scanned when what they hold is.
[[nodiscard]] std::vector<const SourceOp*> scan_order(const Source& source);

}  // namespace npuscope::overflow
