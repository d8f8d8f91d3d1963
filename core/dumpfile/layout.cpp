#include "core/dumpfile/layout.h"

#include <algorithm>
#include <charconv>

namespace npuscope::dumpfile {

std::string safe_component(std::string_view name) {
    std::string safe(name);
    std::replace(safe.begin(), safe.end(), '/', '_');
    std::replace(safe.begin(), safe.end(), '\0', '_');  // the library's names end there
    if (safe.empty() || safe == "." || safe == "..") safe = "_" + safe;
    return safe;
}

std::optional<int64_t> parse_seqid(std::string_view text) {
    int64_t seqid = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seqid);
    if (failure != std::errc() || end != text.data() + text.size() || seqid < 0)
        return std::nullopt;
    return seqid;
}

std::optional<OpId> parse_op_path(std::string_view path) {
    if (path.empty() || path.front() != '/') return std::nullopt;
    path.remove_prefix(1);
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos || slash == 0) return std::nullopt;
    std::string_view number = path.substr(slash + 1);
    number = number.substr(0, number.find('/'));
    const auto seqid = parse_seqid(number);
    if (!seqid) return std::nullopt;
    return OpId{std::string(path.substr(0, slash)), *seqid};
}

}  // namespace npuscope::dumpfile
