// Array files that `convert` writes: .npy, raw bytes, PyTorch's .pt. All are new files of mode
// 0600.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/npz/torch_file.h"

namespace npuscope::msaccucmp {

enum class ArrayFileType { kNpy, kBin, kMsNpy, kPt };

struct ArrayFacts {
    std::string_view descr;       ///< "<f4"
    std::string_view dtype_name;  ///< "float32"
    size_t item_size = 0;
    std::vector<int64_t> shape;

    [[nodiscard]] uint64_t nbytes() const;
};

/// Replaces whatever is at `path`. `produce` is asked for pieces of 1 MB; each but the last is a
/// multiple of 64 bytes. Nothing stays behind when it fails.
/// Errors: CommandError(kOpenFileError, kWriteFileError), (kInvalidDataType) a dtype that PyTorch
/// lacks; what `produce` throws.
void write_array_file(const std::filesystem::path& path,
                      ArrayFileType type,
                      const ArrayFacts& facts,
                      const ByteProducer& produce);

/// A file of raw bytes or an array that is filled in any order through a mapping, whose pages
/// release() gives back to the system: for arrays that should not be held in memory. Zeros at
/// first. Errors: CommandError(kOpenFileError, kWriteFileError), a full disk at once.
class MappedArrayFile {
  public:
    MappedArrayFile(const std::filesystem::path& path, ArrayFileType type, const ArrayFacts& facts);
    ~MappedArrayFile();
    MappedArrayFile(const MappedArrayFile&) = delete;
    MappedArrayFile& operator=(const MappedArrayFile&) = delete;

    [[nodiscard]] std::byte* elements() { return data_ + header_; }
    void release();
    /// Keeps the file; without it the destructor removes it.
    void finish();

  private:
    std::filesystem::path path_;
    size_t header_ = 0;
    size_t size_ = 0;
    std::byte* data_ = nullptr;
    bool is_finished_ = false;
};

}  // namespace npuscope::msaccucmp
