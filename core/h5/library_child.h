// A process of its own for the HDF5 library. Included by core/h5/*.cpp only.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

/// What one question may cost. Files of any size are asked about: an index takes longer of a large
/// one.
struct ChildLimits {
    uint64_t memory_bytes = uint64_t{1} << 30;  ///< beyond what the parent has
    std::chrono::seconds computing{4};          ///< of processor time for one question
    std::chrono::seconds waiting{10};           ///< until there is an answer
};
[[nodiscard]] ChildLimits limits_for(uint64_t file_bytes);

/// Forked from this one, without exec: it has the library and the file, and nothing else: all other
/// descriptors are closed, signals have their default actions, standard output and error lead
/// nowhere, it makes no core file, dies with its parent and ends without any handler of the
/// parent's. Whoever starts it holds the library's lock. Only one thread at a time asks it.
class LibraryChild {
  public:
    static constexpr size_t kSharedBytes = size_t{8} << 20;

    /// The descriptor is that of the file. Errors: Error(kIo) when no process can be made.
    LibraryChild(const std::filesystem::path& path, int descriptor, const ChildLimits& limits);
    ~LibraryChild();
    LibraryChild(const LibraryChild&) = delete;
    LibraryChild& operator=(const LibraryChild&) = delete;

    /// How the child ended instead of answering: "crashed (signal 11)", "took longer than 4 s".
    struct Death : std::exception {
        explicit Death(std::string how, bool was_waiting = false)
            : how(std::move(how)), was_waiting(was_waiting) {}
        [[nodiscard]] const char* what() const noexcept override { return how.c_str(); }
        std::string how;
        bool was_waiting;  ///< it neither computed nor ended: for a file system, or a lock
    };
    /// The answer's bytes, valid until the next question. Throws Death once, and is of no use
    /// afterwards; Error as the service threw it.
    [[nodiscard]] Cursor ask(std::span<const std::byte> question);
    /// What kRange put there.
    [[nodiscard]] std::span<const std::byte> shared() const { return {shared_, kSharedBytes}; }

  private:
    [[nodiscard]] bool start(const std::filesystem::path& path, int descriptor);
    [[nodiscard]] bool send(std::span<const std::byte> bytes);
    /// False when nothing came in time or the other end is closed.
    [[nodiscard]] bool receive(std::byte* target,
                               size_t count,
                               std::chrono::steady_clock::time_point deadline);
    [[noreturn]] void bury();
    void stop() noexcept;

    ChildLimits limits_;
    pid_t process_ = -1;
    int socket_ = -1;
    std::byte* shared_ = nullptr;
    std::vector<std::byte> answer_;
};

}  // namespace npuscope::h5
