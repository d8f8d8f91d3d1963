// The links of a group that is being written. Included by core/h5/*.cpp and their tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/h5/append_file.h"
#include "core/h5/h5.h"
#include "core/h5/header_builder.h"
#include "core/h5/symbol_tree.h"

namespace npuscope::h5 {

/// Few links lie in the group's header and are written anew with it; more of them form a symbol
/// tree, of which only changed branches are written.
class LinkTable {
  public:
    /// Adds the name, or gives it another object.
    void put(std::string_view name, uint64_t object);
    [[nodiscard]] bool contains(std::string_view name) const;
    [[nodiscard]] bool empty() const { return few_.empty() && !many_; }
    /// Upper bound of what write() appends, attributes aside.
    [[nodiscard]] uint64_t write_bound() const;
    /// The address of the group's header. A group with attributes keeps its links in the header,
    /// however many there are. `last` as of SymbolTree::write().
    uint64_t write(AppendFile& file,
                   HeaderBuilder& header,
                   const std::vector<Attribute>& attributes,
                   bool last);
    /// Whether the last write() of a group that did not change differs from the one before.
    [[nodiscard]] bool has_last_form() const { return many_.has_value(); }
    /// The group stays in its header (the root, which gets attributes).
    void stay_in_header() { in_header_ = true; }

  private:
    using Few = std::vector<std::pair<std::string, uint64_t>>;
    static constexpr size_t kMostInHeader = 32;

    [[nodiscard]] Few::iterator place_of(std::string_view name);

    Few few_;  ///< sorted by name
    std::optional<SymbolTree> many_;
    bool in_header_ = false;
};

}  // namespace npuscope::h5
