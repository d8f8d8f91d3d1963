#include "core/h5/object_facts.h"

#include <cstring>

#include "core/h5/plausible_size.h"
#include "core/h5/types.h"

namespace npuscope::h5 {

ObjectKind kind_of(hid_t object) {
    switch (H5Iget_type(object)) {
        case H5I_GROUP:
            return ObjectKind::kGroup;
        case H5I_DATASET:
            return ObjectKind::kDataset;
        default:
            return ObjectKind::kOther;
    }
}

H5_index_t h5py_index(hid_t group) {
    const Handle creation(H5Gget_create_plist(group), H5Pclose);
    unsigned flags = 0;
    if (creation.valid()) H5Pget_link_creation_order(creation.get(), &flags);
    return (flags & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

herr_t collect_name(hid_t, const char* name, const LinkFacts*, void* target) {
    static_cast<std::vector<std::string>*>(target)->emplace_back(name);
    return 0;
}

Shape shape_of(hid_t space, const std::string& what) {
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0) throw Error(ErrorKind::kFormat, "cannot read the shape of " + what);
    std::vector<hsize_t> dims(static_cast<size_t>(rank));
    H5Sget_simple_extent_dims(space, dims.data(), nullptr);
    Shape shape(dims.begin(), dims.end());
    static_cast<void>(numel_of(shape));  // refuses what does not fit 63 bits
    return shape;
}

std::string read_text(hid_t type,
                      hssize_t count,
                      const std::function<herr_t(hid_t, void*)>& read_into) {
    // A damaged type may claim any length.
    constexpr size_t kLongestText = size_t{64} << 20;
    if (count != 1 || H5Tget_size(type) > kLongestText) return {};
    if (H5Tis_variable_str(type) > 0) {
        char* text = nullptr;
        const Handle memory(H5Tcopy(type), H5Tclose);
        if (read_into(memory.get(), &text) < 0 || text == nullptr) return {};
        std::string copy(text);
        H5free_memory(text);
        return copy;
    }
    std::string bytes(H5Tget_size(type), '\0');
    if (read_into(type, bytes.data()) < 0) return {};
    bytes.resize(std::strlen(bytes.c_str()));
    return bytes;
}

DatasetInfo info_of(hid_t dataset, const std::string& what) {
    const Handle type = checked(H5Dget_type(dataset), H5Tclose, "no type of " + what);
    const Handle space = checked(H5Dget_space(dataset), H5Sclose, "no space of " + what);
    DatasetInfo found;
    found.dtype = dtype_of(type.get());
    found.big_endian =
        found.dtype && size_of(*found.dtype) > 1 && H5Tget_order(type.get()) == H5T_ORDER_BE;
    found.numpy_name = numpy_name(type.get());
    found.null_space = H5Sget_simple_extent_type(space.get()) == H5S_NULL;
    if (!found.null_space) found.shape = shape_of(space.get(), what);
    found.storage_bytes = H5Dget_storage_size(dataset);
    const haddr_t offset = H5Dget_offset(dataset);
    H5Eclear2(H5E_DEFAULT);
    // Behind a user block the library gives an offset even where nothing was stored.
    if (offset != HADDR_UNDEF && found.storage_bytes > 0) found.offset = offset;
    return found;
}

std::optional<std::vector<int64_t>> integers_of(hid_t attribute) {
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    constexpr hssize_t kMostElements =
        1 << 16;  // an attribute is at most 64 KB in the classic layout
    if (count < 0 || count > kMostElements) return std::nullopt;
    std::vector<int64_t> values(static_cast<size_t>(count));
    if (count > 0 && H5Aread(attribute, H5T_NATIVE_INT64, values.data()) < 0) {
        H5Eclear2(H5E_DEFAULT);
        return std::nullopt;
    }
    return values;
}

std::string text_of(hid_t attribute, hid_t type) {
    const Handle space(H5Aget_space(attribute), H5Sclose);
    return read_text(
        type, H5Sget_simple_extent_npoints(space.get()), [&](hid_t memory, void* target) {
            return H5Aread(attribute, memory, target);
        });
}

void require_plausible_size(hid_t dataset,
                            const std::string& what,
                            std::span<const int64_t> shape,
                            size_t element_size) {
    uint64_t wanted = 0;
    const bool fits = !__builtin_mul_overflow(
        static_cast<uint64_t>(numel_of(shape)), uint64_t{element_size}, &wanted);
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    const bool chunked = H5Pget_layout(creation.get()) == H5D_CHUNKED;
    const uint64_t stored = H5Dget_storage_size(dataset);
    // Behind an external link it lies in another file than the link.
    const Handle holder(H5Iget_file_id(dataset), H5Fclose);
    hsize_t file_size = 0;
    H5Fget_filesize(holder.get(), &file_size);
    H5Eclear2(H5E_DEFAULT);
    const uint64_t most = stored == 0 ? kMostUnwritten : chunked ? stored * kMostPacked : stored;
    if (!fits || stored > file_size || wanted > most)
        throw Error(ErrorKind::kFormat, what + " claims more elements than it stores");
}

}  // namespace npuscope::h5
