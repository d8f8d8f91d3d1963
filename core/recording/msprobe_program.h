// Where in the program msprobe's ops stand: construct.json and stack.json beside a dump.json.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

#include "core/dumpfile/facts.h"

namespace npuscope {

/// Tolerant: a file that is missing or of another shape tells nothing.
class MsprobeProgram {
  public:
    explicit MsprobeProgram(const std::filesystem::path& folder);

    /// `module` is what construct.json has the op in; `line` the innermost line of stack.json
    /// outside PyTorch, MindSpore and msprobe, "net.py:12".
    [[nodiscard]] dumpfile::OpFacts facts_of(const std::string& op) const;

  private:
    std::unordered_map<std::string, std::string> modules_;
    std::unordered_map<std::string, std::string> lines_;
};

}  // namespace npuscope
