// Indexes objects with libhdf5: all of a file, or what the walker leaves. Included by core/h5/*.cpp
// only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/h5/index_builder.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

/// A link of a group as the library lists it.
struct LibraryLink {
    std::string name;
    std::optional<uint64_t> address;  ///< of a hard link
};

/// An object that the library has opened.
struct LibraryObject {
    Handle handle;
    unsigned long file_number = 0;  ///< differs behind an external link
    uint64_t address = 0;
};

/// Groups nest at most this deep.
inline constexpr size_t kDeepestGroup = 128;

/// Calls are made under the library's lock, which the caller holds. The library opens the file with
/// the first of them.
class LibraryIndexer {
  public:
    LibraryIndexer(const InputFile& file, IndexBuilder& out) : file_(file), out_(out) {}

    /// The whole file from the root on.
    void index_all();

    /// The object of a node. Empty when the library cannot open it.
    [[nodiscard]] std::optional<LibraryObject> open(int32_t node);
    /// Kind, shape, dtype and attributes of the last node. Throws Error.
    void read_object(int32_t node, const LibraryObject& object);
    /// Attributes of the last node.
    void read_attributes(int32_t node, const LibraryObject& object);
    /// Links in h5py's order.
    [[nodiscard]] std::vector<LibraryLink> links(int32_t group, const LibraryObject& object);
    /// All below a group, with the library alone.
    void index_below(int32_t group, const LibraryObject& object);
    /// The file that is indexed.
    [[nodiscard]] unsigned long file_number();

  private:
    const InputFile& file_;
    IndexBuilder& out_;
    std::optional<unsigned long> file_number_;
    std::vector<std::pair<unsigned long, uint64_t>> above_;  ///< the groups that are being entered
};

}  // namespace npuscope::h5
