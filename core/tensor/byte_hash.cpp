#include "core/tensor/byte_hash.h"

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace npuscope {

struct ByteHash::State {
    XXH3_state_t* hash = XXH3_createState();
};

ByteHash::ByteHash() : state_(std::make_unique<State>()) {
    if (state_->hash == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_->hash);
}

ByteHash::~ByteHash() {
    XXH3_freeState(state_->hash);
}

void ByteHash::add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_->hash, bytes.data(), bytes.size());
}

namespace {

std::string text_of(const XXH128_hash_t& hash) {
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, hash);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes.digest) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

}  // namespace

std::string ByteHash::text() const {
    return text_of(XXH3_128bits_digest(state_->hash));
}

std::string hash_of(const Tensor& tensor) {
    return text_of(XXH3_128bits(tensor.data(), tensor.nbytes()));
}

std::string hash_of(const ElementSource& elements) {
    constexpr int64_t kPiece = int64_t{1} << 20;
    ByteHash hash;
    std::vector<std::byte> buffer;
    const size_t each = size_of(elements.dtype());
    ReleasedBehind released(elements);
    for (int64_t first = 0; first < elements.numel(); first += kPiece) {
        const int64_t count = std::min(kPiece, elements.numel() - first);
        const std::byte* bytes = elements.range(first, count, buffer);
        hash.add({bytes, static_cast<size_t>(count) * each});
        released.until(first + count);
    }
    elements.require_intact();
    return hash.text();
}

}  // namespace npuscope
