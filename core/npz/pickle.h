// The part of Python's pickle that torch.save writes for tensors in containers. Nothing is ever
// called: a function that is not known makes an opaque value.
// Source: Python's pickletools (protocols 2 to 5); torch/_utils.py, torch/serialization.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace npuscope::npz {

/// One value. Values refer to each other by their number in Pickle, since containers are filled
/// after they were put into others.
struct PickleValue {
    enum class Kind {
        kOpaque,  ///< text: the class or function that made it, "" where none did
        kNone,
        kInteger,
        kFloat,
        kText,
        kSequence,  ///< tuple, list, set
        kDict,      ///< items: key, value, key, value
        kGlobal,    ///< text: "module.name"
        kStorage,   ///< items: dtype's storage class, key, numel
        kTensor,    ///< items: storage, offset, size, stride
    };
    Kind kind = Kind::kOpaque;
    int64_t integer = 0;
    double number = 0;
    std::string text;
    std::vector<size_t> items;
};

struct Pickle {
    std::deque<PickleValue> values;
    size_t root = 0;

    [[nodiscard]] const PickleValue& operator[](size_t i) const { return values[i]; }
};

/// `what` names the source in messages. Errors: Error(kFormat) damaged, Error(kUnsupported) an
/// opcode outside the known ones.
[[nodiscard]] Pickle parse_pickle(std::span<const std::byte> image, const std::string& what);

}  // namespace npuscope::npz
