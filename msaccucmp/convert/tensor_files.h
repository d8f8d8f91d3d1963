// Writes the tensors, buffers and spaces of one dump as they are: `convert` without -f.
#pragma once

#include <string>

#include "msaccucmp/base/log.h"
#include "msaccucmp/convert/array_file.h"
#include "msaccucmp/convert/output_names.h"
#include "msaccucmp/kernel_dumps/dump_array.h"
#include "msaccucmp/kernel_dumps/input_file.h"
#include "msaccucmp/kernel_dumps/op_debug.h"

namespace npuscope::msaccucmp {

/// Where a tensor stands in its dump: "input.0" in file names, "input:0" in messages.
struct TensorPlace {
    bool is_input = false;
    size_t index = 0;

    [[nodiscard]] std::string text(char separator) const {
        return (is_input ? "input" : "output") + std::string(1, separator) + std::to_string(index);
    }
};

struct TensorFileOptions {
    ArrayFileType type = ArrayFileType::kNpy;
    std::string base;  ///< the files' names begin with it
};

/// One file a tensor. A tensor that cannot be written is logged and the others go on; the first
/// code is returned. Op-debug dumps become JSON. Errors: CommandError for what concerns the whole
/// file, before anything is written.
[[nodiscard]] int write_tensor_files(const InputFile& file,
                                     const TensorFileOptions& options,
                                     OutputNames& names,
                                     Log& log);

/// The outputs of an op-debug dump as BASE.output.<i>.json; the first one's content. Errors:
/// CommandError.
OpDebug write_op_debug(const InputFile& file,
                       const std::string& base,
                       OutputNames& names,
                       Log& log);

/// Writes all elements as an array of `shape`. Errors: CommandError.
void write_array(const DumpArray& array,
                 const std::vector<int64_t>& shape,
                 const std::filesystem::path& path,
                 ArrayFileType type);

/// Errors: CommandError(kInvalidDataType) when any tensor has a type that cannot be read.
void check_types(const cann_dump::DumpFile& dump);

}  // namespace npuscope::msaccucmp
