// One run of one op: what a dump, a comparison and a report call it by.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace npuscope {

struct OpId {
    std::string op;  ///< IR name
    int64_t seqid = 0;

    /// "/addmm/17", its group in a dump.
    [[nodiscard]] std::string path() const { return "/" + op + "/" + std::to_string(seqid); }
    friend bool operator==(const OpId&, const OpId&) = default;
    friend auto operator<=>(const OpId&, const OpId&) = default;
};

}  // namespace npuscope
