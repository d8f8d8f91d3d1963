#include "loss/capture.h"

#include <algorithm>

#include <fmt/format.h>

namespace npuscope::loss {

std::string npuscope_lines(const Capture& capture) {
    return fmt::format(
        "with npuscope.torch.dumper(use_dump=True, dump_path=\"step_{}.h5\"):  # around step {} "
        "alone\n"
        "    {}\n",
        capture.step,
        capture.step,
        capture.phase == "forward" ? "loss = model(batch)" : "model(batch).backward()");
}

std::string msprobe_config(const Capture& capture) {
    return fmt::format(
        R"({{"task": "statistics", "dump_path": "./step_{}", "rank": [], "step": [{}], "level": "mix"}})",
        capture.step,
        std::max<int64_t>(capture.step - 1, 0));
}

}  // namespace npuscope::loss
