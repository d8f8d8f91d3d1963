// Indexes objects with libhdf5: all of a file, or what the walker leaves. Included by core/h5/*.cpp
// only, used under the library's lock.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/h5/index_builder.h"
#include "core/h5/library_file.h"
#include "core/h5/library_version.h"

namespace npuscope::h5 {

/// A link of a group as the library lists it.
struct LibraryLink {
    std::string name;
    std::optional<uint64_t> address;  ///< of a hard link
};

/// An object that the library has opened.
struct LibraryObject {
    Handle handle;
    ObjectPlace place;
};

class LibraryIndexer {
  public:
    explicit LibraryIndexer(const OpenFile& file) : file_(file) {}

    /// Empty when the library cannot open it.
    [[nodiscard]] std::optional<LibraryObject> open(const std::string& path) const;
    /// The links of a group in h5py's order, as far as they can be listed; `problem` says why that
    /// is not all.
    [[nodiscard]] std::vector<LibraryLink> links(const LibraryObject& group,
                                                 std::string& problem) const;
    /// Attributes of the last node of `out`.
    static void read_attributes(const LibraryObject& object, int32_t node, IndexBuilder& out);
    /// Kind, shape, dtype and attributes of the last node, which is at `path`. Throws Error.
    void read_object(const std::string& path,
                     const LibraryObject& object,
                     int32_t node,
                     IndexBuilder& out) const;
    /// All below a group, which is at `path`.
    void read_below(const std::string& path,
                    const LibraryObject& group,
                    int32_t node,
                    IndexBuilder& out);

  private:
    const OpenFile& file_;
    std::vector<ObjectPlace> above_;  ///< the groups that are being entered
};

}  // namespace npuscope::h5
