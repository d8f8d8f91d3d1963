#include "core/h5/library_dataset.h"

#include <algorithm>

#include "core/h5/object_facts.h"

namespace npuscope::h5 {

namespace {

constexpr size_t kChunkCache = size_t{64} << 20;
constexpr size_t kChunkSlots = 12421;  // a prime, as HDF5 recommends
constexpr const char* kRealMember = "r";
constexpr int kDeepestVirtual = 4;
constexpr size_t kMostVirtualFiles = 4096;

/// Selects the longest block of consecutive elements from `first` on and returns its shape.
std::vector<hsize_t> select_block(hid_t space,
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
    return block;
}

/// A cache that holds the largest chunk: a smaller one would have it unpacked for every piece.
Handle opened_with_cache(const OpenFile& file, const std::string& path, const std::string& name) {
    const Handle access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "cannot set up HDF5");
    const auto open = [&](size_t cache) {
        check(H5Pset_chunk_cache(access.get(), kChunkSlots, cache, H5D_CHUNK_CACHE_W0_DEFAULT),
              "cannot set up HDF5");
        return checked(H5Dopen2(file.file.get(), path.c_str(), access.get()),
                       H5Dclose,
                       "cannot open the dataset " + name,
                       ErrorKind::kFormat);
    };
    Handle dataset = open(kChunkCache);
    const Handle creation(H5Dget_create_plist(dataset.get()), H5Pclose);
    std::vector<hsize_t> dims(H5S_MAX_RANK);
    if (!creation.valid() || H5Pget_layout(creation.get()) != H5D_CHUNKED) return dataset;
    const int rank = H5Pget_chunk(creation.get(), static_cast<int>(dims.size()), dims.data());
    const Handle type(H5Dget_type(dataset.get()), H5Tclose);
    uint64_t bytes = H5Tget_size(type.get());
    for (int axis = 0; axis < rank; ++axis)
        if (__builtin_mul_overflow(bytes, dims[static_cast<size_t>(axis)], &bytes)) return dataset;
    if (bytes <= kChunkCache) return dataset;
    dataset.reset();
    return open(bytes);
}

/// The dtype of the member "r" when the type is a pair of two equal floats.
std::optional<DType> real_dtype(hid_t type) {
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return std::nullopt;
    const int index = H5Tget_member_index(type, kRealMember);
    if (index < 0) {
        H5Eclear2(H5E_DEFAULT);
        return std::nullopt;
    }
    const Handle member(H5Tget_member_type(type, static_cast<unsigned>(index)), H5Tclose);
    const auto dtype = dtype_of(member.get());
    const bool fits = dtype == DType::kFloat32 || dtype == DType::kFloat64;
    return fits && H5Tget_size(type) == 2 * size_of(*dtype) ? dtype : std::nullopt;
}

std::string text_from(const std::function<ssize_t(char*, size_t)>& get) {
    const ssize_t length = get(nullptr, 0);
    if (length <= 0) return {};
    std::string text(static_cast<size_t>(length), '\0');
    get(text.data(), text.size() + 1);
    return text;
}

/// Every file that the library may take a name for: it looks beside the file that leads there, in
/// the current folder, and there for the last part of the name, too.
std::vector<std::filesystem::path> candidates(const std::filesystem::path& name,
                                              const std::filesystem::path& beside,
                                              const std::filesystem::path& current) {
    if (!name.is_absolute()) return {beside / name, current / name};
    return {name, beside / name.filename(), current / name.filename()};
}

void require_stored_inside(const OpenFile& file, hid_t dataset, const std::string& what, int depth);

/// The dataset of a virtual one's source, wherever the library might find its file.
void require_source_inside(const OpenFile& file,
                           const std::filesystem::path& other,
                           const std::string& path,
                           const std::string& what,
                           int depth) {
    const Handle access(H5Fget_access_plist(file.file.get()), H5Pclose);
    file.clear_refusal();
    const Handle opened(H5Fopen(other.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    H5Eclear2(H5E_DEFAULT);
    if (!file.refusal().empty())
        throw Error(ErrorKind::kFormat, what + " is not read: " + file.refusal());
    if (!opened.valid()) return;  // the fill value stands for what is not there
    const Handle source(H5Dopen2(opened.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    H5Eclear2(H5E_DEFAULT);
    if (!source.valid()) return;
    require_stored_inside(file, source.get(), what, depth + 1);
}

/// The library finds the other files itself; here they are opened by the same rules to see where
/// their elements lie.
void require_sources_inside(
    const OpenFile& file, hid_t creation, hid_t holder, const std::string& what, int depth) {
    const std::filesystem::path place(
        text_from([&](char* text, size_t size) { return H5Fget_name(holder, text, size); }));
    size_t count = 0;
    H5Pget_virtual_count(creation, &count);
    if (depth == kDeepestVirtual || count > kMostVirtualFiles)
        throw Error(ErrorKind::kFormat, what + " is put together from too many other datasets");
    for (size_t i = 0; i < count; ++i) {
        const std::string other = text_from([&](char* text, size_t size) {
            return H5Pget_virtual_filename(creation, i, text, size);
        });
        const std::string path = text_from([&](char* text, size_t size) {
            return H5Pget_virtual_dsetname(creation, i, text, size);
        });
        if (other.find('%') != std::string::npos || path.find('%') != std::string::npos)
            throw Error(ErrorKind::kFormat,
                        what +
                            " is put together from files by a pattern; only trusted files may "
                            "be");
        if (other == ".") {
            const Handle source(H5Dopen2(holder, path.c_str(), H5P_DEFAULT), H5Dclose);
            H5Eclear2(H5E_DEFAULT);
            if (source.valid()) require_stored_inside(file, source.get(), what, depth + 1);
            continue;
        }
        for (const auto& candidate :
             candidates(other, place.parent_path(), file.confinement->folder))
            require_source_inside(file, candidate, path, what, depth);
    }
}

void require_stored_inside(const OpenFile& file,
                           hid_t dataset,
                           const std::string& what,
                           int depth) {
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    if (!creation.valid())
        throw Error(ErrorKind::kFormat, "cannot tell where the elements of " + what + " lie");
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    if (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation.get()) != 0) {
        char other[1024] = {};
        H5Pget_external(creation.get(), 0, sizeof other - 1, other, nullptr, nullptr);
        throw Error(ErrorKind::kFormat,
                    "the elements of " + what + " lie in " + in_quotes(other) +
                        ", no HDF5 file; only trusted files may refer to such");
    }
    if (layout != H5D_VIRTUAL) return;
    // It may lie behind a link in another file, whose folder counts then.
    const Handle holder(H5Iget_file_id(dataset), H5Fclose);
    require_sources_inside(file, creation.get(), holder.get(), what, depth);
}

}  // namespace

void require_contained(const OpenFile& file, hid_t dataset, const std::string& what) {
    if (file.confinement) require_stored_inside(file, dataset, what, 0);
}

LibraryDataset::LibraryDataset(const OpenFile& file, const std::string& path, ElementPart part)
    : name_(file.name(path)), dataset_(opened_with_cache(file, path, name_)) {
    require_contained(file, dataset_.get(), name_);
    const Handle type = checked(H5Dget_type(dataset_.get()), H5Tclose, "no type of " + name_);
    space_ = checked(H5Dget_space(dataset_.get()), H5Sclose, "no space of " + name_);
    if (part == ElementPart::kRealPart)
        open_real_part(type.get());
    else
        open_elements(type.get());
    shape_ = shape_of(space_.get(), name_);
    numel_ = numel_of(shape_);
    strides_ = contiguous_strides(shape_);
    require_plausible_size(dataset_.get(), name_, shape_, H5Tget_size(type.get()));
}

void LibraryDataset::open_elements(hid_t type) {
    const auto dtype = dtype_of(type);
    if (!dtype || H5Sget_simple_extent_type(space_.get()) == H5S_NULL)
        throw Error(ErrorKind::kUnsupported,
                    name_ + " holds " + numpy_name(type) + ", which is no tensor dtype");
    dtype_ = *dtype;
    memory_type_ = reading_type(*dtype, type);
}

void LibraryDataset::open_real_part(hid_t type) {
    const auto dtype = real_dtype(type);
    if (!dtype || H5Sget_simple_extent_type(space_.get()) == H5S_NULL)
        throw Error(ErrorKind::kUnsupported, name_ + " does not hold complex numbers");
    dtype_ = *dtype;
    memory_type_ =
        checked(H5Tcreate(H5T_COMPOUND, size_of(*dtype)), H5Tclose, "cannot make an HDF5 type");
    const Handle member = memory_type(*dtype);
    check(H5Tinsert(memory_type_.get(), kRealMember, 0, member.get()), "cannot make an HDF5 type");
}

void LibraryDataset::read(int64_t first, int64_t count, std::byte* target) {
    const std::string failure = "cannot read the dataset " + name_;
    if (shape_.empty() || (first == 0 && count == numel_)) {
        if (numel_ == 0) return;
        check(H5Dread(dataset_.get(), memory_type_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, target),
              failure,
              ErrorKind::kFormat);
        return;
    }
    const size_t size = size_of(dtype_);
    while (count > 0) {
        // Of the same shape in memory: the library maps other shapes element by element.
        const auto block = select_block(space_.get(), shape_, strides_, first, count);
        const Handle memory =
            checked(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr),
                    H5Sclose,
                    "cannot make a dataspace");
        hsize_t length = 1;
        for (const hsize_t dim : block)
            length *= dim;
        check(H5Dread(dataset_.get(),
                      memory_type_.get(),
                      memory.get(),
                      space_.get(),
                      H5P_DEFAULT,
                      target),
              failure,
              ErrorKind::kFormat);
        first += static_cast<int64_t>(length);
        count -= static_cast<int64_t>(length);
        target += length * size;
    }
}

}  // namespace npuscope::h5
