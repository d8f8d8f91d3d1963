// The -advisor option: one conclusion from the result table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/msaccucmp/log.h"
#include "compare/msaccucmp/row.h"

namespace npuscope::compare::msaccucmp {

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

}  // namespace npuscope::compare::msaccucmp
