// Fills an Index, node by node in preorder. Included by core/h5/*.cpp only.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/h5/index.h"

namespace npuscope::h5 {

class IndexBuilder {
  public:
    /// `bytes` of the file bound the number of nodes: links cannot outnumber what it can hold.
    /// The pages of `mapping`, if any, are given back now and then.
    explicit IndexBuilder(uint64_t file_bytes, std::shared_ptr<const MappedFile> mapping = nullptr);

    [[nodiscard]] bool is_full() const { return index_.nodes_.size() >= most_nodes_; }
    /// A new last node. Its name is copied: a walk over names shall not touch the file again.
    int32_t add(int32_t parent, std::string_view name);
    /// Makes `node` the child after `previous`, or the first one when that is -1.
    void hang(int32_t node, int32_t previous);
    [[nodiscard]] Node& operator[](int32_t node) {
        return index_.nodes_[static_cast<size_t>(node)];
    }
    [[nodiscard]] std::string path(int32_t node) const { return index_.path(node); }
    /// Takes back the node and all after it; it must not have been hung up.
    void remove_from(int32_t node);

    void set_shape(int32_t node, std::span<const int64_t> dims);
    void set_library_info(int32_t node, DatasetInfo info);
    /// What is not an attribute of the node is as it was when it was added.
    void reset(int32_t node);

    /// Attributes of the last node. The text is borrowed.
    void add_integers(std::string_view name, std::span<const int64_t> values);
    void add_text(std::string_view name, std::string_view text);
    void add_other(std::string_view name);
    void clear_attributes();

    /// A copy that lives as long as the index.
    std::string_view keep(std::string_view text);
    /// "'path' left out: reason"
    void warn(const std::string& path, const std::string& reason);
    /// Warnings that were made elsewhere: `lines` of `skipped` objects.
    void add_warnings(std::span<const std::string> lines, int64_t skipped);
    [[nodiscard]] std::string child_path(int32_t parent, std::string_view name) const;

    /// `bytes` are those that names and texts were borrowed from, if any; `mapping` keeps them.
    [[nodiscard]] Index finish(std::span<const std::byte> bytes,
                               std::shared_ptr<const MappedFile> mapping,
                               bool from_mapping);

  private:
    Index::Attribute& add_attribute(std::string_view name, Index::Attribute::Kind kind);
    uint32_t number_of(std::string_view name, size_t position);

    Index index_;
    std::shared_ptr<const MappedFile> mapping_;
    size_t most_nodes_;
    std::unordered_map<std::string_view, uint32_t> name_numbers_;
    // Neighbours mostly have the same attributes in the same order.
    std::array<uint32_t, 16> last_names_{};
};

}  // namespace npuscope::h5
