// HDF5 files: reads them from their bytes, with the HDF5 library's help where that is not enough,
// and writes them with the library.
//
// The library reads in a process of its own (core/h5/trust.h).
// Threads: a file that is written belongs to one thread.
// Errors:  Error(kIo) for the file system, Error(kFormat) for contents; both name the file and the
// object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/dtype/dtype.h"
#include "core/tensor/tensor.h"

namespace npuscope::h5 {

/// int32 and strings are scalar attributes; a vector is a 1-D int64 attribute (it may be empty).
using AttributeValue = std::variant<int32_t, std::vector<int64_t>, std::string>;
struct Attribute {
    std::string name;
    AttributeValue value;
};

/// A new file in HDF5's classic (1.8) layout. Groups on the way to an object are made.
class Writer {
  public:
    /// Creates or truncates `path`.
    explicit Writer(const std::filesystem::path& path);
    /// Opens an existing file to add to it. Errors: Error(kFormat) when it is not HDF5.
    [[nodiscard]] static Writer open_existing(const std::filesystem::path& path);
    ~Writer();  ///< closes, ignoring errors
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void create_group(const std::string& path);
    /// A contiguous little-endian dataset. float16 and bfloat16 elements must have been converted
    /// by the caller except with `dtype` kFloat16, which is stored as IEEE binary16. bool is stored
    /// as int8.
    void write_dataset(const std::string& path,
                       const TensorView& elements,
                       std::span<const Attribute> attributes);
    /// A scalar fixed-length UTF-8 string.
    void write_string(const std::string& path,
                      const std::string& text,
                      std::span<const Attribute> attributes);
    /// A second name for an existing object.
    void link(const std::string& existing, const std::string& path);
    void write_root_attribute(const Attribute& attribute);
    [[nodiscard]] bool exists(const std::string& path) const;
    /// Bytes of the file so far (allocated, not necessarily flushed).
    [[nodiscard]] uint64_t size() const;
    void flush();
    void close();

  private:
    friend class LibraryReader;
    Writer(const std::filesystem::path& path, bool existing);
    struct State;
    std::unique_ptr<State> state_;
};

enum class ObjectKind : uint8_t { kGroup, kDataset, kOther };

/// What is known of a dataset without reading its elements.
struct DatasetInfo {
    std::optional<DType>
        dtype;  ///< empty: not a numeric dtype of the table (string, compound, complex, …)
    bool big_endian = false;
    std::string numpy_name;  ///< dtype name as h5py prints it: float32, >f4, bool, |S5, object, …
    Shape shape;             ///< empty for a scalar dataspace
    bool null_space = false;  ///< an H5S_NULL dataspace
    uint64_t storage_bytes = 0;
    std::optional<uint64_t> offset;  ///< of contiguous data in the file, when it is allocated
};

class Index;
class Elements;

/// Who reads the tree for Reader::index(); the answers are the same.
enum class IndexSource : uint8_t { kMappedFile, kLibrary };

/// An existing file, opened read-only.
class Reader {
  public:
    /// Errors: Error(kIo) missing or unreadable, Error(kFormat) not HDF5, or truncated.
    explicit Reader(const std::filesystem::path& path);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const;
    /// The whole tree with shapes, dtypes and attributes (core/h5/index.h), by libhdf5 where the
    /// file cannot be mapped. Errors: Error(kFormat) when not even the root can be read.
    [[nodiscard]] Index index(IndexSource source = IndexSource::kMappedFile) const;
    /// A dataset's elements, read piece by piece (core/h5/elements.h). They borrow the reader.
    /// Errors: as read().
    [[nodiscard]] Elements elements(const std::string& path) const;
    [[nodiscard]] Elements elements(const Index& index, int32_t node) const;
    /// The whole dataset in its own dtype, native byte order. Errors: Error(kUnsupported) when it
    /// has none of the table's dtypes, Error(kFormat) when the data cannot be read.
    [[nodiscard]] Tensor read(const std::string& path) const;
    /// The real part of a complex dataset (h5py's compound of "r" and "i"), as float32 or float64.
    /// Errors: Error(kUnsupported) when it is something else.
    [[nodiscard]] Tensor read_real_part(const std::string& path) const;
    [[nodiscard]] std::string read_string(const std::string& path) const;

    /// Copies objects with all below them into a new file or, with `exists`, into one that is
    /// there, by the HDF5 library; `root_attributes` are texts. Gives the first target that is
    /// taken already, "" when all were copied.
    [[nodiscard]] std::string copy_to(
        const std::filesystem::path& target,
        bool exists,
        std::span<const Attribute> root_attributes,
        std::span<const std::pair<std::string, std::string>> paths) const;

  private:
    friend class Elements;
    friend class RawCopy;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::h5
