#pragma once

#include <cstdint>
#include <string_view>

namespace npuscope::compare {

/// Whether a tensor of an op tells how often a state was saved (`num_batches_tracked`, the step of
/// an optimizer), not what is computed: one whole number that is added to. Where it begins is
/// chance. Of the op's name ("add__Tensor"), and of the tensor the name of its dtype and its size.
[[nodiscard]] bool is_counter(std::string_view op, std::string_view dtype, int64_t numel);

}  // namespace npuscope::compare
