// Any bytes as a dump in CANN's binary format: all its tensors are read and decoded, or it is
// refused with one line.
#pragma once

#include <string>
#include <vector>

#include "core/dumpdata/data_type.h"
#include "core/dumpdata/op_debug.h"
#include "core/dumpdata/reader.h"
#include "tests/fuzz/clear_error.h"

namespace npuscope::test {

/// How many tensors were decoded, -1 when the file is refused. Throws std::logic_error when the
/// reader promises what the file does not hold.
inline int64_t read_binary_dump(const std::string& path) {
    try {
        const dumpdata::DumpReader reader(path);
        int64_t decoded = 0;
        for (const auto* list : {&reader.file().inputs, &reader.file().outputs})
            for (const dumpdata::DumpTensor& tensor : *list) {
                const auto stored = reader.read(tensor);
                if (stored.size() != tensor.size) throw std::logic_error("a payload is cut");
                if (stored.size() == dumpdata::kOpDebugBytes)
                    static_cast<void>(dumpdata::OpDebugRecord::parse(stored.span()).json());
                const dumpdata::DataTypeInfo* type = dumpdata::find_data_type(tensor.data_type);
                if (type == nullptr || type->bits == 0 ||
                    type->decoding == dumpdata::Decoding::kNone)
                    continue;
                const size_t count = stored.size() * 8 / static_cast<size_t>(type->bits);
                std::vector<std::byte> elements(count * type->array_item_size);
                dumpdata::decode_elements(*type, stored.data(), count, elements.data());
                ++decoded;
            }
        return decoded;
    } catch (const Error& error) {
        require_clear(error);
        return -1;
    }
}

}  // namespace npuscope::test
