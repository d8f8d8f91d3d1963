// How far apart two tensors are that should be the same but for rounding.
#pragma once

#include <limits>

#include "core/tensor/tensor.h"

namespace npuscope::diagnose {

/// |a - b| and |b| without what both mask; of non-finite elements, that they are not the same:
/// infinity.
struct Distance {
    double difference = 0;
    double size = 0;

    [[nodiscard]] double relative() const {
        if (difference == 0) return 0;
        return size > 0 ? difference / size : std::numeric_limits<double>::infinity();
    }
};

/// Of as many elements.
[[nodiscard]] Distance distance(const Tensor& one, const Tensor& other);

}  // namespace npuscope::diagnose
