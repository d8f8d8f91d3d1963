// Inputs that ops of one kind take in the same argument.
#pragma once

#include <string>
#include <unordered_map>

#include "compare/compare.h"

namespace npuscope::compare {

/// The gradients that an optimizer takes in, say. Borrows nothing.
class LikeInputs {
  public:
    explicit LikeInputs(const Result& result);

    /// Whether both sides' elements are as small beside those of like inputs as rounding leaves of
    /// sums that cancel (the gradient of a bias of keys): how far apart they are says nothing.
    [[nodiscard]] bool is_rounding_alone(const OpResult& op, const TensorResult& input) const;

  private:
    std::unordered_map<std::string, double> largest_{};  ///< root mean square of the golden's
};

}  // namespace npuscope::compare
