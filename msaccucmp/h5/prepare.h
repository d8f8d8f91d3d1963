// One matched pair of datasets, read and made ready for the algorithms.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/h5/dump_index.h"
#include "msaccucmp/h5/open_dump.h"
#include "msaccucmp/numpy/float_source.h"

namespace npuscope::msaccucmp {

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
[[nodiscard]] Pair prepare_pair(const OpenDump& my,
                                const Dataset& my_dataset,
                                const OpenDump& golden,
                                const Dataset& golden_dataset,
                                LogLines& log);

}  // namespace npuscope::msaccucmp
