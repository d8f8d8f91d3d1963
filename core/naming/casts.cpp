#include "core/naming/casts.h"

#include <algorithm>
#include <array>

#include "core/naming/aliases.h"

namespace npuscope {

namespace {

constexpr auto kCasts = std::to_array<std::string_view>({"_to_copy",
                                                         "to",
                                                         "to_device",
                                                         "to_dtype",
                                                         "to_dtype_layout",
                                                         "to_other",
                                                         "clone",
                                                         "contiguous",
                                                         "copy_",
                                                         "new_zeros",
                                                         "as_strided_",
                                                         "npu_format_cast",
                                                         "_npu_format_cast"});

}  // namespace

bool is_cast(std::string_view op) {
    return std::ranges::find(kCasts, op) != kCasts.end() || !is_recorded(op);
}

}  // namespace npuscope
