// 128-bit fingerprint of bytes, for finding equal tensors. Included by core/dumpfile/*.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace npuscope::dumpfile {

struct ContentHash {
    uint64_t first = 0;
    uint64_t second = 0;
    friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

/// Two hashes of different construction over the same bytes: four additive lanes of multiply and
/// rotate, and a chain of folded 128-bit products. Not meant against an adversary.
[[nodiscard]] ContentHash content_hash(std::span<const std::byte> bytes, uint64_t seed = 0);

}  // namespace npuscope::dumpfile
