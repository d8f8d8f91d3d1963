// What `npuscope extract` says of the ops that it copies.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace npuscope::cli {

/// The copies into one dump: listed for --json, told one by one on standard error with -v.
class CopiedOps {
  public:
    CopiedOps(std::string output, const Globals& globals)
        : output_(std::move(output)), globals_(globals) {}

    void add(const std::string& from, const std::string& to);

    /// {"output": …, "copied": [{"from", "to"}, …]}
    [[nodiscard]] nlohmann::ordered_json json() const {
        return {{"output", output_}, {"copied", copied_}};
    }

    /// "copied 3 objects to op.h5", unless --json or -q was given.
    void print_count(int64_t ops) const;

  private:
    std::string output_;
    const Globals& globals_;
    nlohmann::ordered_json copied_ = nlohmann::ordered_json::array();
};

/// `result` with its version added, when --json was given. Bytes that are no UTF-8 are replaced.
void print_json_of_copies(nlohmann::ordered_json result, const Globals& globals);

}  // namespace npuscope::cli
