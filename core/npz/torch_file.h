// PyTorch's tensor files (.pt), as torch.save writes one tensor and torch.load reads it.
// Source: PyTorch documentation, "Serialization semantics"; Python's pickletools for the protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace npuscope {

/// Fills the whole span with the next bytes of the tensor; what it throws ends the writing.
using ByteProducer = std::function<void(std::span<std::byte>)>;

/// True for the dtypes, by their NumPy names, that every PyTorch since 1.6 knows.
[[nodiscard]] bool torch_has_dtype(std::string_view dtype_name);

/// Writes one C-order tensor of the CPU, whose bytes (little endian) come from `produce` piece by
/// piece. The file appears under its name only when it is complete. Errors: Error(kUnsupported) for
/// a dtype PyTorch lacks (uint16, uint32, uint64), Error(kIo).
void write_torch_tensor(const std::filesystem::path& path,
                        std::string_view dtype_name,
                        std::span<const int64_t> shape,
                        const ByteProducer& produce);

}  // namespace npuscope
