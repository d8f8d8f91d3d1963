#include "core/recording/overwritten_inputs.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/naming/in_place.h"

namespace npuscope {

namespace {

/// Runs of a name.
constexpr size_t kInPlaceLookedAt = 8;
constexpr size_t kFewestInPlace = 2;
constexpr int64_t kSmallInPlace = int64_t{1} << 20;

bool is_zero(const Tensor& tensor) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(tensor.data());
    return std::all_of(
        bytes, bytes + tensor.nbytes(), [](unsigned char byte) { return byte == 0; });
}

/// Multiplying by it changes nothing, as where gradients are clipped to a norm that they keep.
bool is_one(const Tensor& tensor) {
    if (!is_float(tensor.dtype())) return false;
    const Tensor wide = tensor.cast(DType::kFloat64);
    return std::ranges::all_of(wide.as<double>(), [](double value) { return value == 1; });
}

/// A sum with a 1, or of one times something, is another number.
bool adds_up(const SourceOp& op) {
    return op.id.op.find("add_") != std::string::npos || op.id.op.find("sub_") != std::string::npos;
}

/// "self", or the first of a list of that name.
bool is_of_self(const SourceTensor& tensor) {
    return tensor.argument == "self" || tensor.argument == "self/self_0";
}

/// Some recorders number what an op takes in.
bool may_be_self(const SourceTensor& tensor) {
    return is_of_self(tensor) || tensor.argument.ends_with("0");
}

enum class Told : uint8_t { kNothing, kBefore, kAfter };

/// When the input was recorded that the op wrote into. Errors: as SourceTensor::open.
Told read_from(const SourceOp& op) {
    const std::vector<SourceTensor> tensors = op.load();
    const SourceTensor* self = nullptr;
    const SourceTensor* result = nullptr;
    for (const SourceTensor& tensor : tensors) {
        if (!tensor.open || numel_of(tensor.shape) > kSmallInPlace) return Told::kNothing;
        const bool is_output = tensor.direction == dumpfile::Direction::kOutput;
        if (is_output && result == nullptr) result = &tensor;
        if (!is_output && (self == nullptr || is_of_self(tensor)) && may_be_self(tensor))
            self = &tensor;
    }
    if (self == nullptr || result == nullptr || self->shape != result->shape ||
        self->dtype != result->dtype)
        return Told::kNothing;
    for (const SourceTensor& tensor : tensors) {
        if (&tensor == self || &tensor == result) continue;
        const Tensor other = tensor.open()->whole();
        if (is_zero(other) || (is_one(other) && !adds_up(op))) return Told::kNothing;
    }
    const Tensor held = self->open()->whole();
    const Tensor given = result->open()->whole();
    if (is_zero(given)) return Told::kNothing;
    return std::memcmp(held.data(), given.data(), held.nbytes()) == 0 ? Told::kAfter
                                                                      : Told::kBefore;
}

/// What cannot be read is told of where it is compared.
Told told_by(const SourceOp& op) {
    try {
        return read_from(op);
    } catch (const Error&) {
        return Told::kNothing;
    }
}

}  // namespace

void set_apart_overwritten(Source& source) {
    std::vector<SourceOp*> in_place;
    size_t after = 0;
    std::map<std::string, size_t> looked_at;
    for (SourceOp& op : source.ops) {
        if (!calculates_in_place(op.id.op)) continue;
        in_place.push_back(&op);
        size_t& of_name = looked_at[op.id.op];
        if (of_name >= kInPlaceLookedAt) continue;
        const Told told = told_by(op);
        if (told == Told::kBefore) return;
        if (told == Told::kNothing) continue;
        ++of_name;
        ++after;
    }
    if (after < kFewestInPlace) return;
    for (SourceOp* op : in_place) {
        op->shows_self_after = true;
        op->calls = []() -> std::vector<SourceOp> {
            throw Error(ErrorKind::kUnsupported,
                        "its `self` was recorded after it had been written into");
        };
    }
    source.remarks.push_back(
        "inputs of ops that work in place were recorded after these had run: " +
        std::to_string(in_place.size()) + " such ops cannot be judged");
}

}  // namespace npuscope
