// What msprobe's mapping files say: other names of the same modules, calls and tensors.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace npuscope::compare {

/// Of a cell, layer, api or data mapping, which are lines "target: golden" of YAML. Others of its
/// features, anchors and lists in brackets, are not read; indices of an API's arguments are passed
/// over.
class Renames {
  public:
    /// None.
    Renames() = default;
    /// Errors: Error(kFormat) where a line is no "target: golden" and no index of a list.
    Renames(const std::string& text, const std::string& name);

    /// What the golden calls the target's op. A whole module name and class goes before a part of
    /// it, of which the first one that fits counts; "Cell" is "Module".
    [[nodiscard]] std::string of(const std::string& op) const;
    /// Tensors of a data mapping, by their full names: the target's, the golden's.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& tensors() const {
        return tensors_;
    }

  private:
    void take(const std::string& key, const std::string& value);

    std::vector<std::pair<std::string, std::string>> names_;
    std::vector<std::pair<std::string, std::string>> tensors_;
    std::string api_;  ///< of an api mapping: the target's, until the golden's comes
};

}  // namespace npuscope::compare
