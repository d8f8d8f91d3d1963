#include "compare/programs/replay_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace npuscope::compare {

namespace {

/// Names of ops that a sentence tells.
constexpr size_t kToldOps = 4;

}  // namespace

std::string to_text(const Replay& replay) {
    const auto names = [](const std::vector<const SourceOp*>& ops) {
        std::vector<std::string> last;
        for (const SourceOp* op : ops)
            last.push_back(op->path);
        const size_t more = last.size() > kToldOps ? last.size() - kToldOps : 0;
        last.erase(last.begin(), last.begin() + static_cast<ptrdiff_t>(more));
        return fmt::format("{}{}", more > 0 ? "… " : "", fmt::join(last, ", "));
    };
    const std::string of_golden = fmt::format("the golden's {} {} of the same numbers",
                                              names(replay.golden_ops),
                                              replay.golden_ops.size() == 1 ? "makes" : "make");
    const std::string of_target = replay.target_ops.empty()
                                      ? ""
                                      : fmt::format("the target's {} {} ",
                                                    names(replay.target_ops),
                                                    replay.target_ops.size() == 1 ? "is" : "are");
    return fmt::format(
        "the programs compute something else here: {}off by {:.2g} of the norm from what {}",
        of_target,
        replay.first_apart->off,
        of_golden);
}

}  // namespace npuscope::compare
