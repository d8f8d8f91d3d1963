// A dataset as the HDF5 library has it open. Included by core/h5/*.cpp only, used under the
// library's lock.
#pragma once

#include <string>
#include <vector>

#include "core/h5/library_file.h"
#include "core/h5/types.h"
#include "core/tensor/tensor.h"

namespace npuscope::h5 {

/// What of a dataset's elements is read.
enum class ElementPart : uint8_t { kWhole, kRealPart };

class LibraryDataset {
  public:
    /// The elements themselves, or the real part of complex ones (h5py's compound of "r" and "i").
    /// Errors: Error(kUnsupported) when they are of no tensor dtype, Error(kFormat) when the
    /// dataset cannot be opened, lies in other files than it may, or claims more elements than it
    /// stores.
    LibraryDataset(const OpenFile& file, const std::string& path, ElementPart part);

    [[nodiscard]] DType dtype() const { return dtype_; }
    [[nodiscard]] const Shape& shape() const { return shape_; }
    /// Elements from flat index `first` on, in native byte order; bools as they are stored.
    /// Errors: Error(kFormat) when they cannot be read.
    void read(int64_t first, int64_t count, std::byte* target);

  private:
    void open_elements(hid_t type);
    void open_real_part(hid_t type);

    std::string name_;
    Handle dataset_;
    Handle space_;
    Handle memory_type_;
    DType dtype_ = DType::kFloat32;
    Shape shape_;
    std::vector<int64_t> strides_;
    int64_t numel_ = 0;
};

/// Whether the elements lie in the file, or in files that the library reaches through its driver.
/// Errors: Error(kFormat) for external raw storage, also of a dataset that a virtual one shows.
void require_contained(const OpenFile& file, hid_t dataset, const std::string& what);

}  // namespace npuscope::h5
