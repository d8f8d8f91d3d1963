// A comparison of logs as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "loss/verdict.h"

namespace npuscope::loss {

struct Judged {
    Log log;
    Verdict verdict;
};

struct Comparison {
    Log golden;
    std::vector<Judged> targets;
    std::vector<Log> like;
    Options options;

    [[nodiscard]] bool found() const;
};

/// Reads the files and judges each target. Errors: read_log's and judge's.
[[nodiscard]] Comparison compare_logs(const std::string& golden,
                                      const std::vector<std::string>& targets,
                                      const std::vector<std::string>& like,
                                      const Options& options);

/// docs/json.md has the keys.
[[nodiscard]] std::string to_json(const Comparison& comparison);

/// {"curves": [{"name", "steps", "values"}]}: the losses of the golden and the targets, for a
/// picture. Long curves keep the lowest and highest value of each of 1000 parts.
[[nodiscard]] std::string curves_json(const Comparison& comparison);

struct TextStyle {
    bool color = false;
    bool verbose = false;
    bool plot = false;
};
/// At most 80 columns.
[[nodiscard]] std::string to_text(const Comparison& comparison, const TextStyle& style);

}  // namespace npuscope::loss
