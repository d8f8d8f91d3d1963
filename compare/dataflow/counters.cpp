#include "compare/dataflow/counters.h"

#include "core/dtype/dtype.h"

namespace npuscope::compare {

bool is_counter(std::string_view op, std::string_view dtype, int64_t numel) {
    const auto known = dtype_from_name(dtype);
    return known && !is_float(*known) && numel == 1 && op.starts_with("add");
}

}  // namespace npuscope::compare
