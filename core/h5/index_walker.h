// Indexes a file from its bytes. Included by core/h5/*.cpp and their tests.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/h5/format_cursor.h"
#include "core/h5/index_builder.h"
#include "core/h5/messages.h"
#include "core/h5/object_header.h"
#include "core/h5/stored_chunks.h"
#include "core/h5/superblock.h"

namespace npuscope::h5 {

class LibraryAccess;

/// Walks from the root through all groups. Every read is checked against the file's bounds, groups
/// nest at most kDeepestGroup deep, and the work is bounded by the file's size, whatever the bytes
/// say. An object that is damaged becomes a warning, one that is beyond the walker is asked of the
/// library; without a library that is a warning too.
class IndexWalker {
  public:
    /// The bytes outlive the index.
    IndexWalker(const Superblock& superblock, IndexBuilder& out, LibraryAccess* library);

    /// Throws Damaged or Unsupported when there is nothing to walk: the root cannot be read.
    void walk();

  private:
    struct Link {
        std::string_view name;
        uint64_t address = kUndefinedAddress;
        uint64_t order = 0;
        bool is_hard = true;
    };
    /// What an object's header says, until it is known what the object is.
    struct Object {
        uint64_t tree = kUndefinedAddress;
        uint64_t heap = kUndefinedAddress;
        LinkInfo links;
        bool is_old_group = false;
        bool is_new_group = false;
        bool library_attributes = false;
        const char* unsupported = nullptr;  ///< why the library has to read the dataset
        std::optional<Cursor> type, space, layout, filters, fill, old_fill;
    };

    void require_plain_extension();
    int32_t walk_link(int32_t parent, const Link& link);
    bool follow(int32_t node);
    void drop(int32_t node, const std::string& reason);
    void read_object(int32_t node, uint64_t address);
    void note(int32_t node, const Message& message, Object& object);
    void note_link(int32_t node, const Message& message);
    void note_attribute(int32_t node, const Message& message, Object& object);
    void read_dataset(int32_t node, const Object& object);
    void read_chunks(int32_t node,
                     const Object& object,
                     const Layout& layout,
                     const Datatype& type);
    void read_odd_dataset(int32_t node,
                          const Object& object,
                          const Dataspace& space,
                          const Layout& layout,
                          const Datatype& type);
    [[nodiscard]] uint64_t chunk_bytes(int32_t node,
                                       const Object& object,
                                       const Layout& layout,
                                       const Datatype& type,
                                       StoredChunks& stored);
    void believe_unwritten(int32_t node, const Datatype& type);
    void note_unwritten(int32_t node, const Object& object, const Datatype& type);
    void read_attributes_by_library(int32_t node);
    void read_by_library(int32_t node, uint64_t address);
    void sort_links(size_t first, bool by_creation);
    void walk_group(int32_t node, uint64_t address, const Object& object, size_t first_link);
    void list_old_group(int32_t node, const Object& object);
    void list_by_library(int32_t node);
    void warn_of_link(int32_t parent, std::string_view name, const char* reason);

    Superblock superblock_;
    WorkLimit limit_;
    ObjectHeader header_;
    IndexBuilder& out_;
    LibraryAccess* library_;
    std::vector<Link> links_;      ///< of the groups being walked, the deepest one's last
    std::vector<uint64_t> above_;  ///< their addresses
    std::vector<int64_t> values_;
    uint64_t unwritten_ = 0;  ///< bytes of elements that no dataset stores
};

}  // namespace npuscope::h5
