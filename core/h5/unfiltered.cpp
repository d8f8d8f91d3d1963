#include "core/h5/unfiltered.h"

#include <algorithm>
#include <limits>
#include <vector>
#include <zlib.h>

namespace npuscope::h5 {

namespace {

constexpr size_t kChecksumBytes = 4;

/// Fletcher's checksum over big-endian words of 16 bits, as HDF5 stores it.
uint32_t fletcher32(std::span<const std::byte> bytes) {
    constexpr size_t kWordsUntilFold = 360;  // the sums stay below 2^32
    uint32_t low = 0;
    uint32_t high = 0;
    const auto fold = [](uint32_t sum) { return (sum & 0xffffU) + (sum >> 16); };
    const size_t words = bytes.size() / 2;
    for (size_t done = 0; done < words;) {
        const size_t end = std::min(words, done + kWordsUntilFold);
        for (; done < end; ++done) {
            low += std::to_integer<uint32_t>(bytes[2 * done]) << 8 |
                   std::to_integer<uint32_t>(bytes[2 * done + 1]);
            high += low;
        }
        low = fold(low);
        high = fold(high);
    }
    if (bytes.size() % 2 == 1) {
        low += std::to_integer<uint32_t>(bytes.back()) << 8;
        high += low;
        low = fold(low);
        high = fold(high);
    }
    return fold(high) << 16 | fold(low);
}

std::span<const std::byte> checked_content(std::span<const std::byte> bytes) {
    if (bytes.size() < kChecksumBytes) throw Damaged{"a piece of it is too short"};
    const auto content = bytes.first(bytes.size() - kChecksumBytes);
    uint32_t stored = 0;
    std::memcpy(&stored, bytes.data() + content.size(), kChecksumBytes);
    const uint32_t sum = fletcher32(content);
    // Old libraries swapped the bytes of each half.
    const uint32_t swapped = (sum & 0x00ff00ffU) << 8 | (sum & 0xff00ff00U) >> 8;
    if (stored != sum && stored != swapped) throw Damaged{"the checksum of a piece of it is wrong"};
    return content;
}

void inflate_into(std::span<const std::byte> packed, std::span<std::byte> target) {
    z_stream stream{};
    if (::inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    auto* out = reinterpret_cast<Bytef*>(target.data());
    size_t in_left = packed.size();
    size_t out_left = target.size();
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    int code = Z_OK;
    // zlib counts in 32 bits.
    do {
        const auto in_now = static_cast<uInt>(std::min(in_left, kMost));
        const auto out_now = static_cast<uInt>(std::min(out_left, kMost));
        stream.avail_in = in_now;
        stream.next_out = out;
        stream.avail_out = out_now;
        code = ::inflate(&stream, Z_NO_FLUSH);
        in_left -= in_now - stream.avail_in;
        out += out_now - stream.avail_out;
        out_left -= out_now - stream.avail_out;
    } while (code == Z_OK && (in_left > 0 || out_left > 0));
    ::inflateEnd(&stream);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code != Z_STREAM_END || out_left > 0)
        throw Damaged{"a piece of it does not unpack to its elements"};
}

template <size_t kSize>
void unshuffle_as(const std::byte* from, std::byte* to, size_t count) {
    for (size_t i = 0; i < count; ++i)
        for (size_t byte = 0; byte < kSize; ++byte)
            to[i * kSize + byte] = from[byte * count + i];
}

void unshuffle(std::span<const std::byte> from, std::span<std::byte> to, size_t size) {
    const size_t count = to.size() / size;
    switch (size) {
        case 2:
            return unshuffle_as<2>(from.data(), to.data(), count);
        case 4:
            return unshuffle_as<4>(from.data(), to.data(), count);
        case 8:
            return unshuffle_as<8>(from.data(), to.data(), count);
        default:
            for (size_t i = 0; i < count; ++i)
                for (size_t byte = 0; byte < size; ++byte)
                    to[i * size + byte] = from[byte * count + i];
    }
}

}  // namespace

void unfilter(const Filters& filters,
              uint32_t left_out,
              uint32_t element_bytes,
              std::span<const std::byte> stored,
              std::span<std::byte> target) {
    const auto applied = [&](size_t place) { return (left_out >> place & 1U) == 0; };
    const bool shuffled = filters.count > 0 && filters.list[0] == Filter::kShuffle && applied(0);
    // What each filter was given: a checksum adds to it.
    size_t bytes = target.size();
    std::array<size_t, Filters::kMost> given{};
    for (size_t place = 0; place < filters.count; ++place) {
        given[place] = bytes;
        if (filters.list[place] == Filter::kFletcher32 && applied(place)) bytes += kChecksumBytes;
    }
    std::vector<std::byte> unpacked;
    std::span<const std::byte> now = stored;
    for (size_t place = filters.count; place-- > 0;) {
        if (!applied(place)) continue;
        if (filters.list[place] == Filter::kFletcher32) {
            now = checked_content(now);
        } else if (filters.list[place] == Filter::kDeflate) {
            if (!shuffled && given[place] == target.size()) {
                inflate_into(now, target);
                now = target;
                continue;
            }
            unpacked.resize(given[place]);
            inflate_into(now, unpacked);
            now = unpacked;
        }
    }
    if (now.size() != target.size()) throw Damaged{"a piece of it does not unpack to its elements"};
    if (shuffled && element_bytes > 1)
        unshuffle(now, target, element_bytes);
    else if (now.data() != target.data())
        std::copy(now.begin(), now.end(), target.begin());
}

}  // namespace npuscope::h5
