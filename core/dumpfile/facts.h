// What /op/seqid/npuscope tells of an op.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace npuscope::dumpfile {

struct OpFacts {
    std::string node;  ///< texts are "" where the dump has none
    std::string module;
    std::string line;
    std::string golden;  ///< of load mode: the golden run, "/op/seqid"
    std::vector<std::string> kernels;
    bool has_status = false;  ///< the float status was recorded
    bool overflow = false;
    uint64_t status_bits = 0;
    /// By a tensor's path below the op ("input/mat2"): its strides in elements where the program
    /// had it, not negative; C order where there is none.
    std::map<std::string, std::vector<int64_t>> strides;
};

/// Tolerant: what is missing, of another kind, or no JSON at all keeps its default.
[[nodiscard]] OpFacts parse_facts(const std::string& json);

}  // namespace npuscope::dumpfile
