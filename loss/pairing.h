// Two curves over the steps that both have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loss/log.h"

namespace npuscope::loss {

struct Pairing {
    std::vector<int64_t> steps;
    std::vector<double> golden;
    std::vector<double> target;
    std::vector<double> unit;  ///< what the last printed digit is worth, the coarser side's
    std::vector<std::string> remarks;

    [[nodiscard]] size_t size() const { return steps.size(); }
    [[nodiscard]] double difference(size_t i) const { return target[i] - golden[i]; }
};

/// Values of a curve that are not finite before its first finite one stand for nothing logged
/// (runs that were resumed); they are left out, unless all are.
/// Errors  Error(kUsage) where no step is common, with both ranges.
[[nodiscard]] Pairing pair(const Log& golden, const Log& target, Quantity quantity);

/// What the last digit of a value is worth, as far as a curve shows its digits: no finer than the
/// most decimals and the most significant digits that occur in it.
class PrintedDigits {
  public:
    explicit PrintedDigits(const std::vector<double>& values);
    [[nodiscard]] double unit(double value) const;

  private:
    int decimals_ = 0;
    int significant_ = 1;
};

}  // namespace npuscope::loss
