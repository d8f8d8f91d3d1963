// What the comparison of one group of ops yields.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/columns/row.h"
#include "msaccucmp/rules/fusion_rule.h"

namespace npuscope::msaccucmp {

struct OpRows {
    std::string op;
    std::vector<Row> rows;  ///< inputs first
    size_t inputs = 0;      ///< how many of them are inputs
    bool is_ffts = false;
    /// For each input's row of an FFTS+ op: where the rule says the input comes from.
    std::vector<std::optional<OpOutput>> producers;
};

struct GroupResult {
    int code = kOk;
    bool matched = false;  ///< both sides have the op
    std::vector<OpRows> ops;
};

}  // namespace npuscope::msaccucmp
