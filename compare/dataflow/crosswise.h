// Whether two ops were paired crosswise: then what each takes in is the other's, and no wire is
// wrong.
#pragma once

#include <cstddef>
#include <string>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/seen_through.h"

namespace npuscope::compare {

/// How far off is what is the golden's but for noise, and what is another tensor.
inline constexpr double kNoisyTensor = 0.05;
inline constexpr double kOtherTensor = 0.1;

/// IR name of the tensor's op.
[[nodiscard]] const std::string& op_of(const Side& side, const TracedTensor& tensor);
/// The same elements in any order.
[[nodiscard]] bool same_elements(const Content& one, const Content& other);
/// As they are or cast, several times too, in whatever order.
[[nodiscard]] bool holds(const Side& side, const TracedTensor& tensor, const Content& content);

/// Of an input of a pair of ops that is not what the golden's is. Borrows both.
class Crosswise {
  public:
    Crosswise(const PairedFlows& flows, const SeenThrough& through)
        : flows_(flows), through_(through) {}

    /// More ops of the name take what is `missing` here than in the golden.
    [[nodiscard]] bool is_taken_elsewhere(const InputPair& pair, const Content& missing) const;
    /// The op is the golden's op's partner for sure: another input is near the golden's, and not
    /// so is that of the op that takes what is `missing` here. Errors: Error.
    [[nodiscard]] bool is_told_apart(const InputPair& pair, const Content& missing) const;
    /// Some op takes what the pair made as if it were none crosswise, and makes something else of
    /// it. Errors: Error.
    [[nodiscard]] bool are_taken_as_paired(const InputPair& pair) const;

  private:
    [[nodiscard]] double distance(size_t target, size_t golden) const;
    [[nodiscard]] bool is_made_by(const Side& side, size_t input, size_t op) const;
    [[nodiscard]] bool differ_behind(const InputPair& use) const;

    const PairedFlows& flows_;
    const SeenThrough& through_;
};

}  // namespace npuscope::compare
