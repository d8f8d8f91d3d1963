// Ops whose results have a size that elements choose.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether the results of an op of that name are as long as the elements of its inputs say, so that
/// a token that a router sends elsewhere changes their shapes. Table: core/naming/chosen_sizes.def.
[[nodiscard]] bool chooses_size(std::string_view op);

}  // namespace npuscope
