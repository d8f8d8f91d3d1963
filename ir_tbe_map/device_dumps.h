// The kernel dumps of a device, read back: which kernels ran when, and on what.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::ir_tbe_map {

/// What a tensor holds, whatever its dtype and format: two of equal content have an equal `wide`
/// (as float32) or, when one of them was rounded to float16 on the way, an equal `half`.
struct ContentKey {
    int64_t numel = 0;
    uint64_t wide = 0;
    uint64_t half = 0;
    bool weak = false;  ///< one number repeated, or fewer than two: equal by chance too easily

    [[nodiscard]] bool matches(const ContentKey& other) const {
        return numel == other.numel && (wide == other.wide || half == other.half);
    }
};
[[nodiscard]] ContentKey content_key(const Tensor& tensor);

/// One input or output in a dump file.
struct DeviceTensor {
    std::string dtype;  ///< as the dump calls it
    std::string format;
    Shape stored_shape;
    Shape shape;                    ///< in plain layout; stored_shape where that is not known
    std::optional<ContentKey> key;  ///< none: the elements cannot be read or brought into order
    std::filesystem::path file = {};
    bool input = false;
    size_t index = 0;
};

struct DeviceKernel {
    std::string type;
    std::string op_name;
    int64_t task_id = 0;
    int64_t stream_id = 0;
    uint64_t timestamp = 0;
    std::filesystem::path file;
    std::vector<DeviceTensor> inputs;
    std::vector<DeviceTensor> outputs;
};

struct DeviceDumps {
    std::vector<DeviceKernel> kernels;     ///< by time
    std::vector<std::string> debug_files;  ///< overflow records, below the folder
    std::vector<std::string> remarks;      ///< files that are no dump, at most ten, and how many
};

/// All dump files below `folder`; each tensor is read once. Errors: Error(kIo) for a folder that
/// cannot be read, Error(kUsage) when it holds no dump.
[[nodiscard]] DeviceDumps read_device_dumps(const std::filesystem::path& folder);

/// The elements, in plain layout. Errors: as the reader; Error(kUnsupported) without a key.
[[nodiscard]] Tensor load(const DeviceTensor& tensor);

}  // namespace npuscope::ir_tbe_map
