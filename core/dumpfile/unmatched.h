// Ops of a run in load mode that no golden run fits: the root attribute Unmatched.
#pragma once

#include <string>
#include <vector>

#include "core/ir/op_id.h"
#include "core/ir/op_source.h"

namespace npuscope::dumpfile {

/// An op that ran on its own data and is not in the file.
struct UnmatchedOp {
    OpId id;               ///< as the program numbers it
    std::string after;     ///< path of the op in the file that ran before it; "" for none
    std::string why;       ///< "no run that is left fits; …"
    std::string argument;  ///< where a golden run differs in this number alone, else ""
    OpSource source;
};

/// JSON, shorter than an attribute may be: what no longer fits is left out, the last first.
[[nodiscard]] std::string to_json(const std::vector<UnmatchedOp>& ops);

/// Tolerant: rows that are no such ops are left out.
[[nodiscard]] std::vector<UnmatchedOp> parse_unmatched(const std::string& json);

}  // namespace npuscope::dumpfile
