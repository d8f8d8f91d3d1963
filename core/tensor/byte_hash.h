// Equal bytes, told by 16 of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/tensor/element_source.h"
#include "core/tensor/tensor.h"

namespace npuscope {

/// XXH3, 128 bits, seed 0, of bytes that come in pieces. Not meant against an adversary.
/// Source  Y. Collet, xxHash: XXH3_128bits(), canonical form (high half first).
class ByteHash {
  public:
    ByteHash();
    ~ByteHash();
    ByteHash(const ByteHash&) = delete;
    ByteHash& operator=(const ByteHash&) = delete;

    void add(std::span<const std::byte> bytes);
    /// 32 hexadecimal digits, as xxh128sum prints them.
    [[nodiscard]] std::string text() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Of a tensor's elements: its own dtype, C order, little endian.
[[nodiscard]] std::string hash_of(const Tensor& tensor);
/// The same, piece by piece. Errors: as ElementSource.
[[nodiscard]] std::string hash_of(const ElementSource& elements);

}  // namespace npuscope
