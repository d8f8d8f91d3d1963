// One op's dump as arrays: read from a binary dump or from a NumPy file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cann_dump/folder.h"
#include "core/tensor/real_array.h"

namespace npuscope::cann_dump {

struct DumpedTensor {
    int64_t data_type = 0;  ///< DataType, or any number
    int64_t format = 0;     ///< layout::Format, or any number
    Shape shape;            ///< as the dump has it
    Shape original_shape;   ///< empty: unknown
    int64_t groups = 0;
    uint64_t address = 0;
    bool is_ffts = false;
    /// Flat, but of `shape` where a dim is 0. As NumPy would hold it: 8-bit floats are float64
    /// (hifloat8 with msaccucmp's values), bfloat16 is float32.
    RealArray data;
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

/// Errors: Error that the file cannot be read, DumpError(kDamaged), (kSizesDiffer), (kDataType).
[[nodiscard]] DumpedOp read_op(const NamedFile& file);

/// The op behind an entry: its newest file, or the parts of an FFTS+ op put together. Errors: those
/// of the files; DumpError(kDamaged), (kShape) when the parts do not fit.
[[nodiscard]] DumpedOp read_op(const FolderEntry& entry, const Remark& remark);

}  // namespace npuscope::cann_dump
