#include "cli/bitwise_command.h"

#include <cstdio>
#include <optional>
#include <string>

#include "cli/interrupts.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "diagnose/bitwise/bitwise.h"

namespace npuscope::cli {

int run_bitwise(const std::vector<std::filesystem::path>& paths, const Globals& globals) {
    const Interrupts interrupts;
    std::optional<Progress> progress;
    const diagnose::BitwiseReport report =
        diagnose::compare_bitwise(paths, [&](int64_t done, int64_t total, const std::string& op) {
            if (!progress) progress.emplace("bitwise", total, !globals.quiet);
            progress->update(done, op);
            Interrupts::check();
        });
    progress.reset();
    if (!globals.quiet)
        for (const std::string& note : report.notes)
            std::fprintf(stderr, "npuscope: %s\n", printable(note).c_str());
    const std::string text =
        globals.json ? diagnose::bitwise_json(report) : diagnose::bitwise_text(report);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return report.equal() ? kNoFinding : kFinding;
}

}  // namespace npuscope::cli
