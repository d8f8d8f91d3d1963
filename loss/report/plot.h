// Two losses and their difference, drawn.
#pragma once

#include <string>

#include "loss/report/report.h"

namespace npuscope::loss {

/// Braille dots, 80 columns: both losses, and below them the size of their difference over the
/// limit of like runs, on a logarithmic scale.
[[nodiscard]] std::string terminal_plot(const Log& golden, const Judged& target, bool color);

}  // namespace npuscope::loss
