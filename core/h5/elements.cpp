#include "core/h5/elements.h"

#include <algorithm>
#include <cstring>

#include "core/dtype/bools.h"
#include "core/h5/index.h"
#include "core/h5/object_facts.h"
#include "core/h5/state.h"
#include "core/h5/types.h"

namespace npuscope::h5 {

namespace {

/// Datasets of less are read once and kept: single pieces of a compressed one would be unpacked
/// again and again.
constexpr uint64_t kMostKept = uint64_t{16} << 20;
constexpr size_t kChunkCache = size_t{64} << 20;
constexpr size_t kChunkSlots = 12421;  // a prime, as HDF5 recommends

/// Selects the longest block of consecutive elements from `first` on and returns its length.
hsize_t select_block(hid_t space,
                     std::span<const int64_t> shape,
                     std::span<const int64_t> strides,
                     int64_t first,
                     int64_t count) {
    std::vector<hsize_t> start(shape.size());
    std::vector<hsize_t> block(shape.size(), 1);
    int64_t rest = first;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        start[axis] = static_cast<hsize_t>(rest / strides[axis]);
        rest %= strides[axis];
    }
    // The outermost axis of which at least one whole slice begins here and is wanted.
    size_t axis = 0;
    while (first % strides[axis] != 0 || count < strides[axis])
        ++axis;
    block[axis] = std::min(static_cast<hsize_t>(count / strides[axis]),
                           static_cast<hsize_t>(shape[axis]) - start[axis]);
    for (size_t inner = axis + 1; inner < shape.size(); ++inner)
        block[inner] = static_cast<hsize_t>(shape[inner]);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr),
          "cannot select elements");
    return block[axis] * static_cast<hsize_t>(strides[axis]);
}

}  // namespace

struct Elements::Source {
    std::string name;
    Handle dataset;
    Handle space;
    Handle memory_type;
    bool is_kept = false;
    std::vector<std::byte> kept;  ///< all elements, once they were read

    void read_all(std::byte* target) const {
        check(H5Dread(dataset.get(), memory_type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, target),
              "cannot read the dataset " + name,
              ErrorKind::kFormat);
    }
};

Elements::Elements() = default;
Elements::Elements(Elements&&) noexcept = default;
Elements& Elements::operator=(Elements&&) noexcept = default;
Elements::~Elements() {
    if (!source_) return;
    const LibraryLock lock;
    source_.reset();
}

void Elements::require_range(int64_t first, int64_t count) const {
    if (first < 0 || count < 0 || first > numel_ || count > numel_ - first)
        throw Error(ErrorKind::kInternal, "elements were asked for that a dataset does not have");
}

const std::byte* Elements::range(int64_t first,
                                 int64_t count,
                                 std::vector<std::byte>& buffer) const {
    require_range(first, count);
    const size_t size = size_of(dtype_);
    const std::byte* mapped =
        data_ == nullptr ? nullptr : data_ + static_cast<size_t>(first) * size;
    if (mapped != nullptr && dtype_ != DType::kBool) return mapped;
    const size_t bytes = static_cast<size_t>(count) * size;
    if (buffer.size() < std::max<size_t>(bytes, 1)) buffer.resize(std::max<size_t>(bytes, 1));
    if (count == 0) return buffer.data();
    if (mapped != nullptr)
        std::memcpy(buffer.data(), mapped, bytes);
    else
        read_by_library(first, count, buffer.data());
    if (dtype_ == DType::kBool) make_bools({buffer.data(), bytes});
    return buffer.data();
}

void Elements::read_by_library(int64_t first, int64_t count, std::byte* target) const {
    const size_t size = size_of(dtype_);
    const LibraryLock lock;
    Source& source = *source_;
    const uint64_t all = static_cast<uint64_t>(numel_) * size;
    if (shape_.empty() || (first == 0 && count == numel_ && !source.is_kept)) {
        source.read_all(target);
        return;
    }
    if (all < kMostKept) {
        if (!source.is_kept) {
            source.kept.resize(all);
            source.read_all(source.kept.data());
            source.is_kept = true;
        }
        std::memcpy(target,
                    source.kept.data() + static_cast<size_t>(first) * size,
                    static_cast<size_t>(count) * size);
        return;
    }
    const auto strides = contiguous_strides(shape_);
    while (count > 0) {
        const hsize_t length = select_block(source.space.get(), shape_, strides, first, count);
        const Handle memory =
            checked(H5Screate_simple(1, &length, nullptr), H5Sclose, "cannot make a dataspace");
        check(H5Dread(source.dataset.get(),
                      source.memory_type.get(),
                      memory.get(),
                      source.space.get(),
                      H5P_DEFAULT,
                      target),
              "cannot read the dataset " + source.name,
              ErrorKind::kFormat);
        first += static_cast<int64_t>(length);
        count -= static_cast<int64_t>(length);
        target += length * size;
    }
}

