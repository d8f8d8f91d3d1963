#include "core/h5/elements.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/dtype/bools.h"
#include "core/h5/chunk_reader.h"
#include "core/h5/index.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

namespace {

/// Datasets of less are read once and kept: single pieces of a compressed one would be unpacked
/// again and again.
constexpr uint64_t kMostKept = uint64_t{16} << 20;

/// Bytes of a mapped file that are copied for the asker: of pages that are mapped, and given back,
/// each costs the system more than its copy. Who asks for more looks at some of them.
constexpr uint64_t kMostCopied = uint64_t{1} << 20;
/// As much of a whole tensor is copied too.
constexpr uint64_t kLeastInPlace = uint64_t{8} << 20;

template <class T>
void swap_each(std::span<std::byte> bytes, T (*swap)(T)) {
    for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        value = swap(value);
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
}

void swap_bytes(std::span<std::byte> bytes, size_t size) {
    if (size == 2) swap_each<uint16_t>(bytes, [](uint16_t v) { return __builtin_bswap16(v); });
    if (size == 4) swap_each<uint32_t>(bytes, [](uint32_t v) { return __builtin_bswap32(v); });
    if (size == 8) swap_each<uint64_t>(bytes, [](uint64_t v) { return __builtin_bswap64(v); });
}

}  // namespace

struct Elements::Source {
    LibraryAccess* library = nullptr;
    LibraryAccess::Dataset dataset;
    std::mutex mutex;  ///< of what follows
    bool is_kept = false;
    std::vector<std::byte> kept;  ///< all elements, once they were read
};

Elements::Elements() = default;
Elements::Elements(Elements&&) noexcept = default;
Elements& Elements::operator=(Elements&&) noexcept = default;
Elements::~Elements() {
    if (source_) source_->library->close(source_->dataset);
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
    const size_t bytes = static_cast<size_t>(count) * size;
    if (is_mapped() && dtype_ != DType::kBool && bytes > kMostCopied)
        return data_ + static_cast<size_t>(first) * size;
    if (buffer.size() < std::max<size_t>(bytes, 1)) buffer.resize(std::max<size_t>(bytes, 1));
    if (count > 0) read(first, count, buffer.data());
    return buffer.data();
}

const std::byte* Elements::in_place() const {
    const bool is_large = static_cast<uint64_t>(numel_) * size_of(dtype_) > kLeastInPlace;
    return is_mapped() && dtype_ != DType::kBool && is_large ? data_ : nullptr;
}

void Elements::read(int64_t first, int64_t count, std::byte* target) const {
    const size_t size = size_of(dtype_);
    const size_t bytes = static_cast<size_t>(count) * size;
    if (data_ != nullptr)
        mapping_->copy(data_ + static_cast<size_t>(first) * size, bytes, target);
    else if (chunks_)
        chunks_->read(static_cast<uint64_t>(first), static_cast<uint64_t>(count), target);
    else
        read_by_library(first, count, target);
    if (swapped_) swap_bytes({target, bytes}, size);
    if (dtype_ == DType::kBool) make_bools({target, bytes});
}

Tensor Elements::whole() const {
    // Mapped pages are given back after so much was copied: not twice a large tensor in memory.
    constexpr int64_t kBlockBytes = int64_t{4} << 20;
    Tensor tensor(dtype_, shape_);
    const auto size = static_cast<int64_t>(size_of(dtype_));
    const int64_t block = kBlockBytes / size;
    for (int64_t first = 0; first < numel_; first += block) {
        const int64_t count = std::min(block, numel_ - first);
        read(first, count, tensor.mutable_data() + first * size);
        if (count == block || chunks_) release(first, count);
    }
    require_intact();
    return tensor;
}

void Elements::read_by_library(int64_t first, int64_t count, std::byte* target) const {
    const size_t size = size_of(dtype_);
    Source& source = *source_;
    const std::lock_guard lock(source.mutex);
    const uint64_t all = static_cast<uint64_t>(numel_) * size;
    if (!source.is_kept && (all >= kMostKept || (first == 0 && count == numel_)))
        return source.library->read(source.dataset, first, count, target);
    if (!source.is_kept) {
        source.kept.resize(all);
        source.library->read(source.dataset, 0, numel_, source.kept.data());
        source.is_kept = true;
    }
    std::memcpy(target,
                source.kept.data() + static_cast<size_t>(first) * size,
                static_cast<size_t>(count) * size);
}

void Elements::release(int64_t first, int64_t count) const {
    require_range(first, count);
    if (chunks_ && first + count == numel_) chunks_->forget();
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
    if (of.kind == ObjectKind::kDataset && (!of.dtype || of.null_space))
        throw Error(ErrorKind::kUnsupported,
                    state_->name(index.path(node)) + " holds " + index.dataset(node).numpy_name +
                        ", which is no tensor dtype");
    if (!index.mapping_ || of.needs_library || of.kind != ObjectKind::kDataset || !of.dtype ||
        of.null_space)
        return elements(index.path(node));
    const auto dims = index.shape(node);
    Elements found;
    found.dtype_ = *of.dtype;
    found.shape_.assign(dims.begin(), dims.end());
    found.numel_ = numel_of(dims);
    found.path_ = &state_->path();
    found.mapping_ = index.mapping_;
    found.swapped_ = of.big_endian;
    const auto file = index.mapping_->bytes();
    if (found.numel_ == 0) {
        found.data_ = file.data();
        return found;
    }
    const std::string name = state_->name(index.path(node));
    uint64_t wanted = 0;
    const bool fits = !__builtin_mul_overflow(
        static_cast<uint64_t>(found.numel_), uint64_t{of.element_bytes}, &wanted);
    if (of.stored >= 0) {
        const StoredChunks& stored = index.stored_[static_cast<size_t>(of.stored)];
        try {
            found.chunks_ = std::make_unique<ChunkReader>(index.file_, stored, dims, name);
        } catch (const Damaged& damage) {
            throw Error(ErrorKind::kFormat,
                        "cannot read the dataset " + name + ": " + damage.reason);
        }
        return found;
    }
    if (!fits || wanted > of.storage_bytes || of.storage_bytes > file.size() ||
        of.storage_offset > file.size() || file.size() - of.storage_offset < wanted)
        throw Error(ErrorKind::kFormat, name + " claims more elements than it stores");
    found.data_ = file.data() + of.storage_offset;
    return found;
}

Elements Reader::elements(const std::string& path) const {
    Elements found;
    found.path_ = &state_->path();
    found.source_ = std::make_unique<Elements::Source>();
    found.source_->library = &state_->library();
    found.source_->dataset = state_->library().open_dataset(path, false);
    found.dtype_ = found.source_->dataset.dtype;
    found.shape_ = found.source_->dataset.shape;
    found.numel_ = numel_of(found.shape_);
    return found;
}

}  // namespace npuscope::h5
