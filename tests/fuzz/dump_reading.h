// Any bytes as a dump: it is read whole, or refused with one line.
#pragma once

#include <stdexcept>
#include <string>

#include "core/dumpfile/facts.h"
#include "core/dumpfile/reader.h"
#include "core/tensor/statistics.h"
#include "tests/fuzz/clear_error.h"

namespace npuscope::test {

/// Tensors of at most so many bytes of one file are read; a file can name the same bytes many
/// times.
inline constexpr int64_t kMostBytesRead = int64_t{1} << 20;

/// Reads all ops, entries, facts and elements. How many tensors were read, -1 when the file is
/// refused. Throws std::logic_error when an error is no clear line, or when a tensor is not what
/// its entry says.
inline int64_t read_dump(const std::string& path) {
    try {
        const dumpfile::Reader reader(path);
        int64_t read = 0;
        int64_t left = kMostBytesRead;
        size_t touched = reader.incompleteness().size() + reader.warnings().size();
        for (const dumpfile::OpEntry& op : reader.ops()) {
            touched += op.facts().source.node.size();
            if (reader.find(op.id) == nullptr) throw std::logic_error("an op is not found again");
            for (const dumpfile::Entry& entry : op.entries) {
                const auto dtype = entry.dtype();
                touched += entry.is_tensor() ? 1 : 0;
                try {
                    const h5::Elements elements = reader.elements(entry);
                    left -= elements.numel() * static_cast<int64_t>(size_of(elements.dtype()));
                    if (left < 0) return read;
                    const Tensor tensor = reader.read(entry);
                    if (tensor.numel() != elements.numel() || (dtype && tensor.dtype() != *dtype))
                        throw std::logic_error("a tensor is not what its entry says");
                    touched += static_cast<size_t>(statistics_of(tensor).finite);
                    ++read;
                } catch (const Error& error) {
                    require_clear(error);
                }
            }
        }
        [[maybe_unused]] volatile size_t kept = touched;
        return read;
    } catch (const Error& error) {
        require_clear(error);
        return -1;
    }
}

}  // namespace npuscope::test