void Elements::release(int64_t first, int64_t count) const {
    require_range(first, count);
    if (data_ == nullptr) return;
    const uint64_t size = size_of(dtype_);
    const auto offset = static_cast<uint64_t>(data_ - mapping_->bytes().data());
    const uint64_t begin = offset + static_cast<uint64_t>(first) * size;
    mapping_->release(begin, static_cast<uint64_t>(count) * size);
}

void Elements::require_intact() const {
    if (mapping_ && !mapping_->is_intact())
        throw Error(ErrorKind::kIo,
                    in_quotes(*path_) +
                        " was cut short while it was read; make sure that nothing writes to it "
                        "and try again");
}

Elements Reader::elements(const Index& index, int32_t node) const {
    const Node& of = index[node];
    if (!index.mapping_ || of.needs_library || of.kind != ObjectKind::kDataset || !of.dtype ||
        of.null_space)
        return elements(index.path(node));
    const auto dims = index.shape(node);
    const bool is_empty = numel_of(dims) == 0;
    if (of.storage_offset == Node::kNoOffset && !is_empty) return elements(index.path(node));
    Elements found;
    found.dtype_ = *of.dtype;
    found.shape_.assign(dims.begin(), dims.end());
    found.numel_ = numel_of(dims);
    found.path_ = &state_->path();
    found.mapping_ = index.mapping_;
    const auto file = index.mapping_->bytes();
    found.data_ = file.data();
    if (is_empty) return found;
    uint64_t wanted = 0;
    const bool fits = !__builtin_mul_overflow(
        static_cast<uint64_t>(found.numel_), uint64_t{of.element_bytes}, &wanted);
    if (!fits || wanted > of.storage_bytes || of.storage_bytes > file.size() ||
        of.storage_offset > file.size() || file.size() - of.storage_offset < wanted)
        throw Error(ErrorKind::kFormat,
                    state_->name(index.path(node)) + " claims more elements than it stores");
    found.data_ += of.storage_offset;
    return found;
}

Elements Reader::elements(const std::string& path) const {
    const LibraryLock lock;
    Elements found;
    found.path_ = &state_->path();
    found.source_ = std::make_unique<Elements::Source>();
    Elements::Source& source = *found.source_;
    source.name = state_->name(path);
    const Handle access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "cannot set up HDF5");
    check(H5Pset_chunk_cache(access.get(), kChunkSlots, kChunkCache, H5D_CHUNK_CACHE_W0_DEFAULT),
          "cannot set up HDF5");
    source.dataset = checked(H5Dopen2(state_->library().file.get(), path.c_str(), access.get()),
                             H5Dclose,
                             "cannot open the dataset " + source.name,
                             ErrorKind::kFormat);
    const Handle type =
        checked(H5Dget_type(source.dataset.get()), H5Tclose, "no type of " + source.name);
    source.space =
        checked(H5Dget_space(source.dataset.get()), H5Sclose, "no space of " + source.name);
    const auto dtype = dtype_of(type.get());
    if (!dtype || H5Sget_simple_extent_type(source.space.get()) == H5S_NULL)
        throw Error(
            ErrorKind::kUnsupported,
            source.name + " holds " + numpy_name(type.get()) + ", which is no tensor dtype");
    found.dtype_ = *dtype;
    found.shape_ = shape_of(source.space.get(), source.name);
    found.numel_ = numel_of(found.shape_);
    require_plausible_size(
        state_->library(), source.dataset.get(), path, found.shape_, size_of(found.dtype_));
    source.memory_type = reading_type(*dtype, type.get());
    return found;
}

}  // namespace npuscope::h5
