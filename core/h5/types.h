// HDF5 types of the dtype table. Included by core/h5/*.cpp only.
#pragma once

#include <optional>
#include <string>

#include <hdf5.h>

#include "core/dtype/dtype.h"
#include "core/h5/handle.h"

namespace npuscope::h5 {

/// IEEE 754 binary16, little endian (h5py and NumPy use the same).
Handle float16_type();

/// The little-endian file type of a dtype; bool is int8, bfloat16 has none (Error(kInternal)).
Handle file_type(DType dtype);

/// The in-memory type of a dtype; the machine is little endian.
inline Handle memory_type(DType dtype) {
    return file_type(dtype);
}

/// The in-memory type to read elements of the file's `type` with, which dtype_of() says is `dtype`.
Handle reading_type(DType dtype, hid_t type);

/// The dtype that an HDF5 type stores exactly, byte order aside; h5py's bool enum is kBool.
std::optional<DType> dtype_of(hid_t type);

/// h5py's name of a type ("float32", ">f4", "bool", "|S5", "object").
std::string numpy_name(hid_t type);

}  // namespace npuscope::h5
