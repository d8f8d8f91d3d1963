// What to type to record the step that a verdict asks for.
#pragma once

#include <string>

#include "loss/verdict.h"

namespace npuscope::loss {

/// Lines of a Python program that records the step with npuscope.
[[nodiscard]] std::string npuscope_lines(const Capture& capture);
/// The config.json of msprobe, which counts steps from 0.
[[nodiscard]] std::string msprobe_config(const Capture& capture);

}  // namespace npuscope::loss
