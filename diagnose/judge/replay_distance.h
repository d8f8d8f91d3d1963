// How far apart two tensors are that should be the same but for rounding.
#pragma once

#include <limits>
#include <optional>

#include "compare/relate/view.h"
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

/// Of whole numbers: the share that is another.
[[nodiscard]] double share_of_others(const Tensor& one, const Tensor& other);

/// Of whole numbers that are chosen by floats (where a maximum stands), from numbers off by `unit`:
/// the share that may be another.
[[nodiscard]] double share_turned(const Tensor& disturbed, const Tensor& plain, double unit);

/// The order of the axes, or of the two things that one of them counts, in which `from` is off from
/// `shown` by no more than `allowed` of the norm; the first, where several are; empty without one.
[[nodiscard]] std::optional<compare::View> arrangement_within(const Tensor& from,
                                                              const Tensor& shown,
                                                              double allowed);

/// The stretch along one axis, or the place on it, at which `from` holds `shown` to the bit; the
/// first, where elements come several times; empty without one.
[[nodiscard]] std::optional<compare::View> slice_equal_to(const Tensor& from, const Tensor& shown);

}  // namespace npuscope::diagnose
