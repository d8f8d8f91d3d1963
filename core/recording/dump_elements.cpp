#include "core/recording/dump_elements.h"

#include <algorithm>
#include <cstring>

namespace npuscope {

DumpElements::DumpElements(const dumpfile::Reader& reader, const dumpfile::Entry& entry)
    : elements_(reader.elements(entry)), dtype_(entry.dtype().value_or(elements_.dtype())) {}

const std::byte* DumpElements::range(int64_t first,
                                     int64_t count,
                                     std::vector<std::byte>& buffer) const {
    // The same byte under its other sign.
    const bool is_byte = dtype_ == DType::kUInt8 || dtype_ == DType::kInt8;
    if ((dtype_ == elements_.dtype() && dtype_ != DType::kBool) || is_byte)
        return elements_.range(first, count, buffer);
    thread_local std::vector<std::byte> stored;
    const auto elements = static_cast<size_t>(count);
    const std::byte* from = elements_.range(first, count, stored);
    buffer.resize(std::max(buffer.size(), elements * size_of(dtype_)));
    if (size_of(elements_.dtype()) == 1) {
        // Stored bytes need not be well-formed bools.
        convert_elements(from, DType::kUInt8, buffer.data(), dtype_, elements);
        return buffer.data();
    }
    if (reinterpret_cast<uintptr_t>(from) % size_of(elements_.dtype()) != 0) {
        const size_t bytes = elements * size_of(elements_.dtype());
        stored.resize(std::max(stored.size(), bytes));
        std::memcpy(stored.data(), from, bytes);
        from = stored.data();
    }
    convert_elements(from, elements_.dtype(), buffer.data(), dtype_, elements);
    return buffer.data();
}

Tensor DumpElements::whole() const {
    return dtype_ == elements_.dtype() ? elements_.whole() : ElementSource::whole();
}

}  // namespace npuscope
