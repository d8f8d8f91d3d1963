// Where a short word stands in a text, sixteen places at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace npuscope::loss {

/// As text.find(word, from), for words of a few letters several times as quick: first and last
/// letter are compared at 16 places at once (SSE2, part of every x86-64), the rest where both fit.
///
/// Edge    word "": from, as string_view does.
/// Source  Mula, SIMD-friendly algorithms for substring searching (2016), the generic algorithm.
[[nodiscard]] size_t find_text(std::string_view text, std::string_view word, size_t from);

}  // namespace npuscope::loss
