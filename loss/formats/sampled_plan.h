// The plan of a text's lines, from a sample of them.
#pragma once

#include <string_view>

#include "loss/line_plan.h"

namespace npuscope::loss {

/// Lines that may tell of a step of training, by their words.
using LineTest = bool (*)(std::string_view line);

/// From the first lines that hold "oss" and pass the test.
[[nodiscard]] LinePlan sampled_plan(std::string_view text, LineTest test);

/// Whether a line holds the word.
[[nodiscard]] inline bool holds(std::string_view line, std::string_view word) {
    return line.find(word) != std::string_view::npos;
}

}  // namespace npuscope::loss
