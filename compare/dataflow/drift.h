// Parameters that steps of training have moved.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/dataflow/relation.h"

namespace npuscope::compare {

/// Where most parameters are off, and by little, steps that were not compared left them so: no
/// fault planted in one of them does that.
struct Drift {
    double most = 0;       ///< of the norm: what is off by less has drifted; 0 where nothing has
    std::string remark{};  ///< "30 of 34 parameters are off by up to …"

    [[nodiscard]] bool takes_in(const Relation& relation) const;
};

/// Whether a parameter that is so related to the golden's may have drifted.
[[nodiscard]] bool may_drift(const Relation& relation);

struct ParameterCounts {
    size_t all = 0;
    size_t rounded = 0;  ///< these are off by rounding
};

/// `distances`, of the norm, are those of parameters that may have drifted.
[[nodiscard]] Drift drift_of(const ParameterCounts& parameters, std::vector<double> distances);

}  // namespace npuscope::compare
