// What msprobe calls its records: an API or a module, the number of the call, the pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace npuscope::msprobe {

/// "Functional.conv2d.0.forward", "Module.conv1.Conv2d.backward.0" or
/// "Module.conv1.Conv2d.parameters_grad.0" in its parts. Borrows the name.
struct RecordName {
    std::string_view base;        ///< "Functional.conv2d", "Module.conv1.Conv2d"
    int64_t number = 0;           ///< of the call
    std::string_view pass;        ///< "forward", "backward" or "parameters_grad"
    bool number_is_last = false;  ///< of modules

    /// "Functional", "Module", "Cell", "Tensor", "Torch", "NPU", "Mint", …
    [[nodiscard]] std::string_view prefix() const { return base.substr(0, base.find('.')); }
    [[nodiscard]] bool is_module() const { return prefix() == "Module" || prefix() == "Cell"; }
    /// The record of the same call in another pass.
    [[nodiscard]] std::string in_pass(std::string_view other) const;
};

/// Nothing where a name is not made like this.
[[nodiscard]] std::optional<RecordName> parse_record_name(std::string_view name);

/// What an op of the framework's own library is called as a record; its runs are counted by name.
inline constexpr std::string_view kOpPrefix = "Aten";

/// As a part of a record's name, which dots divide: all but letters, digits and '_' becomes '_'.
[[nodiscard]] std::string part_of_name(std::string text);

/// Records of a run's ops, in their order: "Aten.relu.0.forward", "Aten.relu.1.forward".
class OpRecordNames {
  public:
    [[nodiscard]] std::string next(const std::string& ir_name);

  private:
    std::unordered_map<std::string, int64_t> runs_;
};

}  // namespace npuscope::msprobe
