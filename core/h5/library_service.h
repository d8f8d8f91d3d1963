// Answers questions about one file with the HDF5 library: in a process of its own for files that
// are not trusted, else in this one. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>

#include "core/h5/byte_builder.h"
#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

class LibraryReader;
class LibraryDataset;

enum class Question : uint8_t {
    kOpen,        ///< nothing; -> nothing. Whether the library takes the file
    kSize,        ///< nothing; -> bytes of the file
    kResolve,     ///< path; -> found?, in this file?, address, why another file is refused
    kAttributes,  ///< path; -> found?, an index of one node with nothing but attributes
    kObject,      ///< path; -> found?, an index of one node
    kTree,        ///< path; -> found?, an index of all below
    kLinks,       ///< path; -> found?, names with addresses, why the list is not whole
    kElements,    ///< path, part; -> number, dtype, shape
    kRange,       ///< number, first, count; -> nothing, the elements are in the shared bytes
    kForget,      ///< number; -> nothing
    kText,        ///< path; -> text
    kCopy,        ///< target, is it there?, attributes, pairs of paths; -> the path that was taken
};

class LibraryService {
  public:
    /// The descriptor is borrowed. With limits, the file may lead only to other files of its
    /// folder.
    LibraryService(std::filesystem::path path, int descriptor, bool limited);
    ~LibraryService();
    LibraryService(const LibraryService&) = delete;
    LibraryService& operator=(const LibraryService&) = delete;

    /// Takes the library's lock. `shared` gets the elements of kRange. Errors: Error of the
    /// library, Damaged when the question is none.
    void answer(std::span<const std::byte> question, ByteBuilder& out, std::span<std::byte> shared);

  private:
    LibraryReader& reader();
    void resolve(Cursor& in, ByteBuilder& out);
    void index(Question question, Cursor& in, ByteBuilder& out);
    void list_links(Cursor& in, ByteBuilder& out);
    void open_elements(Cursor& in, ByteBuilder& out);
    void read_range(Cursor& in, std::span<std::byte> shared);
    void copy(Cursor& in, ByteBuilder& out);

    std::filesystem::path path_;
    int descriptor_;
    bool limited_;
    std::unique_ptr<LibraryReader> reader_;
    std::map<uint64_t, std::unique_ptr<LibraryDataset>> datasets_;
    uint64_t next_ = 0;
};

}  // namespace npuscope::h5
