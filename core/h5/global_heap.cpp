#include "core/h5/global_heap.h"

#include <algorithm>

namespace npuscope::h5 {

std::string_view heap_text(const FileBytes& file, WorkLimit& limit, Cursor element) {
    constexpr uint64_t kObjectHead = 16;
    constexpr uint64_t kHeapHead = 16;
    constexpr unsigned kObjectsPerStep = 8;
    const uint32_t length = element.u32();
    const uint64_t address = element.u64();
    const uint32_t wanted = element.u32();
    if (length == 0 || address == 0 || address == kUndefinedAddress) return {};
    Cursor in = file.at(address);
    in.expect("GCOL");
    if (in.u8() != 1) throw Damaged{"its text is of an unknown kind"};
    in.skip(3);
    const uint64_t size = in.u64();
    if (size < kHeapHead) throw Damaged{"its text lies nowhere"};
    Cursor objects = in.part(size - kHeapHead);
    for (unsigned passed = 0; objects.left() >= kObjectHead; ++passed) {
        if (passed % kObjectsPerStep == 0) limit.require(1);
        const uint16_t number = objects.u16();
        objects.skip(2 + 4);  // references, reserved
        const uint64_t bytes = objects.u64();
        if (number == 0) break;  // the rest is free
        if (number != wanted) {
            objects.skip(std::min<uint64_t>(padded(bytes), objects.left()));
            continue;
        }
        if (length > bytes) break;
        const auto* text = reinterpret_cast<const char*>(objects.take(length));
        limit.require(1 + length / 64);
        return {text, strnlen(text, length)};
    }
    throw Damaged{"its text is missing"};
}

}  // namespace npuscope::h5
