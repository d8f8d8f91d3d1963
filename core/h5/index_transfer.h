// An index as bytes: the library builds one in its process, this one takes it over. Included by
// core/h5/*.cpp only.
#pragma once

#include "core/h5/format_cursor.h"
#include "core/h5/index_builder.h"

namespace npuscope::h5 {

class ByteBuilder;

/// All nodes, their attributes and the warnings.
void put_index(const Index& index, ByteBuilder& out);
/// The sent root becomes `node`, which is the last one of `target` and keeps its name; what is
/// below follows. Throws Damaged when the bytes are no index.
void take_index(Cursor& in, IndexBuilder& target, int32_t node);

}  // namespace npuscope::h5
