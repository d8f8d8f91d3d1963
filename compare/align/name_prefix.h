// One side's names have a part more: "module." of a model in DistributedDataParallel.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace npuscope::compare {

/// What the names of one side have more than those of the other.
struct NamePrefix {
    std::string text{};      ///< whole parts between separators: "module", "_forward_module.module"
    bool of_target = false;  ///< else of the golden

    /// A name of that side as the other calls it; the name itself where the part is not in it.
    /// "grad.module.fc.bias" is "grad.fc.bias".
    [[nodiscard]] std::string without(const std::string& name) const;
};

/// "the target's names have "module" more than the golden's: …"
[[nodiscard]] std::string to_text(const NamePrefix& prefix);

/// Of names that found no partner: the part without which more than half of one side's names, and
/// at least two, are names of the other. Separators ('.', '/', ':') count as one.
/// Complexity: names times their parts.
[[nodiscard]] std::optional<NamePrefix> find_name_prefix(const std::vector<std::string>& target,
                                                         const std::vector<std::string>& golden);

}  // namespace npuscope::compare
