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

/// Copies into `output` (made, or added to when it exists and `append`), under its final name only
/// when all copies worked. Returns the number of objects copied. Errors: Error(kUsage) when a path
/// matches nothing or a target exists already, with the nearest names.
int64_t extract(
    const std::filesystem::path& input,
    const std::filesystem::path& output,
    const std::vector<Copy>& copies,
    const std::function<void(const std::string& from, const std::string& to)>& on_copy = {});

}  // namespace npuscope::dumpfile
