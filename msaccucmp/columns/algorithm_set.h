// The algorithms that -alg selects, built in or the user's own (-c), as columns of a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "custom_algorithms/runner.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/algorithms.h"

namespace npuscope::msaccucmp {

/// Two flattened tensors of the same numel.
struct TensorPair {
    Tensor my;
    Tensor golden;
    Shape my_shape;  ///< before it was flattened; decides what a scalar is
    std::string my_name;
    std::string golden_name;
    int64_t empty_rows = 1;  ///< see PreparedPair
};

class AlgorithmSet {
  public:
    struct Options {
        std::string selection = "all";  ///< -alg
        std::string parameters;         ///< -a
        std::string custom_folder;      ///< -c, with a folder "algorithm"
    };

    /// Errors: CommandError(kInvalidParameter), (kInvalidAlgorithm), (kInvalidPath); Error when a
    /// script of the folder cannot be used.
    AlgorithmSet(const Options& options, Log& log);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Errors: those of the custom algorithms' process. Threads: calls may run at once.
    [[nodiscard]] AlgorithmTexts run(const TensorPair& pair, int threads = 1) const;

  private:
    std::vector<int> selected_;  ///< from kAlgorithmNames.size() on: custom ones
    std::vector<std::string> names_;
    std::vector<std::string> custom_names_;
    std::unique_ptr<custom_algorithms::Runner> runner_;
};

/// NumPy's sum of the dims equals their number: every dim is 1, or a 0 makes up for a 2.
[[nodiscard]] bool is_scalar_shape(const Shape& shape);

}  // namespace npuscope::msaccucmp
