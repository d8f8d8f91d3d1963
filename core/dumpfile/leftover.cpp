#include "core/dumpfile/leftover.h"

#include <optional>

#include "core/base/error.h"
#include "core/base/free_name.h"
#include "core/dumpfile/reader.h"

namespace npuscope::dumpfile {

namespace fs = std::filesystem;

namespace {

/// Nothing: no dump with ops. In a version that this program does not know there may be some.
std::optional<int64_t> op_count_of(const fs::path& part) {
    try {
        const auto count = static_cast<int64_t>(Reader(part).ops().size());
        return count > 0 ? std::optional(count) : std::nullopt;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kUnsupported) return 0;
        return std::nullopt;
    }
}

}  // namespace

Leftover keep_leftover(const fs::path& part, const fs::path& final_path) {
    const std::optional<int64_t> op_count = op_count_of(part);
    if (!op_count) return {};
    for (int number = 1;; ++number) {
        const std::string suffix = number == 1 ? "_killed" : "_killed_" + std::to_string(number);
        fs::path kept = with_suffix(final_path, suffix);
        if (rename_to_free_name(part, kept)) return {std::move(kept), *op_count};
    }
}

}  // namespace npuscope::dumpfile
