// The whole tree of an HDF5 file with shapes, dtypes and attributes, read at once; no elements.
//
// Classic and new files are read straight from a mapping of the file; libhdf5 is asked for what is
// beyond that (soft and external links, dense storage, odd types, …), and the answers are those
// that it would give of the rest. Groups are entered through every link that leads to them, except
// one that leads back to a group above it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/h5/h5.h"

namespace npuscope::h5 {

class MappedFile;

/// Groups nest at most this deep.
inline constexpr size_t kDeepestGroup = 128;

/// One object of a file as a link names it. Nodes lie in preorder, siblings in h5py's iteration
/// order. What is not known of a dataset is at its default.
struct Node {
    static constexpr uint64_t kNoOffset = ~uint64_t{0};

    std::string_view name;  ///< of the link, "" for the root; lives as long as the Index
    uint64_t storage_offset = kNoOffset;  ///< in the file, of contiguous or compact elements
    uint64_t storage_bytes = 0;
    int32_t parent = -1;
    int32_t first_child = -1;
    int32_t next_sibling = -1;
    uint32_t first_dim = 0;        ///< shape() takes it
    uint32_t first_attribute = 0;  ///< integer() and its siblings take it
    uint32_t attribute_count = 0;
    uint32_t element_bytes = 0;
    int32_t library_info = -1;  ///< what only libhdf5 knows; dataset() takes it
    ObjectKind kind = ObjectKind::kOther;
    std::optional<DType> dtype;  ///< as DatasetInfo::dtype
    uint8_t rank = 0;
    bool big_endian = false;
    bool null_space = false;
    bool is_text = false;             ///< a dataset of fixed-length strings
    bool is_compact = false;          ///< elements lie in the object's header
    bool needs_library = false;       ///< only libhdf5 reads the elements
    bool leads_back = false;          ///< a group that is also above itself: without children here
    bool damaged_attributes = false;  ///< at least one cannot be read, but all are counted
};

/// Built by Reader::index(). Threads: const calls may run at once.
class Index {
  public:
    [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }  ///< [0] is the root
    [[nodiscard]] const Node& operator[](int32_t node) const {
        return nodes_[static_cast<size_t>(node)];
    }
    [[nodiscard]] std::string path(int32_t node) const;  ///< "/op/7/output/out", "/" for the root
    /// -1 when absent. Looks at all siblings on the way.
    [[nodiscard]] int32_t find(std::string_view path) const;

    /// What is known of a dataset.
    [[nodiscard]] DatasetInfo dataset(int32_t node) const;
    [[nodiscard]] std::span<const int64_t> shape(int32_t node) const {
        const Node& of = (*this)[node];
        return {dims_.data() + of.first_dim, of.rank};
    }
    /// The string of a scalar dataset of fixed-length text, up to its first NUL; empty when it is
    /// something else or is to be read by Reader::read_string().
    [[nodiscard]] std::optional<std::string_view> stored_text(int32_t node) const;

    [[nodiscard]] int attribute_count(int32_t node) const {
        return static_cast<int>((*this)[node].attribute_count);
    }
    /// Names of the attributes that could be read, in no particular order.
    [[nodiscard]] std::vector<std::string_view> attribute_names(int32_t node) const;
    /// Of the attribute at that place, "" when it could not be read.
    [[nodiscard]] std::string_view attribute_name(int32_t node, uint32_t place) const {
        return attribute_names_[attributes_[size_t{(*this)[node].first_attribute} + place].name];
    }
    /// What the HDF5 library reads of an attribute as integers or as text. Views live as long as
    /// the Index.
    [[nodiscard]] std::optional<int64_t> integer(int32_t node, std::string_view attribute) const;
    [[nodiscard]] std::optional<std::span<const int64_t>> integers(
        int32_t node, std::string_view attribute) const;
    [[nodiscard]] std::optional<std::string_view> text(int32_t node,
                                                       std::string_view attribute) const;

    /// Objects that could not be indexed (a damaged header, say), at most twenty lines, and how
    /// many. Links that dangle are left out silently, as h5py's iteration does.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    [[nodiscard]] int64_t skipped_count() const { return skipped_count_; }
    /// Lets the system take back all pages of the mapping, so that a long walk through a large file
    /// does not fill the memory. Pages in use are read again when touched.
    void release_pages() const;
    /// False when libhdf5 did it all.
    [[nodiscard]] bool from_mapping() const { return from_mapping_; }

  private:
    friend class IndexBuilder;
    friend class Reader;
    Index() = default;

    struct Attribute {
        enum Kind : uint32_t { kInteger, kIntegers, kText, kOther };
        uint32_t name : 30;
        uint32_t kind : 2;
        uint32_t count;  ///< integers or bytes of text
        union {
            int64_t integer;
            uint64_t first;
            const char* text;
        };
    };
    [[nodiscard]] const Attribute* attribute(int32_t node, std::string_view name) const;

    std::vector<Node> nodes_;
    std::vector<int64_t> dims_;
    std::vector<Attribute> attributes_;
    std::vector<int64_t> integers_;
    std::vector<std::string_view> attribute_names_;
    std::vector<DatasetInfo> library_infos_;
    std::deque<std::string> kept_;  ///< blocks of names, and of texts that lie in no mapping
    std::vector<std::string> warnings_;
    int64_t skipped_count_ = 0;
    bool from_mapping_ = false;
    std::span<const std::byte> bytes_;
    std::shared_ptr<const MappedFile> mapping_;  ///< shared with Elements, see mapped_file.h
};

}  // namespace npuscope::h5
