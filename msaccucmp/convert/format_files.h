// Writes the tensors of one dump in another memory format: `convert -f`.
#pragma once

#include <optional>

#include "core/layout/plan.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/convert/array_file.h"
#include "msaccucmp/convert/custom_formats.h"
#include "msaccucmp/convert/output_names.h"
#include "msaccucmp/convert/tensor_files.h"
#include "msaccucmp/kernel_dumps/input_file.h"

namespace npuscope::msaccucmp {

struct FormatOptions {
    ArrayFileType type = ArrayFileType::kNpy;
    layout::Format format = layout::Format::kND;
    layout::Dims shape;               ///< of -s; empty: each tensor's original shape
    std::optional<TensorPlace> only;  ///< of -i or -o
    CustomFormats* custom = nullptr;  ///< borrowed; may be none
};

/// One file a tensor. A tensor that cannot be converted is logged and the others go on; the last
/// code is returned, as the reference tool does, inputs before outputs. With msnpy such a tensor is
/// written in its own format. Errors: CommandError for what concerns the whole file or the one
/// tensor of `only`.
[[nodiscard]] int write_format_files(const InputFile& file,
                                     const FormatOptions& options,
                                     OutputNames& names,
                                     Log& log);

}  // namespace npuscope::msaccucmp
