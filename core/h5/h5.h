// HDF5 files: reads and writes them with the HDF5 library, and holds the index of a file.
//
// Threads: calls of the library take its one lock. A file that is written belongs to one thread.
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
    friend class Reader;
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

/// A dataset with its attributes; integers of any width become lists, other kinds are left out.
struct DatasetDescription {
    DatasetInfo info;
    std::vector<std::pair<std::string, std::variant<std::vector<int64_t>, std::string>>> attributes;

    /// Empty when absent or not one integer.
    [[nodiscard]] std::optional<int64_t> integer(const std::string& name) const;
    [[nodiscard]] std::string text(const std::string& name) const;  ///< "" when absent
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
    [[nodiscard]] bool exists(const std::string& path) const;
    /// Errors: Error(kFormat) when there is no such object.
    [[nodiscard]] ObjectKind kind(const std::string& path) const;
    /// Names of a group's links in h5py's iteration order (by name, or by creation where a group
    /// other than the root tracks it), dangling links left out.
    [[nodiscard]] std::vector<std::string> children(const std::string& group) const;
    /// The same with each child's kind.
    [[nodiscard]] std::vector<std::pair<std::string, ObjectKind>> typed_children(
        const std::string& group) const;

    [[nodiscard]] DatasetInfo dataset(const std::string& path) const;
    /// dataset() and all attributes at once, for indexing large files.
    [[nodiscard]] DatasetDescription describe(const std::string& path) const;
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

    [[nodiscard]] int attribute_count(const std::string& path) const;
    [[nodiscard]] std::vector<std::string> attribute_names(const std::string& path) const;
    /// Empty when absent or not an integer scalar (or one-element array).
    [[nodiscard]] std::optional<int64_t> int_attribute(const std::string& path,
                                                       const std::string& name) const;
    /// Empty when absent or not integer.
    [[nodiscard]] std::optional<std::vector<int64_t>> int_list_attribute(
        const std::string& path, const std::string& name) const;
    [[nodiscard]] std::optional<std::string> string_attribute(const std::string& path,
                                                              const std::string& name) const;

    /// Copies an object with all below it, attributes too (h5copy -p).
    void copy_to(Writer& target, const std::string& from, const std::string& to) const;

  private:
    friend class Elements;
    friend class RawCopy;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::h5
