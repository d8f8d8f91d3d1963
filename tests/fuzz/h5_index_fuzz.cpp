// Any bytes as an HDF5 file: the walker must end without a fault. The library is left out, it has
// faults of its own.
#include "core/h5/index_walker.h"

namespace npuscope::h5 {
namespace {

void walk(std::span<const std::byte> bytes) {
    IndexBuilder out(bytes.size());
    try {
        IndexWalker(read_superblock(bytes), out, nullptr).walk();
    } catch (const Damaged&) {
        return;
    } catch (const Unsupported&) {
        return;
    }
    const Index index = out.finish(bytes, nullptr, true);
    size_t sum = 0;
    for (int32_t node = 0; node < static_cast<int32_t>(index.nodes().size()); ++node) {
        sum += index.dataset(node).shape.size() + index.path(node).size();
        if (const auto text = index.stored_text(node)) sum += std::string(*text).size();
        for (const std::string_view name : index.attribute_names(node)) {
            if (const auto values = index.integers(node, name))
                for (const int64_t value : *values)
                    sum += static_cast<size_t>(value);
            if (const auto text = index.text(node, name)) sum += std::string(*text).size();
        }
    }
    [[maybe_unused]] volatile size_t kept = sum;
}

}  // namespace
}  // namespace npuscope::h5

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    npuscope::h5::walk(std::as_bytes(std::span(data, size)));
    return 0;
}
