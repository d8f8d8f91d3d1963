// Any bytes as a dump: it is read whole, or refused with one line.
#pragma once

#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/dumpfile/facts.h"
#include "core/dumpfile/reader.h"
#include "core/dumpfile/statistics.h"

namespace npuscope::test {

/// Tensors of at most so many bytes of one file are read; a file can name the same bytes many
/// times.
inline constexpr int64_t kMostBytesRead = int64_t{1} << 20;

inline void require_clear(const Error& error) {
    const std::string text = error.what();
    if (text.empty() || text.find('\n') != std::string::npos ||
        error.kind() == ErrorKind::kInternal)
        throw std::logic_error("no clear line: " + text);
}

/// A file in memory only.
class MemoryFile {
  public:
    MemoryFile() : descriptor_(memfd_create("dump", 0)) {
        if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// Replaces the content; nobody reads it meanwhile.
    void set(const void* bytes, size_t size) const {
        if (ftruncate(descriptor_, 0) != 0 ||
            pwrite(descriptor_, bytes, size, 0) != static_cast<ssize_t>(size))
            throw std::runtime_error("writing to memory failed");
    }
    [[nodiscard]] std::string path() const {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

  private:
    int descriptor_;
};

/// Reads all ops, entries, facts and elements. How many tensors were read, -1 when the file is
/// refused. Throws std::logic_error when an error is no clear line, or when a tensor is not what
/// its entry says.
inline int64_t read_dump(const std::string& path) {
    try {
        const dumpfile::Reader reader(path);
        int64_t read = 0;
        int64_t left = kMostBytesRead;
        size_t touched = reader.incompleteness().size() + reader.warnings().size();
        for (const dumpfile::OpEntry& op : reader.ops()) {
            touched += dumpfile::parse_facts(op.facts_json).node.size();
            if (reader.find(op.id) == nullptr) throw std::logic_error("an op is not found again");
            for (const dumpfile::Entry& entry : op.entries) {
                const auto dtype = entry.dtype();
                touched += entry.is_tensor() ? 1 : 0;
                try {
                    const h5::Elements elements = reader.elements(entry);
                    left -= elements.numel() * static_cast<int64_t>(size_of(elements.dtype()));
                    if (left < 0) return read;
                    const Tensor tensor = reader.read(entry);
                    if (tensor.numel() != elements.numel() || (dtype && tensor.dtype() != *dtype))
                        throw std::logic_error("a tensor is not what its entry says");
                    touched += static_cast<size_t>(dumpfile::statistics_of(tensor).finite);
                    ++read;
                } catch (const Error& error) {
                    require_clear(error);
                }
            }
        }
        [[maybe_unused]] volatile size_t kept = touched;
        return read;
    } catch (const Error& error) {
        require_clear(error);
        return -1;
    }
}

}  // namespace npuscope::test
