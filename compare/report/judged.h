// How much of a comparison could be judged, and why the rest could not.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compare/compare.h"

namespace npuscope::compare {

struct Judged {
    int64_t ops = 0;           ///< passed, are a finding, or are explained by what came in
    int64_t of = 0;            ///< ops that both sides have
    int64_t undefined = 0;     ///< the others: without anything to judge
    int64_t incomparable = 0;  ///< shapes, dtypes, or what cannot be read
    /// Ops whose verdict is not_provable, by reason.
    std::map<std::string, int64_t> not_provable{};
};

[[nodiscard]] Judged judged_ops(const Result& result);

}  // namespace npuscope::compare
