// Any bytes as a dump in CANN's binary format: all its tensors are read and decoded, or it is
// refused with one line.
#pragma once

#include <string>
#include <vector>

#include "core/cann_dump/data_type.h"
#include "core/cann_dump/op_debug.h"
#include "core/cann_dump/reader.h"
#include "tests/fuzz/clear_error.h"

namespace npuscope::test {

/// How many tensors were decoded, -1 when the file is refused. Throws std::logic_error when the
/// reader promises what the file does not hold.
inline int64_t read_binary_dump(const std::string& path) {
    try {
        const cann_dump::DumpReader reader(path);
        int64_t decoded = 0;
        for (const auto* list : {&reader.file().inputs, &reader.file().outputs})
            for (const cann_dump::DumpTensor& tensor : *list) {
                const auto stored = reader.read(tensor);
                if (stored.size() != tensor.size) throw std::logic_error("a payload is cut");
                if (stored.size() == cann_dump::kOpDebugBytes)
                    static_cast<void>(cann_dump::OpDebugRecord::parse(stored.span()).json());
                const cann_dump::DataTypeInfo* type = cann_dump::find_data_type(tensor.data_type);
                if (type == nullptr || type->bits == 0 ||
                    type->decoding == cann_dump::Decoding::kNone)
                    continue;
                const size_t count = stored.size() * 8 / static_cast<size_t>(type->bits);
                std::vector<std::byte> elements(count * type->array_item_size);
                cann_dump::decode_elements(*type, stored.data(), count, elements.data());
                ++decoded;
            }
        return decoded;
    } catch (const Error& error) {
        require_clear(error);
        return -1;
    }
}

}  // namespace npuscope::test
