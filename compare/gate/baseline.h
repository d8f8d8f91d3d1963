// What an earlier comparison found: its JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/gate/gate.h"

namespace npuscope::compare {

/// A finding got worse where its error over what is allowed is more than so many times what it was:
/// less is what other orders of addition make of it.
inline constexpr double kWorseTimes = 1.5;

class Baseline {
  public:
    /// Of one run: what `npuscope compare --json` printed, or one of the runs of a tree. Errors:
    /// Error(kIo); Error(kFormat) it is no such JSON, or of another version.
    Baseline(const std::filesystem::path& path,
             std::optional<int64_t> step,
             const std::string& rank);
    Baseline(const std::string& text,
             const std::string& name,
             std::optional<int64_t> step = {},
             const std::string& rank = {});

    struct Known {
        std::optional<double> ratio{};
    };
    /// nullptr: it is new.
    [[nodiscard]] const Known* known(const Finding& finding) const;
    /// How many of its culprits are not among the findings.
    [[nodiscard]] int64_t gone(const std::vector<Finding>& findings) const;
    [[nodiscard]] size_t size() const { return findings_.size(); }

  private:
    void take(const std::string& text, std::optional<int64_t> step, const std::string& rank);

    std::string name_;
    std::map<std::vector<std::string>, Known> findings_;  ///< culprits, by kind, path, detail
    std::map<std::vector<std::string>, Known> more_;      ///< tensors that are findings, likewise
};

}  // namespace npuscope::compare
