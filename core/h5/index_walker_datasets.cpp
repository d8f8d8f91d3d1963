// Datasets of the file that is walked: what they are and where their elements lie.
#include "core/h5/global_heap.h"
#include "core/h5/index_walker.h"
#include "core/h5/plausible_size.h"
#include "core/h5/trust.h"

namespace npuscope::h5 {

namespace {

/// h5py's name of a type that is no tensor's. Unsupported for those whose size in memory may be
/// another one than in the file.
std::string name_of_odd(const Datatype& type) {
    constexpr uint8_t kBits = 4;
    constexpr uint8_t kOpaque = 5;
    constexpr uint8_t kCompound = 6;
    constexpr uint8_t kReference = 7;
    constexpr uint8_t kEnumeration = 8;
    if (type.is_variable_string) return "object";
    switch (type.stored_class) {
        case kCompound:
            if (type.member_count == 2) return type.size == 8 ? "complex64" : "complex128";
            break;
        case kBits:
        case kOpaque:
        case kReference:
        case kEnumeration:
            return "|V" + std::to_string(type.size);
        default:
            break;
    }
    throw Unsupported{"an uncommon datatype"};
}

/// Types that a number does not fit in have no fill value here: their elements are not read.
FillValue fill_of(const std::optional<Cursor>& now,
                  const std::optional<Cursor>& before,
                  uint32_t element_bytes) {
    if (element_bytes > FillValue().bytes.size()) return {};
    if (now) return read_fill_value(*now, element_bytes);
    return before ? read_old_fill_value(*before, element_bytes) : FillValue();
}

}  // namespace

void IndexWalker::read_dataset(int32_t node, const Object& object) {
    if (!object.layout) throw Damaged{"it has no layout"};
    const Dataspace space = read_dataspace(*object.space);
    const Datatype type = read_datatype(*object.type);
    Layout layout = read_layout(*object.layout);
    uint64_t wanted = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(space.numel), type.size, &wanted))
        throw Damaged{"its shape has more elements than can be stored"};
    if (!layout.has_size) layout.size = wanted;
    const bool is_stored =
        layout.layout_class == Layout::Class::kCompact ||
        (layout.layout_class == Layout::Class::kContiguous && layout.address != kUndefinedAddress);
    if (is_stored && layout.size != wanted)
        throw Damaged{"its shape does not fit the bytes that it stores"};
    if (!type.is_plain) return read_odd_dataset(node, object, space, layout, type);
    out_.set_shape(node, {space.dims.data(), static_cast<size_t>(space.rank)});
    Node& of = out_[node];
    of.dtype = type.dtype;
    of.big_endian = type.big_endian;
    of.is_text = type.type_class == Datatype::Class::kFixedString;
    of.null_space = space.is_null;
    of.element_bytes = type.size;
    if (layout.layout_class == Layout::Class::kChunked)
        return read_chunks(node, object, layout, type);
    if (layout.layout_class == Layout::Class::kCompact) {
        of.is_compact = true;
        of.storage_offset = superblock_.file.offset_of(layout.compact);
        of.storage_bytes = layout.size;
    } else if (layout.address != kUndefinedAddress && layout.size > 0) {
        if (__builtin_add_overflow(layout.address, superblock_.file.base(), &of.storage_offset))
            throw Damaged{"its elements lie nowhere"};
        of.storage_bytes = layout.size;
    } else if (space.numel > 0) {
        note_unwritten(node, object, type);
    }
}

/// All that a file claims without storing it, together.
void IndexWalker::believe_unwritten(int32_t node, const Datatype& type) {
    uint64_t wanted = type.size;
    bool fits = true;
    for (const int64_t dim : out_.shape(node))
        fits = fits && !__builtin_mul_overflow(wanted, static_cast<uint64_t>(dim), &wanted);
    fits = fits && !__builtin_add_overflow(unwritten_, wanted, &unwritten_);
    if ((!fits || unwritten_ > kMostUnwritten) && !files_are_trusted())
        throw Damaged{"it claims more elements that were never written than are believed"};
}

void IndexWalker::note_unwritten(int32_t node, const Object& object, const Datatype& type) {
    believe_unwritten(node, type);
    StoredChunks stored;
    stored.element_bytes = type.size;
    stored.fill = fill_of(object.fill, object.old_fill, type.size);
    out_.set_stored(node, stored);
}

uint64_t IndexWalker::chunk_bytes(int32_t node,
                                  const Object& object,
                                  const Layout& layout,
                                  const Datatype& type,
                                  StoredChunks& stored) {
    const auto dims = out_.shape(node);
    if (layout.chunk_rank != static_cast<int>(dims.size()) ||
        layout.chunk_element_bytes != type.size)
        throw Damaged{"its pieces are not of its shape"};
    stored.is_chunked = true;
    stored.tree = layout.tree;
    stored.chunk = layout.chunk;
    stored.element_bytes = type.size;
    if (object.filters) stored.filters = read_filters(*object.filters);
    uint64_t bytes = 0;
    for (const StoredChunk& chunk : list_chunks(superblock_.file, limit_, stored, dims))
        bytes += chunk.bytes;
    return bytes;
}

void IndexWalker::read_chunks(int32_t node,
                              const Object& object,
                              const Layout& layout,
                              const Datatype& type) {
    StoredChunks stored;
    out_[node].storage_bytes = chunk_bytes(node, object, layout, type, stored);
    if (out_[node].storage_bytes == 0) believe_unwritten(node, type);
    stored.fill = fill_of(object.fill, object.old_fill, type.size);
    out_.set_stored(node, stored);
}

/// What is no tensor: its name and place, and the text of a single one.
void IndexWalker::read_odd_dataset(int32_t node,
                                   const Object& object,
                                   const Dataspace& space,
                                   const Layout& layout,
                                   const Datatype& type) {
    DatasetInfo info;
    info.numpy_name = name_of_odd(type);
    info.null_space = space.is_null;
    info.shape.assign(space.dims.begin(), space.dims.begin() + space.rank);
    out_.set_shape(node, info.shape);
    const std::byte* elements = layout.compact;
    if (layout.layout_class == Layout::Class::kChunked) {
        StoredChunks stored;
        info.storage_bytes = chunk_bytes(node, object, layout, type, stored);
    } else if (elements != nullptr) {
        info.storage_bytes = layout.size;
    } else if (layout.address != kUndefinedAddress && layout.size > 0) {
        const Cursor stored = superblock_.file.at(layout.address, layout.size);
        elements = stored.position();
        info.storage_bytes = layout.size;
        info.offset = superblock_.file.offset_of(elements);
    }
    out_.set_library_info(node, std::move(info));
    if (!type.is_variable_string || space.numel != 1 || elements == nullptr) return;
    const std::string_view text =
        heap_text(superblock_.file, limit_, Cursor(elements, elements + type.size));
    // As if the text had a place of its own.
    Node& of = out_[node];
    of.is_text = true;
    of.element_bytes = static_cast<uint32_t>(text.size());
    of.storage_bytes = text.size();
    of.storage_offset =
        text.empty() ? 0
                     : superblock_.file.offset_of(reinterpret_cast<const std::byte*>(text.data()));
}

}  // namespace npuscope::h5
