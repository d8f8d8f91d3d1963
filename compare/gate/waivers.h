// Findings that somebody accepted: a file with reasons, owners and the days they end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compare/gate/gate.h"
#include "core/base/pattern.h"

namespace npuscope::compare {

struct Waiver {
    Pattern op;                       ///< in the op's path
    std::optional<Pattern> module{};  ///< in its module
    std::optional<Pattern> detail{};  ///< in the tensor's path or the argument's name
    std::string kind{};               ///< of the finding; "": any
    std::string reason{};
    std::string owner{};
    std::string expires{};  ///< "2027-03-31", the last day

    [[nodiscard]] bool covers(const Finding& finding, const std::string& module_of_op) const;
    /// "the waiver of '/softmax/' (kim, until 2027-03-31: fp16 by design)"
    [[nodiscard]] std::string told() const;
};

class Waivers {
  public:
    /// `today`, "2026-11-23", decides what is expired. Errors: Error(kIo) it cannot be read;
    /// Error(kFormat) it is no such file: names the entry.
    Waivers(const std::filesystem::path& path, std::string today);
    /// The same of a text; `name` is what errors call it.
    Waivers(const std::string& text, const std::string& name, std::string today);

    [[nodiscard]] const std::vector<Waiver>& rows() const { return rows_; }
    [[nodiscard]] bool is_expired(const Waiver& waiver) const { return waiver.expires < today_; }

  private:
    void take(const std::string& text, const std::string& name);

    std::string today_;
    std::vector<Waiver> rows_;
};

/// The day in UTC, "2026-11-23".
[[nodiscard]] std::string today();

}  // namespace npuscope::compare
