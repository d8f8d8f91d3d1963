// One run of one op: what a dump, a comparison and a report call it by.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace npuscope {

struct OpId {
    std::string op;  ///< IR name
    int64_t seqid = 0;

    /// "/addmm/17", its group in a dump.
    [[nodiscard]] std::string path() const { return "/" + op + "/" + std::to_string(seqid); }
    friend bool operator==(const OpId&, const OpId&) = default;
    friend bool operator<(const OpId& a, const OpId& b) {
        return std::tie(a.op, a.seqid) < std::tie(b.op, b.seqid);
    }
};

}  // namespace npuscope
