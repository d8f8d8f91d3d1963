// One matched pair of datasets, read and made ready for the algorithms.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compare/msaccucmp/dump_index.h"
#include "compare/msaccucmp/float_source.h"
#include "compare/msaccucmp/log.h"
#include "compare/msaccucmp/open_dump.h"
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
[[nodiscard]] Pair prepare_pair(const OpenDump& my,
                                const Dataset& my_dataset,
                                const OpenDump& golden,
                                const Dataset& golden_dataset,
                                LogLines& log);

}  // namespace npuscope::compare::msaccucmp
