// driver.py as a string, so that the program needs no installed file.
#pragma once

namespace npuscope::compare::custom_algorithms {

[[nodiscard]] const char* driver_text();

}  // namespace npuscope::compare::custom_algorithms
