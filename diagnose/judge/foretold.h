// Which of two numbers foretells each of some elements.
#pragma once

#include <span>
#include <vector>

#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

/// Whether what remains is so much less that this is no chance: `before` and `after` are sums of
/// squares, and the odds are those of as many independent errors as `differences` are numbers
/// apart.
[[nodiscard]] bool is_no_chance(double before, double after, std::span<const double> differences);

/// Elements that are foretold by the exact ones, and by others.
class Foretold {
  public:
    explicit Foretold(NumberFormat format) : format_(format) {}

    void add(double recorded, double exact, double instead);
    /// Whether the other numbers foretell the elements, and the exact ones do not.
    [[nodiscard]] bool by_others() const;

  private:
    struct Squares {
        double sum = 0;
        double squares = 0;
        void add(double value);
        /// About their mean.
        [[nodiscard]] double rest(double count) const;
    };

    NumberFormat format_;
    double count_ = 0;
    double rounding_ = 0;              ///< squares of what rounding alone leaves
    double left_ = 0;                  ///< squares of recorded - instead
    Squares errors_;                   ///< recorded - exact
    Squares others_;                   ///< instead
    std::vector<double> differences_;  ///< instead - exact
};

}  // namespace npuscope::diagnose
