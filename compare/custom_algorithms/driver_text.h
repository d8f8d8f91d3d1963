// driver.py as a string, so that the program needs no installed file.
#pragma once

namespace npuscope::compare::custom_algorithms {

extern const char* const kDriverText;

}  // namespace npuscope::compare::custom_algorithms
