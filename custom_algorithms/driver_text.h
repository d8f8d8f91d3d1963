// driver.py as a string, so that the program needs no installed file.
#pragma once

namespace npuscope::custom_algorithms {

[[nodiscard]] const char* driver_text();

}  // namespace npuscope::custom_algorithms
