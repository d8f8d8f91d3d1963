// Texts of any length lie in heaps of their own. Included by core/h5/*.cpp only.
#pragma once

#include <string_view>

#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

/// The text that an element of such a type refers to, up to its first NUL; "" when it refers to
/// none. Points into the file. Throws Damaged.
/// Source: HDF5 File Format Specification 3.0, III.E (global heaps), VIII.B.1 (their identifiers).
std::string_view heap_text(const FileBytes& file, WorkLimit& limit, Cursor element);

}  // namespace npuscope::h5
