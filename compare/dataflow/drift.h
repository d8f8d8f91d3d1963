// Parameters that steps of training have moved.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/relation.h"

namespace npuscope::compare {

/// Where most parameters are off, and by little, steps that were not compared left them so: no
/// fault planted in one of them does that.
struct Drift {
    double most = 0;       ///< of the norm: what is off by less has drifted; 0 where nothing has
    std::string remark{};  ///< "30 of 34 parameters are off by up to …"; "" where few are

    [[nodiscard]] bool takes_in(const Relation& relation) const;
};

/// Whether a parameter that is so related to the golden's may have drifted.
[[nodiscard]] bool may_drift(const Relation& relation);

struct ParameterCounts {
    size_t all = 0;
    size_t rounded = 0;       ///< these are off by rounding
    bool are_trained = true;  ///< by one of the programs
};

/// Whether the program computes gradients, or updates something.
[[nodiscard]] bool trains(const Side& side);

/// `distances`, of the norm, are those of parameters that may have drifted. Where nothing trains,
/// none has, and the remark asks for the checkpoint.
[[nodiscard]] Drift drift_of(const ParameterCounts& parameters, std::vector<double> distances);

}  // namespace npuscope::compare
