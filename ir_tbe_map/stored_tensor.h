// A kernel's tensor as it lies in the device's memory.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/cann_dump/dump_file.h"
#include "core/event/observer.h"
#include "core/layout/format.h"

namespace npuscope::ir_tbe_map {

/// Elements in a memory format, padded with zeros. `bytes` of `described` borrow `bytes` here, or
/// the tensor's own where the format keeps its order.
struct StoredTensor {
    Tensor plain;                  ///< as the kernel's event had it, for as long as this lives
    std::vector<std::byte> bytes;  ///< empty where the plain elements are what is stored
    layout::Format format = layout::Format::kND;
    Shape logical;  ///< four dims for a vector in NC1HWC0: 1 C 1 1
    Shape shape;    ///< in `format`
    int64_t groups = 1;

    [[nodiscard]] std::span<const std::byte> stored() const;
    /// As an input or output of a dump; borrows this.
    [[nodiscard]] cann_dump::DumpTensor described() const;
};

/// Shapes alone; nothing is copied. Errors: as stored_layout().
[[nodiscard]] StoredTensor described_in_format(const Tensor& tensor,
                                               std::string_view format,
                                               int64_t groups);
/// Errors: Error(kUnsupported) for a format without a layout for this shape.
[[nodiscard]] StoredTensor stored_in_format(const Tensor& tensor,
                                            std::string_view format,
                                            int64_t groups);

}  // namespace npuscope::ir_tbe_map
