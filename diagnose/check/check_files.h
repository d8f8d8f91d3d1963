// What a check leaves beside its dumps.
#pragma once

#include <filesystem>
#include <string>

namespace npuscope::compare {
struct Gate;
}  // namespace npuscope::compare

namespace npuscope::diagnose {

struct CheckReport;

/// Writes verdicts.json and report.html into the folder of the dumps; `gate` may be nullptr,
/// `command_line`, which the page shows for repeating it, "". Returns the JSON. Errors: Error(kIo)
/// when they cannot be written.
std::string write_check_files(const CheckReport& report,
                              const compare::Gate* gate,
                              const std::filesystem::path& folder,
                              const std::string& command_line);

}  // namespace npuscope::diagnose
