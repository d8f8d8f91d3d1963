// Numbers, texts and lists as bytes between the process and the one that runs the HDF5 library.
// Included by core/h5/*.cpp only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/h5/byte_builder.h"
#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

inline void put_text(ByteBuilder& out, std::string_view text) {
    out.u64(text.size());
    out.text(text);
}

inline void put_numbers(ByteBuilder& out, std::span<const int64_t> numbers) {
    out.u64(numbers.size());
    out.raw(std::as_bytes(numbers));
}

/// Points into what the cursor reads. Throws Damaged, as all that read do.
inline std::string_view take_text(Cursor& in) {
    const uint64_t length = in.u64();
    return {reinterpret_cast<const char*>(in.take(length)), length};
}

inline std::vector<int64_t> take_numbers(Cursor& in) {
    const uint64_t count = in.u64();
    if (count > in.left() / sizeof(int64_t)) throw Damaged{"a list is longer than its message"};
    std::vector<int64_t> numbers(count);
    const std::byte* from = in.take(count * sizeof(int64_t));
    if (count > 0) std::memcpy(numbers.data(), from, count * sizeof(int64_t));
    return numbers;
}

}  // namespace npuscope::h5
