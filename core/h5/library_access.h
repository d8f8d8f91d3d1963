// What the HDF5 library tells of a file, whoever runs it. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/h5/h5.h"
#include "core/h5/index_builder.h"
#include "core/h5/library_child.h"

namespace npuscope::h5 {

class ByteBuilder;
class LibraryService;

/// Asks the library, in a process of its own unless files are trusted (core/h5/trust.h); that one
/// is started by the first question. Threads: calls may be made at once, one waits for the other.
/// Errors: Error(kFormat) "… crashed while reading …" when it ended instead of answering; the next
/// question starts another one, a few times.
class LibraryAccess {
  public:
    /// The descriptor is borrowed; -1 where the file could not be opened. Without `limits` those
    /// for a file of its size.
    LibraryAccess(std::filesystem::path path,
                  int descriptor,
                  std::optional<ChildLimits> limits = {});
    ~LibraryAccess();
    LibraryAccess(const LibraryAccess&) = delete;
    LibraryAccess& operator=(const LibraryAccess&) = delete;

    /// Whether the library takes the file. Errors: Error(kFormat) says why not.
    void open();
    [[nodiscard]] uint64_t file_bytes();

    /// What a soft or external link leads to.
    struct Target {
        bool is_in_this_file = false;
        uint64_t address = 0;
        std::string refusal;  ///< why it is not followed; nothing else counts then
    };
    /// Empty when it dangles.
    [[nodiscard]] std::optional<Target> resolve(const std::string& path);

    /// Each fills the last node of `out` and says whether there is such an object.
    [[nodiscard]] bool read_attributes(const std::string& path, int32_t node, IndexBuilder& out);
    [[nodiscard]] bool read_object(const std::string& path, int32_t node, IndexBuilder& out);
    [[nodiscard]] bool read_tree(const std::string& path, int32_t node, IndexBuilder& out);

    struct Link {
        std::string name;
        std::optional<uint64_t> address;  ///< of a hard link
    };
    struct Links {
        std::vector<Link> links;
        std::string problem;  ///< why these are not all
    };
    /// Empty when there is no such group.
    [[nodiscard]] std::optional<Links> links(const std::string& path);

    /// A dataset that the library has open for its elements.
    struct Dataset {
        std::string path;
        bool real_part = false;
        DType dtype = DType::kFloat32;
        Shape shape;
        uint64_t number = 0;
        int start = 0;  ///< of the library's process: after another one it is opened again
    };
    /// Errors: Error(kUnsupported) where it is of no tensor dtype.
    [[nodiscard]] Dataset open_dataset(const std::string& path, bool real_part);
    /// Elements in native byte order; bools as they are stored.
    void read(Dataset& dataset, int64_t first, int64_t count, std::byte* target);
    void close(const Dataset& dataset) noexcept;
    [[nodiscard]] std::string read_text(const std::string& path);

    /// Copies objects into a new file or, with `exists`, into one that is there. Gives the target
    /// that is taken already, "" when all were copied.
    [[nodiscard]] std::string copy(const std::filesystem::path& target,
                                   bool exists,
                                   std::span<const Attribute> root_attributes,
                                   std::span<const std::pair<std::string, std::string>> paths);

  private:
    /// Takes the lock, which must be held while an answer is read, and turns an answer that makes
    /// no sense into an Error.
    template <class Read>
    auto guarded(const Read& read);
    Cursor ask(const ByteBuilder& question,
               const std::string& what,
               std::span<std::byte> elements = {});
    void start_child();
    [[nodiscard]] bool read_index(uint8_t question,
                                  const std::string& path,
                                  int32_t node,
                                  IndexBuilder& out);
    void reopen(Dataset& dataset);

    std::filesystem::path path_;
    int descriptor_;
    std::optional<ChildLimits> limits_;
    std::mutex mutex_;
    std::unique_ptr<LibraryService> service_;  ///< of a trusted file
    std::unique_ptr<LibraryChild> child_;
    std::unique_ptr<ByteBuilder> answer_;
    int starts_ = 0;
};

}  // namespace npuscope::h5
