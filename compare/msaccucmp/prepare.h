// One matched pair of datasets, read and made ready for the algorithms.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compare/msaccucmp/dump_index.h"
#include "compare/msaccucmp/float_source.h"
#include "compare/msaccucmp/log.h"
#include "core/h5/h5.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare::msaccucmp {

/// Both sides as float32, flattened.
struct Pair {
    std::unique_ptr<FloatSource> x;
    std::unique_ptr<FloatSource> y;
    std::string dtype;  ///< NumPy's name of the stored my data
    Shape shape;        ///< of my data
    bool are_bools = false;
    bool is_scalar = false;
};

/// Errors: Error with the reason why the pair cannot be compared (kUnsupported, kFormat).
[[nodiscard]] Pair prepare_pair(const h5::Reader& my,
                                const Dataset& my_dataset,
                                const h5::Reader& golden,
                                const Dataset& golden_dataset,
                                LogLines& log);

/// The elements of `data` read through other strides: element (i, j, …) is flat[i*s0 + j*s1 + …].
/// Errors: Error(kFormat) when an index falls outside the data.
[[nodiscard]] Tensor restrided(const Tensor& data, const std::vector<int64_t>& strides);

/// Whether `strides` fit the shape: as many as dimensions, 1 + sum (dim-1)*stride <= numel.
[[nodiscard]] bool strides_fit(const Shape& shape, const std::vector<int64_t>& strides);

}  // namespace npuscope::compare::msaccucmp
