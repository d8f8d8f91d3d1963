// float16 and bfloat16 to and from float32, many at once with the widest vectors that the CPU has.
#pragma once

#include <cstddef>

#include "core/dtype/float16.h"

namespace npuscope {

/// The bits of to_float16(), to_bfloat16() and to_float() for each element. Pointers need no
/// alignment beyond their types'. Threads: pure functions.
void convert_to_float16(const float* from, Float16* to, size_t count);
void convert_to_bfloat16(const float* from, BFloat16* to, size_t count);
void convert_to_float(const Float16* from, float* to, size_t count);
void convert_to_float(const BFloat16* from, float* to, size_t count);

}  // namespace npuscope
