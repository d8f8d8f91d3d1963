// Tensors that an ONNX model keeps in files beside its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/tensor/tensor.h"

namespace onnx {
class TensorProto;
}

namespace npuscope::onnx_model {

/// Reads only regular files below one folder, symbolic links resolved. A range that several tensors
/// name is read once; distinct ranges of a file may not add up to more than the file, so that
/// memory is bounded by what is on disk.
/// Threads: one at a time.
/// Source: ONNX External Data (keys location, offset, length; checksum is not verified).
class ExternalData {
  public:
    /// An empty folder means that the model has no place: nothing can be read.
    explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// `what` names the tensor in messages. Errors: Error(kFormat) keys that make no sense, a range
    /// outside the file or of a wrong size; Error(kUsage) a path that leaves the folder;
    /// Error(kIo) a missing or unreadable file; Error(kUnsupported) unknown keys.
    [[nodiscard]] Tensor read(const onnx::TensorProto& proto,
                              DType dtype,
                              Shape shape,
                              const std::string& what);

  private:
    struct File {
        uint64_t size = 0;
        uint64_t unclaimed = 0;
    };
    File& open(const std::filesystem::path& path, const std::string& what);

    std::filesystem::path folder_;
    std::map<std::filesystem::path, File> files_;  ///< by real path: one file may have many names
    std::map<std::tuple<std::filesystem::path, uint64_t, DType, int64_t>, Tensor> ranges_;
};

}  // namespace npuscope::onnx_model
