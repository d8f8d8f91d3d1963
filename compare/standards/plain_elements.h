// A recorded tensor in memory, its elements as standards compute with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::compare {

/// Its elements as double; whole numbers beyond 2^53 are rounded.
[[nodiscard]] std::vector<double> as_doubles(const Tensor& tensor);
/// Of whole numbers and bools.
[[nodiscard]] std::vector<int64_t> as_integers(const Tensor& tensor);
/// Each as a T holds it.
template <class T>
[[nodiscard]] std::vector<T> as_elements(const Tensor& tensor) {
    std::vector<T> elements(static_cast<size_t>(tensor.numel()));
    convert_elements(tensor.data(), tensor.dtype(), elements.data(), kDTypeOf<T>, elements.size());
    return elements;
}

/// Both sides of a pair in memory.
struct PlainPair {
    Tensor target;
    Tensor golden;
};

/// Empty, with the reason in `why_not`: one side lacks the tensor or its elements. Errors: as
/// SourceTensor::open.
[[nodiscard]] std::optional<PlainPair> plain_pair(const SourceTensor* target,
                                                  const SourceTensor* golden,
                                                  std::string& why_not);

}  // namespace npuscope::compare
