// The tables that `npuscope help` prints, from the rows that the programs are built from.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace npuscope::cli {

using Row = std::vector<std::string>;

struct Table {
    std::vector<std::string> headers;  ///< the first names a row
    std::vector<Row> rows;
};

struct Topic {
    const char* name;
    const char* summary;
    Table (*table)();
    std::span<const char* const> more = {};  ///< topics that are printed after it
    const char* note = "";                   ///< printed last
};

/// By name.
[[nodiscard]] std::span<const Topic> all_topics();

}  // namespace npuscope::cli
