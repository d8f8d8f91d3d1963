// One op's dump as arrays: read from a binary dump or from a NumPy file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/kernel_dumps/dump_folder.h"

namespace npuscope::msaccucmp {

/// What NumPy would hold. Of complex elements only the real part is kept, which is all that is
/// ever compared; 8-bit floats are float64, bfloat16 is float32.
struct Array {
    Tensor values;
    std::string dtype;  ///< NumPy's name of the dtype, "complex64" included

    [[nodiscard]] const Shape& shape() const { return values.shape(); }
    [[nodiscard]] Array reshaped(const Shape& shape) const {
        return {values.reshaped(shape), dtype};
    }
};

struct DumpedTensor {
    int64_t data_type = 0;  ///< cann_dump::DataType
    int64_t format = 0;     ///< layout::Format, or any number
    Shape shape;            ///< as the dump has it
    Shape original_shape;   ///< empty: unknown
    int64_t groups = 0;
    uint64_t address = 0;
    bool is_ffts = false;
    Array data;  ///< flat, but of `shape` where a dim is 0
};

/// How an FFTS+ op was cut into the parts that were dumped.
struct FftsAttributes {
    bool is_automatic = false;
    int64_t parts = 0;
    std::vector<std::vector<int64_t>> cuts;         ///< by output, by dim: 1 is uncut
    std::vector<std::vector<Shape>> output_shapes;  ///< by part, by output (automatic only)
};

struct DumpedOp {
    std::string name;  ///< that the dump gives; may be empty
    std::string path;  ///< of the file, for messages
    std::string type;  ///< by the file's name
    std::vector<DumpedTensor> inputs;
    std::vector<DumpedTensor> outputs;
    std::optional<FftsAttributes> ffts;
    bool has_attributes = false;
    bool has_all_parts = true;
};

/// Errors: CompareFailure(kInvalidDumpData) the file is damaged, (kInvalidDataType) an element type
/// that cannot be read, (kNanoSizesDiffer) a nano dump of the wrong size.
[[nodiscard]] DumpedOp read_dumped_op(const DumpFile& file);

/// The op behind an entry: its newest file, or the parts of an FFTS+ op put together. Errors: those
/// of read_dumped_op; (kInvalidDumpData), (kDataShapeMismatch) when the parts do not fit.
[[nodiscard]] DumpedOp read_entry(const FolderEntry& entry, Log& log);

/// A NumPy file, or text as numpy.loadtxt reads it when the name ends in .txt. Errors:
/// CompareFailure(kInvalidDumpData).
[[nodiscard]] Array read_array_file(const std::filesystem::path& path);

}  // namespace npuscope::msaccucmp
