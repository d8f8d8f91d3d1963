// A tensor of a dump as the array that NumPy would hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cann_dump/data_type.h"
#include "core/cann_dump/dump_file.h"
#include "msaccucmp/kernel_dumps/input_file.h"

namespace npuscope::msaccucmp {

/// What the array is, and how its elements come from the file. Elements are handed out in order
/// and piece by piece, so that its size does not matter.
class DumpArray {
  public:
    /// Errors: CommandError(kInvalidDataType) a type that cannot be read, (kDataShapeMismatch) a
    /// shape that needs more bytes than the tensor has.
    /// `slice` replaces the shape: of a thread's part of the tensor.
    DumpArray(const InputFile& file,
              const cann_dump::DumpTensor& tensor,
              const std::vector<int64_t>* slice = nullptr);

    [[nodiscard]] const cann_dump::DumpTensor& tensor() const { return *tensor_; }
    /// As a dump names it; empty for rank 0 and where the file says nothing.
    [[nodiscard]] const std::vector<int64_t>& shape() const { return shape_; }
    /// Of the file that is written: at least one dim, since the reference tool's arrays have one.
    [[nodiscard]] std::vector<int64_t> file_shape() const;
    [[nodiscard]] int64_t numel() const { return numel_; }
    /// "<f4", "float32" and bytes of one element. Without elements an array is float64.
    [[nodiscard]] std::string_view descr() const;
    [[nodiscard]] std::string_view dtype_name() const;
    [[nodiscard]] size_t item_size() const;
    /// The dtype in the name of a .bin file: that of the dump for 8-bit floats and bfloat16.
    [[nodiscard]] std::string_view bin_dtype_name() const;

    /// Elements [first, first + count) into `target`; `first` is a multiple of 8 for uint1.
    void read(int64_t first, int64_t count, std::byte* target) const;
    /// True when the elements lie in the file as they are in the array.
    [[nodiscard]] bool is_plain() const;
    /// True when an element has less than a byte in the file.
    [[nodiscard]] bool is_packed() const { return type_->bits < 8; }

  private:
    const InputFile* file_;
    const cann_dump::DumpTensor* tensor_;
    const cann_dump::DataTypeInfo* type_;
    std::vector<int64_t> shape_;
    int64_t numel_ = 1;
};

/// The name of the type, for messages and tables. Errors: CommandError(kInvalidDataType).
[[nodiscard]] const cann_dump::DataTypeInfo& readable_type(int64_t code);

}  // namespace npuscope::msaccucmp
