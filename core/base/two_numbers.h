// Two numbers that differ, in words.
#pragma once

#include <string>

namespace npuscope {

/// With as many digits as tell them apart, six at least: "7.66362399", "7.66362352".
struct TwoNumbers {
    TwoNumbers(double one, double other);

    std::string first;
    std::string second;
};

}  // namespace npuscope
