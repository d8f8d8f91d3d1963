// Shapes of the threads of an FFTS+ op, from the JSON attribute of its dump.
#pragma once

#include <filesystem>
#include <optional>

#include "core/cann_dump/dump_file.h"
#include "core/layout/stored_layout.h"

namespace npuscope::msaccucmp {

/// What one thread of an op in automatic mode has of each tensor.
struct ThreadShapes {
    std::vector<layout::Dims> inputs;
    std::vector<layout::Dims> outputs;
};

/// Nothing unless the dump is one of automatic mode. The thread is the second last field of the
/// file's name. Errors: CommandError(kInvalidDumpData) JSON that is none or lacks the thread's
/// slices, (kInvalidPath) a name without a thread, (kInvalidInputMapping) numbers of tensors that
/// differ.
[[nodiscard]] std::optional<ThreadShapes> thread_shapes(const cann_dump::DumpFile& dump,
                                                        const std::filesystem::path& path);

}  // namespace npuscope::msaccucmp
