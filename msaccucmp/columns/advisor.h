// The -advisor option: one conclusion from the result table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/row.h"

namespace npuscope::msaccucmp {

struct Advice {
    std::string type = "NA";
    std::string index = "NA";
    std::string text = "NA";
};

/// `columns` is the table's header, `input_nodes` are the model's inputs, where they are known.
/// Threads: pure function but for the log.
[[nodiscard]] Advice advise(const std::vector<std::string>& columns,
                            const std::vector<Row>& rows,
                            Log& log,
                            const std::vector<std::string>& input_nodes = {});

/// Logs the advice and writes advisor_summary.txt (mode 0600) into `folder`.
void write_advice(const Advice& advice, const std::filesystem::path& folder, Log& log);

}  // namespace npuscope::msaccucmp
