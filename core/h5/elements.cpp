#include "core/h5/elements.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/dtype/bools.h"
#include "core/h5/index.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

namespace {

/// Datasets of less are read once and kept: single pieces of a compressed one would be unpacked
/// again and again.
constexpr uint64_t kMostKept = uint64_t{16} << 20;

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
