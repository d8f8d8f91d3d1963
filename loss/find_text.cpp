#include "loss/find_text.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace npuscope::loss {

size_t find_text(std::string_view text, std::string_view word, size_t from) {
#if defined(__SSE2__)
    if (word.size() >= 2 && text.size() >= word.size()) {
        const __m128i first = _mm_set1_epi8(word.front());
        const __m128i last = _mm_set1_epi8(word.back());
        // Both loads end within the text.
        for (; from + word.size() + 15 <= text.size(); from += 16) {
            const char* place = text.data() + from;
            const __m128i begins =
                _mm_cmpeq_epi8(first, _mm_loadu_si128(reinterpret_cast<const __m128i*>(place)));
            const __m128i ends = _mm_cmpeq_epi8(
                last, _mm_loadu_si128(reinterpret_cast<const __m128i*>(place + word.size() - 1)));
            auto fits = static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(begins, ends)));
            for (; fits != 0; fits &= fits - 1) {
                const auto i = static_cast<size_t>(std::countr_zero(fits));
                if (std::memcmp(place + i + 1, word.data() + 1, word.size() - 2) == 0)
                    return from + i;
            }
        }
    }
#endif
    return text.find(word, from);
}

}  // namespace npuscope::loss
