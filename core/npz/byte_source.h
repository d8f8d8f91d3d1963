// Bytes read in order from memory, a file or an archive's entry. Included by core/npz/*.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/tensor/tensor.h"

namespace npuscope::npz {

/// Errors  read() throws Error(kFormat) when fewer than `count` bytes are left, Error(kIo) when the
///         system cannot read.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    virtual void read(std::byte* target, size_t count) = 0;
    /// Upper bound of the bytes that are still to come; nothing larger is ever allocated.
    [[nodiscard]] virtual uint64_t remaining() const = 0;
};

/// Parses one .npy image up to its last element; `what` names the source in messages.
[[nodiscard]] Tensor parse_npy(ByteSource& source, const std::string& what);

/// Magic, version and header of a version 1.0 image.
[[nodiscard]] std::string npy_header(DType dtype, std::span<const int64_t> shape);

}  // namespace npuscope::npz
