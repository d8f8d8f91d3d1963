// Any bytes as an HDF5 file: the walker ends in an index or in a refusal.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "core/h5/index_walker.h"

namespace npuscope::test {

/// Walks, without the library, and touches all that the index gives out. Throws std::logic_error
/// when there are more warnings than promised. How many nodes it has, 0 when the file is refused.
inline size_t walk(std::span<const std::byte> bytes) {
    h5::IndexBuilder out(bytes.size());
    try {
        h5::IndexWalker(h5::read_superblock(bytes), out, nullptr).walk();
    } catch (const h5::Damaged&) {
        return 0;
    } catch (const h5::Unsupported&) {
        return 0;
    }
    const h5::Index index = out.finish({}, bytes, nullptr, true);
    constexpr size_t kMostWarnings = 20;
    if (index.warnings().size() > kMostWarnings) throw std::logic_error("too many warnings");
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
    [[maybe_unused]] volatile size_t touched = sum;
    return index.nodes().size();
}

}  // namespace npuscope::test
