// Bytes of an open file from one place on.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unistd.h>

namespace npuscope {

struct BytesRead {
    size_t count = 0;
    int code = 0;  ///< errno's where reading failed; 0 at the end of the file
};

/// Until the target is full, the file ends or reading fails; signals interrupt nothing. Threads:
/// any; the descriptor's own place stays where it is.
[[nodiscard]] inline BytesRead read_at(int descriptor,
                                       uint64_t position,
                                       std::span<std::byte> target) {
    BytesRead read;
    while (read.count < target.size()) {
        const ssize_t count = ::pread(descriptor,
                                      target.data() + read.count,
                                      target.size() - read.count,
                                      static_cast<off_t>(position + read.count));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) read.code = errno;
        if (count <= 0) break;
        read.count += static_cast<size_t>(count);
    }
    return read;
}

}  // namespace npuscope
