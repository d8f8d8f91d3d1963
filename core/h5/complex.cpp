#include "core/h5/h5.h"
#include "core/h5/state.h"
#include "core/h5/types.h"

namespace npuscope::h5 {

namespace {

constexpr const char* kRealMember = "r";

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

}  // namespace

Tensor Reader::read_real_part(const std::string& path) const {
    const LibraryLock lock;
    const std::string name = state_->name(path);
    const Handle dataset =
        checked(H5Dopen2(state_->library().file.get(), path.c_str(), H5P_DEFAULT),
                H5Dclose,
                "cannot open the dataset " + name,
                ErrorKind::kFormat);
    const Handle type = checked(H5Dget_type(dataset.get()), H5Tclose, "no type of " + name);
    const auto dtype = real_dtype(type.get());
    const DatasetInfo info = this->dataset(path);
    if (!dtype || info.null_space)
        throw Error(ErrorKind::kUnsupported, name + " does not hold complex numbers");
    const auto wanted = static_cast<uint64_t>(numel_of(info.shape)) * size_of(*dtype);
    if (info.storage_bytes > 0 && wanted / 1100 > info.storage_bytes)
        throw Error(ErrorKind::kFormat, name + " claims more elements than it stores");
    Tensor tensor(*dtype, info.shape);
    if (tensor.numel() == 0) return tensor;
    const Handle memory =
        checked(H5Tcreate(H5T_COMPOUND, size_of(*dtype)), H5Tclose, "cannot make an HDF5 type");
    const Handle member = memory_type(*dtype);
    check(H5Tinsert(memory.get(), kRealMember, 0, member.get()), "cannot make an HDF5 type");
    check(
        H5Dread(dataset.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.mutable_data()),
        "cannot read the dataset " + name,
        ErrorKind::kFormat);
    return tensor;
}

}  // namespace npuscope::h5
