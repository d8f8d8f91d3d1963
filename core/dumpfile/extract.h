// Copies ops from one dump to another, as h5copy does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace npuscope::dumpfile {

/// `from` is a path or a glob (* and ? within a component) of /op, /op/seqid or anything below;
/// `to` equals `from` or, for a plain path, another place.
struct Copy {
    std::string from;
    std::string to;
};

/// Copies into `output`, under its final name only when all copies worked. An output that exists is
/// added to; a new one also gets the input's run facts. Groups on the way are made, one copy named
/// twice is made once. Returns the number of objects copied.
/// `between_steps` is called before each; what it throws ends the work, and nothing is written.
/// Errors: Error(kUsage) when a path matches nothing (with the nearest names), when a target exists
/// already, or when input and output are one file; Error(kIo|kFormat) from the files.
int64_t extract(
    const std::filesystem::path& input,
    const std::filesystem::path& output,
    const std::vector<Copy>& copies,
    const std::function<void(const std::string& from, const std::string& to)>& on_copy = {},
    const std::function<void()>& between_steps = {});

/// The ops that a comparison's JSON report ({"ops": [{"path", "verdict"}, …]}) calls "fail".
/// Errors: Error(kFormat) when the text is no such report; Error(kUsage) when no op failed.
[[nodiscard]] std::vector<Copy> failed_ops(const std::filesystem::path& verdicts);

}  // namespace npuscope::dumpfile
