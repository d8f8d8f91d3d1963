// The words and the JSON in which a scanned dump's overflow is told.
#pragma once

#include <string>

#include "overflow/scan.h"

namespace npuscope::overflow {

/// How much of the terminal text to write.
struct ScanTextOptions {
    bool color = false;
    bool all = false;  ///< every line of every list; else the first twenty
};

/// What was scanned and how it was judged, where the damage began, each damaged op, and what is
/// close to overflow. Ends with a newline.
[[nodiscard]] std::string to_text(const ScanReport& report, const ScanTextOptions& options = {});

/// One object, whose keys docs/json.md lists. Ends with a newline.
[[nodiscard]] std::string to_json(const ScanReport& report);

}  // namespace npuscope::overflow
