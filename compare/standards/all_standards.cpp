#include "compare/standards/standard.h"
#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::compare {

std::string_view name_of(StandardLevel level) {
    static constexpr std::array<std::string_view, kStandardLevels> kNames = {
        "not_judged", "pass", "warning", "fail"};
    return kNames[static_cast<size_t>(level)];
}

const std::vector<Standard>& all_standards() {
    static const std::vector<Standard> standards = [] {
        std::vector<Standard> all;
#define STANDARDS(file)                            \
    for (const Standard& row : file##_standards()) \
        all.push_back(row);
#include "compare/standards/standards.def"
#undef STANDARDS
        return all;
    }();
    return standards;
}

const Standard& standard_named(std::string_view name) {
    std::string known;
    for (const Standard& row : all_standards()) {
        if (row.name == name) return row;
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    throw Error(ErrorKind::kUsage,
                "there is no standard " + in_quotes(name) + "; the standards are " + known);
}

}  // namespace npuscope::compare
